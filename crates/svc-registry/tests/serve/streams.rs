//! The log as it grows: whoever follows it gets every record once, by whatever the stream is cut, and nobody gets more than
//! a closed refusal who asks for what is not there.

mod cuts;
mod places;

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use svc_proof::{checkpoint::Checkpoint, public_key::PublicKeys, tree::MerkleTree};

use crate::{
    follower::{Event, Follower, Refused, STREAM, header},
    metrics::metric,
    run::{Run, copy_folder, program},
    running::{Running, connect, document, exchange, post},
};

const ENTRIES: &str = "/api/sdk/registry/journal/entries";

/// A service whose journal is in the folder `data`.
fn start(folder: &Path, arguments: &[&str]) -> Running {
    Running::start(
        folder,
        &[&["--journal", "sqlite", "--data-dir", "data", "--admin-bind", "127.0.0.1:0"][..], arguments].concat(),
    )
}

/// Asks so many times, on a few connections: good documents, and every third one that is refused.
fn ask(address: &str, count: usize) {
    let (good, claims) = (document(), String::from_utf8(document()).unwrap());
    let claims = claims.replacen("\"signed\": false", "\"signed\": true", 1).into_bytes();
    assert_ne!(good, claims);
    let requests = [post("", &good), post("", &good), post("", &claims)];
    thread::scope(|scope| {
        for client in 0..4_usize {
            let requests = &requests;
            scope.spawn(move || {
                let mut stream = connect(address).unwrap();
                for number in (client..count).step_by(4) {
                    let answer = exchange(&mut stream, &requests[number % 3]).expect("an answer");
                    assert!(answer.starts_with("HTTP/1.1 200 ") || answer.starts_with("HTTP/1.1 422 "), "{answer}");
                }
            });
        }
    });
}

fn get(address: &str, path: &str, headers: &str) -> (u16, String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
    let answer = exchange(&mut connect(address).unwrap(), request.as_bytes()).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_owned(), body.to_owned())
}

fn page(address: &str, query: &str) -> Value {
    let (status, head, body) = get(address, &format!("{ENTRIES}{query}"), "");
    assert_eq!(status, 200, "{head}{body}");
    serde_json::from_str(&body).unwrap()
}

/// A refusal is closed, and of the code that it should be.
#[track_caller]
fn assert_refused(status: u16, body: &str, expected: (u16, &str)) {
    let problem: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{status} {body}"));
    assert_eq!((status, problem["code"].as_str().unwrap()), expected, "{body}");
    for flag in ["accepted", "installable", "signed"] {
        assert_eq!(problem[flag], false, "{body}");
    }
    assert!(!problem["missingGates"].as_array().unwrap().is_empty(), "{body}");
}

fn refusal(address: &str, query: &str, headers: &[&str]) -> Refused {
    match Follower::open(address, query, headers) {
        Ok(follower) => panic!("{query} {headers:?}: {}", follower.head),
        Err(refused) => refused,
    }
}

