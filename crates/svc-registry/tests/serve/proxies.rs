//! Clients behind a proxy: told apart by what the proxy says of them, and by nothing that they say themselves.

use serde_json::Value;

use crate::{
    run::{Run, program},
    running::Running,
};

const LIMITS: &str = "/api/sdk/registry/limits";

fn get(lines: &str) -> Vec<u8> {
    format!("GET {LIMITS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n").into_bytes()
}

/// The addresses in the log, in order.
fn addresses(log: &str) -> Vec<String> {
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    lines.filter_map(|line| Some(line["address"].as_str()?.to_owned())).collect()
}

#[test]
fn each_client_of_a_proxy_has_a_rate_of_its_own_and_nobody_takes_that_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let proxy = ["--proxy-addresses", "127.0.0.1", "--client-address-header", "X-Forwarded-For"];
    let running = Running::start(folder.path(), &[&["--journal", "off", "--rate", "1/2"][..], &proxy].concat());
    let from = |line: &str| running.status(&get(&format!("X-Forwarded-For: {line}\r\n")));
    // One client that names others before itself, and lines of its own: all of it is that client.
    assert_eq!(from("198.51.100.1"), 200);
    assert_eq!(from("203.0.113.1, 198.51.100.1"), 200);
    assert_eq!(from("203.0.113.2, 198.51.100.1"), 429);
    assert_eq!(from("203.0.113.3\r\nX-Forwarded-For: 198.51.100.1:4711"), 429);
    // Those whom it named were not charged, and another client is not held up.
    assert_eq!(from("203.0.113.1"), 200);
    assert_eq!(from("2001:db8::1"), 200);
    assert_eq!(from("[2001:db8::2]:443"), 200);
    assert_eq!(from("2001:db8::3"), 429, "one network");
    // What cannot be read is the proxy's.
    assert_eq!((from("_hidden"), from("unknown"), from("")), (200, 200, 429));
    assert_eq!(running.status(&get("")), 429);
    assert_eq!(
        running.status(&get("X-Real-IP: 198.51.100.9\r\nForwarded: for=198.51.100.9\r\n")),
        429,
        "other headers"
    );
    let seen = addresses(&running.log());
    assert_eq!(
        &seen[..6],
        ["198.51.100.1", "198.51.100.1", "198.51.100.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"]
    );
    assert!(seen[8..].iter().all(|address| address == "127.0.0.1"), "{seen:?}");
}

#[test]
fn without_the_setting_no_header_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["--journal", "off", "--rate", "1/1"][..],
        &[
            "--journal",
            "off",
            "--rate",
            "1/1",
            "--proxy-addresses",
            "10.0.0.0/8",
            "--client-address-header",
            "forwarded",
        ],
    ] {
        let running = Running::start(folder.path(), arguments);
        for (line, status) in
            [("X-Forwarded-For: 192.0.2.1", 200), ("Forwarded: for=192.0.2.2", 429), ("X-Real-IP: 192.0.2.3", 429)]
        {
            assert_eq!(running.status(&get(&format!("{line}\r\n"))), status, "{line}");
        }
        assert_eq!(addresses(&running.log()), ["127.0.0.1"; 3]);
    }
}

/// A proxy that hands on a request without a word of whose it is looks like a program of this machine.
#[test]
fn nothing_that_comes_from_a_listed_proxy_counts_as_of_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let run = "00112233445566778899aabbccddeeff";
    let proxy = ["--proxy-addresses", "127.0.0.1", "--client-address-header", "forwarded"];
    for (arguments, marked) in [(&proxy[..], false), (&[], true)] {
        let running = Running::start(folder.path(), &[&["--journal", "off"][..], arguments].concat());
        let mark = format!("Svc-Probe: {run}\r\n");
        assert_eq!(running.status(&get(&mark)), 200);
        assert_eq!(running.log().contains(run), marked);
        assert_eq!(running.status(&get(&format!("{mark}Forwarded: for=127.0.0.1\r\n"))), 200);
        assert_eq!(running.log().matches(run).count(), usize::from(marked));
    }
}

#[test]
fn proxies_that_would_be_everybody_or_nobody_are_refused() {
    for arguments in [
        &["--proxy-addresses", "10.0.0.1"][..],
        &["--client-address-header", "forwarded"],
        &["--proxy-addresses", "0.0.0.0/0", "--client-address-header", "forwarded"],
        &["--proxy-addresses", "10.0.0.1/8", "--client-address-header", "forwarded"],
        &["--proxy-addresses", "proxy.internal", "--client-address-header", "forwarded"],
        &["--proxy-addresses", "10.0.0.1", "--client-address-header", "host"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let refused =
            Run::of(&mut program(folder.path(), &[&["serve", "--check-config"][..], arguments].concat())).exits(2);
        assert!(refused.stderr.contains(arguments[0].trim_start_matches("--")), "{}", refused.stderr);
    }
}
