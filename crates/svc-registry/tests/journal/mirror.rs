//! Copies of a log: plain files, proven before they are written, that any web server can serve.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use tempfile::TempDir;

use crate::{
    made_log::{MadeLog, Served, Server, key, record},
    outsiders::{Liar, PUBLIC},
    run::{Run, program},
    running::{Running, document, post},
};

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, arguments))
}

fn mirror(folder: &Path, address: &str) -> Run {
    run(folder, &["log", "mirror", address, "copy", "--public-key", "log.pub"])
}

fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.pub"), format!("{}\n", key(7).public().as_str())).unwrap();
    folder
}

/// Every file below a folder, but for evidence.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("evidence") {
            found.extend(files(&path));
        } else if path.is_file() {
            found.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    found
}

/// Python's own web server over a folder.
struct WebServer {
    child: Child,
    address: String,
}

impl WebServer {
    fn over(folder: &Path) -> Self {
        let mut child = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"])
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split(" port ").nth(1).unwrap().split(' ').next().unwrap();
        Self { child, address: format!("http://127.0.0.1:{port}") }
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_copy_behind_any_web_server_is_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let send = |running: &Running, count: usize| {
        (0..count).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
    };
    let running = Running::start(folder.path(), &PUBLIC);
    send(&running, 300);
    fs::copy(folder.path().join("data/journal.pub"), folder.path().join("log.pub")).unwrap();
    let door = Liar::before(running.address.clone(), Box::new(|_, _, real| real));
    let ran = mirror(folder.path(), &door.address).exits(0);
    assert!(ran.stdout.contains("copied 300 new records of 300"), "{}", ran.stdout);
    let web = WebServer::over(&folder.path().join("copy"));
    let verify = |more: &[&str]| {
        run(folder.path(), &[&["log", "verify", &web.address, "--public-key", "log.pub"][..], more].concat())
    };
    assert!(verify(&["--state", "seen"]).exits(0).stdout.contains("300 records hold"));
    run(folder.path(), &["log", "verify", "copy", "--public-key", "log.pub"]).exits(0);
    let watched = ["log", "watch", &web.address, "--state", "watched", "--public-key", "log.pub", "--once"];
    run(folder.path(), &watched).exits(0);
    // A copy of the copy has the same files.
    run(folder.path(), &["log", "mirror", &web.address, "second", "--public-key", "log.pub"]).exits(0);
    let inside = |name: &str| -> BTreeMap<PathBuf, Vec<u8>> {
        let root = folder.path().join(name);
        files(&root).into_iter().map(|(path, bytes)| (path.strip_prefix(&root).unwrap().to_owned(), bytes)).collect()
    };
    assert_eq!(inside("copy"), inside("second"));
    let asked = door.asked().len();
    send(&running, 20);
    let ran = mirror(folder.path(), &door.address).exits(0);
    assert!(ran.stdout.contains("copied 20 new records of 320"), "{}", ran.stdout);
    let more = door.asked().split_off(asked);
    assert!(!more.iter().any(|path| path.ends_with("entries/000")), "what is there is not asked for again: {more:?}");
    assert!(verify(&["--state", "seen"]).exits(0).stdout.contains("20 of them read now, 300 before"));
    // A reader who is still at the state before finds its tiles, until the next run.
    let partial = folder.path().join("copy/tile/entries/001.p/44");
    assert!(partial.is_file());
    let ran = mirror(folder.path(), &door.address).exits(0);
    assert!(
        ran.stdout.contains("copied 0 new records of 320") && ran.stdout.contains("0 files written"),
        "{}",
        ran.stdout
    );
    assert!(!partial.exists());
    running.terminate();
    running.ended();
    let prune = ["journal", "prune", "--before", "256", "--data-dir", "data", "--journal", "sqlite"];
    run(folder.path(), &prune).exits(0);
    let running = Running::start(folder.path(), &PUBLIC);
    send(&running, 1);
    door.lead_to(&running.address);
    // The copy keeps what the log has pruned, and can be read whole.
    for _ in 0..2 {
        let ran = mirror(folder.path(), &door.address).exits(0);
        assert!(ran.stdout.contains("the log begins at 256"), "{}", ran.stdout);
        assert!(ran.stdout.contains("this folder keeps the records from 0 on"), "{}", ran.stdout);
        let ran = verify(&[]).exits(0);
        assert!(ran.stdout.contains("321 records hold") && !ran.stdout.contains("pruned"), "{}", ran.stdout);
    }
    let fresh = ["log", "mirror", &door.address, "fresh", "--public-key", "log.pub"];
    assert!(!run(folder.path(), &fresh).exits(0).stdout.contains("keeps"));
}

#[test]
fn a_log_that_lies_is_not_copied_and_the_copy_stays_as_it_was() {
    let open = String::from_utf8(record(350, 1)).unwrap().replace("\"accepted\":false", "\"accepted\":true");
    let mut with_yes = MadeLog::new(400, 400);
    with_yes.records[350] = open.into_bytes();
    let mut stolen = MadeLog::new(400, 400);
    stolen.seed = 9;
    let flip = |wanted: &'static str| -> Box<dyn FnMut(&str) -> Served + Send> {
        let log = MadeLog::new(400, 400);
        Box::new(move |path| {
            let mut file = log.file(path);
            if let Some(byte) = file.as_mut().filter(|_| path.starts_with(wanted)).and_then(|file| file.last_mut()) {
                *byte ^= 1;
            }
            Served::File(file)
        })
    };
    let of =
        |log: MadeLog| -> Box<dyn FnMut(&str) -> Served + Send> { Box::new(move |path| Served::File(log.file(path))) };
    for (name, answer, exit, finding) in [
        ("another history", of(MadeLog::new(400, 200)), 4, "log-forked-history"),
        ("another root", of(MadeLog::new(300, 299)), 4, "log-forked-states"),
        ("a smaller log", of(MadeLog::new(299, 299)), 4, "log-shrank"),
        ("a yes", of(with_yes), 7, "log-open-claim"),
        ("another key", of(stolen), 4, "log-unsigned"),
        ("wrong hashes", flip("tile/0"), 4, "log-unproven"),
        ("wrong hashes above", flip("tile/1"), 4, "log-unproven"),
        ("wrong records", flip("tile/entries"), 4, "log-damaged"),
    ] {
        let folder = place();
        let server = Server::serving(MadeLog::new(300, 300));
        mirror(folder.path(), &server.address).exits(0);
        let before = files(&folder.path().join("copy"));
        server.answer(answer);
        let ran = mirror(folder.path(), &server.address).exits(exit);
        assert!(ran.stderr.contains(finding), "{name}: {}", ran.stderr);
        let after = files(&folder.path().join("copy"));
        for (path, bytes) in &before {
            assert_eq!(after.get(path), Some(bytes), "{name}: {}", path.display());
        }
        run(folder.path(), &["log", "verify", "copy", "--public-key", "log.pub"]).exits(0);
        let evidence = folder.path().join(format!("copy/evidence/0001-{finding}"));
        assert!(evidence.join("README.txt").is_file(), "{name}");
        let again = mirror(folder.path(), &server.address).exits(exit);
        assert!(again.stderr.contains("found before"), "{}", again.stderr);
    }
}