/// The records of the log as its owner exports them, by entry tiles: bytes by index.
fn log_of(address: &str) -> Vec<Vec<u8>> {
    let keys = get(address, "/api/sdk/registry/journal/checkpoint", "").2;
    let size: u64 = keys.lines().nth(1).unwrap().parse().unwrap();
    let mut records = Vec::new();
    for number in 0..size.div_ceil(256) {
        let width = (size - number * 256).min(256);
        let tile = svc_proof::tiles::entries_at(number, width).unwrap().path();
        let request =
            format!("GET /api/sdk/registry/journal/{tile} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut stream = connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let body = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        records.extend(svc_proof::tiles::unbundle(&answer[body..], width).unwrap());
    }
    records
}

#[test]
fn no_bad_question_gets_more_than_a_closed_refusal() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), &[]);
    ask(&running.address, 3);
    let not_found = (404, "not-found");
    for query in [
        "?after=-1",
        "?after=",
        "?after",
        "?after=x",
        "?after=%31",
        "?after=1&after=2",
        "?after=1&from=2",
        "?from=1.0",
        "?probes=1",
        "?type=yes",
        "?type=registry.decision.accepted",
        "?type=",
        "?limit=1",
        "?wait=1",
        "?before=1",
        "?x=y",
        "?after=9007199254740992",
        "?after=99999999999999999999999",
    ] {
        let refused = refusal(&running.address, query, &[]);
        assert_refused(refused.status, &refused.body, not_found);
    }
    for id in
        ["x", "-1", "1,2", "0x1", " ", "9007199254740992", "\u{661}", "1\t2", "00000000000000000000000000000000000001x"]
    {
        let refused = refusal(&running.address, "", &[&format!("Last-Event-ID: {id}")]);
        assert_refused(refused.status, &refused.body, (400, "malformed-request"));
    }
    let twice = refusal(&running.address, "", &["Last-Event-ID: 1", "Last-Event-ID: 1"]);
    assert_refused(twice.status, &twice.body, (400, "malformed-request"));
    for (query, id) in
        [("?after=3", ""), ("?from=4", ""), ("", "Last-Event-ID: 3"), ("?after=0", "Last-Event-ID: 9007199254740991")]
    {
        let headers: Vec<&str> = [id].into_iter().filter(|id| !id.is_empty()).collect();
        let refused = refusal(&running.address, query, &headers);
        assert_refused(refused.status, &refused.body, (409, "ahead-of-log"));
        assert!(refused.body.contains("the log has 3 records"), "{}", refused.body);
    }
    for query in [
        "?wait=16",
        "?wait=-1",
        "?wait=1.5",
        "?before=1&after=0",
        "?before=1&wait=1",
        "?after=1&wait=1&wait=1",
        "?from=1",
    ] {
        let (status, _, body) = get(&running.address, &format!("{ENTRIES}{query}"), "");
        assert_refused(status, &body, not_found);
    }
    let (status, _, body) = get(&running.address, &format!("{ENTRIES}?after=9&wait=5"), "");
    assert_refused(status, &body, (409, "ahead-of-log"));
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let request = format!("{method} {STREAM} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
        let answer = running.ask(request.as_bytes()).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert_eq!(header(head, "allow"), Some("GET, HEAD"));
        assert_refused(405, body, (405, "method-not-allowed"));
    }
    for path in ["/api/sdk/registry/journal/stream/", "/api/sdk/registry/journal/Stream", "/journal/stream"] {
        let (status, _, body) = get(&running.address, path, "");
        assert_refused(status, &body, not_found);
    }
    // A HEAD is answered, and opens nothing: the connection has room for the next question.
    let head = format!("HEAD {STREAM}?from=0 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let next = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut stream = connect(&running.address).unwrap();
    let answer = exchange(&mut stream, head.as_bytes()).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("text/event-stream"), "{answer}");
    assert!(exchange(&mut stream, next.as_bytes()).unwrap().starts_with("HTTP/1.1 200 "));
    // What speaks HTTP/2 from the start is refused, and HTTP/1.0 gets its events until the connection ends.
    let mut two = connect(&running.address).unwrap();
    two.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    let mut said = Vec::new();
    let _ = two.read_to_end(&mut said);
    assert!(!String::from_utf8_lossy(&said).contains(" 200 "));
    let old = format!("GET {STREAM}?from=0 HTTP/1.0\r\nHost: localhost\r\n\r\n");
    let mut old = Follower::over(connect(&running.address).unwrap(), old.as_bytes()).unwrap();
    assert_eq!(old.checkpoint().0, [0, 1, 2]);
}

