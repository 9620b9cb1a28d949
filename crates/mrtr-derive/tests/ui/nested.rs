use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Booking {
    seats: u8,
    address: Address,
}

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Address {
    street: String,
}

fn main() {}
