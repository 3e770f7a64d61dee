//! The three streams: `-` in and out, results apart from status, and streams that end early or take nothing.

use std::{
    fs,
    io::{self, Read as _},
    process::{self, Stdio},
    thread,
};

use crate::{
    bundle::{Bundle, example},
    commands::{makers, thirteen},
    folder::{self, untouched},
    svc::{SVC, Svc, app, full_device, svc},
};

#[test]
fn every_input_may_come_from_standard_input() {
    let bundle = Bundle::new();
    for command in thirteen() {
        let elsewhere = folder::empty();
        let bytes = fs::read(command.good_input(&bundle)).unwrap();
        // A manifest from standard input speaks of the current folder.
        let (folder, out) = match command.reads {
            Some(_) => (elsewhere.path().to_owned(), None),
            None => (example("weather-board"), command.makes.map(|spec| elsewhere.path().join(spec.file))),
        };
        let out = out.map(|out| ["--out".into(), out]).into_iter().flatten();
        app([command.name, "-"]).args(out).in_folder(&folder).stdin(&bytes).run().exits(0);
        let written = folder::contents(elsewhere.path());
        match command.makes {
            Some(spec) => {
                let expected = fs::read(bundle.path(spec)).unwrap();
                assert_eq!(written.len(), 1);
                assert!(written.values().all(|bytes| *bytes == expected), "{}", command.name);
            }
            None => assert!(written.is_empty(), "{} wrote", command.name),
        }
    }
}

#[test]
fn a_bad_document_on_standard_input_is_told_under_its_name() {
    for command in thirteen() {
        let folder = folder::empty();
        let run = |bytes: &[u8]| {
            untouched(folder.path(), || app([command.name, "-"]).in_folder(folder.path()).stdin(bytes).run())
        };
        run(b"").refuses(1, "SVC-J001", "<stdin>");
        run(b"{\"a\": 1, \"a\": 2}").refuses(1, "SVC-J004", "<stdin>:1:10");
    }
}

#[test]
fn a_folder_as_standard_input_is_refused() {
    let folder = folder::empty();
    for command in thirteen() {
        let mut process = process::Command::new("sh");
        process.args(["-c", "exec \"$0\" app \"$1\" - < /", SVC, command.name]);
        let run =
            untouched(folder.path(), || Svc::from_command(process, "svc from a folder").in_folder(folder.path()).run());
        run.stops(3, "<stdin>", "is a folder");
    }
}

#[test]
fn a_dash_as_output_prints_exactly_the_bytes_of_the_file() {
    let bundle = Bundle::new();
    for command in makers() {
        let folder = folder::empty();
        let run = || {
            app([command.name]).args([command.good_input(&bundle)]).args(["--out", "-"]).in_folder(folder.path()).run()
        };
        let run = untouched(folder.path(), run);
        let expected = fs::read(bundle.path(command.makes.unwrap())).unwrap();
        assert!(run.exits(0).stdout == expected, "{}", command.name);
        run.reports(&["printed", "<stdout>", "accepted no, signed no, installable no"]);
    }
}

