//! The admin address, and what the log says of a request.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    run::{Run, program},
    running::{Running, connect, document, exchange, post, replace},
};

pub(crate) fn scrape(address: &str, headers: &str, target: &str) -> String {
    let request = format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
    exchange(&mut connect(address).unwrap(), request.as_bytes()).expect("an answer")
}

/// One number of the metrics.
pub(crate) fn metric(address: &str, name: &str) -> usize {
    let text = scrape(address, "", "/metrics");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} in\n{text}")).parse().unwrap()
}

#[test]
fn metrics_are_at_their_own_door_and_only_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(folder.path(), &["--admin-bind", "127.0.0.1:0"]);
    let admin = running.admin_address();
    // Whoever says nothing holds up nobody.
    let _silent = connect(&admin).unwrap();
    assert_eq!(running.status(&post("", &document())), 200);
    assert_eq!(running.status(&post("", b"{}")), 422);
    assert_eq!(running.status(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), 404);
    let text = scrape(&admin, "", "/metrics");
    for line in [
        "svc_answers_total{operation=\"evaluate-acceptance-request\",status=\"200\"} 1",
        "svc_answers_total{operation=\"evaluate-acceptance-request\",status=\"422\"} 1",
        "svc_problems_total{code=\"artifact-invalid\"} 1",
        "svc_problems_total{code=\"not-found\"} 1",
        "svc_answer_seconds_count{operation=\"evaluate-acceptance-request\"} 2",
        "svc_answer_seconds_count{operation=\"refused\"} 1",
        "svc_guard_trips_total 0",
        "svc_ready 1",
    ] {
        assert!(text.lines().any(|there| there == line), "{line} in\n{text}");
    }
    for target in ["/", "/metrics/", "/metrics?x", "/livez?x", "/version", "/api/sdk/registry"] {
        assert!(scrape(&admin, "", target).starts_with("HTTP/1.1 404 "), "{target}");
    }
    for (target, body) in [("/livez", "{\"live\": true}\n"), ("/readyz", "{\"ready\": true}\n")] {
        let answer = scrape(&admin, "", target);
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(body), "{answer}");
    }
}

#[test]
fn the_journal_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--journal", "sqlite", "--data-dir", "data", "--admin-bind", "127.0.0.1:0"];
    let mut running = Running::start(folder.path(), &arguments);
    let admin = running.admin_address();
    assert_eq!(metric(&admin, "svc_journal_size_records"), 0);
    assert_eq!(running.status(&post("", &document())), 200);
    for (name, least, most) in [
        ("svc_journal_size_records", 1, 1),
        ("svc_journal_flush_seconds_count", 1, 1),
        ("svc_journal_takes_records", 1, 1),
        ("svc_journal_closed", 0, 0),
        ("svc_journal_queue_records", 0, 0),
        ("svc_worker_queue_jobs", 0, 0),
        ("svc_journal_checkpoint_age_seconds", 0, 30),
        ("svc_disk_free_bytes", 1, usize::MAX),
    ] {
        let value = metric(&admin, name);
        assert!((least..=most).contains(&value), "{name} {value}");
    }
    thread::sleep(Duration::from_secs(2));
    assert!(metric(&admin, "svc_journal_checkpoint_age_seconds") >= 2);
}

#[test]
fn with_tokens_only_those_of_their_scope_read_the_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str, scope: &str| {
        let arguments = ["token", "create", name, "--scope", scope, "--file", "tokens.json"];
        Run::of(&mut program(folder.path(), &arguments)).exits(0).stdout.trim().to_owned()
    };
    let (reader, admin) = (create("reader", "read"), create("admin", "admin"));
    let prometheus = create("prometheus", "metrics");
    let mut running = Running::start(folder.path(), &["--admin-bind", "127.0.0.1:0", "--tokens", "tokens.json"]);
    let address = running.admin_address();
    let with = |token: &str| scrape(&address, &format!("Authorization: Bearer {token}\r\n"), "/metrics");
    assert!(scrape(&address, "", "/metrics").starts_with("HTTP/1.1 401 "));
    assert!(with(&reader).starts_with("HTTP/1.1 403 "));
    assert!(with(&admin).starts_with("HTTP/1.1 200 "));
    let text = with(&prometheus);
    assert!(text.starts_with("HTTP/1.1 200 ") && text.contains("application/openmetrics-text"), "{text}");
    let ends: Vec<&str> = text.lines().filter(|line| line.starts_with("svc_token_end_seconds{token=")).collect();
    assert_eq!(ends.len(), 3, "{ends:?}");
    let elsewhere = format!(
        "GET /api/sdk/registry/limits HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {prometheus}\r\n\r\n"
    );
    assert_eq!(running.status(elsewhere.as_bytes()), 403, "the scope opens nothing else");
    for probe in ["/livez", "/readyz"] {
        assert!(scrape(&address, "", probe).starts_with("HTTP/1.1 200 "), "{probe}");
    }
}

