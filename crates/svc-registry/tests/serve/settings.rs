//! How the service is set up, and what it refuses to be set up as.

use std::{fs, net::TcpListener, process::Command};

use crate::run::{Run, program};

fn serve(arguments: &[&str]) -> Run {
    Run::of(&mut program(tempfile::tempdir().unwrap().path(), &[&["serve"][..], arguments].concat()))
}

#[test]
fn an_open_door_is_refused_with_a_way_out() {
    for arguments in [
        &["--bind", "0.0.0.0:0"][..],
        &["--bind", "[::]:0"],
        &["--bind", "192.0.2.1:0", "--behind-proxy", "yes"],
        &["--bind", "0.0.0.0:0", "--tokens", "tokens.json"],
        &["--bind", "0.0.0.0:0", "--tls-certificate", "c.pem", "--tls-key", "k.pem"],
    ] {
        let refused = serve(arguments).exits(2);
        assert_eq!(refused.stdout, "", "{arguments:?}");
        for way_out in ["--tokens", "--tls-certificate", "--behind-proxy", "127.0.0.1"] {
            assert!(refused.stderr.contains(way_out), "{arguments:?}: {}", refused.stderr);
        }
    }
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    for arguments in [
        &["--bind", "everywhere"][..],
        &["--bind", "127.0.0.1"],
        &["--rate", "fast"],
        &["--rate", "0/0"],
        &["--behind-proxy", "perhaps"],
        &["--tls-certificate", "c.pem"],
        &["--admin-bind", "x"],
        &["--no-such-setting"],
    ] {
        serve(arguments).exits(2);
    }
}

#[test]
fn an_unknown_setting_in_the_file_is_refused_with_a_guess() {
    let folder = tempfile::tempdir().unwrap();
    for (text, guess) in [("bnid = \"127.0.0.1:0\"\n", "did you mean `bind`?"), ("tokenz = \"t\"\n", "`tokens`")] {
        fs::write(folder.path().join("svc.toml"), text).unwrap();
        let refused = Run::of(&mut program(folder.path(), &["serve", "--config", "svc.toml"])).exits(2);
        assert!(refused.stderr.contains(guess), "{}", refused.stderr);
    }
    for text in ["bind = 8787\n", "bind = \n", "[server]\nbind = \"127.0.0.1:0\"\n"] {
        fs::write(folder.path().join("svc.toml"), text).unwrap();
        Run::of(&mut program(folder.path(), &["serve", "--config", "svc.toml"])).exits(2);
    }
}

#[test]
fn every_setting_is_printed_with_its_origin() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("svc.toml"),
        "bind = \"127.0.0.1:1\"\nrate = \"10/5\"\nadmin-bind = \"127.0.0.1:2\"\n",
    )
    .unwrap();
    let mut command =
        program(folder.path(), &["serve", "--config", "svc.toml", "--bind", "127.0.0.1:3", "--print-config"]);
    let printed = Run::of(command.env("SVC_BIND", "127.0.0.1:4").env("SVC_RATE", "20/6")).exits(0).stdout;
    for line in [
        "bind = \"127.0.0.1:3\"  # flag\n",
        "rate = \"20/6\"  # environment\n",
        "admin-bind = \"127.0.0.1:2\"  # file, line 3\n",
        "behind-proxy = \"no\"  # default\n",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
}

#[test]
fn the_settings_can_be_checked_without_opening_a_socket() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let checked = serve(&["--bind", &address, "--check-config"]).exits(0).stdout;
    assert!(checked.contains("self-test: 6 denied, "), "{checked}");
    let refused = serve(&["--bind", &address]);
    assert!(refused.stderr.contains("cannot listen"), "{}", refused.stderr);
    assert!(!matches!(refused.code, Some(0 | 7) | None), "{:?}", refused.code);
}

#[test]
fn every_wrong_setting_of_a_file_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("svc.toml"), "bnd = \"127.0.0.1:1\"\nrate = 60\n").unwrap();
    let refused = Run::of(&mut program(folder.path(), &["serve", "--config", "svc.toml", "--check-config"])).exits(2);
    for part in [
        "svc.toml: line 1: there is no setting `bnd`",
        "did you mean `bind`?",
        "; svc.toml: line 2: `rate` must be a string",
    ] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    // Line breaks are escaped in messages, so that none is made here.
    assert!(!refused.stderr.contains("\\u{a}"), "{}", refused.stderr);
}

