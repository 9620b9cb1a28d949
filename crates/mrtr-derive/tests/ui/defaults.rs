use mrtr_derive::Form;

#[derive(Form)]
#[form(crate = "mrtr_core")]
struct Defaults {
    #[form(default = 3)]
    name: String,
    #[form(default = "three")]
    seats: u8,
    #[form(min = 1, max = 9, default = 10)]
    outside: u8,
    #[form(format = "date", default = "2026-02-30")]
    day: String,
    #[form(max_length = 3, default = "four")]
    long: String,
    #[form(default = "First")]
    class: Class,
    #[form(default = Class::Economy)]
    classes: Vec<Class>,
    #[form(default = 1)]
    yes: bool,
}

#[derive(Form)]
#[form(crate = "mrtr_core")]
enum Class {
    Economy,
    Business,
}

fn main() {}
