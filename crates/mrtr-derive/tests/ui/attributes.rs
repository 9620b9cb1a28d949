use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Unknown {
    #[form(minimum = 1)]
    seats: u8,
    #[form(min = "1")]
    quoted: u8,
    #[form(min = 1, min = 2)]
    twice: u8,
    #[form(rename = "seats")]
    a: u8,
    #[form(rename = "a")]
    b: u8,
}

#[derive(Form)]
#[form(name = "x")]
struct OnTheType {}

#[derive(Form)]
enum Variants {
    #[form(min = 1)]
    A,
    B,
}

#[derive(Form)]
enum SameValue {
    #[form(rename = "b")]
    A,
    #[form(rename = "b")]
    B,
}

fn main() {}