#[test]
fn a_dash_as_output_prints_nothing_when_there_is_nothing_to_print() {
    let bundle = Bundle::new();
    let bad = bundle.folder().join("bad.json");
    fs::write(&bad, r#"{"accepted": true}"#).unwrap();
    for command in makers() {
        for format in ["human", "concise", "json", "sarif", "junit", "github"] {
            let run = || app([command.name, "--out", "-", "--format", format]).args([&bad]).run();
            let run = untouched(bundle.folder(), run);
            assert_ne!(run.code(), Some(0));
            run.prints_nothing();
            assert!(!run.stderr.is_empty());
        }
    }
}

#[test]
fn a_file_that_is_named_like_a_dash_is_reached_by_its_path() {
    let bundle = Bundle::new();
    let submission = bundle.path(svc_core::words::kind::ALL[0]);
    fs::copy(&submission, bundle.folder().join("-")).unwrap();
    app(["validate", "./-"]).in_folder(bundle.folder()).run().exits(0).prints(&["valid     ./-"]);
    let out = ["registry", "svc-registry-submission.json", "--out", "./-x"];
    app(out).in_folder(bundle.folder()).run().exits(0);
    assert!(bundle.folder().join("-x").exists());
}

#[test]
fn results_go_to_standard_output_and_findings_to_standard_error() {
    let bundle = Bundle::new();
    for command in thirteen() {
        let elsewhere = folder::empty();
        let run = app([command.name]).args([command.good_input(&bundle)]).in_folder(elsewhere.path()).run();
        run.exits(0).prints(&["Valid     yes", "Outcome   accepted no, signed no, installable no"]);
        assert!(!run.err().contains("error"), "{}", run.err());
        assert!(!run.out().contains("warning["), "{}", run.out());
    }
}

/// The reader takes one byte and goes, or has gone before.
#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let bundle = Bundle::new();
    for command in makers() {
        let input = command.good_input(&bundle);
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let run = app([command.name]).args([&input]).args(["--out", "-"]).stdout_to(writer).run();
        run.exits(0);
        let (mut reader, writer) = io::pipe().unwrap();
        let one = thread::spawn(move || reader.read_exact(&mut [0]));
        let run = app([command.name]).args([&input]).args(["--out", "-"]).stdout_to(writer).run();
        run.exits(0);
        one.join().unwrap().unwrap();
    }
    for arguments in
        [&["--help"][..], &["app", "--help"], &["lifecycle"], &["contract", "ruleset"], &["explain", "gates"]]
    {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        svc(arguments).stdout_to(writer).run().exits(0);
    }
}

#[test]
fn a_bad_file_stays_bad_when_nobody_reads_the_result() {
    let bundle = Bundle::new();
    let index = bundle.path(&svc_core::words::kind::INDEX);
    let mut document = crate::bundle::json(&fs::read(&index).unwrap());
    document["accepted"] = serde_json::json!(true);
    fs::write(&index, document.to_string()).unwrap();
    for format in ["human", "json"] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        app(["registry-validate", "--format", format]).args([&index]).stdout_to(writer).run().exits(7);
        app(["registry-validate", "--format", format]).args([&index]).stdout_to(full_device()).run().exits(7);
    }
}

#[test]
fn a_standard_output_that_takes_nothing_is_an_error() {
    let bundle = Bundle::new();
    for command in thirteen() {
        let elsewhere = folder::empty();
        let run = app([command.name]).args([command.good_input(&bundle)]).in_folder(elsewhere.path());
        run.stdout_to(full_device()).run().exits(3).reports(&["standard output"]);
    }
    for command in makers() {
        let elsewhere = folder::empty();
        let run = || {
            let maker = app([command.name]).args([command.good_input(&bundle)]).args(["--out", "-"]);
            maker.in_folder(elsewhere.path()).stdout_to(full_device()).run()
        };
        untouched(elsewhere.path(), run).exits(3).reports(&["standard output"]);
    }
    let printers =
        [&["lifecycle"][..], &["contract", "ruleset"], &["schema", "index"], &["explain", "gates"], &["--help"]];
    for arguments in printers {
        svc(arguments).stdout_to(full_device()).run().exits(3).reports(&["standard output"]);
    }
}

#[test]
fn standard_streams_that_are_closed_do_not_break_a_run() {
    let bundle = Bundle::new();
    for command in makers() {
        let elsewhere = folder::empty();
        let mut process = process::Command::new("sh");
        process.args(["-c", "exec \"$0\" app \"$1\" \"$2\" >&- 2>&- <&-", SVC, command.name]);
        process.arg(command.good_input(&bundle)).stdin(Stdio::null());
        Svc::from_command(process, "svc without streams").in_folder(elsewhere.path()).run().exits(0);
        let expected = fs::read(bundle.path(command.makes.unwrap())).unwrap();
        let written = fs::read(elsewhere.path().join(command.makes.unwrap().file)).unwrap();
        assert!(written == expected, "{}", command.name);
    }
}
