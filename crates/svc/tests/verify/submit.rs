//! `svc app submit`: a bundle handed over, the answers checked and kept, and what becomes of lies.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use svc_testkit::{
    campaign,
    lies::{
        proxy::LyingRegistry,
        table::{LIES, Lie},
    },
    run::{Run, program, repository},
    running::Running,
};

use crate::lies::some_lies;

const KINDS: [&str; 6] =
    ["index", "acceptance-request", "publisher-verification", "review-evidence", "signing-request", "install-policy"];

pub(super) struct Author {
    pub(super) folder: tempfile::TempDir,
}

impl Author {
    pub(super) fn new() -> Self {
        let author = Self { folder: tempfile::tempdir().unwrap() };
        author.preflight("weather-board");
        author
    }

    fn preflight(&self, example: &str) {
        let example = repository("examples").join(example);
        self.svc(&["preflight", example.to_str().unwrap(), "--out-dir", "bundle", "--quiet"]).exits(0);
    }

    pub(super) fn svc(&self, arguments: &[&str]) -> Run {
        Run::of(&mut program(self.folder.path(), arguments))
    }

    pub(super) fn submit(&self, address: &str, more: &[&str]) -> Run {
        let url = format!("http://{address}");
        self.svc(&[&["submit", "bundle", "--registry", &url][..], more].concat())
    }

    /// The one folder of kept answers.
    pub(super) fn kept(&self) -> Option<PathBuf> {
        let mut entries = fs::read_dir(self.folder.path().join("bundle-answers")).ok()?;
        let only = entries.next()?.unwrap().path();
        assert!(entries.next().is_none());
        Some(only)
    }

    pub(crate) fn records(&self) -> usize {
        let list = ["journal", "list", "--journal", "sqlite", "--data-dir", "data", "--limit", "1000"];
        self.svc(&list).exits(0).stdout.lines().count()
    }
}

pub(super) fn service(folder: &Path) -> Running {
    Running::start(folder, &["--journal", "sqlite", "--data-dir", "data"])
}

#[test]
fn a_bundle_is_answered_with_no_and_the_answers_are_kept_and_verified() {
    let author = Author::new();
    let running = service(author.folder.path());
    let run = author.submit(&running.address, &["--public-key", "data/journal.pub"]).exits(0);
    assert_eq!(run.stdout.matches("denied    ").count(), 6, "{}", run.stdout);
    for text in [
        "accepted no, signed no, installable no",
        "no is the right answer",
        "6 receipts; checked with the public keys that were given",
    ] {
        assert!(run.stdout.contains(text), "{text} in {}", run.stdout);
    }
    let kept = author.kept().unwrap();
    for kind in KINDS {
        let answer: Value = serde_json::from_slice(&fs::read(kept.join(format!("{kind}.json"))).unwrap()).unwrap();
        assert_eq!(answer["outcome"], "denied", "{kind}");
        assert!(answer["receipt"].is_object(), "{kind}");
    }
    let verified = author.svc(&["app", "verify", "bundle"]).exits(0).stdout;
    assert_eq!(verified.matches("bundle-answers").count(), 6, "{verified}");
    // The answers can go with the bundle, and say the same elsewhere.
    fs::rename(author.folder.path().join("bundle"), author.folder.path().join("moved")).unwrap();
    fs::rename(author.folder.path().join("bundle-answers"), author.folder.path().join("moved-answers")).unwrap();
    author.svc(&["app", "verify", "moved"]).exits(0);
}

#[test]
fn a_second_run_sends_nothing_and_says_the_same() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    assert_eq!(author.records(), 6);
    let again = author.submit(&running.address, &[]).exits(0).stdout;
    assert_eq!(again.matches(", answered before").count(), 6, "{again}");
    assert_eq!(author.records(), 6);
    author.submit(&running.address, &["--again"]).exits(0);
    assert_eq!(author.records(), 12);
    // One answer that was lost is asked for again, and no other.
    fs::remove_file(author.kept().unwrap().join("review-evidence.json")).unwrap();
    let told = author.submit(&running.address, &["--format", "json"]).exits(0).stdout;
    let told: Value = serde_json::from_str(&told).unwrap();
    let before = told["answers"].as_array().unwrap().iter().filter(|answer| answer["before"] == true).count();
    assert_eq!((before, author.records()), (5, 13));
    assert_eq!([&told["accepted"], &told["signed"], &told["installable"]], [false, false, false]);
}

