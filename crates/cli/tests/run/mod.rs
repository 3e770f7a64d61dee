//! The real binary, run in a folder, with nothing of the caller's terminal or CI service around it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// What one run left behind.
pub(crate) struct Run {
    what: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Runs a command to its end.
    pub(crate) fn of(command: &mut Command) -> Self {
        let what = format!("{command:?}");
        let Output { status, stdout, stderr } = command.output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        Self { what, code: status.code(), stdout, stderr }
    }

    /// Ends the test with the whole output unless the run ended with `code`.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        let Self { what, stdout, stderr, .. } = &self;
        assert_eq!(self.code, Some(code), "{what} printed:\n{stdout}{stderr}");
        self
    }
}

/// `svc` with these arguments, ready to run in `folder`.
pub(crate) fn svc(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    for name in ["COLUMNS", "GITHUB_STEP_SUMMARY", "LC_ALL", "NO_COLOR", "TERM", "TZ"] {
        command.env_remove(name);
    }
    // Tests of the journal say where theirs is; nobody else leaves one behind.
    command.env("SVC_JOURNAL", "off");
    command
}

/// A file or folder of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap().join(path)
}

/// Copies a folder with everything in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
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
