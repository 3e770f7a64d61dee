//! The log as outsiders read it: without a token, from a registry that may be busy, or lie.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

use tempfile::TempDir;

use crate::{
    run::{Run, program},
    running::{Running, connect, document, post},
};

const ORIGIN: &str = "registry.example/api/sdk/registry/journal";
pub(crate) const PUBLIC: [&str; 8] =
    ["--journal", "sqlite", "--data-dir", "data", "--journal-origin", ORIGIN, "--journal-public", "yes"];

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, arguments))
}

/// Asks for a path below the base path: status, head in small letters, body.
pub(crate) fn get(address: &str, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
    let mut stream = connect(address).unwrap();
    let request =
        format!("GET /api/sdk/registry{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap().to_ascii_lowercase();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head, answer[end + 4..].to_vec())
}

#[test]
fn a_public_log_opens_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let created = run(
        folder.path(),
        &["token", "create", "author", "--file", "tokens.json", "--scope", "preflight", "--scope", "read"],
    );
    let token = created.exits(0).stdout.lines().find(|line| line.len() > 20 && !line.contains(' ')).unwrap().to_owned();
    let tight = [&PUBLIC[..], &["--tokens", "tokens.json", "--rate", "1/12"]].concat();
    let running = Running::start(folder.path(), &tight);
    let bearer = format!("Bearer {token}");
    for _ in 0..12 {
        assert_eq!(running.status(&post(&bearer, &document())), 200);
    }
    assert_eq!(running.status(&post(&bearer, &document())), 429);
    let published = ["/checkpoint", "/keys", "/tile/0/000.p/12", "/tile/entries/000.p/12", "/proof/2"];
    for _ in 0..20 {
        for path in published {
            let (status, head, _) = get(&running.address, &format!("/journal{path}"), "");
            assert_eq!(status, 200, "{path}");
            assert!(head.contains("access-control-allow-origin: *"), "{path}: {head}");
            let caching =
                if path.starts_with("/tile") { "public, max-age=31536000, immutable" } else { "public, no-cache" };
            assert!(head.contains(&format!("cache-control: {caching}")), "{path}: {head}");
        }
    }
    // A wrong token closes nothing that is open, and nothing that is missing may be kept by a cache.
    assert_eq!(get(&running.address, "/journal/checkpoint", "Authorization: Bearer x\r\n").0, 200);
    let (status, head, _) = get(&running.address, "/journal/tile/0/000.p/13", "");
    assert_eq!(status, 404);
    assert!(head.contains("cache-control: no-store"), "{head}");
    for path in
        ["", "/contract", "/readiness", "/journal/entries", "/openapi.json", "/journal/proof/x", "/journal/journal.key"]
    {
        let (status, head, _) = get(&running.address, path, "Origin: https://elsewhere.example\r\n");
        assert!(matches!(status, 401 | 404), "{path}: {status}");
        assert!(!head.contains("access-control"), "{path}: {head}");
    }
    for answer in [
        running.ask(&post("", &document())).unwrap(),
        running
            .ask(
                "GET /livez HTTP/1.1\r\nHost: localhost\r\nOrigin: https://e.example\r\nConnection: close\r\n\r\n"
                    .as_bytes(),
            )
            .unwrap(),
    ] {
        assert!(!answer.to_ascii_lowercase().contains("access-control"), "{answer}");
    }
}

#[test]
fn a_log_that_is_not_published_is_as_closed_as_before() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["token", "create", "author", "--file", "tokens.json", "--scope", "read"]).exits(0);
    let running =
        Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data", "--tokens", "tokens.json"]);
    for path in ["/checkpoint", "/keys", "/tile/0/000.p/1", "/proof/0", "/entries"] {
        let (status, head, _) = get(&running.address, &format!("/journal{path}"), "");
        assert_eq!(status, 401, "{path}");
        assert!(!head.contains("access-control"), "{head}");
    }
}

#[test]
fn a_name_that_is_no_address_is_not_published() {
    let folder = tempfile::tempdir().unwrap();
    for (origin, said) in
        [("svc-journal-1", "without its scheme"), ("https://registry.example", "scheme"), ("", "journal-origin")]
    {
        let ran = run(
            folder.path(),
            &[
                "serve",
                "--bind",
                "127.0.0.1:0",
                "--journal",
                "sqlite",
                "--data-dir",
                "data",
                "--journal-public",
                "yes",
                "--journal-origin",
                origin,
            ],
        );
        assert!(ran.exits(2).stderr.contains(said), "{origin}");
        assert!(!folder.path().join("data").exists());
    }
    run(
        folder.path(),
        &["journal", "init", "--journal", "sqlite", "--data-dir", "data", "--origin", "registry.example/a"],
    )
    .exits(0);
    let other = run(
        folder.path(),
        &[
            "serve",
            "--bind",
            "127.0.0.1:0",
            "--journal",
            "sqlite",
            "--data-dir",
            "data",
            "--journal-origin",
            "registry.example/b",
        ],
    );
    assert!(other.exits(2).stderr.contains("never changes"));
}

