//! Checks, counts and times the servers of the benchmark. Runs in the folder `bench`; `bench/run` and `bench/gate`
//! call it.

mod build;
mod callgrind;
mod check;
mod exchange;
mod http;
mod process;
mod servers;

use crate::servers::Server;

/// What went wrong, in words for whoever runs the benchmark.
pub type Failure = Box<dyn std::error::Error>;

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bench: {failure}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    match command.as_str() {
        "run" => {
            let servers = build::present(servers::read(&rest)?)?;
            count(&servers)
        }
        "check" => {
            for server in servers::read(&rest)? {
                check::check(&server)?;
                println!("{}: ok", server.name);
            }
            Ok(())
        }
        "count" => count(&servers::read(&rest)?),
        "profile" => match rest.as_slice() {
            [server, round] => callgrind::profile(&servers::find(server)?, round),
            _ => Err("usage: bench-driver profile SERVER 1|2".into()),
        },
        _ => Err("usage: bench-driver run|check|count|profile".into()),
    }
}

fn count(servers: &[Server]) -> Result<(), Failure> {
    for server in servers.iter().filter(|server| server.native) {
        for tools in server.sizes() {
            let rounds = callgrind::rounds(server, tools, 300)?;
            for (round, counts) in (1..).zip(&rounds) {
                println!("{}, {tools} tools, round {round}: {counts}", server.name);
            }
        }
    }
    Ok(())
}