#[test]
fn another_bundle_is_sent_anew_and_old_answers_are_not_called_its_own() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    author.preflight("minimal");
    let run = author.svc(&["app", "verify", "bundle"]).exits(4);
    assert!(run.stderr.contains("the kept answer does not hold"), "{}", run.stderr);
    author.submit(&running.address, &[]).exits(0);
    author.svc(&["app", "verify", "bundle"]).exits(0);
}

#[test]
fn an_answer_that_was_changed_after_it_was_kept_is_found() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    let path = author.kept().unwrap().join("signing-request.json");
    let good = fs::read_to_string(&path).unwrap();
    for (from, to, exit) in [
        ("\"accepted\":false", "\"accepted\":true", 7),
        ("\"outcome\":\"denied\"", "\"outcome\":\"accepted\"", 7),
        ("\"stage\":\"showcase-preview\"", "\"stage\":\"collection-entry\"", 4),
        ("\"index\":", "\"index\":1", 4),
    ] {
        assert!(good.contains(from), "{from}");
        fs::write(&path, good.replacen(from, to, 1)).unwrap();
        author.svc(&["app", "verify", "bundle"]).exits(exit);
    }
    fs::write(&path, &good).unwrap();
    author.svc(&["app", "verify", "bundle"]).exits(0);
    // An answer of another artifact, proven as it is, is not this one's.
    fs::copy(author.kept().unwrap().join("index.json"), &path).unwrap();
    author.svc(&["app", "verify", "bundle"]).exits(4);
}

#[test]
fn nothing_is_sent_of_a_bundle_that_does_not_hold_and_nothing_kept_of_a_registry_that_is_not_there() {
    let author = Author::new();
    let running = service(author.folder.path());
    let address = running.address.clone();
    let path = author.folder.path().join("bundle/svc-registry-index.json");
    let good = fs::read(&path).unwrap();
    fs::write(&path, String::from_utf8_lossy(&good).replacen("\"accepted\": false", "\"accepted\": true", 1)).unwrap();
    author.submit(&address, &[]).exits(7);
    assert_eq!((author.records(), author.kept()), (0, None));
    fs::write(&path, good).unwrap();
    drop(running);
    let run = author.submit(&address, &[]).exits(6);
    assert!(author.kept().is_none() && run.stderr.contains("cannot be reached"), "{}{}", run.stdout, run.stderr);
    author.svc(&["submit", "bundle", "--registry", "http://registry.example"]).exits(2);
    author.svc(&["submit", "nowhere", "--registry", "https://registry.example"]).exits(3);
}

#[test]
fn the_first_key_is_kept_and_held_to() {
    let author = Author::new();
    let first = service(author.folder.path());
    author.submit(&first.address, &[]).exits(0);
    let keys = author.kept().unwrap().join("journal.pub");
    assert_eq!(fs::read(&keys).unwrap(), fs::read(author.folder.path().join("data/journal.pub")).unwrap());
    // Another log at the same place: the registry was replaced, or somebody stands in between.
    let other = tempfile::tempdir().unwrap();
    let second = service(other.path());
    fs::copy(other.path().join("data/journal.pub"), &keys).unwrap();
    drop(second);
    author.submit(&first.address, &["--again"]).exits(4);
}

/// Lies that are not told to somebody who sends six good payloads once and has the key.
const UNSEEN: &[&str] = &[
    "receipt-dropped-for-refusals",
    "refusal-reworded-around-its-receipt",
    "keys-withheld",
    "yes-to-the-second-request-only",
    "yes-to-tampered-input-only",
    "yes-in-a-refusal",
    "ledger-ahead-of-the-gates",
    "contract-of-five-endpoints",
    "open-to-the-site-that-asks",
    "claim-to-head",
    "another-type-to-head",
    "yes-by-another-method",
    "yes-on-a-described-route",
];

#[test]
fn of_a_registry_that_lies_nothing_is_kept_that_is_not_proven() {
    nothing_unproven_is_kept(&some_lies());
}

