//! Answers that were given on the command line, and what is said when they do not suffice.

mod example;
mod fit;
mod given;
mod needed;

pub(crate) use self::given::Given;
pub(crate) use self::needed::Needed;