/// A registry that bends the answers of an honest one, or gives its own.
pub(crate) struct Liar {
    pub(crate) address: String,
    honest: Arc<Mutex<String>>,
    asked: Arc<Mutex<Vec<String>>>,
}

pub(crate) type Bend = Box<dyn Fn(&str, usize, Vec<u8>) -> Vec<u8> + Send>;

impl Liar {
    pub(crate) fn before(honest: String, bend: Bend) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let honest = Arc::new(Mutex::new(honest));
        let behind = Arc::clone(&honest);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let Some(Ok(first)) = lines.next() else { continue };
                let rest: String = lines
                    .map_while(Result::ok)
                    .take_while(|line| !line.is_empty())
                    .fold(String::new(), |all, line| all + &line + "\r\n");
                let path = first.split(' ').nth(1).unwrap().to_owned();
                let mut ask = connect(&behind.lock().unwrap()).unwrap();
                ask.write_all(format!("{first}\r\n{rest}\r\n").as_bytes()).unwrap();
                let mut answer = Vec::new();
                ask.read_to_end(&mut answer).unwrap();
                let count = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(path.clone());
                    seen.len()
                };
                let _ = stream.write_all(&bend(&path, count, answer));
            }
        });
        Self { address, honest, asked }
    }

    /// Stands before another registry from now on.
    pub(crate) fn lead_to(&self, honest: &str) {
        honest.clone_into(&mut self.honest.lock().unwrap());
    }

    /// The paths that were asked for.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A public log of so many records.
fn served(records: usize) -> (TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &PUBLIC);
    (0..records).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
    fs::copy(folder.path().join("data/journal.pub"), folder.path().join("log.pub")).unwrap();
    (folder, running)
}

fn verify(folder: &Path, address: &str, more: &[&str]) -> Run {
    run(folder, &[&["log", "verify", address, "--public-key", "log.pub"][..], more].concat())
}

#[test]
fn a_lying_registry_is_refused_with_the_cause() {
    let (folder, running) = served(5);
    let lies: [(&str, Bend, i32, &str); 9] = [
        (
            "429 for ever",
            Box::new(|_, _, _| answer("429 Too Many Requests", "retry-after: 0\r\n", b"")),
            6,
            "6 times in a row",
        ),
        (
            "a year",
            Box::new(|_, _, _| answer("503 Service Unavailable", "retry-after: 31536000\r\n", b"")),
            6,
            "31536000 s",
        ),
        (
            "a lie about the time",
            Box::new(|_, _, _| answer("429 Too Many Requests", "retry-after: 99999999999999999999\r\n", b"")),
            6,
            "asks to wait",
        ),
        (
            "a swapped tile",
            Box::new(|path, _, real| {
                if path.contains("tile/0") {
                    let mut other = real;
                    let last = other.len() - 1;
                    other[last] ^= 1;
                    other
                } else {
                    real
                }
            }),
            4,
            "tile/0/000.p/5",
        ),
        (
            "a swapped record",
            Box::new(
                |path, _, real| {
                    if path.contains("entries") { answer("200 OK", "", &[0, 1, b'x'].repeat(5)) } else { real }
                },
            ),
            4,
            "journal-corrupt",
        ),
        (
            "a bomb",
            Box::new(|path, _, real| {
                if path.contains("entries") { answer("200 OK", "content-encoding: gzip\r\n", &bomb()) } else { real }
            }),
            4,
            "bytes that it may have",
        ),
        (
            "another coding",
            Box::new(
                |path, _, real| {
                    if path.contains("entries") { answer("200 OK", "content-encoding: br\r\n", b"x") } else { real }
                },
            ),
            4,
            "content coding",
        ),
        (
            "a short body",
            Box::new(|_, _, _| {
                b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\nconnection: close\r\n\r\nregistry".to_vec()
            }),
            6,
            "journal-unreachable",
        ),
        ("closed", Box::new(|_, _, _| answer("401 Unauthorized", "", b"")), 2, "token of scope read"),
    ];
    for (name, bend, exit, said) in lies {
        let liar = Liar::before(running.address.clone(), bend);
        let ran = verify(folder.path(), &liar.address, &["--state", "lied"]).exits(exit);
        assert!(ran.stderr.contains(said), "{name}: {}", ran.stderr);
        assert!(!ran.stderr.contains("database"), "{name}: {}", ran.stderr);
        assert!(!folder.path().join("lied/journal.state").exists(), "{name}");
        assert!(liar.count() < 10, "{name}: {} requests", liar.count());
    }
}

