//! `svc app submit` when something is wrong: what it says is what happened, with one way out that works.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    process::Command,
};

use serde_json::Value;
use svc_testkit::{run::Run, running::Running};

use crate::submit::{Author, says_only, service};

/// A server that says the same to every request, and counts them.
fn server(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            stream.set_read_timeout(Some(std::time::Duration::from_millis(200))).unwrap();
            let mut read = [0; 65536];
            while stream.read(&mut read).is_ok_and(|bytes| bytes == read.len()) {}
            let _ = stream.write_all(answer);
        }
    });
    address
}

#[test]
fn a_format_that_cannot_show_what_was_answered_is_refused_before_anything_is_sent() {
    let author = Author::new();
    let running = service(author.folder.path());
    for format in ["concise", "sarif", "junit", "github", "sarif=report", "junit=report", "github=report"] {
        let run = author.submit(&running.address, &["--format", format]).exits(2);
        assert!(format!("{}{}", run.stdout, run.stderr).contains("has no format"), "{}{}", run.stdout, run.stderr);
    }
    assert_eq!((author.records(), author.kept()), (0, None));
    author.submit(&running.address, &["--format", "json=report.json"]).exits(0);
    let report: Value = serde_json::from_slice(&fs::read(author.folder.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["answers"].as_array().unwrap().len(), 6, "{report}");
    assert_eq!([&report["accepted"], &report["signed"], &report["installable"]], [false, false, false]);
    assert!(report["missingGates"].as_array().unwrap().contains(&"artifact-signing".into()), "{report}");
    let shown = author.submit(&running.address, &["--format", "json"]).exits(0).stdout;
    assert_eq!(serde_json::from_str::<Value>(&shown).unwrap()["answers"].as_array().unwrap().len(), 6);
}

#[test]
fn nothing_is_sent_where_an_answer_could_not_be_kept() {
    let author = Author::new();
    let running = service(author.folder.path());
    let answers = author.folder.path().join("bundle-answers");
    let folder = answers.join(format!("http-{}", running.address.replace(':', "_3a")));
    for (taken, is_folder) in [(answers.clone(), false), (folder.clone(), false), (folder.join("index.json"), true)] {
        fs::create_dir_all(taken.parent().unwrap()).unwrap();
        if is_folder {
            fs::create_dir(&taken).unwrap()
        } else {
            fs::write(&taken, "x").unwrap()
        }
        let run = author.submit(&running.address, &[]).exits(3);
        assert!(run.stderr.contains("= help: "), "{}", run.stderr);
        assert!(!run.stderr.contains("answered"), "{}", run.stderr);
        assert_eq!(author.records(), 0, "{}", taken.display());
        if is_folder { fs::remove_dir(&taken).unwrap() } else { fs::remove_file(&taken).unwrap() }
    }
    author.submit(&running.address, &["--format", "json=/no/such/x"]).exits(3);
    assert_eq!(author.records(), 0);
    author.submit(&running.address, &[]).exits(0);
    assert!(folder.is_dir(), "the folder that was tried is the one of this registry");
    fs::write(folder.join("odd.txt"), "x").unwrap();
    let run = author.submit(&running.address, &[]).exits(0);
    assert!(run.stdout.contains("Not       kept registry answers: files that svc did not write"), "{}", run.stdout);
}

#[test]
fn an_open_claim_next_to_the_bundle_stops_the_submission() {
    let author = Author::new();
    let running = service(author.folder.path());
    author.submit(&running.address, &[]).exits(0);
    let kept = author.kept().unwrap();
    fs::create_dir(kept.join("notes")).unwrap();
    for file in ["signing-request.json", "approval.json", "notes/approval.json"] {
        let path = kept.join(file);
        let before = fs::read(&path).ok();
        let claim = r#"{"accepted": true}"#;
        fs::write(&path, claim).unwrap();
        for more in [&[][..], &["--again"]] {
            let run = author.submit(&running.address, more).exits(7);
            assert!(run.stderr.contains(file), "{}", run.stderr);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), claim);
        match before {
            Some(before) => fs::write(&path, before).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
    }
    assert_eq!(author.records(), 6, "nothing was sent");
}

#[test]
fn the_keys_are_named_by_where_they_are_from() {
    let author = Author::new();
    let running = service(author.folder.path());
    let given = "checked with the public keys that were given";
    for (more, note) in [
        (&[][..], "that the registry serves itself, which was not pinned"),
        (&[], "that an earlier run kept; give --public-key FILE"),
        (&["--again"], "that an earlier run kept; give --public-key FILE"),
        (&["--again", "--public-key", "data/journal.pub"], given),
        (&["--public-key", "data/journal.pub"], given),
    ] {
        let run = author.submit(&running.address, more).exits(0);
        assert!(run.stdout.contains("Log       6 receipts; ") && run.stdout.contains(note), "{}", run.stdout);
        assert_eq!(run.stdout.contains("that were given"), note == given, "{}", run.stdout);
        fs::remove_file(author.kept().unwrap().join("index.json")).unwrap();
        let json = author.submit(&running.address, &[more, &["--format", "json"]].concat()).exits(0).stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["note"].as_str().unwrap().contains("that were given"), note == given, "{json}");
    }
}

