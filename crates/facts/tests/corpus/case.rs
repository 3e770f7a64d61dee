//! A case: the base package with a few files put into it, and perhaps a patch over its manifest.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

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

/// The name of a merge patch over the manifest, beside other files; a case that is nothing else ends with it.
const PATCH: &str = "manifest.patch.json";
const PATCH_END: &str = ".patch.json";

/// What a table writes at the end of a file that does not end with a line.
const CUT: &str = "{{cut}}\n";

/// Every case of the corpus, in order.
pub(crate) fn all(corpus: &Path) -> Vec<Case> {
    let entries = fs::read_dir(corpus).unwrap_or_else(|error| panic!("{}: {error}", corpus.display()));
    let paths =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|it| it == "txt"));
    paths.collect::<BTreeSet<_>>().iter().flat_map(|table| of_rule(table)).collect()
}

/// The cases of one table: what fires, then what passes.
fn of_rule(table: &Path) -> Vec<Case> {
    let rule = table.file_stem().unwrap().to_str().unwrap();
    let text = fs::read_to_string(table).unwrap();
    let mut cases = BTreeMap::new();
    for section in text.trim_end_matches('\n').split("\n-- ").skip(1) {
        let (path, content) = section.split_once(" --\n").or_else(|| Some((section.strip_suffix(" --")?, ""))).unwrap();
        let (side, name) = path.split_once('/').unwrap();
        let side = [Side::Fires, Side::Passes].into_iter().find(|known| known.as_str() == side).unwrap();
        let (title, file) = name.split_once('/').map_or((name, None), |(title, file)| (title, Some(file)));
        let line = if content.is_empty() { String::new() } else { format!("{content}\n") };
        let bytes = marker::expanded(line.strip_suffix(CUT).unwrap_or(&line).into());
        let bytes = bytes.unwrap_or_else(|fault| panic!("{rule}/{path}: {fault}"));
        cases.entry((side, title)).or_insert_with(|| Case::of(rule, side, title)).put(file, bytes);
    }
    cases.into_values().collect()
}

impl Case {
    /// The package that cases change.
    pub(crate) fn base() -> Self {
        let (rule, title, patch) = (String::new(), String::new(), "{}".to_owned());
        Self { rule, side: Side::Passes, title, patch, files: BTreeMap::new() }
    }

    fn of(rule: &str, side: Side, title: &str) -> Self {
        Self { rule: rule.to_owned(), side, title: title.to_owned(), ..Self::base() }
    }

    /// Puts in a file: where it says, or below `case` when it is the case by itself.
    fn put(&mut self, file: Option<&str>, bytes: Vec<u8>) {
        let is_patch = file.map_or(self.title.ends_with(PATCH_END), |file| file == PATCH);
        let path = file.map_or(format!("case/{}", self.title), str::to_owned);
        if is_patch {
            self.patch = String::from_utf8(bytes).unwrap();
        } else {
            assert!(self.files.insert(path, bytes).is_none(), "{} is there twice", self.name());
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
