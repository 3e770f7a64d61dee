//! A real service, with and without tokens and TLS.

use std::{fs, path::Path, process::Command};

use crate::{
    PAYLOADS, hosted, make_bundle,
    run::{Run, program},
    running::Running,
};

#[test]
fn a_real_service_is_closed_as_declared_whatever_the_package() {
    for example in ["weather-board", "minimal"] {
        let folder = tempfile::tempdir().unwrap();
        make_bundle(folder.path(), example);
        let service = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
        let run = hosted(folder.path(), &format!("http://{}", service.address), &["--level", "build"]).exits(0);
        assert!(run.stdout.ends_with("\nCLOSED as declared: level build holds\n"), "{}", run.stdout);
        assert!(run.stderr.starts_with("What must hold\n  - "), "{}", run.stderr);
        let lines: Vec<&str> = run.stderr.lines().filter(|line| line.contains("/9  ")).collect();
        assert_eq!(lines.len(), 9, "{lines:?}");
        assert!(lines.iter().all(|line| line.ends_with(" checks, as declared")), "{lines:?}");
        // The address as `svc-registry serve` prints it.
        hosted(folder.path(), &format!("http://{}/api/sdk/registry", service.address), &["-q"]).exits(0);
    }
}

#[test]
fn receipts_are_held_to_the_key_that_is_given() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    drop(Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "other"]));
    let service = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    let address = format!("http://{}", service.address);
    let run = hosted(folder.path(), &address, &["--level", "build"]).exits(0);
    assert!(run.stdout.contains("which was not pinned: give --public-key FILE\n"), "{}", run.stdout);
    let run = hosted(folder.path(), &address, &["--level", "build", "--public-key", "data/journal.pub"]).exits(0);
    let log = run.stdout.lines().find(|line| line.starts_with("log ")).unwrap();
    assert!(log.ends_with(" records; checked with the public keys that were given"), "{log}");
    assert!(run.stdout.ends_with("\nCLOSED as declared: level build holds\n"), "{}", run.stdout);
    // Whatever level is asked for: a receipt that proves nothing is a lie.
    for level in ["closed", "contract", "build"] {
        let run = hosted(folder.path(), &address, &["--level", level, "--public-key", "other/journal.pub"]).exits(4);
        assert!(run.stderr.contains("error[key-differs]: "), "{}", run.stderr);
        assert!(run.stdout.ends_with("key-differs  (exit code 4)\n"), "{}", run.stdout);
    }
    hosted(folder.path(), &address, &["--public-key", "nowhere"]).exits(3);
    hosted(folder.path(), &address, &["--level", "signed"]).exits(2);
}

#[test]
fn without_a_journal_level_contract_holds_and_the_scorecard_says_so() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    let service = Running::start(folder.path(), &["--journal", "off"]);
    let address = format!("http://{}", service.address);
    let run = hosted(folder.path(), &address, &["--level", "contract"]).exits(0);
    assert!(run.stdout.ends_with("\nCLOSED as declared: level contract holds; not checked: build\n"), "{}", run.stdout);
    let said = "log        0 receipts; no log is served: nothing that was answered is on record\n";
    assert!(run.stdout.contains(said), "{}", run.stdout);
    assert!(!run.stderr.contains("NOT as declared"), "{}", run.stderr);
    let row = |level: &str| run.stdout.lines().find(|line| line.starts_with(level)).unwrap().to_owned();
    assert_eq!(row("closed ").split_whitespace().collect::<Vec<_>>(), ["closed", "yes", "yes"]);
    assert_eq!(row("contract ").split_whitespace().collect::<Vec<_>>(), ["contract", "yes", "yes"]);
    assert_eq!(row("build ").split_whitespace().collect::<Vec<_>>(), ["build", "no", "not", "checked"]);
    let run = hosted(folder.path(), &address, &["--level", "build"]).exits(1);
    let row = |level: &str| run.stdout.lines().find(|line| line.starts_with(level)).unwrap().to_owned();
    assert!(row("build ").ends_with(": good document: the answer has no receipt"), "{}", row("build "));
    assert!(
        row("to repeat ").starts_with(&format!("to repeat  curl -i -X POST '{address}/api/")),
        "{}",
        row("to repeat ")
    );
    assert!(run.stderr.contains("error[receipt-missing]: the answer has no receipt\n"), "{}", run.stderr);
    assert!(run.stdout.ends_with("\nNOT as declared: receipt-missing  (exit code 1)\n"), "{}", run.stdout);
    // What was not asked for is no error in any other form either.
    let run = hosted(folder.path(), &address, &["--format", "concise"]).exits(0);
    assert_eq!(run.stdout, "CLOSED as declared: level closed holds; not checked: contract, build\n");
    let run = hosted(folder.path(), &address, &["--format", "junit"]).exits(0);
    assert!(!run.stdout.contains("<failure"), "{}", run.stdout);
    let run = hosted(folder.path(), &address, &["--format", "github"]).exits(0);
    assert!(!run.stdout.contains("::error"), "{}", run.stdout);
}