/// Zeros, sixty million of them, in gzip.
fn bomb() -> Vec<u8> {
    use flate2::{Compression, write::GzEncoder};
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; 60_000_000]).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_busy_registry_is_waited_for() {
    let (folder, running) = served(3);
    let busy = Liar::before(
        running.address.clone(),
        Box::new(
            |_, count, real| {
                if count % 3 == 0 { real } else { answer("429 Too Many Requests", "retry-after: 0\r\n", b"") }
            },
        ),
    );
    let ran = verify(folder.path(), &busy.address, &[]).exits(0);
    assert!(ran.stdout.contains("3 records hold"), "{}", ran.stdout);
}

#[test]
fn a_reader_goes_on_where_it_stopped_and_sees_a_log_that_shrank_or_forked() {
    let (folder, running) = served(300);
    let straight = |running: &Running| Liar::before(running.address.clone(), Box::new(|_, _, real| real));
    let first = straight(&running);
    let ran = verify(folder.path(), &first.address, &["--state", "seen", "--format", "json"]).exits(0);
    assert!(ran.stdout.contains("\"readNow\": 300"), "{}", ran.stdout);
    let state = || fs::read_to_string(folder.path().join("seen/journal.state")).unwrap();
    drop(running);
    let copy = folder.path().join("copy");
    fs::create_dir_all(copy.join("data")).unwrap();
    for entry in fs::read_dir(folder.path().join("data")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.join("data").join(entry.file_name())).unwrap();
    }
    let running = Running::start(folder.path(), &PUBLIC);
    (0..20).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
    let second = straight(&running);
    let ran = verify(folder.path(), &second.address, &["--state", "seen"]).exits(0);
    assert!(ran.stdout.contains("320 records in the tree, 20 of them read now, 300 before"), "{}", ran.stdout);
    let bundles = |liar: &Liar| liar.asked.lock().unwrap().iter().filter(|path| path.contains("entries")).count();
    assert_eq!((bundles(&first), bundles(&second)), (2, 1));
    let ran = verify(folder.path(), &straight(&running).address, &["--state", "seen"]).exits(0);
    assert!(ran.stdout.contains("0 of them read now, 320 before"), "{}", ran.stdout);
    let whole = verify(folder.path(), &straight(&running).address, &["--format", "json"]).exits(0).stdout;
    let again =
        verify(folder.path(), &straight(&running).address, &["--state", "seen", "--format", "json"]).exits(0).stdout;
    // What they differ in is what they read, and what they held it against.
    let without = |text: &str| {
        let mut verdict: serde_json::Value = serde_json::from_str(text).unwrap();
        let members = verdict.as_object_mut().unwrap();
        for name in ["readNow", "scope", "signedStates"] {
            members.remove(name).unwrap();
        }
        verdict
    };
    assert_eq!(without(&whole), without(&again));
    drop(running);
    let kept = state();
    // The copy of before, as a restored backup would be: first it is behind, then it is another history.
    let forked = Running::start(&copy, &PUBLIC);
    for (records, said) in [(0, "the log has 300 records"), (30, "the first 320 records")] {
        (0..records).for_each(|_| assert_eq!(forked.status(&post("", &document())), 200));
        let ran = verify(folder.path(), &straight(&forked).address, &["--state", "seen"]).exits(4);
        assert!(ran.stderr.contains("journal-rewound") && ran.stderr.contains(said), "{}", ran.stderr);
        assert_eq!(state(), kept);
    }
    let damaged = kept.replacen("read 320", "read 321", 1);
    fs::write(folder.path().join("seen/journal.state"), damaged).unwrap();
    verify(folder.path(), &straight(&forked).address, &["--state", "seen"]).exits(4);
}

