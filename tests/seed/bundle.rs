//! Runs the real binary in folders of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::words::{self, PACKAGE_MANIFEST, THIRTEEN_COMMANDS};

/// What one run of `svc` left behind.
pub(crate) struct Run {
    what: String,
    code: Option<i32>,
    text: String,
}

impl Run {
    /// Says what was special about the input, should the run fail the test.
    pub(crate) fn with(mut self, input: &str) -> Self {
        self.what = format!("{} with {input}", self.what);
        self
    }

    /// Ends the test with the whole output unless the run ended with `code`.
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        let Self { what, text, .. } = self;
        assert_eq!(self.code, Some(code), "exit of {what}, which printed:\n{text}");
        self
    }

    #[track_caller]
    pub(crate) fn mentions(&self, word: &str) -> &Self {
        let Self { what, text, .. } = self;
        assert!(text.contains(word), "{what} does not say {word:?}, but:\n{text}");
        self
    }
}

/// A folder that the thirteen commands filled.
pub(crate) struct Bundle {
    folder: TempDir,
}

impl Bundle {
    /// From the repository's example, in a new empty folder.
    pub(crate) fn of_the_example() -> Self {
        Self::of_package(&example(), &[])
    }

    pub(crate) fn of_package(package: &Path, environment: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for row in &THIRTEEN_COMMANDS {
            step(folder.path(), row, package, environment).exits(0);
        }
        Self { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub(crate) fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    pub(crate) fn json(&self, file: &str) -> Value {
        read_json(&self.path(file))
    }

    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files_in(self.folder.path())
    }
}

/// One of the thirteen commands as the seed writes it, run in `folder`.
pub(crate) fn step(folder: &Path, row: &words::Command, package: &Path, environment: &[(&str, &str)]) -> Run {
    let input = match row.input {
        PACKAGE_MANIFEST => package.join("svc-app.json"),
        file => PathBuf::from(file),
    };
    svc(folder, row.subcommand, &input, row.options, environment)
}

/// `svc app <subcommand> <input> [options]`, run in `folder`.
pub(crate) fn svc(
    folder: &Path,
    subcommand: &str,
    input: &Path,
    options: &[&str],
    environment: &[(&str, &str)],
) -> Run {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_svc"))
        .current_dir(folder)
        .args(["app", subcommand])
        .arg(input)
        .args(options)
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Run {
        what: format!("svc app {subcommand} {} {}", input.display(), options.join(" ")),
        code: status.code(),
        text: [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat(),
    }
}

/// The judging command of a file, run where it could leave nothing unnoticed.
pub(crate) fn validate(subcommand: &str, file: &Path) -> Run {
    let empty = tempfile::tempdir().unwrap();
    let run = svc(empty.path(), subcommand, file, &[], &[]);
    assert!(files_in(empty.path()).is_empty(), "{subcommand} wrote a file");
    run
}

/// `digests.py`, our second opinion on every digest. Gives back what it printed.
pub(crate) fn python(arguments: &[&Path]) -> String {
    let script = repository().join("tests/seed/digests.py");
    let output = Command::new("python3").args(["-I", "-B"]).arg(script).args(arguments).output();
    let Output { status, stdout, stderr } = output.expect("python3 3.11 or later must be installed");
    let errors = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "digests.py found differences:\n{errors}");
    String::from_utf8(stdout).unwrap()
}

/// Every entry of a folder and its bytes; a folder inside it would end the test.
pub(crate) fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

pub(crate) fn read_json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn repository() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap()
}

pub(crate) fn example() -> PathBuf {
    repository().join("examples/weather-board")
}
