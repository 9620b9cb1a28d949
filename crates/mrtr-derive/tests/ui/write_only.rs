use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Login {
    #[form(write_only)]
    answer: String,
}

fn main() {}