#[test]
fn a_stream_has_the_bytes_of_the_log_and_its_checkpoints_cover_what_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start(folder.path(), &[]);
    let admin = running.admin_address();
    ask(&running.address, 90);
    let mut follower = Follower::open(&running.address, "?from=0&probes=true", &[]).unwrap();
    for (name, value) in
        [("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no")]
    {
        assert_eq!(header(&follower.head, name), Some(value), "{}", follower.head);
    }
    let mut newest = Follower::open(&running.address, "", &[]).unwrap();
    assert_eq!(newest.checkpoint().0, Vec::<u64>::new(), "whoever says nothing begins at the end");
    let mut records = Vec::new();
    let keys = get(&running.address, "/api/sdk/registry/journal/keys", "").2;
    let keys = PublicKeys::parse(&keys).unwrap();
    let covers = |records: &[Vec<u8>], note: &str| {
        let checkpoint = Checkpoint::open(note, &keys).unwrap();
        assert_eq!(checkpoint.size(), records.len() as u64);
        assert_eq!(MerkleTree::empty().grow(records).unwrap().root(), checkpoint.root());
    };
    for round in 0..3 {
        if round > 0 {
            ask(&running.address, 7);
        }
        while records.len() < 90 + 7 * round {
            match follower.next_event().unwrap() {
                Event::Record { id, data, .. } => {
                    assert_eq!(id, records.len() as u64);
                    records.push(data);
                }
                Event::Checkpoint(note) => covers(&records, &note),
            }
        }
    }
    let Some(Event::Checkpoint(note)) = follower.next_event() else { panic!("a checkpoint follows the last record") };
    covers(&records, &note);
    assert_eq!(records, log_of(&running.address));
    assert_eq!(newest.records(14).first().unwrap().0, 90);
    let mut filtered = Follower::open(&running.address, "?from=0&type=registry.posture.violation", &[]).unwrap();
    let (mut violations, mut told) = (Vec::new(), 0);
    while told < 104 {
        match filtered.next_event().unwrap() {
            Event::Record { id, kind, data } => {
                assert_eq!(
                    (kind.as_str(), &data),
                    ("registry.posture.violation", &records[usize::try_from(id).unwrap()])
                );
                violations.push(id);
            }
            Event::Checkpoint(note) => told = Checkpoint::open(&note, &keys).unwrap().size(),
        }
    }
    let refused = |bytes: &&Vec<u8>| String::from_utf8_lossy(bytes).contains("\"problem\":\"posture-violation\"");
    assert_eq!(violations.len(), records.iter().filter(refused).count());
    assert_eq!(violations.len(), 34);
    let mut again = Follower::open(&running.address, "?after=3", &["Last-Event-ID: 99"]).unwrap();
    assert_eq!(again.checkpoint().0, [100, 101, 102, 103], "what was seen last wins over the address");
    assert_eq!(metric(&admin, "svc_event_streams_open"), 4);
    assert!(metric(&admin, "svc_event_records_total") >= 104 + 14 + 34 + 4);
    assert_eq!(metric(&admin, "svc_event_streams_cut_total"), 0);
    drop(again);
    ask(&running.address, 3);
    ask(&running.address, 3);
    let patience = Instant::now() + Duration::from_secs(10);
    while metric(&admin, "svc_event_streams_open") != 3 {
        assert!(Instant::now() < patience, "a stream whose client left stays open");
        ask(&running.address, 1);
        thread::sleep(Duration::from_millis(50));
    }
    let log = running.log();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let streamed: Vec<&Value> = lines.iter().filter(|line| line["operation"] == "journal-stream").collect();
    let [line] = streamed[..] else { panic!("one line for each stream that is over: {streamed:?}") };
    assert_eq!((&line["message"], &line["status"]), (&"streamed".into(), &200.into()));
    assert!(line["detail"].as_str().unwrap().ends_with("its client left"), "{line}");
}

#[test]
fn probes_are_left_out_unless_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), &[]);
    let probe = String::from_utf8(post("", &document())).unwrap();
    let probe = probe.replacen("\r\n", &format!("\r\nSvc-Probe: {}\r\n", "a".repeat(32)), 1);
    for request in [post("", &document()), probe.into_bytes(), post("", &document())] {
        assert_eq!(running.status(&request), 200);
    }
    let ids = |query: &str| Follower::open(&running.address, query, &[]).unwrap().checkpoint().0;
    assert_eq!((ids("?from=0"), ids("?from=0&probes=false")), (vec![0, 2], vec![0, 2]));
    assert_eq!(ids("?from=0&probes=true"), [0, 1, 2]);
}