#[test]
#[ignore = "takes minutes; `cargo xtask gates` runs it"]
fn of_every_lie_nothing_is_kept_that_is_not_proven() {
    nothing_unproven_is_kept(&LIES.iter().collect::<Vec<_>>());
}

#[track_caller]
fn nothing_unproven_is_kept(lies: &[&Lie]) {
    let keys = tempfile::tempdir().unwrap();
    let honest = service(keys.path());
    let key = keys.path().join("data/journal.pub");
    let wrong = campaign::in_parallel(lies, |lie| {
        let author = Author::new();
        let liar = LyingRegistry::before(&honest.address, lie.bend);
        let run = author.svc(&["submit", "bundle", "--registry", &liar.url, "--public-key", key.to_str().unwrap()]);
        let is_found = run.code != Some(0);
        let kept = author.svc(&["app", "verify", "bundle"]).code == Some(0);
        let is_right = kept && is_found != UNSEEN.contains(&lie.name) && (run.code != Some(1) || lie.exit != 7);
        (!is_right).then(|| format!("{}: {:?}, what is kept holds: {kept}", lie.name, run.code))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Who gives no key holds a registry to the one that it shows: what is kept is what `svc app verify` takes.
#[test]
#[ignore = "takes minutes; `cargo xtask gates` runs it"]
fn without_a_key_too_nothing_is_kept_that_does_not_hold() {
    let keys = tempfile::tempdir().unwrap();
    let honest = service(keys.path());
    let lies: Vec<_> = LIES.iter().filter(|lie| lie.name.starts_with("receipt")).collect();
    let wrong = campaign::in_parallel(&lies, |lie| {
        let author = Author::new();
        let liar = LyingRegistry::before(&honest.address, lie.bend);
        let run = author.svc(&["submit", "bundle", "--registry", &liar.url]);
        let kept = author.svc(&["app", "verify", "bundle"]);
        let dropped = lie.name == "receipts-dropped" && run.code == Some(0);
        (kept.code != Some(0) || dropped).then(|| format!("{}: {:?}, then {:?}", lie.name, run.code, kept.code))
    });
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let author = Author::new();
    author.submit(&honest.address, &[]).exits(0);
    fs::write(author.kept().unwrap().join("journal.pub"), "").unwrap();
    let run = author.svc(&["app", "verify", "bundle"]).exits(4);
    assert!(run.stderr.contains("journal.pub"), "{}", run.stderr);
}

#[test]
fn a_key_that_is_given_later_is_held_to_by_what_was_answered_before() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    author.submit(&running.address, &["--public-key", "nowhere.pub"]).exits(3);
    let other = tempfile::tempdir().unwrap();
    drop(service(other.path()));
    let key = other.path().join("data/journal.pub");
    author.submit(&running.address, &["--public-key", key.to_str().unwrap()]).exits(4);
    author.svc(&["app", "verify", "bundle", "--public-key", key.to_str().unwrap()]).exits(4);
    author.svc(&["app", "verify", "bundle", "--public-key", "data/journal.pub"]).exits(0);
}

#[test]
fn answers_of_two_registries_are_checked_with_the_key_of_each() {
    let author = Author::new();
    let other = tempfile::tempdir().unwrap();
    for running in [service(author.folder.path()), service(other.path())] {
        author.submit(&running.address, &[]).exits(0);
    }
    let other = other.path().join("data/journal.pub");
    let keys = ["data/journal.pub", other.to_str().unwrap()];
    let verify = |keys: &[&str]| {
        let keys = keys.iter().flat_map(|key| ["--public-key", *key]);
        author.svc(&["app", "verify", "bundle"].into_iter().chain(keys).collect::<Vec<_>>())
    };
    for key in keys {
        let run = verify(&[key]).exits(4);
        assert!(run.stderr.contains("`--public-key FILE` once for each registry"), "{}", run.stderr);
    }
    for both in [keys, [keys[1], keys[0]]] {
        let told = verify(&both).exits(0).stdout;
        assert!(told.contains("public key of the log"), "{told}");
    }
}

#[test]
fn answers_of_one_registry_do_not_stand_for_those_of_another() {
    let author = Author::new();
    let other = tempfile::tempdir().unwrap();
    let addresses = [service(author.folder.path()), service(other.path())].map(|running| {
        author.submit(&running.address, &[]).exits(0);
        running.address.clone()
    });
    let folder = |address: &str| {
        let entries = fs::read_dir(author.folder.path().join("bundle-answers")).unwrap();
        let port = address.rsplit(':').next().unwrap().to_owned();
        entries.map(|entry| entry.unwrap().path()).find(|path| path.to_str().unwrap().contains(&port)).unwrap()
    };
    for kind in KINDS {
        let name = format!("{kind}.json");
        fs::copy(folder(&addresses[1]).join(&name), folder(&addresses[0]).join(&name)).unwrap();
    }
    let other = other.path().join("data/journal.pub");
    let keys = ["--public-key", "data/journal.pub", "--public-key", other.to_str().unwrap()];
    author.svc(&[&["app", "verify", "bundle"][..], &keys].concat()).exits(4);
    // A file that was cut is told as that, not as something that a registry said.
    fs::write(folder(&addresses[0]).join("index.json"), "").unwrap();
    let run = author.svc(&["app", "verify", "bundle"]).exits(4);
    assert!(run.stderr.contains("the file is not what was kept"), "{}", run.stderr);
    fs::remove_file(folder(&addresses[0]).join("index.json")).unwrap();
    fs::remove_file(folder(&addresses[0]).join("journal.pub")).unwrap();
    let run = author.svc(&["app", "verify", "bundle"]);
    assert!(run.stdout.contains("Not       receipt: none is kept next to the answers"), "{}", run.stdout);
}

#[test]
fn a_summary_names_what_was_not_looked_at() {
    let author = Author::new();
    let at = |path: &str| author.folder.path().join(path);
    // A chain with a missing file is not walked.
    fs::create_dir(at("empty")).unwrap();
    for (folder, lacks) in [("empty", "artifact shape"), ("bundle", "chain")] {
        fs::remove_file(at("bundle/svc-registry-index.json")).ok();
        let told = author.svc(&["app", "verify", folder]).exits(1).stdout;
        let checked = told.lines().find(|line| line.starts_with("Checked")).unwrap();
        assert!(!checked.contains(lacks) && !checked.contains("chain"), "{told}");
        assert!(told.contains("Not       chain: errors were found first"), "{told}");
    }
    // Files that the package leaves out were not looked at.
    let package = at("package");
    let copied =
        std::process::Command::new("cp").arg("-r").arg(repository("examples/weather-board")).arg(&package).status();
    assert!(copied.unwrap().success());
    author.svc(&["preflight", "package", "--out-dir", "bundle", "--quiet"]).exits(0);
    fs::write(package.join("evil.js"), "fetch('https://evil.example')").unwrap();
    fs::write(package.join(".svcignore"), "evil.js\n").unwrap();
    let told = author.svc(&["app", "verify", "bundle", "--package", "package"]).exits(0).stdout;
    assert!(told.contains("Not       files that are left out: `files` of the manifest and .svcignore"), "{told}");
    // An open claim in a bundle that is not current, below a path that begins where the command runs.
    let file = at("bundle/svc-registry-index.json");
    let open = fs::read_to_string(&file).unwrap().replacen("\"accepted\": false", "\"accepted\": true", 1);
    fs::write(&file, open).unwrap();
    author.svc(&["preflight", "package", "--out-dir", "bundle", "--check"]).exits(7);
    // A run that stops has checked nothing, and says so.
    let told = author.svc(&["app", "verify", "nowhere", "--format", "json"]).exits(3).stdout;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["scope"]["notChecked"][0]["what"], "everything");
}

#[test]
fn files_that_are_no_part_of_a_bundle_are_said_not_to_be_looked_at() {
    let author = Author::new();
    let said = "other files in the folder: no part of what was checked, and not looked at";
    assert!(!author.svc(&["app", "verify", "bundle"]).exits(0).stdout.contains(said));
    fs::write(author.folder.path().join("bundle/decision.json"), "{\"accepted\": true}").unwrap();
    let told = author.svc(&["app", "verify", "bundle"]).exits(0).stdout;
    assert!(told.contains(said), "{told}");
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_folder_is_not_followed() {
    let author = Author::new();
    let running = service(author.folder.path());
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), author.folder.path().join("bundle-answers")).unwrap();
    let run = author.submit(&running.address, &[]).exits(3);
    assert!(run.stderr.contains("is a symbolic link"), "{}", run.stderr);
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn registries_whose_addresses_look_alike_have_folders_of_their_own() {
    let author = Author::new();
    let running = service(author.folder.path());
    for prefix in ["", "/api/sdk/registry"] {
        author.submit(&format!("{}{prefix}", running.address), &[]).exits(0);
    }
    assert_eq!(author.records(), 6);
    for prefix in ["/a-b", "/a_b", "/a/b"] {
        author.submit(&format!("{}{prefix}", running.address), &[]).exits(1);
    }
    for port in ["99999", "0", "8x", "-1", ""] {
        author.submit(&format!("127.0.0.1:{port}"), &[]).exits(2);
    }
}

#[test]
fn a_file_that_nobody_kept_is_told() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    fs::write(author.kept().unwrap().join("approval.json"), "{\"accepted\": true}").unwrap();
    let run = author.svc(&["app", "verify", "bundle"]).exits(7);
    assert!(run.stderr.contains("approval.json"), "{}", run.stderr);
    fs::write(author.kept().unwrap().join("approval.json"), "notes").unwrap();
    author.svc(&["app", "verify", "bundle"]).exits(1);
    fs::remove_file(author.kept().unwrap().join("approval.json")).unwrap();
    // Also where a folder should be.
    fs::write(author.folder.path().join("bundle-answers/yes.json"), "{\"accepted\": true}").unwrap();
    author.svc(&["app", "verify", "bundle"]).exits(7);
}

