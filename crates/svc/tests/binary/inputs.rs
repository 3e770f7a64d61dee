//! Bad inputs, for every one of the thirteen commands and for `validate`: the right exit code, a message with a place
//! and a way out, nothing on standard output, nothing written.

use std::{
    fs::{self, File},
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rustix::fs::{CWD, Mode};
use svc_core::words::kind;

use crate::{
    bundle::{self, Bundle, example},
    commands::{Command, thirteen},
    folder::{self, set_mode, untouched},
    svc::{Run, SVC, Svc, app, svc},
};

/// The thirteen and the one that takes every kind.
fn readers() -> Vec<Command> {
    let mut all = thirteen();
    all.push(Command { name: "validate", reads: None, makes: None });
    all
}

/// Each command on `input`, started in a folder that must stay as it is.
fn each(folder: &Path, input: &Path, check: impl Fn(&Command, Run)) {
    for command in readers() {
        let run = untouched(folder, || app([command.name]).args([input]).in_folder(folder).run());
        check(&command, run);
    }
}

#[test]
fn a_missing_file_is_named() {
    let folder = folder::empty();
    fs::write(folder.path().join("file"), "x").unwrap();
    for path in ["missing.json", "no/such/folder.json", "file/below.json"] {
        each(folder.path(), Path::new(path), |_, run| {
            run.stops(3, path, "no such file");
        });
    }
}

#[test]
fn a_folder_with_no_document_is_told_as_that() {
    let folder = folder::empty();
    fs::create_dir(folder.path().join("inner")).unwrap();
    for path in ["inner", ".", "/"] {
        each(folder.path(), Path::new(path), |_, run| {
            run.stops(3, path, "holds neither");
        });
    }
}

#[test]
fn a_pipe_a_socket_and_a_device_are_refused_without_waiting() {
    let folder = folder::empty();
    rustix::fs::mkfifoat(CWD, folder.path().join("pipe"), Mode::RWXU).unwrap();
    let _listener = UnixListener::bind(folder.path().join("socket")).unwrap();
    let begun = Instant::now();
    for (path, words) in [("pipe", "a named pipe"), ("socket", "a socket"), ("/dev/zero", "a device")] {
        each(folder.path(), Path::new(path), |_, run| {
            run.stops(3, path, words);
        });
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "something waited");
}

/// Root reads everything, so that root's tests run a copy of the binary as `nobody`; everybody else runs it as it is.
#[test]
fn an_unreadable_file_is_named() {
    let folder = folder::empty();
    fs::write(folder.path().join("secret.json"), "{}").unwrap();
    set_mode(&folder.path().join("secret.json"), 0o000);
    fs::create_dir(folder.path().join("closed")).unwrap();
    set_mode(&folder.path().join("closed"), 0o000);
    let (_home, binary) = binary_for_everybody();
    for path in ["secret.json", "closed/document.json"] {
        for command in readers() {
            let run = Svc::from_command(std::process::Command::new(&binary), "svc");
            let run = run.args(["app", command.name, path]).in_folder(folder.path()).by_nobody().run();
            run.stops(3, path, "permission denied");
        }
    }
    set_mode(&folder.path().join("closed"), 0o755);
    assert_eq!(folder::contents(folder.path()).len(), 2);
}

/// The build folder may be closed to other users.
pub(crate) fn binary_for_everybody() -> (tempfile::TempDir, PathBuf) {
    let home = folder::empty();
    let binary = home.path().join("svc");
    fs::copy(SVC, &binary).unwrap();
    set_mode(&binary, 0o755);
    (home, binary)
}

#[test]
fn an_empty_file_and_what_is_no_json_are_told_with_their_place() {
    let folder = folder::empty();
    let cases: [(&[u8], &str); 10] = [
        (b"", "SVC-J001"),
        (b" \n\t ", "SVC-J001"),
        (b"not json", "SVC-J001"),
        (b"{\"kind\": \"svc-registry-submission\"", "SVC-J001"),
        (b"// comment\n{}", "SVC-J001"),
        (b"{\"a\": 1,}", "SVC-J001"),
        (b"\x89PNG\r\n\x1a\n\0\0", "SVC-J002"),
        (b"\xEF\xBB\xBF{}", "SVC-J002"),
        (b"{\"a\": \"\xff\"}", "SVC-J002"),
        (b"[]", "SVC-J003"),
    ];
    for (bytes, rule) in cases {
        fs::write(folder.path().join("input.json"), bytes).unwrap();
        each(folder.path(), Path::new("input.json"), |_, run| {
            run.refuses(1, rule, "input.json");
        });
    }
}

#[test]
fn what_follows_the_document_is_refused_and_so_is_deep_nesting() {
    let folder = folder::empty();
    let bomb = "[".repeat(200_000);
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(40), "]".repeat(40));
    for (text, rule) in [("{} {}", "SVC-J008"), ("{}\0", "SVC-J008"), (&bomb, "SVC-J005"), (&deep, "SVC-J005")] {
        fs::write(folder.path().join("input.json"), text).unwrap();
        each(folder.path(), Path::new("input.json"), |_, run| {
            run.refuses(1, rule, "input.json");
        });
    }
}