fn token(folder: &Path, arguments: &[&str]) -> String {
    let run = Run::of(&mut program(folder, &[&["token"][..], arguments, &["--file", "tokens.json"]].concat())).exits(0);
    run.stdout.trim_end().to_owned()
}

#[test]
fn a_stream_ends_with_its_token_and_needs_the_scope_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let reader = token(folder.path(), &["create", "reader", "--scope", "read"]);
    let other = token(folder.path(), &["create", "other", "--scope", "read"]);
    let poster = token(folder.path(), &["create", "poster", "--scope", "preflight"]);
    let running = start(folder.path(), &["--tokens", "tokens.json"]);
    let bearer = |token: &str| format!("Authorization: Bearer {token}");
    for (headers, expected) in [
        (vec![], (401, "unauthenticated")),
        (vec![bearer(&poster)], (403, "insufficient-scope")),
        (vec![bearer(&format!("{reader}x"))], (401, "unauthenticated")),
        (vec![bearer(&reader), bearer(&reader)], (400, "malformed-request")),
    ] {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        let refused = refusal(&running.address, "?from=0", &headers);
        assert_refused(refused.status, &refused.body, expected);
    }
    let in_query = refusal(&running.address, &format!("?token={reader}"), &[]);
    assert_refused(in_query.status, &in_query.body, (401, "unauthenticated"));
    let mut ends = Follower::open(&running.address, "", &[&bearer(&reader)]).unwrap();
    let mut stays = Follower::open(&running.address, "", &[&bearer(&other)]).unwrap();
    assert_eq!((ends.checkpoint().0.len(), stays.checkpoint().0.len()), (0, 0));
    assert_eq!(running.status(&post(&format!("Bearer {poster}"), &document())), 200);
    assert_eq!((ends.records(1)[0].0, stays.records(1)[0].0), (0, 0));
    let (address, header) = (running.address.clone(), format!("{}\r\n", bearer(&reader)));
    let waits = thread::spawn(move || get(&address, &format!("{ENTRIES}?after=0&wait=15"), &header));
    thread::sleep(Duration::from_millis(500));
    token(folder.path(), &["revoke", "reader"]);
    let begun = Instant::now();
    while ends.next_event().is_some() {}
    assert!(ends.has_ended(), "it ends, and is not broken off");
    let (status, _, body) = waits.join().unwrap();
    assert_refused(status, &body, (401, "unauthenticated"));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let refused = refusal(&running.address, "", &[&bearer(&reader), "Last-Event-ID: 0"]);
    assert_refused(refused.status, &refused.body, (401, "unauthenticated"));
    assert_eq!(running.status(&post(&format!("Bearer {poster}"), &document())), 200);
    assert_eq!(stays.records(1)[0].0, 1);
    let log = running.log();
    assert!(log.contains("its token is not good any more") && log.contains("\"token\":\"reader\""), "{log}");
    assert!(!log.contains("svcr_"), "{log}");
}

#[test]
fn a_service_that_stops_ends_its_streams_at_once_and_lets_nobody_follow() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), &["--drain-pause", "3"]);
    ask(&running.address, 1);
    let mut followers: Vec<_> = (0..20).map(|_| Follower::open(&running.address, "?from=0", &[]).unwrap()).collect();
    followers.iter_mut().for_each(|follower| assert_eq!(follower.checkpoint().0, [0]));
    let address = running.address.clone();
    let waits = thread::spawn(move || (Instant::now(), page(&address, "?after=0&wait=15")).0.elapsed());
    thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    running.terminate();
    for follower in &mut followers {
        while follower.next_event().is_some() {}
        assert!(follower.has_ended());
    }
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert!(waits.join().unwrap() < Duration::from_secs(5), "whoever waits is answered");
    let refused = refusal(&running.address, "?from=0", &[]);
    assert_refused(refused.status, &refused.body, (503, "shutting-down"));
    let log = running.wait_for_log("the service stops", followers.len());
    let (status, last) = running.ended();
    assert_eq!(status.code(), Some(0), "{last}{log}");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_eq!(log.matches("the service stops").count(), 20, "{log}");
}

