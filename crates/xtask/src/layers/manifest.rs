//! What the `Cargo.toml` of a crate says about its targets and about the crates that it uses.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::modules::{Files, Member};

/// A crate of the workspace.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) file: String,
    pub(crate) package: String,
    pub(crate) member: Member,
    /// What it is built from, tests aside.
    pub(crate) uses: Vec<Used>,
}

/// A dependency and its line.
#[derive(Debug)]
pub(crate) struct Used {
    pub(crate) package: String,
    pub(crate) line: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Parts {
    package: Package,
    #[serde(default)]
    bin: Vec<Binary>,
    #[serde(default)]
    dependencies: BTreeMap<String, toml::Value>,
    #[serde(default)]
    build_dependencies: BTreeMap<String, toml::Value>,
    #[serde(default)]
    target: BTreeMap<String, Target>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
}

#[derive(Deserialize)]
struct Binary {
    path: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    #[serde(default)]
    dependencies: BTreeMap<String, toml::Value>,
}

impl Manifest {
    /// Reads the manifest of the crate in a folder.
    pub(crate) fn read(folder: &str, text: &str, files: &Files) -> Result<Self, toml::de::Error> {
        let parts: Parts = toml::from_str(text)?;
        let named = parts.bin.iter().filter_map(|binary| binary.path.as_deref()).map(|path| format!("{folder}/{path}"));
        let own = ["lib.rs", "main.rs"].map(|name| format!("{folder}/src/{name}"));
        let others = format!("{folder}/src/bin/");
        let others = files.keys().filter(|file| file.strip_prefix(&others).is_some_and(|name| !name.contains('/')));
        let mut roots: Vec<String> = own.into_iter().chain(named).chain(others.cloned()).collect();
        roots.sort();
        roots.dedup();
        let targets = parts.target.into_values().map(|target| target.dependencies);
        let used = [parts.dependencies, parts.build_dependencies].into_iter().chain(targets).flatten();
        let uses = used.map(|(package, _)| Used { line: line_of(text, &package), package }).collect();
        let name = parts.package.name.replace('-', "_");
        let member = Member { folder: folder.to_owned(), name, roots };
        Ok(Self { file: format!("{folder}/Cargo.toml"), package: parts.package.name, member, uses })
    }

    /// Whether the drawing of the crates means this one: by its folder, or by its name below `crates/`.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.member.folder == name || self.member.folder.strip_prefix("crates/") == Some(name)
    }
}

fn line_of(text: &str, package: &str) -> usize {
    let is_it = |line: &str| line.strip_prefix(package).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    text.lines().position(is_it).map_or(1, |at| at + 1)
}
