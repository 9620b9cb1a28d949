//! What a server does with each request, whatever the transport.

mod build;
mod completion;
mod errors;
mod keys;
mod limits;
mod lists;
mod log;
mod metrics;
mod notices;
#[path = "../official_schema/mod.rs"]
mod official;
mod prompts;
mod resources;
mod rounds;
mod schemas;
mod support;
mod tools;
