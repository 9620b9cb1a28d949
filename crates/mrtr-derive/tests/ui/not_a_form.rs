use mrtr_core::form::Form;

struct Plain;

fn ask<T: Form>() {}

fn main() {
    ask::<Plain>();
    ask::<String>();
}
