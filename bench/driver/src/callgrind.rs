//! What a number of requests costs in instructions and allocations, counted by valgrind.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;

use crate::Failure;
use crate::exchange::{Call, state_of};
use crate::http::Connection;
use crate::process::{Running, Start};
use crate::servers::Server;

/// Counts of one run.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub instructions: f64,
    /// Those that hash or encrypt.
    pub hashing: f64,
    /// Calls of malloc and its kin, realloc included.
    pub allocations: f64,
    /// Instructions by source folder or library.
    pub by_origin: BTreeMap<String, f64>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            instructions,
            hashing,
            allocations,
            ..
        } = self;
        write!(
            f,
            "{instructions:.0} instructions, of them {hashing:.0} hashing; {allocations:.1} allocations"
        )
    }
}

impl Counts {
    /// What `more` counted beyond this, for each of `requests`.
    pub fn per_request(&self, more: &Self, requests: f64) -> Self {
        let per = |less: f64, more: f64| (more - less) / requests;
        let mut by_origin = more.by_origin.clone();
        for (origin, less) in &self.by_origin {
            *by_origin.entry(origin.clone()).or_default() -= less;
        }
        by_origin.values_mut().for_each(|value| *value /= requests);
        Self {
            instructions: per(self.instructions, more.instructions),
            hashing: per(self.hashing, more.hashing),
            allocations: per(self.allocations, more.allocations),
            by_origin,
        }
    }
}

/// What one request of the first and of the second round costs: the difference of runs with few and many of them, so
/// that starting and stopping cancel out.
pub fn rounds(server: &Server, tools: usize, requests: usize) -> Result<[Counts; 2], Failure> {
    const FEW: usize = 20;
    let many = FEW + requests;
    let count = |first, second| {
        under_callgrind(server, tools, |connection| calls(connection, first, second))
    };
    let (few, first, both) = (count(FEW, FEW)?, count(many, FEW)?, count(many, many)?);
    Ok([
        few.per_request(&first, requests as f64),
        first.per_request(&both, requests as f64),
    ])
}

fn calls(connection: &mut Connection, first: usize, second: usize) -> Result<(), Failure> {
    let mut state = String::new();
    for _ in 0..first {
        let (_, body) = connection.call(&Call::first())?;
        if state.is_empty() {
            state_of(body)?.clone_into(&mut state);
        }
    }
    for _ in 0..second {
        let (status, _) = connection.call(&Call::second(&state))?;
        if status != 200 {
            return Err(format!("a second round gives HTTP {status}").into());
        }
    }
    Ok(())
}

/// Counts what a server does while `play` talks to it.
pub fn under_callgrind(
    server: &Server,
    tools: usize,
    play: impl FnOnce(&mut Connection) -> Result<(), Failure>,
) -> Result<Counts, Failure> {
    let file = std::env::temp_dir().join(format!("mrtr-bench-{}.callgrind", std::process::id()));
    run(server, tools, &file, play)?;
    let counts = read(&file)?;
    std::fs::remove_file(&file)?;
    Ok(counts)
}

/// Runs many requests of one round and keeps the file, for `callgrind_annotate`.
pub fn profile(server: &Server, round: &str) -> Result<(), Failure> {
    const REQUESTS: usize = 3000;
    let file = Path::new("target").join(format!("{}.{round}.callgrind", server.name));
    run(server, 1, &file, |connection| match round {
        "1" => calls(connection, REQUESTS, 0),
        _ => calls(connection, 1, REQUESTS),
    })?;
    let counts = read(&file)?;
    println!("{}: {REQUESTS} requests and the start", file.display());
    let mut origins: Vec<_> = counts.by_origin.iter().collect();
    origins.sort_by(|a, b| b.1.total_cmp(a.1));
    for (origin, cost) in origins.iter().take(20) {
        println!("{:9.0}  {origin}", *cost / REQUESTS as f64);
    }
    Ok(())
}

fn run(
    server: &Server,
    tools: usize,
    file: &Path,
    play: impl FnOnce(&mut Connection) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let out = format!("--callgrind-out-file={}", file.display());
    let under = [
        "valgrind",
        "-q",
        "--tool=callgrind",
        "--compress-strings=no",
        "--compress-pos=no",
        &out,
    ];
    let start = Start {
        tools,
        under: under.map(str::to_owned).to_vec(),
    };
    let running = Running::start(server, &start)?;
    let mut connection = Connection::open(running.port)?;
    play(&mut connection)?;
    drop(connection);
    running.finish()
}

/// Reads a file of callgrind.
pub fn read(file: &Path) -> Result<Counts, Failure> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut counts = Counts::default();
    let (mut object, mut source, mut function) = ("", "", "");
    let mut called = "";
    let mut origins: HashMap<(&str, &str, bool), f64> = HashMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some((key, value)) = line.split_once('=') {
            match key {
                "ob" => object = value,
                "fl" => source = value,
                "fi" | "fe" => source = value,
                "fn" => function = value,
                "cfn" => called = value,
                "calls" => {
                    if is_allocation(called) {
                        let calls = value.split(' ').next().unwrap_or_default();
                        counts.allocations += calls.parse::<f64>()?;
                    }
                    // The next line is what the call cost, which its own lines say as well.
                    lines.next();
                }
                _ => {}
            }
            continue;
        }
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            let cost = line.split(' ').nth(1).unwrap_or("0").parse::<f64>()?;
            counts.instructions += cost;
            let hashing = is_hashing(source) || is_hashing(function);
            *origins.entry((object, source, hashing)).or_default() += cost;
        }
    }
    for ((object, source, hashing), cost) in origins {
        if hashing {
            counts.hashing += cost;
        }
        *counts.by_origin.entry(origin(object, source)).or_default() += cost;
    }
    Ok(counts)
}

fn is_allocation(function: &str) -> bool {
    // Calls between them, as from `calloc` into the arena, have names of their own.
    matches!(
        function,
        "malloc" | "calloc" | "realloc" | "posix_memalign" | "aligned_alloc" | "memalign"
    )
}

fn is_hashing(name: &str) -> bool {
    [
        "blake3",
        "polyval",
        "aes-0",
        "aes_gcm_siv",
        "aes-gcm-siv",
        "sha2-",
        "sha2::",
        "hmac-",
        "ghash",
        "poly1305",
        "aes::",
    ]
    .iter()
    .any(|part| name.contains(part))
}

/// The crate of a source file, or else the library.
fn origin(object: &str, source: &str) -> String {
    if let Some((_, rest)) = source.split_once("/registry/src/") {
        let package = rest.split('/').nth(1).unwrap_or(rest);
        let name = package.rsplit_once('-').map_or(package, |(name, _)| name);
        return name.to_owned();
    }
    if let Some((_, rest)) = source.split_once("/library/") {
        return rest.split('/').next().unwrap_or(rest).to_owned();
    }
    if let Some((_, rest)) = source.split_once("crates/") {
        return rest.split('/').next().unwrap_or(rest).to_owned();
    }
    if source.contains("servers/") || source.contains("kit/") {
        return "the server itself".to_owned();
    }
    object.rsplit('/').next().unwrap_or(object).to_owned()
}
