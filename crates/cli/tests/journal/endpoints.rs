//! `svc events` on the real binary, beside a running service.

use std::{fs, path::Path, time::Duration};

use serde_json::Value;
use svc_core::journal::delivery::EventDelivery;
use svc_server::events::signature::WebhookMessage;

use crate::{
    receiver::{self, Receiver},
    run::{Run, svc},
    running::{Running, document, post},
};

const SERVE: [&str; 4] = ["--data-dir", "data", "--events-allow", "127.0.0.1"];

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut svc(folder, &[&["events"][..], arguments, &["--data-dir", "data"]].concat()))
}

fn json(run: Run) -> Value {
    serde_json::from_str(&run.exits(0).stdout).unwrap()
}

#[test]
fn what_cannot_be_an_endpoint_is_refused_by_name_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let early = run(folder.path(), &["add", "audit", "https://hooks.example/"]).exits(3);
    assert!(early.stderr.contains("svc serve"), "{}", early.stderr);
    assert!(!folder.path().join("data").exists());
    drop(Running::start(folder.path(), &SERVE));
    for (arguments, code) in [
        (&["add", "Audit", "https://hooks.example/"][..], "events-name"),
        (&["add", "-audit", "https://hooks.example/"], "error"),
        (&["add", "a\u{1b}[2J", "https://hooks.example/"], "events-name"),
        (&["add", "audit", "http://hooks.example/"], "events-address"),
        (&["add", "audit", "https://127.0.0.1/"], "events-address"),
        (&["add", "audit", "https://0x7f000001/"], "events-address"),
        (&["add", "audit", "https://[::ffff:10.0.0.1]/"], "events-address"),
        (&["add", "audit", "https://user:pass@hooks.example/"], "events-address"),
        (&["add", "audit", "https://hooks.example/#x"], "events-address"),
        (&["add", "audit", "https://hooks.example/", "--from", "1"], "events-from"),
        (&["add", "audit", "https://hooks.example/", "--batch", "257"], "257"),
        (&["add", "audit", "https://hooks.example/", "--type", "registry.install"], "registry.install"),
        (&["add", "audit", "https://hooks.example/", "--events-allow", "*"], "events-allow"),
        (&["status", "audit"], "events-unknown-endpoint"),
        (&["pause", "audit"], "events-unknown-endpoint"),
        (&["resume", "audit"], "events-unknown-endpoint"),
        (&["skip", "audit"], "events-unknown-endpoint"),
        (&["rotate-secret", "audit"], "events-unknown-endpoint"),
        (&["remove", "audit"], "events-unknown-endpoint"),
        (&["test", "audit"], "events-unknown-endpoint"),
    ] {
        let refused = run(folder.path(), arguments).exits(2);
        assert!(refused.stderr.contains(code), "{arguments:?}: {}", refused.stderr);
        assert!(!refused.stderr.contains('\u{1b}') && refused.stderr.contains("help"), "{}", refused.stderr);
    }
    assert!(!folder.path().join("data/events.sqlite3").exists());
    assert_eq!(run(folder.path(), &["list"]).exits(0).stdout, "no endpoints\n");
    assert_eq!(run(folder.path(), &["list", "--format", "json"]).exits(0).stdout, "");
}

