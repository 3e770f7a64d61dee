//! Requests that the verifier marks as its own: answered, recorded and limited like any other, and left out of counts and
//! lists. Whoever may not mark a request marks nothing.

use std::path::Path;

use crate::{
    metrics::scrape,
    run::{Run, program},
    running::{Running, document, post},
};

const RUN: &str = "00112233445566778899aabbccddeeff";

/// The good document, with more lines in the head of its request.
fn marked(authorization: &str, lines: &str) -> Vec<u8> {
    let request = post(authorization, &document());
    let head = b"POST /api/sdk/registry/acceptance-requests HTTP/1.1\r\n";
    let rest = request.strip_prefix(head).unwrap();
    [head, lines.as_bytes(), rest].concat()
}

fn listed(folder: &Path, arguments: &[&str]) -> (usize, String) {
    let arguments = [&["journal", "list", "--journal", "sqlite", "--data-dir", "data"][..], arguments].concat();
    let run = Run::of(&mut program(folder, &arguments)).exits(0);
    (run.stdout.lines().count(), run.stderr)
}

fn answers_to_probes(admin: &str) -> usize {
    let text = scrape(admin, "", "/metrics");
    let counts = text.lines().filter(|line| line.starts_with("svc_probe_answers_total{"));
    counts.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum()
}

#[test]
fn a_run_of_the_verifier_is_recorded_and_left_out_of_counts_and_lists() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--journal", "sqlite", "--data-dir", "data", "--admin-bind", "127.0.0.1:0"];
    let mut running = Running::start(folder.path(), &arguments);
    let admin = running.admin_address();
    Run::of(&mut program(folder.path(), &["app", "init", "app", "--quiet"])).exits(0);
    let preflight = ["app", "preflight", "app", "--out-dir", "bundle", "--quiet"];
    Run::of(&mut program(folder.path(), &preflight)).exits(0);
    let url = format!("http://{}", running.address);
    let hosted = ["verify", "hosted", &url, "--artifact-dir", "bundle", "--level", "build"];
    let verified = Run::of(&mut program(folder.path(), &hosted)).exits(0).stdout;
    let run = verified.split("Svc-Probe: ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    let text = scrape(&admin, "", "/metrics");
    assert!(!text.contains("svc_answers_total{") && !text.contains("svc_problems_total{"), "{text}");
    assert!(!text.contains("svc_answer_seconds_count{"), "{text}");
    let probes = answers_to_probes(&admin);
    assert!(probes > 200, "{probes}");

    assert_eq!(running.status(&post("", &document())), 200);
    let (records, told) = listed(folder.path(), &["--limit", "1000"]);
    assert_eq!(records, 1, "{told}");
    let left_out: usize = told.strip_prefix("left out: ").unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(left_out > 100 && told.contains("--probes"), "{told}");
    assert_eq!(listed(folder.path(), &["--limit", "1000", "--probes"]), (left_out + 1, String::new()));
    assert_eq!(listed(folder.path(), &["--limit", "1000", "--probe", &run]), (left_out, String::new()));
    assert_eq!(listed(folder.path(), &["--probe", RUN]), (0, String::new()));

    // Unmarked, the same run is told apart by nothing.
    let unmarked = [&hosted[..], &["--unmarked"]].concat();
    assert!(!Run::of(&mut program(folder.path(), &unmarked)).exits(0).stdout.contains("Svc-Probe"));
    assert_eq!(answers_to_probes(&admin), probes);
    assert_eq!(listed(folder.path(), &["--limit", "1000"]).0, left_out + 1);
    let log = running.log();
    assert!(log.contains(&format!("\"probe\":\"{run}\"")) && !log.contains("svc-verify"), "{}", log.len());
}

#[test]
fn a_mark_is_one_name_of_a_run_or_the_request_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    let twice = format!("Svc-Probe: {RUN}\r\nSvc-Probe: {RUN}\r\n");
    for lines in ["Svc-Probe: 1\r\n", "Svc-Probe: yes, accepted\r\n", "Svc-Probe:\r\n", twice.as_str()] {
        let answer = running.ask(&marked("", lines)).unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("malformed-request"), "{lines}: {answer}");
        assert!(!answer.contains("yes, accepted"), "{answer}");
    }
    assert_eq!(listed(folder.path(), &["--probes"]).0, 0);
}

#[test]
fn what_a_proxy_hands_on_is_nobodys_probe() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    for proxy in ["X-Forwarded-For: 192.0.2.7\r\n", "Forwarded: for=192.0.2.7\r\n", "Via: 1.1 proxy\r\n"] {
        assert_eq!(running.status(&marked("", &format!("Svc-Probe: {RUN}\r\n{proxy}"))), 200);
    }
    assert_eq!(listed(folder.path(), &[]), (3, String::new()));
    assert_eq!(running.status(&marked("", &format!("Svc-Probe: {RUN}\r\n"))), 200);
    assert_eq!(listed(folder.path(), &[]), (3, "left out: 1 record of a probe; --probes lists them too\n".to_owned()));
}

#[test]
fn with_tokens_only_the_scope_marks() {
    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str, scopes: &[&str]| {
        let scopes = scopes.iter().flat_map(|scope| ["--scope", *scope]);
        let arguments: Vec<&str> =
            ["token", "create", name, "--file", "tokens.json"].into_iter().chain(scopes).collect();
        format!("Bearer {}", Run::of(&mut program(folder.path(), &arguments)).exits(0).stdout.trim())
    };
    let (ci, prober) = (create("ci", &["preflight"]), create("prober", &["preflight", "probe"]));
    let only = create("only", &["probe"]);
    let arguments = ["--journal", "sqlite", "--data-dir", "data", "--tokens", "tokens.json"];
    let running = Running::start(folder.path(), &arguments);
    let mark = format!("Svc-Probe: {RUN}\r\n");
    assert_eq!(running.status(&marked(&ci, &mark)), 200);
    assert_eq!(listed(folder.path(), &[]), (1, String::new()));
    assert_eq!(running.status(&marked(&prober, &mark)), 200);
    assert_eq!(listed(folder.path(), &[]).0, 1);
    assert_eq!(listed(folder.path(), &["--probe", RUN]).0, 1);
    // So does a proxy that passes the mark on, as the shipped nginx.conf does.
    let passed_on = format!("X-Forwarded-For: 192.0.2.1\r\n{mark}");
    assert_eq!(running.status(&marked(&prober, &passed_on)), 200);
    assert_eq!((listed(folder.path(), &[]).0, listed(folder.path(), &["--probe", RUN]).0), (1, 2));
    // The scope alone opens nothing.
    assert_eq!(running.status(&marked(&only, &mark)), 403);
    assert_eq!(running.status(&marked("", &mark)), 401);
}

#[test]
fn a_probe_is_limited_like_any_request() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &["--rate", "60/5"]);
    let statuses: Vec<u16> = (0..12).map(|_| running.status(&marked("", &format!("Svc-Probe: {RUN}\r\n")))).collect();
    assert!(statuses.contains(&200) && statuses.contains(&429), "{statuses:?}");
}