#[test]
fn the_log_says_what_was_asked_by_whom_and_how_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["token", "create", "ci", "--file", "tokens.json"];
    let secret = Run::of(&mut program(folder.path(), &arguments)).exits(0).stdout.trim().to_owned();
    let running = Running::start(folder.path(), &["--tokens", "tokens.json"]);
    let answer = running.ask(&post(&format!("Bearer {secret}"), &document())).unwrap();
    let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(running.status(&post(&format!("Bearer {secret}"), b"{}")), 422);
    let lines: Vec<Value> = running.log().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [started, denied, refused] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!(started["message"], "started");
    assert!(started["detail"].as_str().unwrap().contains("rule set sha256:"), "{started}");
    assert_eq!(denied["operation"], "evaluate-acceptance-request");
    assert_eq!(denied["token"], "ci");
    assert_eq!(denied["decisionId"], body["decisionId"]);
    assert_eq!(denied["requestId"], body["requestId"]);
    assert_eq!(denied["code"], Value::Null);
    assert_eq!(refused["code"], "artifact-invalid");
    assert_eq!(refused["decisionId"], Value::Null);
    let time = denied["time"].as_str().unwrap();
    assert!(time.len() == 24 && time.as_bytes()[19] == b'.' && time.ends_with('Z'), "{denied}");
    let ms = denied["ms"].as_f64().unwrap();
    assert!((0.001..10_000.0).contains(&ms), "{denied}");
    assert!(lines.iter().all(|line| line["level"] == "info"), "{lines:?}");
}

#[test]
fn a_line_has_the_level_that_it_deserves_and_the_log_as_many_as_it_should() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["token", "create", "ci", "--file", "tokens.json"];
    let secret = Run::of(&mut program(folder.path(), &arguments)).exits(0).stdout.trim().to_owned();
    let running = Running::start(folder.path(), &["--tokens", "tokens.json", "--log-level", "warn"]);
    assert_eq!(running.status(&post(&format!("Bearer {secret}"), &document())), 200);
    replace(&folder.path().join("tokens.json"), "{\"tokens\": [\u{1b}");
    let patience = Instant::now() + Duration::from_secs(10);
    while running.status(&post(&format!("Bearer {secret}"), &document())) != 401 {
        assert!(Instant::now() < patience, "a file that cannot be read still lets in");
        thread::sleep(Duration::from_millis(100));
    }
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(running.status(&post(&format!("Bearer {secret}"), &document())), 401);
    let lines: Vec<Value> = running.log().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [unreadable] = &lines[..] else { panic!("told once, and no request at this level: {lines:?}") };
    assert_eq!((&unreadable["level"], unreadable["status"].as_u64()), (&"warn".into(), None));
    assert!(unreadable["detail"].as_str().unwrap().starts_with("tokens.json: "), "{unreadable}");
}

#[test]
fn a_service_that_is_told_to_pause_takes_requests_until_the_pause_is_over() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("svc.toml"), "drain-pause = \"3\"\n").unwrap();
    let running = Running::start(folder.path(), &["--config", "svc.toml"]);
    let ready = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_eq!(running.status(ready), 200);
    running.terminate();
    thread::sleep(Duration::from_millis(500));
    assert_eq!(running.status(ready), 503);
    let answer = running.ask(&post("", &document())).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.to_lowercase().contains("connection: close"), "{answer}");
    let (status, _) = running.ended();
    assert_eq!(status.code(), Some(0));
}
