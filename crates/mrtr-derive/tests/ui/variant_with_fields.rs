use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
enum Payment {
    Cash,
    Invoice { address: String },
}

fn main() {}