/// Whatever else is wrong with an answer, a claim in it weighs most.
#[test]
fn an_open_claim_in_a_kept_answer_is_never_masked() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    let path = author.kept().unwrap().join("signing-request.json");
    let good = fs::read_to_string(&path).unwrap();
    for text in [
        "{\"accepted\": true}".to_owned(),
        "{\"installable\": true, \"signed\": false}".to_owned(),
        good.replacen("\"accepted\":false", "\"accepted\": true", 1),
        good.replacen("\"signed\":false", "\"signed\":true,\"extra\":1", 1),
        good.replacen("\"signed\":false", "\"signed\":\"yes\"", 1),
    ] {
        assert_ne!(text, good);
        fs::write(&path, &text).unwrap();
        author.svc(&["app", "verify", "bundle"]).exits(7);
    }
}

/// A registry that takes connections and never answers.
fn hung() -> (String, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            held.push(stream);
        }
    });
    (address, count)
}

/// No line speaks of anything that did not happen.
#[track_caller]
pub(crate) fn says_only(run: &Run, expected: &str) {
    let errors: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "{}", run.stderr);
    assert!(errors[0].contains(expected) && errors[0].contains("; no artifact was answered"), "{}", run.stderr);
    assert!(run.stderr.contains("  = help: "), "{}", run.stderr);
    let shown = format!("{}{}", run.stdout, run.stderr);
    assert!(!shown.contains("sent      ") && !shown.contains("answered  ") && !shown.contains("log is"), "{shown}");
    assert!(run.stderr.matches("svc-registry-").count() <= 1, "{}", run.stderr);
}

