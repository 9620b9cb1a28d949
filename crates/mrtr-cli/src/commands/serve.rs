//! `mrtr serve`

mod monitor;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use mrtr::server::{Http, Server};
use mrtr::state::{Keyring, Secret};
use serde::Serialize;
use tokio::net::TcpListener;

use self::monitor::Monitor;
use super::keys;
use crate::cli::serve::ServeArgs;
use crate::example::{self, Desk, People, Person};
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) async fn run(args: ServeArgs, out: &Out) -> Result<Exit, Failure> {
    let keyring = keys::read(args.keys.as_deref())?;
    let people = Arc::new(People::new(match keyring {
        Some(keyring) => keyring,
        None => random_keyring()?,
    }));
    // Whoever can reach a loopback address or these standard streams is at this machine, unless a
    // proxy stands before it.
    let local = args.stdio || args.http.ip().is_loopback() && args.hosts.is_empty();
    let desk = Arc::new(Desk::new(people.clone(), local.then_some(Person::Ada)));
    let mut builder = example::server(desk.clone());
    if let Some(file) = &args.keys {
        let people = people.clone();
        builder = builder
            .key_file(file)
            .on_new_keys(move |keys| people.set_keyring(keys.clone()));
    }
    let server = builder.build().map_err(Failure::local)?;
    let reloading = tokio::spawn(reload_keys(args.clone(), server.clone()));
    let served = if args.stdio {
        over_stdio(&server, desk, &people, out).await
    } else {
        over_http(&server, &args, desk, &people, out).await
    };
    reloading.abort();
    served.map(|()| Exit::Done)
}

fn random_keyring() -> Result<Keyring, Failure> {
    Keyring::new([Secret::generate(rand::random())]).map_err(Failure::local)
}

async fn over_http(
    server: &Server,
    args: &ServeArgs,
    desk: Arc<Desk>,
    people: &People,
    out: &Out,
) -> Result<(), Failure> {
    let http = endpoint(server, args)?;
    let monitor = match args.metrics {
        Some(address) => Some(Monitor::start(address, server.clone(), &http).await?),
        None => None,
    };
    let listener = http.bind(args.http).await.map_err(|error| {
        Failure::local(error).context(format!("cannot listen on {}", args.http))
    })?;
    let address = listener.local_addr();
    desk.open_at(origin(address));
    let endpoint = format!("{}/mcp", origin(address));
    let metrics = monitor.as_ref().map(|monitor| monitor.url.clone());
    let introduction = Introduction::new(endpoint, metrics, people)?;
    // Whoever reads that it listens may tell it to stop at once.
    let stop =
        signal().map_err(|error| Failure::local(error).context("cannot listen to signals"))?;
    if out.is_json() {
        out.document(&introduction);
    }
    out.note(format_args!("listening on {}", introduction.endpoint));
    if let Some(url) = &introduction.metrics {
        out.note(format_args!("metrics on {url}"));
    }
    introduction.people(out);
    let listener = listener.wrap(|endpoint| example::site(endpoint, desk));
    listener.run_until(stop).await;
    out.note("stopped");
    Ok(())
}

/// Where probes ask.
const LIVE: &str = "/health/live";
const READY: &str = "/health/ready";

/// The HTTP side of the server, as it was asked for.
fn endpoint(server: &Server, args: &ServeArgs) -> Result<Http, Failure> {
    let mut http = server
        .http()
        .health(LIVE, READY)
        .drain_delay(Duration::from_secs(args.drain_delay))
        .shutdown_grace(Duration::from_secs(args.grace));
    for host in &args.hosts {
        http = http.allow_host(host).map_err(Failure::usage)?;
    }
    for origin in &args.origins {
        http = http.allow_origin(origin).map_err(Failure::usage)?;
    }
    Ok(http)
}

/// Standard output belongs to the protocol: all else is said on standard error.
async fn over_stdio(
    server: &Server,
    desk: Arc<Desk>,
    people: &People,
    out: &Out,
) -> Result<(), Failure> {
    let cannot_listen = |error| Failure::local(error).context("cannot serve the sign-in page");
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .map_err(cannot_listen)?;
    let address = socket.local_addr().map_err(cannot_listen)?;
    desk.open_at(origin(address));
    let introduction = Introduction::new(format!("{}/sign-in", origin(address)), None, people)?;
    let page = async {
        out.note(format_args!(
            "serving on stdin and stdout; the sign-in page is {}",
            introduction.endpoint
        ));
        introduction.people(out);
        axum::serve(socket, example::pages(desk)).await
    };
    tokio::select! {
        // Whoever reads that it serves may tell it to stop at once, so it serves first.
        biased;
        served = server.stdio() => served.map_err(|error| Failure::new(Exit::Transport, error)),
        page = page => page.map_err(cannot_listen),
    }
}

/// Where browsers on this machine find what is bound to `address`.
fn origin(mut address: SocketAddr) -> String {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("http://{address}")
}

/// What a server says when it starts.
#[derive(Serialize)]
struct Introduction {
    endpoint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<String>,
    people: Vec<Known>,
}

#[derive(Serialize)]
struct Known {
    name: Person,
    code: String,
}

impl Introduction {
    fn new(endpoint: String, metrics: Option<String>, people: &People) -> Result<Self, Failure> {
        let known = Person::ALL.into_iter().map(|name| {
            let sealed = people.code(name);
            let code = sealed.map_err(|error| Failure::new(Exit::Local, error))?;
            Ok(Known { name, code })
        });
        let people = known.collect::<Result<_, Failure>>()?;
        Ok(Self {
            endpoint,
            metrics,
            people,
        })
    }

    fn people(&self, out: &Out) {
        out.note("codes for `sign_in`, to log in on its page or to send as a token:");
        for Known { name, code } in &self.people {
            out.note(format_args!("  {name}  {code}"));
        }
    }
}

/// Reads the key file at once on SIGHUP.
#[cfg(unix)]
async fn reload_keys(args: ServeArgs, server: Server) {
    use tokio::signal::unix::{SignalKind, signal};
    // Without a file, SIGHUP ends the program as it ends others.
    let (Some(_), Ok(mut hangup)) = (args.keys, signal(SignalKind::hangup())) else {
        return;
    };
    while hangup.recv().await.is_some() {
        if let Err(error) = server.reload_keys() {
            tracing::error!(%error, "the keys stay as they are");
        }
    }
}

#[cfg(not(unix))]
async fn reload_keys(_: ServeArgs, _: Server) {}

/// Resolves on Ctrl-C and, on Unix, SIGTERM.
#[cfg(unix)]
fn signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
