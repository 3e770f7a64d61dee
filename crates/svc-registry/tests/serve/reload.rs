//! A running service whose files and settings change, and what SIGHUP does to it.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    run::{Run, program},
    running::{Running, document, post, replace},
};

const LIMITS: &[u8] = b"GET /api/sdk/registry/limits HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

fn hang_up(running: &Running) {
    let sent = Command::new("kill").args(["-HUP", &running.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn pair(folder: &Path, name: &str) {
    let arguments =
        ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    let names = ["-subj", "/CN=localhost", "-addext", &format!("subjectAltName=DNS:{name}.example,IP:127.0.0.1")];
    let files = ["-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem")];
    let made = Command::new("openssl").current_dir(folder).args(arguments).args(names).args(files).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[test]
fn a_hang_up_kills_nothing_and_a_wrong_file_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("svc.toml");
    fs::write(&file, "journal = \"off\"\nrate = \"1/1\"\n").unwrap();
    let running = Running::start(folder.path(), &["--config", "svc.toml"]);
    assert_eq!((running.status(LIMITS), running.status(LIMITS)), (200, 429));
    // Neither a file with a fault, nor one that is gone, nor a pipe, nor what would be an open door.
    let wrong = "the settings were not read again, and nothing changed";
    fs::write(&file, "journal = \"off\"\nrate = \"off\"\ndrain-pause = \"long\"\n").unwrap();
    hang_up(&running);
    assert!(running.wait_for_log(wrong, 1).contains("`drain-pause` (svc.toml, line 3) must be whole seconds"));
    fs::write(&file, "journal = \"off\"\nrate = \n").unwrap();
    hang_up(&running);
    assert!(running.wait_for_log(wrong, 2).contains("svc.toml: line 2: not valid TOML"));
    fs::write(&file, "journal = \"off\"\nrate = \"off\"\nadmin-bind = \"0.0.0.0:0\"\n").unwrap();
    hang_up(&running);
    assert!(running.wait_for_log(wrong, 3).contains("can be reached from other machines"));
    fs::remove_file(&file).unwrap();
    hang_up(&running);
    running.wait_for_log(wrong, 4);
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    hang_up(&running);
    assert!(running.wait_for_log(wrong, 5).contains("named pipe"));
    assert_eq!(running.status(LIMITS), 429, "nothing changed");
    // What can change does, what cannot is named, each time until the restart.
    fs::remove_file(&file).unwrap();
    fs::write(&file, "rate = \"60/9\"\nadmin-bind = \"127.0.0.1:1\"\nbehind-proxy = true\n").unwrap();
    hang_up(&running);
    let log = running.wait_for_log("changed: rate; changed, but only after a restart: admin-bind, behind-proxy", 1);
    assert!(!log.contains("\\u{a}") && !log.contains("\\\\u{a}"), "{log}");
    assert_eq!(running.status(LIMITS), 200);
    hang_up(&running);
    running.wait_for_log("changed: nothing; changed, but only after a restart: admin-bind, behind-proxy", 1);
    running.terminate();
    assert!(running.ended().0.success());
}

/// A flood of them is answered by one reading after the other, while requests go on.
#[test]
fn a_service_that_is_hung_up_on_all_the_time_goes_on_answering() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("svc.toml"), "drain-pause = 0\n").unwrap();
    let running = Running::start(folder.path(), &["--config", "svc.toml", "--data-dir", "data"]);
    let body = document();
    for _ in 0..50 {
        hang_up(&running);
        assert_eq!(running.status(&post("", &body)), 200);
    }
    running.terminate();
    assert!(running.ended().0.success());
}