#[test]
fn a_log_that_was_put_back_is_told_to_whoever_saw_more_and_a_pruned_one_says_where_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), &[]);
    ask(&running.address, 2);
    let stop = |running: Running| {
        running.terminate();
        assert_eq!(running.ended().0.code(), Some(0));
    };
    stop(running);
    copy_folder(&folder.path().join("data"), &folder.path().join("older"));
    let running = start(folder.path(), &[]);
    ask(&running.address, 258);
    let mut follower = Follower::open(&running.address, "?from=0&probes=true", &[]).unwrap();
    assert_eq!(follower.records(260).last().unwrap().0, 259);
    stop(running);
    let prune = ["journal", "prune", "--before", "2999-01-01", "--journal", "sqlite", "--data-dir", "data"];
    assert!(Run::of(&mut program(folder.path(), &prune)).exits(0).stdout.contains("the log begins at 256 of 260"));
    let running = start(folder.path(), &[]);
    for query in ["?from=0", "?from=255", "?after=254"] {
        let refused = refusal(&running.address, query, &[]);
        assert_refused(refused.status, &refused.body, (410, "pruned"));
        assert!(refused.body.contains("`from=256`"), "{}", refused.body);
        let (status, _, body) = get(&running.address, &format!("{ENTRIES}?after=5&wait=1"), "");
        assert_refused(status, &body, (410, "pruned"));
    }
    let (status, _, body) = get(&running.address, &format!("{ENTRIES}?after=999&wait=1"), "");
    assert_refused(status, &body, (409, "ahead-of-log"));
    let twice = "?from=256&type=registry.decision.denied&type=registry.decision.denied";
    assert!(Follower::open(&running.address, twice, &[]).is_ok());
    let mut kept = Follower::open(&running.address, "", &["Last-Event-ID: 255"]).unwrap();
    assert_eq!(kept.checkpoint().0, [256, 257, 258, 259]);
    assert_eq!(page(&running.address, "?before=300&limit=2")["next"], 258);
    let oldest = page(&running.address, "?before=258&limit=9");
    assert_eq!((oldest["entries"].as_array().unwrap().len(), oldest.get("next")), (2, None));
    stop(running);
    fs::remove_dir_all(folder.path().join("data")).unwrap();
    copy_folder(&folder.path().join("older"), &folder.path().join("data"));
    let running = start(folder.path(), &[]);
    let rewound = refusal(&running.address, "?probes=true", &["Last-Event-ID: 259"]);
    assert_refused(rewound.status, &rewound.body, (409, "ahead-of-log"));
    assert!(rewound.body.contains("the log has 2 records"), "{}", rewound.body);
}

#[test]
fn whoever_waits_for_a_page_is_answered_when_there_is_a_record_and_pages_go_backwards() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start(folder.path(), &[]);
    let admin = running.admin_address();
    let begun = Instant::now();
    assert_eq!(page(&running.address, "?wait=1")["size"], 0);
    assert!((1000..4000).contains(&begun.elapsed().as_millis()), "{:?}", begun.elapsed());
    let address = running.address.clone();
    let waits = thread::spawn(move || (page(&address, "?wait=15"), Instant::now()));
    thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    ask(&running.address, 1);
    let (first, came) = waits.join().unwrap();
    assert_eq!((&first["size"], first["entries"].as_array().unwrap().len()), (&1.into(), 1));
    assert!(came.duration_since(asked) < Duration::from_secs(2), "{:?}", came.duration_since(asked));
    ask(&running.address, 24);
    let begun = Instant::now();
    assert_eq!(page(&running.address, "?after=3&wait=15")["entries"].as_array().unwrap().len(), 21);
    assert!(begun.elapsed() < Duration::from_secs(2), "whoever is behind does not wait");
    let (mut before, mut seen) = (1_000_000, Vec::new());
    loop {
        let page = page(&running.address, &format!("?before={before}&limit=10"));
        let indexes: Vec<u64> = page["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["record"]["sequence"].as_u64().unwrap())
            .collect();
        assert!(indexes.is_sorted(), "{indexes:?}");
        seen.splice(..0, indexes);
        let Some(next) = page["next"].as_u64() else { break };
        before = next;
    }
    assert_eq!(seen, (0..25).collect::<Vec<u64>>());
    assert_eq!(page(&running.address, "?before=0")["entries"].as_array().unwrap().len(), 0);
    // The time that somebody asked to wait is no time that an answer took.
    let text = crate::metrics::scrape(&admin, "", "/metrics");
    let sum = text.lines().find_map(|line| line.strip_prefix("svc_answer_seconds_sum{operation=\"journal-entries\"} "));
    assert!(sum.unwrap().parse::<f64>().unwrap() < 1.0, "{sum:?}");
}

