//! A folder with a package in it, as `app`.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::run::{Run, copy_folder, program, repository};

/// The seven files, as the specification names them.
pub(crate) const SEVEN_FILES: [&str; 7] = [
    "svc-registry-acceptance-request.json",
    "svc-registry-index.json",
    "svc-registry-install-policy.json",
    "svc-registry-publisher-verification.json",
    "svc-registry-review-evidence.json",
    "svc-registry-signing-request.json",
    "svc-registry-submission.json",
];

/// Names and bytes of a folder's files.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// The folder.
pub(crate) struct Workplace {
    folder: TempDir,
}

impl Workplace {
    /// With a copy of the complete example.
    pub(crate) fn new() -> Self {
        let workplace = Self { folder: tempfile::tempdir().unwrap() };
        copy_folder(&repository("examples/weather-board"), &workplace.path("app"));
        workplace
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Runs `svc` here.
    pub(crate) fn svc(&self, arguments: &[&str]) -> Run {
        Run::of(&mut program(self.folder(), arguments))
    }

    /// Every path below the folder.
    pub(crate) fn listing(&self) -> Vec<PathBuf> {
        let mut found = vec![self.folder().to_owned()];
        let mut at = 0;
        while let Some(path) = found.get(at).cloned() {
            let entries = fs::read_dir(&path).into_iter().flatten();
            found.extend(entries.map(|entry| entry.unwrap().path()));
            at += 1;
        }
        found.sort();
        found
    }

    /// Writes another version into the manifest.
    pub(crate) fn set_version(&self, version: &str) {
        let path = self.path("app/svc-app.json");
        let manifest = fs::read_to_string(&path).unwrap();
        let (head, tail) = manifest.split_once("\"version\": \"").unwrap();
        let (_, tail) = tail.split_once('"').unwrap();
        fs::write(path, format!("{head}\"version\": \"{version}\"{tail}")).unwrap();
    }
}

/// Names and bytes of everything in a folder, which must hold files only. Nothing when it does not exist.
pub(crate) fn files_in(folder: &Path) -> Option<Files> {
    let entries = fs::read_dir(folder).ok()?.map(|entry| entry.unwrap());
    Some(entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect())
}
