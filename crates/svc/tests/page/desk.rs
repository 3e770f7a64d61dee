//! A folder with a package as `app`, its bundle as `bundle`, and reports on it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{Run, copy_folder, program, repository};

pub(crate) struct Desk {
    folder: TempDir,
}

/// A page, taken apart.
pub(crate) struct Page {
    /// What stands before the model.
    pub(crate) head: String,
    /// The text node of the model.
    pub(crate) data: String,
    /// What stands after it.
    pub(crate) tail: String,
}

impl Desk {
    /// With a copy of the complete example and its bundle.
    pub(crate) fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        copy_folder(&repository("examples/weather-board"), &desk.path("app"));
        desk.preflight();
        desk
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn svc(&self, arguments: &[&str]) -> Run {
        Run::of(&mut program(self.folder(), arguments))
    }

    pub(crate) fn preflight(&self) {
        self.svc(&["app", "preflight", "app", "--out-dir", "bundle"]).exits(0);
    }

    /// Changes the manifest.
    pub(crate) fn edit(&self, change: impl FnOnce(&mut Value)) {
        let path = self.path("app/svc-app.json");
        let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        change(&mut manifest);
        fs::write(path, serde_json::to_vec_pretty(&manifest).unwrap()).unwrap();
    }

    /// Adds to a file of the package.
    pub(crate) fn append(&self, path: &str, text: &str) {
        let path = self.path(path);
        let old = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, old + text).unwrap();
    }

    pub(crate) fn report(&self, more: &[&str]) -> Run {
        self.svc(&[&["app", "report", "bundle"], more].concat())
    }

    pub(crate) fn page(&self, more: &[&str]) -> Page {
        self.report(more).exits(0);
        Page::parse(&fs::read_to_string(self.path("report.html")).unwrap())
    }

    pub(crate) fn markdown(&self, more: &[&str]) -> String {
        self.report(&[more, &["--markdown"]].concat()).exits(0);
        fs::read_to_string(self.path("report.md")).unwrap()
    }
}

impl Page {
    fn parse(text: &str) -> Self {
        let (head, rest) = text.split_once("<pre hidden id=\"report-data\">").unwrap();
        let (data, tail) = rest.split_once("</pre>").unwrap();
        Self { head: head.to_owned(), data: data.to_owned(), tail: tail.to_owned() }
    }

    pub(crate) fn model(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}
