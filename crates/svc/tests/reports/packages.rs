//! Packages to report on, each in a folder of its own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{Run, copy_folder, program, repository};

/// A page with pictures of so many origins: a warning for each.
pub(crate) fn pictures_of(origins: usize) -> String {
    let pictures = (0..origins).map(|number| format!("<img src=\"https://p{number}.example.com/x.png\" alt=\"\">\n"));
    format!("<!doctype html>\n{}", pictures.collect::<String>())
}

/// A package and the folder it lies in, where the runs start.
pub(crate) struct Package {
    folder: TempDir,
}

impl Package {
    /// A copy of a folder of the repository, as `app`.
    pub(crate) fn copy_of(path: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(&repository(path), &folder.path().join("app"));
        Self { folder }
    }

    /// The complete example, which has no finding at all.
    pub(crate) fn complete() -> Self {
        Self::copy_of("examples/weather-board")
    }

    /// The one whose manifest has thirteen errors.
    pub(crate) fn with_thirteen_errors() -> Self {
        Self::copy_of("crates/svc/tests/reports/thirteen-errors")
    }

    /// The folder that runs start in.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path below that folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Puts a file into the package.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path("app").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The package with its manifest changed.
    pub(crate) fn with_manifest(self, change: impl FnOnce(&mut Value)) -> Self {
        let path = self.path("app/svc-app.json");
        let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut manifest);
        fs::write(path, serde_json::to_string_pretty(&manifest).unwrap() + "\n").unwrap();
        self
    }

    /// `svc app preflight app`, with more arguments.
    pub(crate) fn preflight(&self, arguments: &[&str]) -> Run {
        Run::of(program(self.folder(), &["app", "preflight", "app"]).args(arguments))
    }

    /// The report of a preflight in one format, as it is printed.
    pub(crate) fn report(&self, format: &str) -> String {
        self.preflight(&["--format", format]).stdout
    }

    /// A report that is JSON.
    pub(crate) fn json_report(&self, format: &str) -> Value {
        serde_json::from_str(&self.report(format)).unwrap()
    }

    /// The names of everything in the folder that runs start in, the package aside.
    pub(crate) fn written(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "app").collect();
        names.sort();
        names
    }
}
