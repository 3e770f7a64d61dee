//! `--check-config` beside the start that it speaks for: whatever is broken, both say it, with the same exit code.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    run::{Run, program},
    running::{Running, document, post},
};

fn serve(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, &[&["serve", "--bind", "127.0.0.1:0"][..], arguments].concat()))
}

fn openssl(folder: &Path, arguments: &[&str]) {
    let made = Command::new("openssl").current_dir(folder).args(arguments).output().expect("openssl");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// `NAME.pem` and `NAME.key`.
fn pair(folder: &Path, name: &str) {
    let (key, certificate) = (format!("{name}.key"), format!("{name}.pem"));
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    let rest = [
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:registry.example",
        "-keyout",
        &key,
        "-out",
        &certificate,
    ];
    openssl(folder, &[&kind[..], &rest].concat());
}

/// Everything below a folder: path, length, mode, and the time of the last change.
fn state(folder: &Path) -> Vec<(PathBuf, u64, u32, i64, i64)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let facts = entry.metadata().unwrap();
            if facts.is_dir() {
                folders.push(entry.path());
            }
            found.push((entry.path(), facts.len(), facts.mode(), facts.ctime(), facts.ctime_nsec()));
        }
    }
    found.sort();
    found
}

/// Each row: what is broken, the arguments, the exit code, and what is said: the file or the address, and why.
#[test]
fn whatever_a_start_ends_with_the_check_says_with_the_same_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["one", "two"] {
        pair(folder.path(), name);
    }
    openssl(folder.path(), &["x509", "-in", "one.pem", "-signkey", "one.key", "-days", "-1", "-out", "ended.pem"]);
    for (name, text) in [
        ("syntax.toml", "rate = \n"),
        ("type.toml", "\nrate = 60\n"),
        ("value.toml", "\n\nrate = \"fast\"\n"),
        ("broken.json", "{\"tokens\": [\n"),
        ("none.json", "{\"tokens\": []}"),
        ("empty.pem", ""),
        ("half.pem", &fs::read_to_string(at("one.pem")).unwrap()[..200]),
        ("text.policy", "not a policy\n"),
        ("file", "not a folder"),
    ] {
        fs::write(at(name), text).unwrap();
    }
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    fs::create_dir(at("rewound")).unwrap();
    fs::write(at("rewound/journal.checkpoint"), "x").unwrap();
    fs::create_dir_all(at("locked-out/journal.lock")).unwrap();
    fs::create_dir(at("damaged")).unwrap();
    fs::write(at("damaged/journal.sqlite3"), vec![7; 4096]).unwrap();
    let tls = |certificate: &'static str, key: &'static str| vec!["--tls-certificate", certificate, "--tls-key", key];
    let journal = |folder: &'static str| vec!["--journal", "sqlite", "--data-dir", folder];
    let rows: Vec<(Vec<&str>, i32, &[&str])> = vec![
        (journal("locked-out"), 2, &["journal.lock"]),
        (vec!["--config", "syntax.toml"], 2, &["syntax.toml: line 1", "not valid TOML"]),
        (vec!["--config", "type.toml"], 2, &["type.toml: line 2", "`rate` must be a string"]),
        (vec!["--config", "value.toml"], 2, &["(value.toml, line 3)", "must be requests per minute"]),
        (vec!["--config", "absent.toml"], 3, &["absent.toml", "no such file"]),
        (vec!["--config", "pipe"], 3, &["pipe", "not a regular file"]),
        (vec!["--tokens", "broken.json"], 3, &["token file broken.json", "line 2"]),
        (vec!["--tokens", "none.json"], 2, &["token file none.json", "at least one token"]),
        (vec!["--tokens", "absent.json"], 3, &["token file absent.json", "No such file"]),
        (vec!["--tokens", "pipe"], 3, &["token file pipe", "a named pipe"]),
        (tls("one.pem", "two.key"), 3, &["two.key", "not the key of the certificate in one.pem"]),
        (tls("ended.pem", "one.key"), 3, &["ended.pem", "has ended", "ends 20"]),
        (tls("empty.pem", "one.key"), 3, &["empty.pem", "holds none"]),
        (tls("half.pem", "one.key"), 3, &["half.pem", "not whole"]),
        (tls("one.pem", "empty.pem"), 3, &["empty.pem", "must hold a private key"]),
        (tls("one.pem", "pipe"), 3, &["pipe", "a named pipe"]),
        (tls("absent.pem", "one.key"), 3, &["absent.pem", "No such file"]),
        (journal("file"), 3, &["file (`data-dir`) must be a folder"]),
        (journal("file/below"), 3, &["file (`data-dir`) must be a folder"]),
        (journal("rewound"), 4, &["journal-rewound", "journal.checkpoint"]),
        (journal("damaged"), 4, &["journal-corrupt", "damaged/journal.sqlite3"]),
        ([journal("data"), vec!["--witness-policy", "text.policy"]].concat(), 2, &["text.policy", "line 1"]),
        (
            vec!["--admin-bind", "192.0.2.1:0", "--tokens", "tokens.json", "--behind-proxy", "yes"],
            3,
            &["192.0.2.1:0 (`admin-bind`)", "Cannot assign requested address"],
        ),
        (
            vec!["--journal", "postgres://svc@127.0.0.1:1/registry", "--data-dir", "data"],
            6,
            &["postgres://127.0.0.1:1/registry", "refused"],
        ),
        (
            vec!["--journal", "postgres://svc@localhost/svc", "--data-dir", "data", "--journal-authority", "empty.pem"],
            2,
            &["empty.pem (`journal-authority`)"],
        ),
        (
            vec![
                "--journal",
                "postgres://svc@localhost/svc",
                "--data-dir",
                "data",
                "--journal-password-file",
                "absent",
            ],
            2,
            &["absent (`journal-password-file`)"],
        ),
    ];
    Run::of(&mut program(folder.path(), &["token", "create", "ci", "--file", "tokens.json"])).exits(0);
    let before = state(folder.path());
    for (arguments, code, said) in rows {
        let checked = serve(folder.path(), &[&arguments[..], &["--check-config"]].concat());
        assert_eq!(state(folder.path()), before, "{arguments:?}: the check wrote");
        let started = serve(folder.path(), &arguments);
        for (run, what) in [(&checked, "check"), (&started, "start")] {
            assert_eq!(run.code, Some(code), "{what} {arguments:?}: {}{}", run.stdout, run.stderr);
            assert!(run.stderr.contains("\n  = help: "), "{what} {arguments:?}: {}", run.stderr);
            assert!(!run.stderr.contains("\\u{a}"), "{what} {arguments:?}: {}", run.stderr);
            for part in said {
                assert!(run.stderr.contains(part), "{what} {arguments:?}: `{part}` in {}", run.stderr);
            }
        }
        assert_eq!(checked.stderr, started.stderr, "{arguments:?}");
        // A fault of the settings leaves nothing to try; any other is one line among those of all that was tried.
        let lines = checked.stdout.lines().filter(|line| line.starts_with("failed "));
        assert!(lines.count() == 1 || checked.stdout.is_empty(), "{arguments:?}: {}", checked.stdout);
        assert_eq!(state(folder.path()), before, "{arguments:?}: a start that was refused wrote");
    }
}