#[test]
fn an_endpoint_lives_beside_a_running_service_and_its_secrets_are_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let receiver = Receiver::willing();
    let url = format!("{}?key=hidden", receiver.url());
    let running = Running::start(at, &[&SERVE[..], &["--admin-bind", "127.0.0.1:0"]].concat());
    let allow = ["--events-allow", "127.0.0.1"];
    let added = json(run(at, &[&["add", "audit", &url, "--format", "json"][..], &allow].concat()));
    let secret = added["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    assert!(run(at, &["add", "audit", "https://hooks.example/"]).exits(2).stderr.contains("events-endpoint-exists"));
    assert!(run(at, &[&["test", "audit"][..], &allow].concat()).exits(0).stdout.contains("answered 200"));
    running.ask(&post("", &document()));
    let all = receiver.wait_until(Duration::from_secs(20), |all| all.len() == 2);
    assert_eq!(serde_json::from_slice::<Value>(&all[0].body).unwrap()["type"], "registry.test");
    assert_eq!(EventDelivery::parse(&all[1].body).unwrap().range(), 0..1);
    let signed = |at: usize, secret: &str| {
        let received = &receiver.received()[at];
        let (id, timestamp) = (received.id.clone(), received.timestamp.parse().unwrap());
        let message = WebhookMessage { id, timestamp, body: received.body.clone() };
        let secret = svc_journal::webhook_secret::WebhookSecret::parse(secret).unwrap();
        received.signature.split(' ').any(|signature| signature == message.signatures(&[&secret]))
    };
    assert!(signed(0, &secret) && signed(1, &secret));
    let next = run(at, &["rotate-secret", "audit"]).exits(0).stdout.trim().to_owned();
    running.ask(&post("", &document()));
    receiver.wait_until(Duration::from_secs(20), |all| all.len() == 3);
    assert!(signed(2, &secret) && signed(2, &next), "both sign for a day");
    let last = run(at, &["rotate-secret", "audit", "--at-once"]).exits(0).stdout.trim().to_owned();
    receiver.answer(|_| receiver::status(503));
    running.ask(&post("", &document()));
    receiver.wait_until(Duration::from_secs(20), |all| all.len() == 4);
    assert!(signed(3, &last) && !signed(3, &next) && !signed(3, &secret));
    let paused = json(run(at, &["pause", "audit", "--format", "json"]));
    assert_eq!((&paused["state"], &paused["reason"]), (&"paused".into(), &"operator".into()));
    assert_eq!((&paused["open"]["from"], &paused["behind"]), (&2.into(), &1.into()));
    assert!(run(at, &["skip", "audit"]).exits(0).stdout.contains("skipped records 2 to 2"));
    assert!(run(at, &["skip", "audit"]).exits(2).stderr.contains("events-not-open"));
    receiver.answer(|_| receiver::status(200));
    assert!(run(at, &["resume", "audit", "--from", "4"]).exits(2).stderr.contains("must be at most 3"));
    assert!(run(at, &["resume", "audit", "--from", "1"]).exits(0).stdout.contains("active, at 1 of 3"));
    let all = receiver.wait_until(Duration::from_secs(20), |all| all.len() >= 5);
    assert_eq!(EventDelivery::parse(&all[4].body).unwrap().range(), 1..3);
    let shown = [
        run(at, &["list"]).exits(0).stdout,
        run(at, &["status", "audit"]).exits(0).stdout,
        run(at, &["list", "--format", "json"]).exits(0).stdout,
    ];
    assert!(shown[1].contains("key=hidden"), "the address itself is told to whoever asks for all of it");
    let log = running.log();
    for text in shown.iter().chain([&log]) {
        assert!(!text.contains("whsec_"), "{text}");
    }
    assert!(!log.contains("hidden") && !shown[0].contains("hidden") && !shown[2].contains("hidden"), "{log}");
    assert!(run(at, &["remove", "audit"]).exits(0).stdout.contains("removed"));
    let file = fs::read(at.join("data/events.sqlite3")).unwrap();
    for secret in [secret, next, last] {
        assert!(!file.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "nothing of it is left");
    }
}

#[test]
fn the_metrics_tell_how_far_each_endpoint_is_and_nothing_of_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::on("127.0.0.1:0", |_| receiver::status(500));
    let mut running = Running::start(folder.path(), &[&SERVE[..], &["--admin-bind", "127.0.0.1:0"]].concat());
    let admin = running.admin_address();
    let add = ["add", "audit", &receiver.url(), "--events-allow", "127.0.0.1"];
    run(folder.path(), &add).exits(0);
    running.ask(&post("", &document()));
    receiver.wait_until(Duration::from_secs(20), |all| !all.is_empty());
    std::thread::sleep(Duration::from_millis(1500));
    let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let told = crate::running::exchange(&mut crate::running::connect(&admin).unwrap(), request).unwrap();
    for line in [
        "svc_events_cursor_records{endpoint=\"audit\"} 0",
        "svc_events_behind_records{endpoint=\"audit\"} 1",
        "svc_events_state{endpoint=\"audit\",state=\"active\"} 1",
        "svc_events_state{endpoint=\"audit\",state=\"paused\"} 0",
        "svc_events_tries_total{endpoint=\"audit\",outcome=\"refused\"} 1",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains(&receiver.address.to_string()) && !told.contains("whsec_"));
}
