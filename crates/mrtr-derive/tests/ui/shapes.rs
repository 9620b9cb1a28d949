use mrtr_derive::Form;

#[derive(Form)]
struct Tuple(String);

#[derive(Form)]
struct Generic<T> {
    value: T,
}

#[derive(Form)]
enum Nothing {}

#[derive(Form)]
union Either {
    a: u8,
    b: i8,
}

fn main() {}