#[test]
fn a_folder_of_something_else_is_left_as_it_is() {
    let folder = place();
    let server = Server::serving(MadeLog::new(3, 3));
    fs::create_dir(folder.path().join("copy")).unwrap();
    fs::write(folder.path().join("copy/index.html"), "mine").unwrap();
    assert!(mirror(folder.path(), &server.address).exits(2).stderr.contains("new or empty"));
    assert_eq!(files(&folder.path().join("copy")).len(), 1);
    mirror(folder.path(), "http://127.0.0.1:9").exits(6);
}

#[test]
fn a_copy_that_was_killed_goes_on_and_was_never_half_a_log() {
    let folder = place();
    let log = MadeLog::new(1100, 1100);
    let hold_at = |wanted: &'static str, log: &MadeLog| -> Box<dyn FnMut(&str) -> Served + Send> {
        let log = log.clone();
        Box::new(move |path| if path == wanted { Served::Silent } else { Served::File(log.file(path)) })
    };
    let server = Server::start(hold_at("tile/entries/002", &log));
    let killed = |wanted: &str| {
        let words = ["log", "mirror", &server.address, "copy", "--public-key", "log.pub"];
        let mut child = program(folder.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !server.asked().iter().any(|path| path == wanted) {
            thread::sleep(Duration::from_millis(10));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    };
    killed("tile/entries/002");
    assert!(!folder.path().join("copy/checkpoint").exists());
    assert!(folder.path().join("copy/tile/entries/001").is_file());
    // What lies there half-written is not believed.
    fs::write(folder.path().join("copy/tile/entries/000"), b"torn").unwrap();
    let before = server.asked().len();
    server.change(log);
    mirror(folder.path(), &server.address).exits(0);
    let asked = server.asked().split_off(before);
    let bundles: Vec<&String> = asked.iter().filter(|path| path.starts_with("tile/entries")).collect();
    assert_eq!(bundles, ["tile/entries/000", "tile/entries/002", "tile/entries/003", "tile/entries/004.p/76"]);
    let grown = MadeLog::new(1400, 1400);
    server.answer(hold_at("tile/entries/005.p/120", &grown));
    killed("tile/entries/005.p/120");
    let ran = run(folder.path(), &["log", "verify", "copy", "--public-key", "log.pub"]).exits(0);
    assert!(ran.stdout.contains("1100 records hold"), "{}", ran.stdout);
    server.change(grown);
    mirror(folder.path(), &server.address).exits(0);
    let ran = run(folder.path(), &["log", "verify", "copy", "--public-key", "log.pub"]).exits(0);
    assert!(ran.stdout.contains("1400 records hold"), "{}", ran.stdout);
}