#[test]
fn a_check_beside_the_running_service_is_no_failure_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    pair(folder.path(), "tls");
    Run::of(&mut program(folder.path(), &["token", "create", "ci", "--file", "tokens.json"])).exits(0);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let arguments = ["--journal", "sqlite", "--data-dir", "data", "--admin-bind", &taken];
    let fresh = serve(folder.path(), &[&arguments[..], &["--check-config"]].concat()).exits(0);
    assert!(fresh.stdout.contains("ok      journal: begins in data/journal.sqlite3\n"), "{}", fresh.stdout);
    assert!(!folder.path().join("data").exists(), "the check made the data folder");
    let running = Running::start(folder.path(), &arguments);
    assert_eq!(running.status(&post("", &document())), 200);
    let tls = ["--tokens", "tokens.json", "--tls-certificate", "tls.pem", "--tls-key", "tls.key"];
    let address = running.address.clone();
    let arguments = [&["--bind", &address][..], &arguments, &tls].concat();
    let modes = || -> Vec<(PathBuf, u32)> { state(folder.path()).into_iter().map(|row| (row.0, row.2)).collect() };
    let before = modes();
    let checked =
        Run::of(&mut program(folder.path(), &[&["serve"][..], &arguments, &["--check-config"]].concat())).exits(0);
    assert_eq!(checked.stderr, "");
    let lines: Vec<&str> = checked.stdout.lines().collect();
    for (line, begins) in lines.iter().zip([
        "ok      settings: ",
        "ok      certificate: for registry.example; begins ",
        "ok      tokens: 1 in the file",
        "ok      self-test: 6 denied, ",
        "note    journal: 1 records in data/journal.sqlite3, in use",
        "note    bind: 127.0.0.1:",
        "note    admin-bind: 127.0.0.1:",
    ]) {
        assert!(line.starts_with(begins), "{line} {begins}");
    }
    assert_eq!(lines.len(), 7, "{lines:?}");
    assert_eq!(modes(), before);
    assert_eq!(running.status(&post("", &document())), 200);
    running.terminate();
    assert!(running.ended().0.success());
    let checked =
        Run::of(&mut program(folder.path(), &[&["serve"][..], &arguments, &["--check-config"]].concat())).exits(0);
    assert!(checked.stdout.contains("ok      journal: 2 records in data/journal.sqlite3\n"), "{}", checked.stdout);
}