#[test]
fn an_address_where_no_registry_is_is_not_closed() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    let service = Running::start(folder.path(), &["--journal", "off"]);
    let run = hosted(folder.path(), &format!("http://{}/elsewhere", service.address), &[]).exits(1);
    let told =
        "error[not-answered]: the registry answered a valid index with 404 (`not-found`): no such endpoint is there";
    assert!(run.stderr.contains(told), "{}", run.stderr);
}

#[test]
fn the_submission_need_not_be_there() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    fs::remove_file(folder.path().join("bundle/svc-registry-submission.json")).unwrap();
    let service = Running::start(folder.path(), &[]);
    hosted(folder.path(), &format!("http://{}", service.address), &[]).exits(0);
    assert_eq!(fs::read_dir(folder.path().join("bundle")).unwrap().count(), PAYLOADS.len());
}

fn token(folder: &Path, name: &str, scope: &str) -> String {
    let words = ["token", "create", name, "--file", "tokens.json", "--scope", scope];
    Run::of(&mut program(folder, &words)).exits(0).stdout.trim().to_owned()
}

#[test]
fn a_token_comes_from_the_environment_or_a_file_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    let words = ["token", "create", "verifier", "--file", "tokens.json"];
    let secret = Run::of(&mut program(folder.path(), &words)).exits(0).stdout;
    let lesser = token(folder.path(), "reader", "read");
    let service = Running::start(folder.path(), &["--tokens", "tokens.json"]);
    let address = format!("http://{}", service.address);
    fs::write(folder.path().join("secret"), &secret).unwrap();
    fs::write(folder.path().join("lesser"), &lesser).unwrap();

    let run = hosted(folder.path(), &address, &[]).exits(1);
    assert!(
        run.stderr.contains(
            "error[no-entry]: the registry refused a valid index with 401 (`unauthenticated`): a token is missing"
        ),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("SVC_TOKEN or --token-file"), "{}", run.stderr);
    assert!(run.stdout.contains("Checks     3 of "), "the rest is not tried: {}", run.stdout);
    let run = hosted(folder.path(), &address, &["--token-file", "lesser"]).exits(1);
    assert!(run.stderr.contains("with 403 (`insufficient-scope`)"), "{}", run.stderr);

    let run = hosted(folder.path(), &address, &["--token-file", "secret"]).exits(0);
    assert!(!(run.stdout + &run.stderr).contains(secret.trim()));
    let words = ["verify", "hosted", &address, "--artifact-dir", "bundle"];
    Run::of(program(folder.path(), &words).env("SVC_TOKEN", secret.trim())).exits(0);

    hosted(folder.path(), &address, &["--token", "svcr_x"]).exits(2);
    Run::of(program(folder.path(), &words).env("SVC_TOKEN", "two words")).exits(2);
    hosted(folder.path(), &address, &["--token-file", "nowhere"]).exits(3);
    assert!(!service.log().contains(secret.trim()));
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_not_spoken_to() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder.path()).args(["req", "-x509", "-newkey", "ec", "-pkeyopt"]);
    openssl.args(["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost"]);
    openssl.args([
        "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
    ]);
    openssl.args(["-keyout", "tls.key", "-out", "tls.pem"]);
    // Where openssl is missing there is nothing to test with.
    let Ok(made) = openssl.output() else { return };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let service = Running::start(folder.path(), &["--tls-certificate", "tls.pem", "--tls-key", "tls.key"]);
    let address = format!("https://{}", service.address);
    let run = hosted(folder.path(), &address, &[]).exits(6);
    assert!(run.stderr.contains("error[unreachable]: TLS: invalid peer certificate"), "{}", run.stderr);
    hosted(folder.path(), &address, &["--ca-certificate", "tls.pem"]).exits(0);
    hosted(folder.path(), &address, &["--ca-certificate", "tls.key"]).exits(2);
    let plain = hosted(folder.path(), &format!("http://{}", service.address), &[]).exits(6);
    assert!(plain.stderr.contains("error[no-answer]"), "{}", plain.stderr);
}

#[test]
fn an_address_that_cannot_be_used_is_refused_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    for address in ["http://registry.example", "registry.example", "https://a:b@registry.example", "ftp://127.0.0.1"] {
        let run = hosted(folder.path(), address, &[]).exits(2);
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert!(run.stderr.contains("= help: "), "{}", run.stderr);
    }
    let run = hosted(folder.path(), "http://127.0.0.1:1", &[]).exits(3);
    assert!(run.stderr.contains("bundle: no such folder"), "{}", run.stderr);
}