#[test]
fn the_key_of_another_log_is_named_before_the_log_is_accused() {
    let author = Author::new();
    let running = service(author.folder.path());
    let other = tempfile::tempdir().unwrap();
    drop(service(other.path()));
    let other = other.path().join("data/journal.pub");
    let id = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        text.trim().splitn(3, '+').take(2).collect::<Vec<_>>().join("+")
    };
    let ids = [id(&author.folder.path().join("data/journal.pub")), id(&other)];
    let key = ["--public-key", other.to_str().unwrap()];
    let names_both = |run: &Run| {
        let shown = format!("{}{}", run.stdout, run.stderr);
        for text in [ids[0].as_str(), ids[1].as_str()] {
            assert!(shown.contains(text), "{text} in {shown}");
        }
        for text in ["different logs", "log-rewritten", "that were given", "--again"] {
            assert!(!shown.contains(text), "{text} in {shown}");
        }
    };
    let run = author.submit(&running.address, &key).exits(4);
    names_both(&run);
    assert!(run.stderr.contains("check that --public-key is the key of this registry's log"), "{}", run.stderr);
    assert!(author.kept().is_none());
    author.submit(&running.address, &[]).exits(0);
    names_both(&author.svc(&[&["app", "verify", "bundle"][..], &key].concat()).exits(4));
}

