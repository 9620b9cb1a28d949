use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Guests {
    names: Vec<String>,
}

fn main() {}
