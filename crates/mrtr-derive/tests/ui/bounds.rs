use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Bounds {
    #[form(min = 1)]
    name: String,
    #[form(min_length = 1)]
    seats: u8,
    #[form(min = 9, max = 1)]
    reversed: u8,
    #[form(max = 300)]
    too_wide: u8,
    #[form(min = 0.5)]
    fraction: u8,
    #[form(max_items = 2)]
    one: Class,
    #[form(min_items = 3)]
    several: Vec<Class>,
}

#[derive(Form)]
#[form(crate = "mrtr_core")]
enum Class {
    Economy,
    Business,
}

fn main() {}