#[test]
fn a_document_of_another_kind_is_refused() {
    let bundle = Bundle::new();
    let manifest = example("weather-board").join("svc-app.json");
    for command in thirteen() {
        let others = kind::ALL.iter().filter(|spec| command.reads.is_none_or(|reads| reads.kind != spec.kind));
        for other in others {
            let elsewhere = folder::empty();
            let path = bundle.path(other);
            let run = || app([command.name]).args([&path]).in_folder(elsewhere.path()).run();
            let run = untouched(elsewhere.path(), run);
            match command.reads {
                Some(_) => run.refuses(1, "SVC-B001", other.file).reports(&[other.kind]),
                // To `pack` it is a manifest that lacks everything.
                None => run.refuses(1, "SVC-M001", other.file),
            };
        }
        if command.reads.is_some() {
            let elsewhere = folder::empty();
            let run = || app([command.name]).args([&manifest]).in_folder(elsewhere.path()).run();
            untouched(elsewhere.path(), run).refuses(1, "SVC-B001", "svc-app.json");
        }
    }
}

#[test]
fn the_kind_counts_and_not_the_name_of_the_file() {
    let folder = folder::empty();
    for spec in kind::ALL {
        fs::write(folder.path().join("svc-app.json"), &bundle::weather_board()[spec.file]).unwrap();
        app(["validate", "svc-app.json"]).in_folder(folder.path()).run().exits(0).prints(&["Valid     yes"]);
    }
    fs::write(folder.path().join("unknown.json"), r#"{"kind": "svc-registry-approval"}"#).unwrap();
    let run = app(["validate", "unknown.json"]).in_folder(folder.path()).run();
    run.refuses(1, "SVC-B001", "unknown.json");
    fs::write(folder.path().join("odd.json"), r#"{"kind": ["svc-registry-index"]}"#).unwrap();
    app(["validate", "odd.json"]).in_folder(folder.path()).run().refuses(1, "SVC-B001", "odd.json");
}

#[test]
fn a_giant_is_refused_at_once_and_not_read() {
    let folder = folder::empty();
    File::create(folder.path().join("giant.json")).unwrap().set_len(1 << 40).unwrap();
    let begun = Instant::now();
    each(folder.path(), Path::new("giant.json"), |_, run| {
        run.stops(3, "giant.json", "is larger than");
    });
    assert!(begun.elapsed() < Duration::from_secs(10), "a giant was read");
}

#[test]
fn an_endless_stream_is_cut_off() {
    for command in readers() {
        let folder = folder::empty();
        let mut process = std::process::Command::new("sh");
        process.args(["-c", "exec \"$0\" app \"$1\" - < /dev/zero", SVC, command.name]);
        let run = untouched(folder.path(), || {
            Svc::from_command(process, "svc from /dev/zero").in_folder(folder.path()).run()
        });
        run.stops(3, "<stdin>", "is larger than");
    }
}

#[test]
fn several_bad_inputs_are_all_told_and_nothing_is_made_of_the_good_ones() {
    let bundle = Bundle::new();
    fs::write(bundle.folder().join("bad-1.json"), "{").unwrap();
    fs::write(bundle.folder().join("bad-2.json"), "[]").unwrap();
    let run = || {
        app(["registry", "svc-registry-submission.json", "bad-1.json", "bad-2.json", "--out", "new.json"])
            .in_folder(bundle.folder())
            .run()
    };
    untouched(bundle.folder(), run).refuses(1, "SVC-J001", "bad-1.json").refuses(1, "SVC-J003", "bad-2.json");
    let twice = || {
        app(["registry", "svc-registry-submission.json", "svc-registry-submission.json", "--out", "new.json"])
            .in_folder(bundle.folder())
            .run()
    };
    untouched(bundle.folder(), twice).refuses(1, "SVC-B008", "svc-registry-submission.json");
}

#[test]
fn one_version_of_two_owners_is_listed_in_both_collections() {
    let folder = crate::folder::empty();
    for owner in ["ada", "bob"] {
        let out = format!("{owner}.json");
        app(["pack"])
            .args([example("weather-board")])
            .args(["--owner-id", owner, "--owner-name", owner, "--visibility", "unlisted", "--out", &out])
            .in_folder(folder.path())
            .run()
            .exits(0);
    }
    app(["registry", "bob.json", "ada.json", "--out", "index.json"]).in_folder(folder.path()).run().exits(0);
    let index: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("index.json")).unwrap()).unwrap();
    let scopes: Vec<&str> =
        index["entries"].as_array().unwrap().iter().map(|entry| entry["scope"]["id"].as_str().unwrap()).collect();
    assert_eq!(scopes, ["ada", "bob"]);
    let together = || {
        app(["registry", "bob.json", "ada.json", "--scope", "space:lab", "--out", "new.json"])
            .in_folder(folder.path())
            .run()
    };
    untouched(folder.path(), together).refuses(1, "SVC-B008", "ada.json");
}

