//! The real binary, run in a folder, with nothing of the caller's terminal or CI service around it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// What one run left behind.
pub struct Run {
    what: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Runs a command to its end.
    pub fn of(command: &mut Command) -> Self {
        let what = format!("{command:?}");
        let Output { status, stdout, stderr } = command.output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        Self { what, code: status.code(), stdout, stderr }
    }

    /// Ends the test with the whole output unless the run ended with `code`.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        let Self { what, stdout, stderr, .. } = &self;
        assert_eq!(self.code, Some(code), "{what} printed:\n{stdout}{stderr}");
        self
    }
}

/// A command with these arguments, ready to run in `folder`, by the program that has it.
pub fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary(program_of(arguments)));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    for name in ["COLUMNS", "GITHUB_STEP_SUMMARY", "LC_ALL", "NO_COLOR", "TERM", "TZ"] {
        command.env_remove(name);
    }
    // Tests of the journal say where theirs is; no other test leaves one behind.
    command.env("SVC_JOURNAL", "off");
    command
}

/// The program for authors and auditors.
pub const SVC: &str = "svc";

/// The program for operators.
pub const SVC_REGISTRY: &str = "svc-registry";

fn program_of(arguments: &[&str]) -> &'static str {
    match arguments.first() {
        Some(&("serve" | "token" | "journal" | "events" | "witness")) => SVC_REGISTRY,
        Some(_) | None => SVC,
    }
}

/// A built program: the one that Cargo names to a test when it runs, or the one next to the folder of the tests.
pub fn binary(program: &str) -> PathBuf {
    let found = env::var_os(format!("CARGO_BIN_EXE_{program}")).map(PathBuf::from);
    found.unwrap_or_else(|| {
        let name = format!("{program}{}", env::consts::EXE_SUFFIX);
        let test = env::current_exe().unwrap();
        let folder = test.ancestors().find(|folder| folder.join(&name).is_file());
        let missing = || panic!("no {name} near {}: run `cargo build -p svc -p svc-registry`", test.display());
        folder.unwrap_or_else(missing).join(&name)
    })
}

/// A file or folder of the repository.
pub fn repository(path: &str) -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap().join(path)
}

/// Copies a folder with everything in it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_name() == "node_modules" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