#[test]
fn a_misspelt_variable_is_told_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program(folder.path(), &["serve", "--print-config"]);
    let run = Run::of(command.env("SVC_TOKNS", "t.json").env("SVC_SERVICE_HOST", "10.0.0.1")).exits(0);
    let line: serde_json::Value = serde_json::from_str(run.stderr.trim()).expect("one line of JSON");
    assert_eq!(line["detail"], "SVC_TOKNS: did you mean SVC_TOKENS?");
}

#[test]
fn a_token_file_without_a_token_opens_no_socket() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tokens.json"), "{\"tokens\": []}").unwrap();
    let empty =
        Run::of(&mut program(folder.path(), &["serve", "--bind", "127.0.0.1:0", "--tokens", "tokens.json"])).exits(2);
    assert!(empty.stderr.contains("svc-registry token create"), "{}", empty.stderr);
    for text in ["{\"tokens\": [", "{}", "[]", "{\"tokens\": [], \"open\": true}"] {
        fs::write(folder.path().join("tokens.json"), text).unwrap();
        let broken =
            Run::of(&mut program(folder.path(), &["serve", "--bind", "127.0.0.1:0", "--tokens", "tokens.json"]));
        assert!(!matches!(broken.code, Some(0) | None), "{text}");
        assert!(broken.stderr.contains("cannot read the token file"), "{}", broken.stderr);
    }
}

/// A pipe would be waited for without end, before anything is said.
#[test]
fn what_is_no_regular_file_is_refused_at_once_wherever_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
    let serve = ["serve", "--bind", "127.0.0.1:0", "--check-config"];
    for arguments in [
        &["--config", "pipe"][..],
        &["--tokens", "pipe"],
        &["--tls-certificate", "pipe", "--tls-key", "pipe"],
        &["--tokens", "/dev/zero"],
    ] {
        let refused = Run::of(&mut program(folder.path(), &[&serve[..], arguments].concat()));
        assert!(!matches!(refused.code, Some(0) | None), "{arguments:?}");
        assert!(refused.stderr.contains("regular file"), "{arguments:?}: {}", refused.stderr);
    }
    let address = "postgres://svc@localhost/svc";
    for setting in ["--journal-password-file", "--journal-authority"] {
        let arguments = ["journal", "list", "--data-dir", "data", "--journal", address, setting, "pipe"];
        let refused = Run::of(&mut program(folder.path(), &arguments)).exits(2);
        assert!(refused.stderr.contains("regular file"), "{setting}: {}", refused.stderr);
    }
    for command in ["list", "revoke"] {
        let id: &[&str] = if command == "revoke" { &["ci"] } else { &[] };
        let refused = Run::of(&mut program(folder.path(), &[&["token", command, "--file", "pipe"][..], id].concat()));
        assert!(refused.stderr.contains("regular file"), "{command}: {}", refused.stderr);
    }
    Run::of(&mut program(folder.path(), &["log", "verify", "pipe"])).exits(3);
}

#[test]
fn a_key_of_another_certificate_is_refused_with_a_clear_message() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "other"] {
        let arguments = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
        let made = Command::new("openssl")
            .current_dir(folder.path())
            .args(arguments)
            .args(["-subj", "/CN=localhost", "-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem")])
            .output()
            .expect("openssl");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    for (certificate, key) in [("one.pem", "other.key"), ("one.key", "one.pem"), ("none.pem", "one.key")] {
        let arguments = ["serve", "--bind", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-key", key];
        let refused = Run::of(&mut program(folder.path(), &arguments));
        assert!(!matches!(refused.code, Some(0 | 7) | None), "{certificate} {key}: {:?}", refused.code);
        assert!(refused.stderr.contains("cannot use the certificate"), "{}", refused.stderr);
        assert!(!refused.stdout.contains("listening"), "{}", refused.stdout);
        let checked = Run::of(&mut program(folder.path(), &[&arguments[..], &["--check-config"]].concat()));
        assert!(checked.stderr.contains("cannot use the certificate"), "{}", checked.stderr);
    }
}
