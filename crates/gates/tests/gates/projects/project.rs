//! The projects of `tests/projects.txt`: where the files of each come from, and what an author adds.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use svc_gates::process::root;

/// All files of all projects, each behind a line with its path, which begins with the project's name.
const TABLE: &str = "tests/projects.txt";

/// What its `project.json` says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    #[serde(skip)]
    pub(crate) name: String,
    /// What its author writes.
    #[serde(skip)]
    pub(crate) edits: String,
    /// Its own files by their paths, of one that is no package.
    #[serde(skip)]
    files: BTreeMap<String, String>,
    /// What it is, for the page.
    pub(crate) kind: String,
    /// The package that it is; without one it has files of its own.
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
    /// All of them, in the order of the table.
    pub(crate) fn all() -> Result<Vec<Self>> {
        let table = fs::read_to_string(root().join(TABLE))?;
        let mut projects: Vec<Self> = Vec::new();
        for (path, text) in files_of(&table) {
            let (name, inside) = path.split_once('/').with_context(|| format!("{path}: no path below a project"))?;
            if inside == "project.json" {
                let project: Self = serde_json::from_str(&text).with_context(|| path.to_owned())?;
                projects.push(Self { name: name.to_owned(), ..project });
                continue;
            }
            let project = projects.last_mut().filter(|project| project.name == name);
            let project = project.with_context(|| format!("{path}: project.json comes first"))?;
            match inside.strip_prefix("files/") {
                Some(file) => drop(project.files.insert(file.to_owned(), text)),
                None if inside == "edits.diff" => project.edits = text,
                None => anyhow::bail!("{path}: neither project.json nor edits.diff nor below files/"),
            }
        }
        for project in &projects {
            let (name, is_own) = (&project.name, !project.files.is_empty());
            ensure!(
                is_own == project.npm.is_none(),
                "{name}: a project is a package or has files of its own, not both"
            );
        }
        Ok(projects)
    }

    /// Writes its own files, of one that is no package.
    pub(crate) fn write_files(&self, folder: &Path) -> Result<()> {
        for (path, text) in &self.files {
            let target = folder.join(path);
            fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
            fs::write(target, text)?;
        }
        Ok(())
    }

    /// How the page calls it.
    pub(crate) fn title(&self) -> String {
        self.npm.as_ref().map_or_else(|| self.name.clone(), Published::spec)
    }
}

/// The files of the table; what stands before the first is a comment.
fn files_of(table: &str) -> Vec<(&str, String)> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in table.split_inclusive('\n') {
        match line.trim_end().strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
            Some(path) => files.push((path, String::new())),
            None => files.last_mut().into_iter().for_each(|(_, text)| text.push_str(line)),
        }
    }
    files
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