/// Deliveries wait for a store that cannot be used, and the service runs: so it is a note.
#[test]
fn endpoints_are_counted_and_a_store_that_cannot_be_used_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = ["--journal", "sqlite", "--data-dir", "data"];
    let running = Running::start(folder.path(), &place);
    running.terminate();
    assert!(running.ended().0.success());
    let check = |more: &[&str]| serve(folder.path(), &[&place[..], more, &["--check-config"]].concat()).exits(0).stdout;
    assert!(!check(&[]).contains("endpoints"), "there are none");
    let add = ["events", "add", "audit", "https://hooks.example/"];
    Run::of(&mut program(folder.path(), &[&add[..], &place].concat())).exits(0);
    assert!(check(&[]).contains("ok      endpoints: 1\n"), "{}", check(&[]));
    let off = check(&["--events", "off"]);
    assert!(off.contains("note    endpoints: 1, and nothing is delivered: `events` is off\n"), "{off}");
    let store = folder.path().join("data/events.sqlite3");
    fs::write(&store, "no database at all, and longer than its header would be".repeat(3)).unwrap();
    let before = state(folder.path());
    let told = check(&[]);
    assert!(told.contains("note    endpoints: deliveries would wait: "), "{told}");
    assert_eq!(state(folder.path()), before);
}

#[test]
fn a_certificate_that_clients_would_refuse_is_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    openssl(folder.path(), &[&kind[..], &["-subj", "/CN=localhost", "-keyout", "a.key", "-out", "a.pem"]].concat());
    let checked =
        serve(folder.path(), &["--tls-certificate", "a.pem", "--tls-key", "a.key", "--check-config"]).exits(0);
    assert!(
        checked.stdout.contains("note    certificate: for no name, so that clients refuse it; begins "),
        "{}",
        checked.stdout
    );
}

/// Root may write everywhere, so that this is told of another user.
#[test]
fn a_folder_of_somebody_else_is_told_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let Some(program) = program(folder.path(), &["serve"]).get_program().to_str().map(str::to_owned) else { return };
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    for (mode, said) in [(0o777, "must belong to the user of the service"), (0o755, "Permission denied")] {
        fs::set_permissions(&data, fs::Permissions::from_mode(mode)).unwrap();
        if !is_root {
            continue;
        }
        for check in [&["--check-config"][..], &[]] {
            // Another user may not be able to reach the program where it is.
            let copy = folder.path().join("svc");
            // Copied by another process: a file that this one has open for writing would be open in every program that another
            // test starts meanwhile, and could not be run.
            assert!(Command::new("cp").arg(&program).arg(&copy).status().unwrap().success());
            let mut command = Command::new("setpriv");
            command
                .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
                .arg(&copy)
                .current_dir(folder.path());
            command
                .args(["serve", "--bind", "127.0.0.1:0", "--journal", "sqlite", "--data-dir"])
                .arg(&data)
                .args(check);
            let refused = Run::of(&mut command).exits(3);
            assert!(refused.stderr.contains(said) && refused.stderr.contains("data"), "{}", refused.stderr);
            assert_eq!(fs::read_dir(&data).unwrap().count(), 0);
        }
    }
}
