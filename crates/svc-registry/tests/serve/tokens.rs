//! Tokens from making to revoking, and that no file, list or log ever shows one.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use crate::{
    run::{Run, program},
    running::{Running, document, post},
};

fn token(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, &[&["token"][..], arguments, &["--file", "tokens.json"]].concat()))
}

fn create(folder: &Path, arguments: &[&str]) -> String {
    let made = token(folder, &[&["create"][..], arguments].concat()).exits(0);
    assert_eq!(made.stderr, "");
    let secret = made.stdout.strip_suffix('\n').unwrap().to_owned();
    assert!(secret.starts_with("svcr_") && secret.len() == 54, "{}", secret.len());
    secret
}

#[test]
fn a_token_is_shown_once_and_kept_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let secret = create(folder.path(), &["ci", "--scope", "preflight", "--days", "2"]);
    let other = create(folder.path(), &["ops", "--scope", "admin"]);
    assert_ne!(secret, other);
    let list = token(folder.path(), &["list"]).exits(0).stdout;
    assert!(list.contains("ci  preflight  ends ") && list.contains("ops  admin  ends "), "{list}");
    let file = fs::read_to_string(folder.path().join("tokens.json")).unwrap();
    for text in [&list, &file] {
        assert!(!text.contains("svcr_") && !text.contains(&secret[5..]) && !text.contains(&other[5..]), "{text}");
    }
    token(folder.path(), &["create", "ci"]).exits(2);
    token(folder.path(), &["create", "no blanks"]).exits(2);
    token(folder.path(), &["create", "x", "--scope", "everything"]).exits(2);
    token(folder.path(), &["create", "x", "--days", "0"]).exits(2);
    assert_eq!(fs::read_to_string(folder.path().join("tokens.json")).unwrap(), file, "a refusal wrote");
    assert_eq!(token(folder.path(), &["revoke", "ci"]).exits(0).stdout, "revoked   ci\n");
    token(folder.path(), &["revoke", "ci"]).exits(2);
    assert!(!token(folder.path(), &["list"]).exits(0).stdout.contains("ci "));
}

#[test]
fn a_running_service_knows_the_tokens_and_never_writes_one_down() {
    let folder = tempfile::tempdir().unwrap();
    let secret = create(folder.path(), &["ci"]);
    let reader = create(folder.path(), &["reader", "--scope", "read"]);
    let running = Running::start(folder.path(), &["--tokens", "tokens.json"]);
    let body = document();
    assert_eq!(running.status(&post("", &body)), 401);
    assert_eq!(running.status(&post(&format!("Bearer {reader}"), &body)), 403);
    assert_eq!(running.status(&post(&format!("Bearer {secret}"), &body)), 200);
    assert_eq!(running.status(&post(&format!("Bearer {secret}x"), &body)), 401);
    assert_eq!(running.status(&post(&format!("Basic {secret}"), &body)), 401);
    let query = format!("GET /livez?token={secret} HTTP/1.1\r\nHost: localhost\r\nX-Token: {secret}\r\n\r\n");
    assert_eq!(running.status(query.as_bytes()), 404);
    token(folder.path(), &["revoke", "ci"]).exits(0);
    let patience = Instant::now() + Duration::from_secs(10);
    while running.status(&post(&format!("Bearer {secret}"), &body)) != 401 {
        assert!(Instant::now() < patience, "a revoked token still opens");
        thread::sleep(Duration::from_millis(100));
    }
    let command = fs::read(format!("/proc/{}/cmdline", running.id())).unwrap_or_default();
    let log = running.log();
    assert!(log.lines().count() >= 7, "{log}");
    for line in log.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        assert!(line["message"].is_string() && line["level"].is_string());
    }
    for text in [log.as_str(), &String::from_utf8_lossy(&command)] {
        assert!(!text.contains("svcr_") && !text.contains(&secret[5..]) && !text.contains(&reader[5..]), "{text}");
    }
}
