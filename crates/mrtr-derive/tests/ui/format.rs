use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Formats {
    #[form(format = "phone")]
    phone: String,
    #[form(format = "password")]
    answer: String,
    #[form(format = "date")]
    year: u16,
}

fn main() {}
