//! The author's folder: from a manifest's path to everything the rules look at.

use std::path::{Path, PathBuf};

use svc_core::{
    finding::Finding,
    pack::{Draft, Walked},
    package::{
        artifact::FileEntry,
        folder::Folder,
        scan::{Scanner, sighting::Sighting},
    },
    rules::{files, manifest},
    scalar::{
        path::{self, PackagePath},
        size::Size,
    },
    words::{limits, rule::Rule},
};
use svc_json::{digest::Digest, pointer::Pointer, position::Position};

use crate::{
    files::document::DocumentSource,
    progress::WalkProgress,
    tree::{
        collect::collect,
        fault::TreeFault,
        hash::{HashedFile, Observe},
        ignore_file::{IGNORE_FILE, read_ignore_file},
        limits::TreeLimits,
        pattern::{PatternFault, PatternPlace, Patterns},
    },
};

const LIMITS: TreeLimits = TreeLimits {
    file_bytes: limits::FILE_BYTES,
    package_bytes: limits::PACKAGE_BYTES,
    files: limits::PACKAGE_FILES,
    folder_depth: limits::PATH_DEPTH,
};

/// Walks the manifest's folder by its patterns and reads each file once, beneath the folder that the manifest was read
/// from, whatever its path leads to by now.
pub(crate) fn walk(manifest: &DocumentSource, draft: &Draft<'_>, left_out: &[PathBuf]) -> Walked {
    let root = manifest.root();
    let ignored = match read_ignore_file(root) {
        Ok(ignored) => ignored,
        Err(fault) => return refused(vec![tree_finding(&fault)]),
    };
    let (places, globs): (Vec<usize>, Vec<String>) = draft.patterns().into_iter().unzip();
    let left_out: Vec<String> = left_out.iter().filter_map(|path| beneath(manifest.folder(), path)).collect();
    let patterns = match Patterns::compile(&globs, ignored.as_deref(), &left_out) {
        Ok(patterns) => patterns,
        Err(faults) => return refused(faults.iter().map(|fault| pattern_finding(fault, &places)).collect()),
    };
    let progress = WalkProgress::default();
    let collected = progress.during(|| collect(root, &patterns, &LIMITS, |path| Observer::new(path, &progress)));
    match collected {
        Ok(collected) => table(collected.files, spread(&collected.matched, &places)),
        Err(found) => {
            let mut walked = table(found.files, spread(&found.matched, &places));
            walked.findings.extend(found.faults.iter().map(tree_finding));
            walked.folder.faulty.extend(found.faults.iter().filter_map(TreeFault::path).map(str::to_owned));
            // A fault of the whole package means that the walk stopped before it knew every file.
            if found.faults.iter().any(|fault| fault.path().is_none_or(|path| path == ".")) {
                walked.files = None;
            }
            walked
        }
    }
}

/// The core's scanner, fed by the walk.
struct Observer<'p> {
    scanner: Scanner,
    progress: &'p WalkProgress,
}

impl<'p> Observer<'p> {
    fn new(path: &str, progress: &'p WalkProgress) -> Self {
        progress.add_file();
        Self { scanner: Scanner::new(path), progress }
    }
}

impl Observe for Observer<'_> {
    type Facts = Vec<Sighting>;

    fn chunk(&mut self, bytes: &[u8]) {
        self.progress.add_bytes(bytes.len());
        self.scanner.chunk(bytes);
    }

    fn finish(self) -> Vec<Sighting> {
        self.scanner.finish()
    }
}

fn refused(findings: Vec<Finding>) -> Walked {
    Walked { findings, ..Walked::default() }
}

/// The table of files whose paths every system can hold, and a finding for each other one.
fn table(hashed: Vec<HashedFile<Vec<Sighting>>>, matched: Vec<bool>) -> Walked {
    let mut walked = Walked { folder: Folder { matched, ..Folder::default() }, ..Walked::default() };
    let mut entries = Vec::with_capacity(hashed.len());
    for file in hashed {
        match (PackagePath::parse(&file.path), Size::new(file.size)) {
            (Some(path), Some(size)) => {
                entries.push(FileEntry::new(path, size, Digest::from_bytes(file.sha256)));
                walked.folder.seen.insert(file.path, file.facts);
            }
            _ => {
                let why = path::fault(&file.path).unwrap_or("it cannot be held");
                let finding = Finding::new(&files::F002, format!("the path cannot be used: {why}"));
                walked.folder.faulty.insert(file.path.clone());
                walked.findings.push(finding.in_file(file.path));
            }
        }
    }
    walked.files = Some(entries);
    walked
}

/// Patterns that could not be used count as matched: they have a finding of their own.
fn spread(matched: &[bool], places: &[usize]) -> Vec<bool> {
    let count = places.iter().max().map_or(0, |last| last + 1);
    let mut all = vec![true; count];
    for (place, matched) in places.iter().zip(matched) {
        if let Some(slot) = all.get_mut(*place) {
            *slot = *matched;
        }
    }
    all
}

/// The path of something that lies beneath the root, relative to it.
pub(crate) fn beneath(root: &Path, path: &Path) -> Option<String> {
    let root = root.canonicalize().ok()?;
    let name = path.file_name()?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let whole = parent.canonicalize().ok()?.join(name);
    Some(whole.strip_prefix(root).ok()?.to_str()?.replace('\\', "/"))
}

fn tree_finding(fault: &TreeFault) -> Finding {
    let finding = Finding::new(rule_of(fault), fault.message());
    let finding = match fault.help() {
        Some(help) => finding.help(help),
        None => finding,
    };
    match fault.path() {
        Some(path) => finding.in_file(path),
        None => finding.at(Pointer::from_text("/files")),
    }
}

fn rule_of(fault: &TreeFault) -> &'static Rule {
    match fault {
        TreeFault::TooManyFiles { .. } => &files::F005,
        TreeFault::PackageTooLarge { .. } | TreeFault::FileTooLarge { .. } => &files::F004,
        TreeFault::SpecialFile { .. } => &files::F014,
        TreeFault::NotUtf8 { .. } | TreeFault::TooDeep { .. } => &files::F002,
        TreeFault::ChangedWhileReading { .. } | TreeFault::Unreadable { .. } => &files::F015,
    }
}

fn pattern_finding(fault: &PatternFault, places: &[usize]) -> Finding {
    let finding = Finding::new(&manifest::M003, format!("the pattern cannot be used: {}", fault.message));
    match fault.place {
        PatternPlace::Glob(index) => {
            finding.at(Pointer::from_text("/files").join(places.get(index).copied().unwrap_or(index)))
        }
        PatternPlace::AllGlobs => finding.at(Pointer::from_text("/files")),
        PatternPlace::IgnoreLine(line) => finding.in_file(IGNORE_FILE).at_position(Position { line, column: 1 }),
        PatternPlace::IgnoreFile => finding.in_file(IGNORE_FILE),
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
