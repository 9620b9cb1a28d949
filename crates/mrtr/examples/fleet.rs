//! Several processes behind one address: they share a key, and nothing else.
//!
//! `cargo run -p mrtr --example fleet` starts two processes of itself and a balancer that gives each
//! request to the next one, kills both in the middle of a call, starts two new ones, and finishes
//! the call with them.
//!
//! `fleet http` and `fleet stdio` are one such process: it takes its keys from `MRTR_KEYS` and its
//! name from `INSTANCE`, and over HTTP prints its address.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use mrtr::client::{Call, CallOutcome, Client, Turn};
use mrtr::server::{Server, prompt, resource, tool};
use mrtr::state::Secret;
use mrtr::wire::{Capabilities, Capability, ContentBlock};
use mrtr::wire::{ElicitRequest, ElicitResult, InputRequest, InputRequests, InputResponse};
use mrtr::{Cx, Form, ToolError};
use serde_json::{json, value::to_raw_value};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

const ROUNDS: u32 = 5;

#[derive(Form)]
struct Number {
    number: i64,
}

/// Asks one number in each round.
async fn sum(cx: Cx, _: ()) -> Result<String, ToolError> {
    let instance = std::env::var("INSTANCE").unwrap_or_default();
    let mut sum = 0;
    for i in 1..=ROUNDS {
        // Fixed when it is first asked: a question must not differ between runs.
        let by = cx
            .at(i)
            .step_value("by", || async { instance.clone() })
            .await;
        let asked = cx
            .at(i)
            .elicit("number", format!("Number {i}? (asked by {by})"));
        let Number { number } = asked.await?;
        sum += number;
    }
    Ok(format!("{sum} (summed up by {instance})"))
}

fn server() -> Result<Server> {
    let server = Server::builder("fleet", "1.0.0")
        .tool(tool("sum", sum))
        .prompt(prompt("sum", sum))
        .resource(resource("proof://sum", sum))
        .build()?;
    Ok(server)
}

#[tokio::main]
async fn main() -> Result<()> {
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    match std::env::args().nth(1).as_deref() {
        Some("http") => {
            let listener = server()?.http().bind("127.0.0.1:0").await?;
            println!("{}", listener.local_addr());
            Ok(listener.run().await?)
        }
        Some("stdio") => Ok(server()?.stdio().await?),
        _ => play().await,
    }
}

async fn play() -> Result<()> {
    let keys = Secret::generate(rand::random()).expose().to_string();
    let balancer = Balancer::start().await?;
    let client = Client::http(format!("http://{}/mcp", balancer.address)).build()?;
    let form = Capabilities::from(Capability::ElicitationForm);
    let mut call = client.tool("sum", &())?.declare(form);

    let first = [start("A", &keys).await?, start("B", &keys).await?];
    balancer.send_to(&first);
    let mut turn = call.advance().await?;
    for _ in 0..2 {
        turn = answer(&mut call, turn).await?;
    }
    for mut instance in first {
        instance.process.kill().await?;
    }
    println!("A and B are killed; nothing is left but what the client holds.");
    let second = [start("C", &keys).await?, start("D", &keys).await?];
    balancer.send_to(&second);
    let outcome = loop {
        match turn {
            Turn::Done(outcome) => break outcome,
            asked => turn = answer(&mut call, asked).await?,
        }
    };
    println!("result: {}", text(outcome)?);
    Ok(())
}

/// Answers what is asked with 10.
async fn answer(call: &mut Call, turn: Turn) -> Result<Turn> {
    let Turn::Asked(questions) = turn else {
        return Err("the call ended early".into());
    };
    print(&questions);
    let content = to_raw_value(&json!({"number": 10}))?;
    let answers = questions.iter().map(|(key, _)| {
        let accepted = ElicitResult::accept(Some(content.clone()));
        (key.to_owned(), InputResponse::Elicit(accepted))
    });
    call.answer(answers.collect())?;
    Ok(call.advance().await?)
}

fn print(questions: &InputRequests) {
    for (_, question) in questions.iter() {
        if let InputRequest::Elicit(ElicitRequest::Form(form)) = question {
            println!("{} -> 10", form.message);
        }
    }
}

fn text(outcome: CallOutcome) -> Result<String> {
    match outcome.into_tool()?.content.into_iter().next() {
        Some(ContentBlock::Text(text)) => Ok(text.text),
        other => Err(format!("not a text: {other:?}").into()),
    }
}

struct Instance {
    process: Child,
    address: String,
}

async fn start(name: &str, keys: &str) -> Result<Instance> {
    let mut process = Command::new(std::env::current_exe()?)
        .arg("http")
        .env("MRTR_KEYS", keys)
        .env("INSTANCE", name)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let output = process.stdout.take().ok_or("no output")?;
    let address = BufReader::new(output).lines().next_line().await?;
    let address = address.ok_or("the process did not start")?;
    Ok(Instance { process, address })
}

/// Gives each request to the next process.
struct Balancer {
    address: String,
    instances: Arc<Mutex<Vec<String>>>,
}

impl Balancer {
    async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let instances = Arc::new(Mutex::new(Vec::<String>::new()));
        let targets = instances.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let next = {
                    let mut targets = targets.lock().unwrap_or_else(|e| e.into_inner());
                    if !targets.is_empty() {
                        targets.rotate_left(1);
                    }
                    targets.last().cloned()
                };
                if let Some(next) = next {
                    tokio::spawn(forward(client, next));
                }
            }
        });
        Ok(Self { address, instances })
    }

    fn send_to(&self, instances: &[Instance]) {
        let addresses = instances.iter().map(|instance| instance.address.clone());
        let mut targets = self.instances.lock().unwrap_or_else(|e| e.into_inner());
        *targets = addresses.collect();
    }
}

/// Passes one request on, and makes it the last one of its connection.
async fn forward(client: TcpStream, to: String) -> io::Result<()> {
    let mut client = BufReader::new(client);
    let mut server = TcpStream::connect(to).await?;
    let mut line = String::new();
    client.read_line(&mut line).await?;
    line.push_str("Connection: close\r\n");
    server.write_all(line.as_bytes()).await?;
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
