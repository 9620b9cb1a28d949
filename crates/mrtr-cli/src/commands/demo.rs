//! `mrtr demo`: client and server play a booking, over real HTTP, and every round is shown.

mod fresh;
mod play;
mod report;
mod show;
mod tamper;
mod tap;

use std::time::Instant;

use mrtr::client::Client;
use tokio::sync::oneshot;

use self::fresh::Fresh;
use self::play::Play;
use self::tap::Tap;
use crate::cli::DemoArgs;
use crate::exit::{Exit, Failure};
use crate::out::Out;

pub(crate) async fn run(_: DemoArgs, out: &Out) -> Result<Exit, Failure> {
    let started = Instant::now();
    let fresh = Fresh::new()?;
    let cannot_listen = |error| Failure::local(error).context("cannot listen on 127.0.0.1");
    let first = fresh.server().map_err(Failure::local)?;
    let listener = first.http().bind("127.0.0.1:0").await;
    let listener = listener.map_err(cannot_listen)?;
    let endpoint = listener.url();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = listener.wrap(|_| fresh.clone()).run_until(async {
        let _ = stopped.await;
    });
    let serving = tokio::spawn(serving);

    let tap = Tap::default();
    let client = Client::http(&endpoint).trace(tap.hook()).build();
    let client = client.map_err(|error| Failure::new(Exit::Usage, error))?;
    let play = Play {
        fresh: &fresh,
        client: &client,
        tap: &tap,
        out,
    };
    let played = play.play(&endpoint).await;
    drop(client);
    let _ = stop.send(());
    let _ = serving.await;

    let mut report = played?;
    report.servers = fresh.served();
    report.milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    if out.is_json() {
        out.document(&report);
    } else {
        show::end(&report, out);
    }
    Ok(Exit::Done)
}
