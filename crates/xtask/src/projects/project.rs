//! A project of `tests/projects`: where its files come from, and what an author adds.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::process::root;

/// A folder a project.
const FOLDER: &str = "tests/projects";

/// What its `project.json` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    /// The name of its folder.
    #[serde(skip)]
    pub(crate) name: String,
    /// What it is, for the page.
    pub(crate) kind: String,
    /// The package that it is; without one its files lie in `files`.
    pub(crate) npm: Option<Published>,
    /// Pictures that it has from the start: a path in it, and one of the repository.
    #[serde(default)]
    pub(crate) pictures: BTreeMap<String, String>,
    /// Pictures that its author adds.
    #[serde(default)]
    pub(crate) adds: BTreeMap<String, String>,
}

/// A package of the npm registry, by its bytes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The digest of its archive, as npm writes it.
    pub(crate) integrity: String,
}

impl Project {
    /// All of them, in the order of their names.
    pub(crate) fn all() -> Result<Vec<Self>> {
        let mut folders: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(root().join(FOLDER))? {
            folders.extend(Some(entry?.path()).filter(|path| path.is_dir()));
        }
        folders.sort();
        folders.iter().map(|folder| Self::read(folder)).collect()
    }

    fn read(folder: &Path) -> Result<Self> {
        let name = folder.file_name().context("a folder has a name")?.to_string_lossy().into_owned();
        let text = fs::read_to_string(folder.join("project.json")).with_context(|| format!("{name}: project.json"))?;
        let mut project: Self = serde_json::from_str(&text).with_context(|| format!("{name}: project.json"))?;
        let has_files = folder.join("files").is_dir();
        ensure!(has_files == project.npm.is_none(), "{name}: a project is a package or has a folder `files`, not both");
        project.name = name;
        Ok(project)
    }

    /// Its own files, of one that is no package.
    pub(crate) fn files(&self) -> PathBuf {
        self.folder().join("files")
    }

    /// What its author writes.
    pub(crate) fn edits(&self) -> Result<String> {
        fs::read_to_string(self.folder().join("edits.diff")).with_context(|| format!("{}: edits.diff", self.name))
    }

    /// How the page calls it.
    pub(crate) fn title(&self) -> String {
        self.npm.as_ref().map_or_else(|| self.name.clone(), Published::spec)
    }

    fn folder(&self) -> PathBuf {
        root().join(FOLDER).join(&self.name)
    }
}

impl Published {
    /// As npm is asked for it.
    pub(crate) fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// The name that npm gives its archive.
    pub(crate) fn archive(&self) -> String {
        format!("{}-{}.tgz", self.name.trim_start_matches('@').replace('/', "-"), self.version)
    }
}