#[test]
fn a_registry_that_lets_nobody_follow_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), &["--events", "off"]);
    ask(&running.address, 1);
    let refused = refusal(&running.address, "?from=0", &[]);
    assert_refused(refused.status, &refused.body, (404, "not-found"));
    assert!(refused.body.contains("its setting `events` is `off`"), "{}", refused.body);
    let (status, _, body) = get(&running.address, &format!("{ENTRIES}?after=0&wait=1"), "");
    assert_refused(status, &body, (404, "not-found"));
    assert_eq!(page(&running.address, "?wait=0")["size"], 1);
    drop(running);
    let without = Running::start(folder.path(), &["--journal", "off"]);
    let refused = refusal(&without.address, "", &[]);
    assert!(refused.body.contains("its setting `journal` is `off`"), "{}", refused.body);
    let wrong = Run::of(&mut program(folder.path(), &["serve", "--events", "maybe"])).exits(2);
    assert!(wrong.stderr.contains("`events` (flag) must be `on` or `off`"), "{}", wrong.stderr);
}

#[test]
fn a_public_log_is_followed_by_strangers_and_by_tls_and_told_to_pages_of_any_origin() {
    let folder = tempfile::tempdir().unwrap();
    let poster = token(folder.path(), &["create", "poster"]);
    let made = Command::new("openssl")
        .args(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost".split(' '),
        )
        .args("-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout tls.key -out tls.crt".split(' '))
        .current_dir(folder.path())
        .output();
    assert!(made.unwrap().status.success());
    let public = ["--journal-public", "yes", "--journal-origin", "registry.example/journal", "--tokens", "tokens.json"];
    let tls = ["--tls-certificate", "tls.crt", "--tls-key", "tls.key"];
    let running = start(folder.path(), &[&public[..], &tls].concat());
    let curl = |arguments: &[&str], path: &str| {
        let mut curl = Command::new("curl");
        curl.args(["-sS", "-N", "-i", "--cacert", "tls.crt"]).args(arguments).current_dir(folder.path());
        curl.arg(format!("https://{}{path}", running.address)).output().unwrap()
    };
    let authorization = format!("Authorization: Bearer {poster}");
    fs::write(folder.path().join("body.json"), document()).unwrap();
    let posted = ["-H", &authorization, "-H", "Content-Type: application/json", "--data-binary", "@body.json"];
    for _ in 0..3 {
        let answer = curl(&posted, crate::running::ENDPOINT);
        assert!(String::from_utf8_lossy(&answer.stdout).contains("\"outcome\":\"denied\""), "{answer:?}");
    }
    let read = curl(&["--max-time", "2"], &format!("{STREAM}?from=0&probes=true"));
    let text = String::from_utf8_lossy(&read.stdout).to_lowercase();
    assert!(text.contains("access-control-allow-origin: *") && text.contains("text/event-stream"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("id: ")).count(), 3, "{text}");
    assert!(text.contains("event: checkpoint\ndata: registry.example/journal\ndata: 3\n"), "{text}");
    assert!(!text.contains("poster"), "nobody is named: {text}");
    let refused = curl(&[], &format!("{STREAM}?from=9"));
    let text = String::from_utf8_lossy(&refused.stdout).to_lowercase();
    assert!(text.contains(" 409 ") && text.contains("access-control-allow-origin: *"), "{text}");
    let entries = curl(&[], &format!("{ENTRIES}?after=1&wait=1"));
    assert!(String::from_utf8_lossy(&entries.stdout).contains(" 401 "), "who asked is not public");
}