#[test]
fn an_answer_of_no_registry_is_one_error_with_what_came_back() {
    let author = Author::new();
    for (answer, exit, why, help) in [
        (
            &b"HTTP/1.1 404 Not Found\r\ncontent-length: 12\r\n\r\nno such page"[..],
            1,
            "status 404 with a body that begins `no such page`",
            "/PREFIX",
        ),
        (
            b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n",
            1,
            "status 413 with an empty body",
            "client_max_body_size",
        ),
        (
            b"HTTP/1.1 308 Permanent Redirect\r\nlocation: https://registry.example/\r\ncontent-length: 0\r\n\r\n",
            1,
            "status 308",
            "`https://registry.example/`",
        ),
        (b"HTTP/1.1 500 Oh\r\ncontent-length: 4\r\n\r\noops", 6, "status 500 with a body that begins `oops`", "failed"),
        (b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n", 6, "status 502", "a proxy in front"),
        (
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 22\r\n\r\n<html>\x1b[2JLog in</html>",
            1,
            "begins `<html>\\u{1b}[2JLog in</html",
            "web server",
        ),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 1, "status 200 with an empty body", "web server"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", 6, "does not speak HTTP", "check the address and the port"),
    ] {
        let address = server(answer);
        let run = author.submit(&address, &[]).exits(exit);
        says_only(&run, why);
        let shown = format!("{}{}", run.stdout, run.stderr);
        assert!(shown.contains(help), "{help} in {shown}");
        for text in ["not-answered", "as declared", "journal", "receipts", "try again later"] {
            assert!(!shown.contains(text), "{text} in {shown}");
        }
        let json = author.submit(&address, &["--format", "json"]).exits(exit).stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        assert!(json["stopped"]["help"].as_str().unwrap().contains(help), "{json}");
    }
    assert!(author.kept().is_none());
}

/// An open answer weighs more than that it is no decision.
#[test]
fn an_open_answer_is_an_open_claim_whatever_its_status() {
    let author = Author::new();
    for answer in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 17\r\n\r\n{\"accepted\":true}"[..],
        b"HTTP/1.1 404 Not Found\r\ncontent-length: 17\r\n\r\n{\"accepted\":true}",
        b"HTTP/1.1 500 Oh\r\ncontent-length: 17\r\n\r\n{\"accepted\":true}",
    ] {
        let run = author.submit(&server(answer), &[]).exits(7);
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains("; nothing of this run was kept"), "{}", run.stderr);
    }
    assert!(author.kept().is_none());
}

/// Runs openssl.
#[track_caller]
fn openssl(folder: &Path, arguments: &str) {
    let made = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[test]
fn a_certificate_that_is_refused_comes_with_what_helps() {
    let author = Author::new();
    let folder = author.folder.path();
    let new = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
    openssl(
        folder,
        &format!(
            "{new} -subj /CN=ca -addext basicConstraints=critical,CA:TRUE -addext subjectAltName=DNS:localhost -keyout ca.key -out ca.pem"
        ),
    );
    for (name, names) in [("good", "DNS:localhost"), ("other", "DNS:registry.example")] {
        openssl(
            folder,
            &format!(
                "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN={name} -keyout {name}.key -out {name}.csr"
            ),
        );
        fs::write(folder.join("extensions"), format!("subjectAltName={names}\nbasicConstraints=CA:FALSE\n")).unwrap();
        openssl(
            folder,
            &format!(
                "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out {name}.pem"
            ),
        );
    }
    let authority = ["--ca-certificate", "ca.pem"];
    for (name, more, why, help) in [
        ("good", &[][..], "does not trust", "--ca-certificate FILE"),
        (
            "good",
            &["--ca-certificate", "other.pem"],
            "neither this machine nor --ca-certificate trusts",
            "that signed the one of this server",
        ),
        ("ca", &[], "certificate of an authority (CA:TRUE)", "CA:FALSE"),
        ("ca", &authority, "certificate of an authority (CA:TRUE)", "CA:FALSE"),
        (
            "other",
            &authority,
            "was asked for as `localhost`, and its certificate is for `registry.example`",
            "a certificate for `localhost`",
        ),
    ] {
        let (certificate, key) = (format!("{name}.pem"), format!("{name}.key"));
        let tls = ["--tls-certificate", &certificate, "--tls-key", &key, "--journal", "sqlite", "--data-dir", "data"];
        let running = Running::start(folder, &tls);
        let url = format!("https://localhost:{}", running.address.rsplit(':').next().unwrap());
        let run = author.svc(&[&["submit", "bundle", "--registry", &url][..], more].concat()).exits(6);
        says_only(&run, why);
        assert!(run.stderr.contains(help), "{help} in {}", run.stderr);
        if name == "good" {
            author.svc(&[&["submit", "bundle", "--registry", &url][..], &authority].concat()).exits(0);
        }
    }
}

#[test]
fn standard_input_is_not_offered_where_it_is_not_read() {
    let author = Author::new();
    for flag in ["--package", "--public-key"] {
        let run = author.svc(&["app", "verify", "bundle", flag, "nowhere"]).exits(3);
        assert!(run.stderr.contains("check the path") && !run.stderr.contains("standard input"), "{}", run.stderr);
    }
}

/// A stop has its help in every format.
#[test]
fn the_help_of_a_stop_is_in_every_format() {
    let author = Author::new();
    for format in ["human", "concise", "json", "sarif", "junit", "github"] {
        let run = author.svc(&["app", "verify", "nowhere", "--format", format]).exits(3);
        let shown = format!("{}{}", run.stdout, run.stderr);
        assert!(shown.contains("give the folder that `svc app preflight` wrote"), "{format}: {shown}");
    }
}
