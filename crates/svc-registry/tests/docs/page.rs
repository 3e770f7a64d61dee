//! A page: its commands, and what it shows below each.

use std::{collections::BTreeMap, net::TcpListener};

/// A command and the lines that the page shows as its output; none when it shows nothing.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) line: String,
    pub(crate) shown: Vec<String>,
}

/// The commands of a page, with ports that are free on this machine in place of those it names.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) commands: Vec<Command>,
    ports: BTreeMap<String, String>,
}

const LOOPBACK: &str = "127.0.0.1:";

impl Page {
    pub(crate) fn parse(text: &str) -> Self {
        let mut page = Self { commands: Vec::new(), ports: free_ports(text) };
        let mut inside = false;
        for line in text.lines() {
            if line.starts_with("```") {
                inside = line == "```console";
            } else if inside {
                let line = page.with_free_ports(line);
                match (line.strip_prefix("$ "), page.commands.last_mut()) {
                    (Some(command), _) => page.commands.push(Command { line: command.into(), shown: Vec::new() }),
                    (None, Some(last)) => last.shown.push(line),
                    (None, None) => panic!("a block starts without a command: {line}"),
                }
            }
        }
        page
    }

    /// The same text about ports that are free.
    pub(crate) fn with_free_ports(&self, text: &str) -> String {
        let mut parts = text.split(LOOPBACK);
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let port = digits(part);
            let free = self.ports.get(port).map_or(port, String::as_str);
            result = result + LOOPBACK + free + &part[port.len()..];
        }
        result
    }
}

/// Whether the output is what the page shows, where a digest, an id or a time stands for any other.
pub(crate) fn same_but_for_ids(shown: &[String], printed: &str) -> bool {
    let printed: Vec<String> = printed.lines().map(without_ids).collect();
    shown.iter().map(|line| without_ids(line)).eq(printed)
}

/// A line with a blank sign for each run of 32 hexadecimal digits or more, and for each that the page leaves out (`…`).
fn without_ids(line: &str) -> String {
    let words = line.split_inclusive(|character: char| !character.is_ascii_hexdigit());
    let masked = words.map(|word| {
        let id = word.trim_end_matches(|character: char| !character.is_ascii_hexdigit());
        if id.len() < 32 { word.to_owned() } else { format!("<id>{}", &word[id.len()..]) }
    });
    masked.collect::<String>().replace('…', "<id>")
}

fn free_ports(text: &str) -> BTreeMap<String, String> {
    let mut ports = BTreeMap::new();
    let mut held = Vec::new();
    for part in text.split(LOOPBACK).skip(1) {
        ports.entry(digits(part).to_owned()).or_insert_with(|| {
            let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).unwrap();
            let port = listener.local_addr().unwrap().port().to_string();
            held.push(listener);
            port
        });
    }
    ports
}

fn digits(text: &str) -> &str {
    text.split(|character: char| !character.is_ascii_digit()).next().unwrap_or_default()
}

#[test]
fn ids_are_left_out_and_nothing_else() {
    let id = "0123456789abcdef0123456789abcdef";
    assert_eq!(without_ids(&format!("\"a\": \"sha256:{id}{id}\", 5")), "\"a\": \"sha256:<id>\", 5");
    assert_eq!(without_ids("abc deadbeef 1.2.0"), "abc deadbeef 1.2.0");
    assert!(!same_but_for_ids(&["one".into()], "one\ntwo\n"));
}