#[test]
fn entry_bundles_are_smaller_for_those_who_ask() {
    let (folder, running) = served(40);
    let path = "/journal/tile/entries/000.p/40";
    let (_, plain_head, plain) = get(&running.address, path, "");
    let (_, head, small) = get(&running.address, path, "Accept-Encoding: gzip\r\n");
    assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{head}");
    assert!(!plain_head.contains("content-encoding") && plain_head.contains("vary: accept-encoding"), "{plain_head}");
    assert!(small.len() * 2 < plain.len(), "{} of {}", small.len(), plain.len());
    let mut back = Vec::new();
    flate2::read::GzDecoder::new(small.as_slice()).read_to_end(&mut back).unwrap();
    assert_eq!(back, plain);
    let tag = |head: &str| head.lines().find_map(|line| line.strip_prefix("etag: ").map(str::to_owned)).unwrap();
    assert_ne!(tag(&head), tag(&plain_head));
    let known = format!("Accept-Encoding: gzip\r\nIf-None-Match: {}\r\n", tag(&head));
    assert_eq!(get(&running.address, path, &known).0, 304);
    drop(folder);
}

#[test]
fn a_proof_as_text_is_checked_and_a_changed_one_proves_nothing() {
    let (folder, running) = served(5);
    let (status, head, proof) = get(&running.address, "/journal/proof/3", "");
    assert_eq!(status, 200);
    assert!(head.contains("content-type: text/plain"), "{head}");
    assert_eq!(get(&running.address, "/journal/proof/5", "").0, 404);
    assert_eq!(get(&running.address, "/journal/proof/03", "").0, 404);
    drop(running);
    let place = ["--data-dir", "data", "--journal", "sqlite"];
    let proved = run(folder.path(), &[&["journal", "prove", "3", "--as", "tlog-proof"][..], &place].concat()).exits(0);
    assert_eq!(proved.stdout.as_bytes(), proof);
    let text = String::from_utf8(proof).unwrap();
    let check = |text: &str, more: &[&str]| {
        fs::write(folder.path().join("a.tlog-proof"), text).unwrap();
        run(folder.path(), &[&["log", "check-receipt", "a.tlog-proof", "--public-key", "log.pub"][..], more].concat())
    };
    assert!(check(&text, &[]).exits(0).stdout.contains("record 3 of 5 in registry.example"));
    let other =
        run(folder.path(), &[&["journal", "prove", "2", "--as", "tlog-proof"][..], &place].concat()).exits(0).stdout;
    let line = |text: &str, at: usize| text.lines().nth(at).unwrap().to_owned();
    for changed in [
        text.replace(&line(&text, 1), &line(&other, 1)),
        text.replace("index 3", "index 2"),
        text.replace(&line(&text, 3), &line(&text, 4)),
        text.replace("\n5\n", "\n6\n"),
        text.replace("@v1", "@v9"),
        text.replace(&format!("{}\n", line(&text, 3)), ""),
    ] {
        assert_ne!(changed, text);
        check(&changed, &[]).exits(4);
    }
    // Without the record inside, it has to be given.
    let bare = text.replace(&format!("{}\n", line(&text, 1)), "");
    check(&bare, &[]).exits(2);
    let record = run(folder.path(), &[&["journal", "show", "3"][..], &place].concat()).exits(0).stdout;
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    fs::write(folder.path().join("record"), svc_json::canonical::to_bytes(&record)).unwrap();
    check(&bare, &["--record", "record"]).exits(0);
    let mut open = record;
    open["accepted"] = true.into();
    fs::write(folder.path().join("record"), svc_json::canonical::to_bytes(&open)).unwrap();
    check(&bare, &["--record", "record"]).exits(7);
}

/// Far more strangers than there are turns for, and everybody who asks for an answer gets it.
#[test]
fn a_crowd_of_readers_keeps_nobody_from_an_answer() {
    let (_folder, running) = served(3);
    let done = std::sync::atomic::AtomicBool::new(false);
    let relaxed = std::sync::atomic::Ordering::Relaxed;
    let read = thread::scope(|scope| {
        let reader = |number: usize| {
            let path = ["/journal/checkpoint", "/journal/proof/1", "/journal/tile/entries/000.p/3"][number % 3];
            let mut seen = 0;
            while !done.load(relaxed) {
                let (status, head, _) = get(&running.address, path, "");
                assert!(status == 200 || (status == 503 && head.contains("retry-after:")), "{status}: {head}");
                seen += usize::from(status == 200);
            }
            seen
        };
        let readers: Vec<_> = (0..48).map(|number| scope.spawn(move || reader(number))).collect();
        let answered: Vec<u16> = (0..60).map(|_| running.status(&post("", &document()))).collect();
        done.store(true, relaxed);
        assert_eq!(answered, vec![200; 60]);
        readers.into_iter().map(|reader| reader.join().unwrap()).sum::<usize>()
    });
    assert!(read > 60, "only {read} documents were read");
}
