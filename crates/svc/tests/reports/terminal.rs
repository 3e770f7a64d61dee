//! Pipes, dumb terminals and narrow ones.

use std::{
    io::Read as _,
    process::{Command, Stdio},
};

use crate::{
    packages::Package,
    run::{Run, program},
};

const PREFLIGHT: [&str; 3] = ["app", "preflight", "app"];

#[test]
fn no_colour_reaches_a_pipe_whatever_the_terminal_is_called() {
    let surroundings: [&[(&str, &str)]; 5] = [
        &[],
        &[("TERM", "dumb")],
        &[("TERM", "xterm-256color")],
        &[("NO_COLOR", "1"), ("TERM", "xterm-256color")],
        &[("COLUMNS", "40"), ("TERM", "xterm-256color")],
    ];
    let expected = Package::with_thirteen_errors().preflight(&[]).exits(1);
    for surrounding in surroundings {
        let package = Package::with_thirteen_errors();
        let run = Run::of(program(package.folder(), &PREFLIGHT).envs(surrounding.iter().copied())).exits(1);
        assert!(!run.stderr.contains('\u{1b}') && !run.stdout.contains('\u{1b}'), "{surrounding:?}");
        assert_eq!((run.stdout, run.stderr), (expected.stdout.clone(), expected.stderr.clone()), "{surrounding:?}");
    }
}

#[test]
fn colour_comes_when_it_is_asked_for() {
    let run = Package::with_thirteen_errors().preflight(&["--color", "always"]).exits(1);
    assert!(run.stderr.contains('\u{1b}'));
    assert!(!run.stdout.contains('\u{1b}'), "results stay plain");
}

#[test]
fn a_real_terminal_gets_colour_unless_it_is_dumb_or_told_not_to() {
    for (surrounding, coloured) in
        [(("TERM", "xterm-256color"), true), (("TERM", "dumb"), false), (("NO_COLOR", "1"), false)]
    {
        let package = Package::with_thirteen_errors();
        let Some(shown) = in_a_terminal(&package, surrounding) else { return };
        assert!(shown.contains("13 errors. Nothing was written."), "{shown}");
        assert_eq!(shown.contains("\u{1b}["), coloured, "{surrounding:?}: {shown:?}");
    }
}

#[test]
fn help_fits_forty_columns_and_hides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::of(program(folder.path(), &["app", "preflight", "--help"]).env("COLUMNS", "40")).exits(0);
    for word in ["--out-dir", "--owner-id", "--visibility", "--check", "--watch", "--deny-warnings"] {
        assert!(run.stdout.contains(word), "{word} in {}", run.stdout);
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let package = Package::with_thirteen_errors();
    let commands: [&[&str]; 5] = [
        &["app", "preflight", "app"],
        &["app", "preflight", "app", "--format", "json"],
        &["--help"],
        &["explain"],
        &["schema", "index"],
    ];
    for arguments in commands {
        for closed in ["stdout", "stderr", "both"] {
            let mut command = program(package.folder(), arguments);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            if closed != "stderr" {
                drop(child.stdout.take());
            }
            if closed != "stdout" {
                drop(child.stderr.take());
            }
            let mut told = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                stderr.read_to_string(&mut told).unwrap();
            }
            let code = child.wait().unwrap().code();
            assert!(matches!(code, Some(0 | 1)), "{arguments:?} with {closed} closed: {code:?} {told}");
            assert!(!told.contains("panicked") && !told.contains("roken pipe"), "{arguments:?}: {told}");
        }
    }
}

/// What a terminal of its own would have received. Nothing where the system has no `script`.
fn in_a_terminal(package: &Package, (name, value): (&str, &str)) -> Option<String> {
    let program = format!("{} app preflight app", env!("CARGO_BIN_EXE_svc"));
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &program, "/dev/null"]).current_dir(package.folder());
    command.env_remove("NO_COLOR").env("TERM", "xterm").env(name, value).stdin(Stdio::null());
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