#[test]
fn an_argument_that_is_missing_unknown_or_too_much_is_a_usage_error() {
    let bundle = Bundle::new();
    for command in thirteen() {
        let good = command.good_input(&bundle);
        let run = |arguments: &[&str]| {
            untouched(bundle.folder(), || app([command.name]).args(arguments).in_folder(bundle.folder()).run())
        };
        run(&[]).exits(2).prints_nothing();
        run(&["--no-such-option"]).exits(2).prints_nothing();
        run(&[good.to_str().unwrap(), "--format", "yaml"]).exits(2).prints_nothing();
        if command.makes.is_none() {
            run(&[good.to_str().unwrap(), "--out", "x.json"]).exits(2).prints_nothing();
        }
        if command.name != "registry" {
            run(&[good.to_str().unwrap(), "second.json"]).exits(2).prints_nothing();
        }
    }
    let scope = |value: &str| {
        let arguments = ["registry", "svc-registry-submission.json", "--out", "new.json", "--scope", value];
        untouched(bundle.folder(), || app(arguments).in_folder(bundle.folder()).run())
    };
    for value in ["", "acme", "user:", "world:acme", "user:a b", "user:a/b", "User:acme", "space:\u{202e}"] {
        scope(value).stops(2, "`--scope` must be", "give");
    }
}

#[test]
fn an_owner_or_a_visibility_that_cannot_be_is_a_usage_error() {
    let folder = folder::empty();
    let manifest = example("weather-board").join("svc-app.json");
    let pack = |options: &[&str]| {
        untouched(folder.path(), || app(["pack"]).args([&manifest]).args(options).in_folder(folder.path()).run())
    };
    for id in ["", " ", "a b", "-acme", "@acme", "../acme", "a/b", "acmé", "acme\u{202e}", &"a".repeat(129)] {
        pack(&[&format!("--owner-id={id}")]).stops(2, "`--owner-id` must be", "give");
    }
    for id in ["user_123", "Acme", "acme.dev", "auth0|5f7", "me@example.com", "urn:a+b", &"a".repeat(128)] {
        app(["pack"]).args([&manifest]).args(["--owner-id", id, "--out", "-"]).run().exits(0);
    }
    for name in ["", "!?", "\u{3164}", "\u{1b}[31mAcme", "Ac\u{202e}me", "Ac\nme", &"a".repeat(5000)] {
        pack(&["--owner-id", "acme", "--owner-name", name]).stops(2, "`--owner-name` must be", "give");
    }
    for visibility in ["", "Public", "secret"] {
        pack(&["--visibility", visibility]).exits(2).prints_nothing();
    }
}

#[test]
fn a_bundle_that_is_no_folder_or_holds_no_files_stops() {
    let bundle = Bundle::new();
    app(["verify", "nowhere"]).run().stops(3, "nowhere", "no such folder");
    let file = bundle.path(kind::ALL[0]);
    app(["verify"]).args([&file]).run().stops(3, "svc-registry-submission.json", "is not a folder");
    fs::remove_file(&file).unwrap();
    rustix::fs::mkfifoat(CWD, &file, Mode::RWXU).unwrap();
    bundle.verify(&[]).stops(3, "svc-registry-submission.json", "a named pipe");
}

#[test]
fn other_readers_of_documents_refuse_as_well() {
    let folder = folder::empty();
    fs::write(folder.path().join("bad.json"), "nonsense").unwrap();
    let lifecycle = |path: &str| untouched(folder.path(), || svc(["lifecycle", path]).in_folder(folder.path()).run());
    lifecycle("missing.json").stops(3, "missing.json", "no such file");
    lifecycle("bad.json").refuses(1, "SVC-J001", "bad.json");
    let mut forged = bundle::json(&bundle::weather_board()["svc-registry-submission.json"]);
    forged["accepted"] = serde_json::json!(true);
    fs::write(folder.path().join("forged.json"), forged.to_string()).unwrap();
    lifecycle("forged.json").refuses(7, "SVC-B006", "forged.json");
    for topic in ["contract", "schema", "explain"] {
        svc([topic, "no-such-thing"]).run().stops(2, "no-such-thing", "there is no");
    }
}