#[test]
fn a_registry_that_hangs_is_waited_for_once() {
    let author = Author::new();
    let (address, asked) = hung();
    let begun = std::time::Instant::now();
    let run = author.submit(&address, &[]).exits(6);
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{:?}", begun.elapsed());
    assert_eq!(asked.load(std::sync::atomic::Ordering::SeqCst), 1, "one request, and then no more");
    says_only(&run, "does not answer");
    assert!(author.kept().is_none());
}

#[test]
fn a_registry_that_is_not_there_is_one_line() {
    let author = Author::new();
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    says_only(&author.submit(&address, &[]).exits(6), "cannot be reached");
    let run = author.svc(&["submit", "bundle", "--registry", "https://registry.invalid"]).exits(6);
    says_only(&run, "cannot be reached");
    let json = author.submit(&address, &["--format", "json"]).exits(6).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["stopped"]["message"].as_str().unwrap().contains("cannot be reached"), "{json}");
    assert_eq!((&json["valid"], &json["scope"]["checked"]), (&Value::Bool(false), &serde_json::json!([])), "{json}");
}

#[test]
fn a_missing_and_a_wrong_token_are_one_line_each() {
    let author = Author::new();
    let create = |id: &str, scopes: &[&str]| {
        let scopes: Vec<&str> = scopes.iter().flat_map(|scope| ["--scope", scope]).collect();
        author.svc(&[&["token", "create", id, "--file", "tokens.json"][..], &scopes].concat()).exits(0).stdout
    };
    let (full, reader) = (create("ci", &["preflight", "read"]), create("reader", &["read"]));
    let folder = author.folder.path();
    fs::write(folder.join("full.txt"), full).unwrap();
    fs::write(folder.join("reader.txt"), reader).unwrap();
    fs::write(folder.join("wrong.txt"), format!("svcr_{}", "a".repeat(49))).unwrap();
    let running = Running::start(folder, &["--journal", "sqlite", "--data-dir", "data", "--tokens", "tokens.json"]);
    let run = author.submit(&running.address, &[]).exits(2);
    says_only(&run, "requires a token, and none was given");
    assert!(run.stderr.contains("--token-file"), "{}", run.stderr);
    for (file, status) in [("wrong.txt", "401"), ("reader.txt", "403")] {
        let run = author.submit(&running.address, &["--token-file", file]).exits(2);
        says_only(&run, &format!("does not take the token (status {status})"));
    }
    assert!(author.kept().is_none());
    let run = author.submit(&running.address, &["--token-file", "full.txt"]).exits(0);
    assert_eq!(run.stderr.matches("answered  svc-registry-").count(), 6, "{}", run.stderr);
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_one_line() {
    let author = Author::new();
    let folder = author.folder.path();
    let name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    let files = ["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "tls.key", "-out", "tls.pem"];
    let made = std::process::Command::new("openssl").args(kind).args(name).args(files).current_dir(folder).output();
    assert!(made.unwrap().status.success());
    let tls = ["--tls-certificate", "tls.pem", "--tls-key", "tls.key", "--journal", "sqlite", "--data-dir", "data"];
    let running = Running::start(folder, &tls);
    let port = running.address.rsplit(':').next().unwrap();
    let url = format!("https://localhost:{port}");
    let run = author.svc(&["submit", "bundle", "--registry", &url]).exits(6);
    says_only(&run, "has a certificate that this machine does not trust");
    assert!(run.stderr.contains("--ca-certificate"), "{}", run.stderr);
    author.svc(&["submit", "bundle", "--registry", &url, "--ca-certificate", "tls.pem"]).exits(0);
    // The other way round: no TLS where https is asked for.
    let plain = service(tempfile::tempdir().unwrap().path());
    let url = format!("https://localhost:{}", plain.address.rsplit(':').next().unwrap());
    says_only(&author.svc(&["submit", "bundle", "--registry", &url]).exits(6), "TLS");
}

#[cfg(unix)]
#[test]
fn a_token_or_certificate_that_anyone_can_change_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;

    let author = Author::new();
    let path = author.folder.path().join("token.txt");
    for flag in ["--token-file", "--ca-certificate"] {
        fs::write(&path, "svcr_x\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let run = author.svc(&["submit", "bundle", "--registry", "https://localhost:1", flag, "token.txt"]).exits(3);
        assert!(run.stderr.contains("token.txt: every user may write to it (mode 666)"), "{}", run.stderr);
    }
    author.svc(&["token", "create", "ci", "--file", "tokens.json"]).exits(0);
    fs::set_permissions(author.folder.path().join("tokens.json"), fs::Permissions::from_mode(0o666)).unwrap();
    for command in
        [&["token", "list", "--file", "tokens.json"][..], &["serve", "--check-config", "--tokens", "tokens.json"]]
    {
        let run = author.svc(command);
        assert_eq!(run.code, Some(3), "{}{}", run.stdout, run.stderr);
        assert!(format!("{}{}", run.stdout, run.stderr).contains("every user may write to it"), "{}", run.stderr);
    }
}
