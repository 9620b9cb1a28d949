//! What the servers of the benchmark have in common: the command line and the words of the tool.

/// How a server of the benchmark is started: `NAME --port P [--tools N] [--stdio]`.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub port: u16,
    /// How many tools are registered. The first is `book`.
    pub tools: usize,
    /// Serve over the standard streams instead of HTTP.
    pub stdio: bool,
    /// The same, by whatever second way the library has.
    pub pipes: bool,
}

impl Options {
    /// Reads the command line; says how it should be and exits when it is not.
    pub fn from_args() -> Self {
        let mut options = Self {
            port: 0,
            tools: 1,
            stdio: false,
            pipes: false,
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number = || args.next().and_then(|text| text.parse::<u16>().ok());
            match (arg.as_str(), &mut options) {
                ("--port", options) => options.port = number().unwrap_or_else(|| usage()),
                ("--tools", options) => {
                    options.tools = number().unwrap_or_else(|| usage()).max(1).into()
                }
                ("--stdio", options) => options.stdio = true,
                ("--pipes", options) => (options.stdio, options.pipes) = (true, true),
                _ => usage(),
            }
        }
        options
    }

    /// Names of the tools beside `book`, which do nothing.
    pub fn fillers(&self) -> impl Iterator<Item = String> + use<> {
        (2..=self.tools).map(|n| format!("filler-{n:03}"))
    }
}

fn usage() -> ! {
    eprintln!("usage: --port PORT [--tools N] [--stdio | --pipes]");
    std::process::exit(2)
}

/// The name that a server gives itself; its states are bound to it.
pub const SERVER: &str = "bench";
/// Who calls: the same for every request, as if a token had been checked.
pub const ISSUER: &str = "https://login.example.com";
pub const SUBJECT: &str = "alice";
/// What seals the states.
pub const KEY: [u8; 32] = *b"bench-bench-bench-bench-bench-32";
/// The key of the one question of `book`.
pub const QUESTION: &str = "dates";

/// What `book` asks.
pub fn question(city: &str) -> String {
    format!("When do you travel to {city}?")
}

/// What `book` answers in the end.
pub fn booked(city: &str, from: &str, to: &str) -> String {
    format!("Booked {city} from {from} to {to}.")
}
