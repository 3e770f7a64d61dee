//! Registries that are closed and not ours: each passes its level, and no higher one.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

use serde_json::{Value, json};
use svc_core::{read, words::kind};

use super::{
    client::{ByClient, Error},
    proxy::{Bend, LyingRegistry},
};

use svc_core::samples::rules;

/// A registry that is honest in its own way, the level that it holds, and how a client takes it.
#[derive(Debug)]
pub struct Honest {
    pub name: &'static str,
    pub level: &'static str,
    pub client: ByClient,
    source: Source,
}

/// How it is made.
#[derive(Debug)]
enum Source {
    /// From the specification alone.
    Seed,
    /// Our registry, below a prefix, with its answers bent.
    Ours(&'static str, Bend),
}

/// Every honest registry.
pub static HONEST: &[Honest] = &[
    Honest {
        name: "written-from-the-specification",
        level: "closed",
        client: ByClient::Throws(Error::Contract, "contract"),
        source: Source::Seed,
    },
    Honest {
        name: "members-in-another-order",
        level: "contract",
        client: ByClient::Passes,
        source: Source::Ours("", REORDERED),
    },
    Honest {
        name: "of-a-later-version",
        level: "contract",
        client: ByClient::PassesUnproven(
            "nobody but the registry can sign a receipt for the members that are added here",
        ),
        source: Source::Ours("", LATER),
    },
    Honest { name: "ours", level: "build", client: ByClient::Passes, source: Source::Ours("", UNBENT) },
    Honest {
        name: "ours-inside-another-application",
        level: "build",
        client: ByClient::Passes,
        source: Source::Ours("/apps/packages", UNBENT),
    },
];

impl Honest {
    /// Starts it, before the registry at this address where it needs one, and gives its address.
    pub fn start(&self, address: &str) -> String {
        match self.source {
            Source::Seed => SeedRegistry::start().url,
            Source::Ours(prefix, bend) => LyingRegistry::mounted(address, prefix, bend).url,
        }
    }
}

/// A registry written from the specification alone: six paths, flags and gates, and nothing of our own.
#[derive(Debug)]
struct SeedRegistry {
    url: String,
}

impl SeedRegistry {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || answer(stream));
            }
        });
        Self { url }
    }
}

fn answer(mut stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (status, said) = evaluated(&first, &body);
    let said = said.to_string();
    let head = format!("HTTP/1.1 {status} Said\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", said.len());
    stream.write_all((head + &said).as_bytes()).ok()
}

fn evaluated(first: &str, body: &[u8]) -> (u16, Value) {
    let mut words = first.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let spec = kind::ALL
        .iter()
        .find(|spec| spec.endpoint.is_some_and(|endpoint| path == format!("/api/sdk/registry{}", endpoint.path)));
    let Some(spec) = spec.filter(|_| method == "POST") else {
        return (404, json!({ "error": "there is nothing here" }));
    };
    if read::any(rules(), spec.artifact, body).is_err() {
        return (400, json!({ "error": "the payload does not hold" }));
    }
    let gates = json!({
        "artifact-hash": "evidenced",
        "publisher-verification": "unverified",
        "review-storage": "unstored",
        "artifact-signing": "unsigned",
        "host-install-policy": "not-applied",
        "renderer-isolation": "not-isolated",
    });
    let missing = json!([
        "publisher-verification",
        "review-storage",
        "artifact-signing",
        "host-install-policy",
        "renderer-isolation",
    ]);
    (
        200,
        json!({ "accepted": false, "signed": false, "installable": false, "gateStatuses": gates, "missingGates": missing }),
    )
}

/// Our registry behind somebody who writes its JSON anew: other bytes, and the members in another order.
const REORDERED: Bend = |_, said, _| {
    if let Ok(Value::Object(members)) = serde_json::from_slice::<Value>(&said.body) {
        let turned: Vec<String> =
            members.iter().rev().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
        said.body = format!("{{ {} }}", turned.join(", ")).into_bytes();
    }
};

/// Our registry as it is.
const UNBENT: Bend = |_, _, _| {};

/// Our registry with members that a later version may add.
const LATER: Bend = |asked, said, _| {
    if said.is_answer(asked) && said.status == 422 {
        said.change(|body| {
            body.remove("receipt");
            body.insert("later".to_owned(), json!({ "version": 2 }));
        });
    }
};
