use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Login {
    user: String,
    /// The key of your account.
    api_key: String,
}

fn main() {}