/// From its first moments on: while it opens its journal and tests itself.
#[test]
fn a_hang_up_while_it_starts_does_not_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = program(folder.path(), &["serve", "--bind", "127.0.0.1:0", "--data-dir", "data"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The program itself has to be there first.
    let status = format!("/proc/{}/status", child.id());
    let catches = |text: &str| {
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
        u64::from_str_radix(mask.trim(), 16).unwrap_or(0) & 1 == 1
    };
    let begun = Instant::now();
    while !catches(&fs::read_to_string(&status).unwrap_or_default()) {
        assert!(begun.elapsed() < Duration::from_secs(10), "SIGHUP is not caught");
        thread::sleep(Duration::from_millis(1));
    }
    for _ in 0..40 {
        Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
        thread::sleep(Duration::from_millis(25));
        assert!(child.try_wait().unwrap().is_none(), "SIGHUP ended it");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_happens_to_the_token_file_is_told_once_without_a_request() {
    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str| {
        let made = Run::of(&mut program(folder.path(), &["token", "create", name, "--file", "tokens.json"])).exits(0);
        format!("Bearer {}", made.stdout.trim())
    };
    let first = create("first");
    let running = Running::start(folder.path(), &["--journal", "off", "--tokens", "tokens.json"]);
    let file = folder.path().join("tokens.json");
    fs::rename(&file, folder.path().join("away.json")).unwrap();
    let gone = "the token file cannot be used, so nobody is let in";
    assert!(running.wait_for_log(gone, 1).contains("tokens.json: No such file"));
    let body = document();
    assert_eq!(running.status(&post(&first, &body)), 401);
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(running.log().matches(gone).count(), 1, "not every second");
    fs::rename(folder.path().join("away.json"), &file).unwrap();
    running.wait_for_log("the token file was read again", 1);
    assert_eq!(running.status(&post(&first, &body)), 200);
    // A pipe in its place holds nobody up.
    fs::rename(&file, folder.path().join("away.json")).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    running.wait_for_log(gone, 2);
    let begun = Instant::now();
    assert_eq!(running.status(&post(&first, &body)), 401);
    assert!(begun.elapsed() < Duration::from_secs(1));
}

#[test]
fn a_renewed_certificate_is_shown_without_a_restart_and_a_wrong_one_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        pair(folder.path(), name);
    }
    let at = |name: &str| folder.path().join(name);
    for kind in ["pem", "key"] {
        fs::copy(at(&format!("one.{kind}")), at(&format!("tls.{kind}"))).unwrap();
    }
    let tls = ["--tls-certificate", "tls.pem", "--tls-key", "tls.key", "--journal", "off"];
    let running = Running::start(folder.path(), &tls);
    let shown = || {
        let mut client = Command::new("openssl");
        client.args(["s_client", "-connect", &running.address, "-noservername"]).stdin(Stdio::null());
        let mut reader = Command::new("openssl");
        reader.args(["x509", "-noout", "-ext", "subjectAltName"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut reader = reader.spawn().unwrap();
        std::io::Write::write_all(&mut reader.stdin.take().unwrap(), &client.output().unwrap().stdout).unwrap();
        String::from_utf8(reader.wait_with_output().unwrap().stdout).unwrap()
    };
    assert!(shown().contains("one.example"));
    replace(&at("tls.pem"), fs::read(at("two.pem")).unwrap());
    let kept = "the certificate was not replaced";
    assert!(running.wait_for_log(kept, 1).contains("tls.key: it is not the key of the certificate in tls.pem"));
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(running.log_now().matches(kept).count(), 1, "not every second");
    assert!(shown().contains("one.example"));
    replace(&at("tls.key"), fs::read(at("two.key")).unwrap());
    assert!(running.wait_for_log("the certificate was read again", 1).contains("for two.example, 127.0.0.1; begins "));
    assert!(shown().contains("two.example"));
}

/// `copytruncate` of logrotate: the file is copied and cut while the service has it open.
#[test]
fn a_log_that_is_copied_and_cut_goes_on_at_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("serve.log");
    let appended = File::options().create(true).append(true).open(&log).unwrap();
    let running = Running::start_with_log(folder.path(), &["--journal", "off"], appended.into());
    assert_eq!((running.status(LIMITS), running.status(LIMITS)), (200, 200));
    assert_eq!(running.log().lines().filter(|line| line.contains("answered")).count(), 2);
    File::options().write(true).open(&log).unwrap().set_len(0).unwrap();
    assert_eq!(running.status(LIMITS), 200);
    let after = running.log();
    assert!(after.starts_with('{') && after.lines().count() == 1, "{after:?}");
}

/// Whoever asks for fewer lines must still learn that a change waits, or was not taken.
#[test]
fn what_waits_for_a_restart_is_told_also_to_whoever_wants_warnings_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("svc.toml");
    fs::write(&file, "journal = \"off\"\n").unwrap();
    let running = Running::start(folder.path(), &["--config", "svc.toml"]);
    fs::write(&file, "journal = \"off\"\nlog-level = \"warn\"\nadmin-bind = \"127.0.0.1:1\"\n").unwrap();
    hang_up(&running);
    running.wait_for_log("changed: log-level; changed, but only after a restart: admin-bind", 1);
    fs::write(&file, "journal = \"off\"\nlog-level = \"error\"\nadmin-bind = \"127.0.0.1:2\"\n").unwrap();
    hang_up(&running);
    let log = running.wait_for_log("only after a restart: admin-bind", 2);
    assert_eq!(log.matches("\"level\":\"warn\"").count(), 2, "{log}");
    fs::write(&file, "rate = 1\n").unwrap();
    hang_up(&running);
    assert!(running.wait_for_log("the settings were not read again", 1).contains("\"level\":\"error\""));
}
