//! The author's folder: from a manifest's path to everything the rules look at.

use std::path::{Path, PathBuf};

use svc_cli::files::document::DocumentSource;
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    finding::Finding,
    findings::Findings,
    pack::{Draft, Walked},
    package::{artifact::FileEntry, folder::Folder, sighting::Seen},
    scalar::{
        path::{self, PackagePath},
        size::Size,
    },
    words::limits,
};
use svc_facts::language::Language;
use svc_json::{digest::Digest, pointer::Pointer, position::Position};

use crate::{
    code_reader::pool::CodeReaders,
    progress::WalkProgress,
    tree::{
        collect::collect,
        fault::TreeFault,
        hash::{HashedFile, Observe},
        ignore_file::{IGNORE_FILE, read_ignore_file},
        limits::TreeLimits,
        pattern::{PatternFault, PatternPlace, Patterns},
        walk::{self, Fate, ListedPath, TooMany},
    },
};
use svc_cli::rules::rules;

const LIMITS: TreeLimits = TreeLimits {
    file_bytes: limits::FILE_BYTES,
    package_bytes: limits::PACKAGE_BYTES,
    files: limits::PACKAGE_FILES,
    folder_depth: limits::PATH_DEPTH,
};

/// Walks the manifest's folder by its patterns and reads each file once, beneath the folder that the manifest was read
/// from, whatever its path leads to by now.
pub(crate) fn walk(manifest: &DocumentSource, draft: &Draft<'_>, left_out: &[PathBuf]) -> Walked {
    walk_drafted(manifest, draft, left_out, None)
}

/// The same for a package that is being drafted: where no ignore file is there yet, by the text that will stand in it.
pub(crate) fn walk_drafted(
    manifest: &DocumentSource,
    draft: &Draft<'_>,
    left_out: &[PathBuf],
    ignore_file: Option<&str>,
) -> Walked {
    let mut walked = walk_files(manifest, draft, left_out, ignore_file);
    let texts = draft.texts().into_iter().map(|(pointer, text)| (pointer, svc_facts::of_text(text)));
    walked.folder.manifest = texts.filter(|(_, secrets)| !secrets.is_empty()).collect();
    walked
}

fn walk_files(manifest: &DocumentSource, draft: &Draft<'_>, left_out: &[PathBuf], ignore_file: Option<&str>) -> Walked {
    let (patterns, places) = match patterns_of(manifest, draft, left_out, ignore_file) {
        Ok(patterns) => patterns,
        Err(findings) => return refused(findings),
    };
    let root = manifest.root();
    let progress = WalkProgress::default();
    let readers = CodeReaders::default();
    let observe = |path: &str| Observer::new(path, &progress, &readers);
    let collected = progress.during(|| collect(root, &patterns, &LIMITS, |files| progress.set_total(files), observe));
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

/// What becomes of every path beside the manifest, with the pattern that takes it in. No file is read.
///
/// # Errors
/// What is wrong with the patterns or the folder, when nothing can be told.
pub(crate) fn list_paths(
    manifest: &DocumentSource,
    draft: &Draft<'_>,
    left_out: &[PathBuf],
) -> Result<Vec<ListedPath>, Findings> {
    let (patterns, _) = patterns_of(manifest, draft, left_out, None)?;
    let listed = walk::list_paths(manifest.root(), &patterns, &LIMITS);
    listed.map_err(|TooMany| tree_finding(&TreeFault::TooManyFiles { limit: LIMITS.files }).into())
}

/// Whether the manifest or `.svcignore` leave out files that are there.
pub(crate) fn leaves_out(manifest: &DocumentSource, draft: &Draft<'_>, left_out: &[PathBuf]) -> bool {
    let listed = list_paths(manifest, draft, left_out).unwrap_or_default();
    listed.iter().any(|one| matches!(one.fate, Fate::NoPattern | Fate::Ignored(_)))
}

/// The patterns that can be used, and where each stands in the manifest.
fn patterns_of(
    manifest: &DocumentSource,
    draft: &Draft<'_>,
    left_out: &[PathBuf],
    ignore_file: Option<&str>,
) -> Result<(Patterns, Vec<usize>), Findings> {
    let ignored = read_ignore_file(manifest.root()).map_err(|fault| tree_finding(&fault))?;
    let ignored = ignored.or_else(|| ignore_file.map(str::to_owned));
    let (places, globs): (Vec<usize>, Vec<String>) = draft.patterns().into_iter().unzip();
    let left_out: Vec<String> = left_out.iter().filter_map(|path| beneath(manifest.folder(), path)).collect();
    match Patterns::compile(&globs, ignored.as_deref(), &left_out) {
        Ok(patterns) => Ok((patterns, places)),
        Err(faults) => Err(faults.iter().map(|fault| pattern_finding(fault, &places)).collect()),
    }
}

/// Keeps the bytes of a file while it is hashed, and has them read at its end.
struct Observer<'p> {
    path: String,
    bytes: Vec<u8>,
    progress: &'p WalkProgress,
    readers: &'p CodeReaders,
}

impl<'p> Observer<'p> {
    fn new(path: &str, progress: &'p WalkProgress, readers: &'p CodeReaders) -> Self {
        progress.add_file();
        Self { path: path.to_owned(), bytes: Vec::new(), progress, readers }
    }
}

impl Observe for Observer<'_> {
    type Facts = Seen;

    fn chunk(&mut self, bytes: &[u8]) {
        self.progress.add_bytes(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    fn finish(self) -> Seen {
        let code = Language::of(&self.path, &self.bytes).map(|language| self.readers.read(language, &self.bytes));
        let mut seen = code.unwrap_or_default();
        seen.sightings.extend(svc_facts::of_bytes(&self.path, &self.bytes));
        seen
    }
}

fn refused(findings: Findings) -> Walked {
    Walked { findings, ..Walked::default() }
}

/// The table of files whose paths every system can hold, and a finding for each other one.
fn table(hashed: Vec<HashedFile<Seen>>, matched: Vec<bool>) -> Walked {
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
                let finding = rules().finding(RuleCode::F002, format!("the path cannot be used: {why}"));
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
    let finding = rules().finding(code_of(fault), fault.message());
    let finding = match fault.help() {
        Some(help) => finding.help(help),
        None => finding,
    };
    match fault.path() {
        Some(path) => finding.in_file(path),
        None => finding.at(Pointer::from_text("/files")),
    }
}

fn code_of(fault: &TreeFault) -> RuleCode {
    match fault {
        TreeFault::TooManyFiles { .. } => RuleCode::F005,
        TreeFault::PackageTooLarge { .. } | TreeFault::FileTooLarge { .. } => RuleCode::F004,
        TreeFault::SpecialFile { .. } => RuleCode::F014,
        TreeFault::NotUtf8 { .. } | TreeFault::TooDeep { .. } => RuleCode::F002,
        TreeFault::ChangedWhileReading { .. } | TreeFault::Unreadable { .. } => RuleCode::F015,
    }
}

fn pattern_finding(fault: &PatternFault, places: &[usize]) -> Finding {
    let finding = rules().finding(RuleCode::M003, format!("the pattern cannot be used: {}", fault.message));
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
