//! A case: the base package with a few files put into it, and perhaps a patch over its manifest.

use std::{collections::BTreeMap, fs, path::Path};

use svc_core::samples::rules;
use svc_core::{
    findings::Findings,
    pack::{self, Walked},
    package::{artifact::FileEntry, folder::Folder, sighting::Seen},
    rules::example_package::ExamplePackage,
    scalar::{path::PackagePath, size::Size},
};
use svc_json::digest::Digest;

use crate::marker;

/// Whether the rule must fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Fires,
    Passes,
}

impl Side {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Fires => "fires",
            Self::Passes => "passes",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) rule: String,
    pub(crate) side: Side,
    title: String,
    patch: String,
    /// Its own files, by their paths in the package.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// What was seen in a case.
pub(crate) struct Looked {
    findings: Findings,
    /// What was seen in its own files.
    pub(crate) seen: BTreeMap<String, Seen>,
}

impl Looked {
    pub(crate) fn fires(&self, rule: &str) -> bool {
        self.findings.iter().any(|finding| finding.rule.code.ends_with(rule))
    }
}

/// The name of a merge patch over the manifest, alone or in a folder; a case that is nothing else ends with it.
const PATCH: &str = "manifest.patch.json";
const PATCH_END: &str = ".patch.json";

/// Every case of the corpus, in order.
pub(crate) fn all(corpus: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for rule in names(corpus).into_iter().filter(|name| corpus.join(name).is_dir()) {
        for side in [Side::Fires, Side::Passes] {
            let folder = corpus.join(&rule).join(side.as_str());
            cases.extend(names(&folder).into_iter().map(|title| Case::read(&rule, side, title, &folder)));
        }
    }
    cases
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

impl Case {
    /// The package that cases change.
    pub(crate) fn base() -> Self {
        let (rule, title, patch) = (String::new(), String::new(), "{}".to_owned());
        Self { rule, side: Side::Passes, title, patch, files: BTreeMap::new() }
    }

    fn read(rule: &str, side: Side, title: String, folder: &Path) -> Self {
        let mut case = Self { rule: rule.to_owned(), side, ..Self::base() };
        let path = folder.join(&title);
        if path.is_dir() {
            case.read_folder(&path, "");
        } else if title.ends_with(PATCH_END) {
            case.patch = String::from_utf8(read(&path)).unwrap();
        } else {
            case.files.insert(format!("case/{}", unhidden(&title)), read(&path));
        }
        case.title = title;
        case
    }

    /// The files of a folder stand where the package begins.
    fn read_folder(&mut self, folder: &Path, prefix: &str) {
        for name in names(folder) {
            let path = folder.join(&name);
            let inside = format!("{prefix}{}", unhidden(&name));
            if path.is_dir() {
                self.read_folder(&path, &format!("{inside}/"));
            } else if inside == PATCH {
                self.patch = String::from_utf8(read(&path)).unwrap();
            } else {
                self.files.insert(inside, read(&path));
            }
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("{}/{}/{}", self.rule, self.side.as_str(), self.title)
    }

    /// Reviews the package of the case, as `svc app pack` does.
    pub(crate) fn look(&self) -> Looked {
        let mut package =
            ExamplePackage::with_manifest(&self.patch).unwrap_or_else(|| panic!("{}: no patch", self.name()));
        package.files.extend(self.files.clone());
        let draft = pack::read_manifest(rules(), &package.manifest).unwrap();
        let matched = vec![true; draft.patterns().len()];
        let mut walked = Walked { folder: Folder { matched, ..Folder::default() }, ..Walked::default() };
        let mut table = Vec::new();
        for (path, bytes) in &package.files {
            walked.folder.seen.insert(path.clone(), svc_facts::of_file(path, bytes));
            let path = PackagePath::parse(path).unwrap_or_else(|| panic!("{}: {path}", self.name()));
            table.push(FileEntry::new(path, Size::new(bytes.len() as u64).unwrap(), Digest::of(bytes)));
        }
        walked.files = Some(table);
        let seen = self.files.keys().map(|path| (path.clone(), walked.folder.seen[path].clone())).collect();
        Looked { findings: draft.review(walked).findings, seen }
    }
}

/// A name that begins with `dot.` stands for a hidden one: tools look for such files and take them for their own.
fn unhidden(name: &str) -> String {
    name.strip_prefix("dot.").map_or(name.to_owned(), |rest| format!(".{rest}"))
}

fn read(path: &Path) -> Vec<u8> {
    marker::expanded(fs::read(path).unwrap()).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
}
