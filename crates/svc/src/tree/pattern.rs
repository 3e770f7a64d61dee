//! Which paths a package is made of: the manifest's globs, less `.svcignore`, less what goes into no package by default,
//! less the tool's own output.
//!
//! Globs are relative to the root and use `/` only. `*` and `?` stay within one part of a path, `**` spans parts;
//! a plain path, such as `dist`, is the file or everything below the folder. Case counts on every platform.
//! Absent on purpose: ignore files of parent folders, of Git or of the user, which would make the package depend
//! on the machine.

use std::{collections::BTreeSet, ffi::OsStr, path::Path};

use globset::{ErrorKind, Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use svc_cli::files::write::is_temporary;
use svc_core::words::default_ignores::DefaultIgnore;

use super::{ignore_file::IGNORE_FILE, reach::Reach};

/// The package manifest, at the root.
pub(crate) const MANIFEST_FILE: &str = "svc-app.json";

/// The longest pattern or ignore line. The glob parser recurses into braces: this bounds it.
const PATTERN_BYTES: usize = 1024;

/// The most patterns. Every folder is compared with each.
const PATTERNS: usize = 1000;

/// The most bytes of patterns with wildcards, and of an ignore file's lines: each becomes an automaton of up to
/// a thousand times its size, and the patterns are the author's.
const WILDCARD_BYTES: usize = 16 * 1024;

const WILDCARDS: [char; 6] = ['*', '?', '[', ']', '{', '}'];

#[derive(Debug)]
pub(crate) struct Patterns {
    count: usize,
    globs: GlobSet,
    /// For each glob of the set, where it can lead and which pattern it came from.
    reaches: Vec<(Reach, usize)>,
    /// Patterns without wildcards: what is left out by default goes in if one of them is its whole path.
    named: BTreeSet<String>,
    ignored: Gitignore,
    ignore_lines: Vec<String>,
    left_out: BTreeSet<String>,
}

/// What leaves a path out that a pattern may select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    /// This line of `.svcignore`, counted from 1.
    ByLine(usize),
    /// It goes into no package unless it is named by its whole path.
    ByDefault(&'static DefaultIgnore),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    File,
    Folder,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatternFault {
    pub(crate) place: PatternPlace,
    /// What is wrong with it, lowercase. It never quotes the pattern.
    pub(crate) message: String,
}

/// Where an unusable pattern stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternPlace {
    /// The glob of this index.
    Glob(usize),
    /// All globs together.
    AllGlobs,
    /// This line of the ignore file, counted from 1.
    IgnoreLine(usize),
    /// The ignore file as a whole.
    IgnoreFile,
}

impl Patterns {
    /// Compiles all, or tells of every pattern that cannot be used.
    ///
    /// `left_out` are exact paths, relative to the root, of files or folders that are never looked at.
    pub(crate) fn compile(
        globs: &[String],
        ignore_file: Option<&str>,
        left_out: &[String],
    ) -> Result<Self, Vec<PatternFault>> {
        let ignore_file = ignore_file.unwrap_or_default();
        let mut faults = excesses(globs, ignore_file);
        if !faults.is_empty() {
            return Err(faults);
        }
        let parsed = parse_globs(globs, &mut faults);
        let ignored = parse_ignore_file(ignore_file, &mut faults);
        match (build_set(&parsed, &mut faults), ignored) {
            (Some(set), Some(ignored)) if faults.is_empty() => Ok(Self {
                count: globs.len(),
                globs: set,
                reaches: parsed.iter().map(|(glob, index)| (Reach::from_glob(glob.glob()), *index)).collect(),
                named: globs.iter().filter(|glob| !glob.contains(WILDCARDS)).cloned().collect(),
                ignored,
                ignore_lines: ignore_file.trim_start_matches('\u{feff}').lines().map(str::to_owned).collect(),
                left_out: left_out.iter().map(|path| plain(path)).collect(),
            }),
            (_, _) => Err(faults),
        }
    }

    /// How many globs were given.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The globs, by index, that select the file; an index may come twice.
    pub(super) fn selecting(&self, path: &OsStr) -> impl Iterator<Item = usize> {
        self.globs.matches(path).into_iter().filter_map(|glob| Some(self.reaches.get(glob)?.1))
    }

    /// The globs, by index, that may select something below the folder; an index may come twice.
    pub(super) fn reaching(&self, folder: &OsStr) -> impl Iterator<Item = usize> {
        self.reaches.iter().filter(move |(reach, _)| reach.enters(folder)).map(|(_, index)| *index)
    }

    /// Why the folder is left out, and with it all that is in it.
    pub(super) fn ignores_folder(&self, path: &OsStr) -> Option<Ignored> {
        let is_below = |named: &String| {
            let below = named.as_bytes().strip_prefix(path.as_encoded_bytes());
            below.is_some_and(|below| below.starts_with(b"/"))
        };
        let by_default = DefaultIgnore::of_folder(&path.to_string_lossy()).map(Ignored::ByDefault);
        by_default.filter(|_| !self.named.iter().any(is_below)).or_else(|| self.ignored_by_line(path, Entry::Folder))
    }

    /// Why the file is left out, given that no folder above it is left out.
    pub(super) fn ignores_file(&self, path: &OsStr) -> Option<Ignored> {
        let by_default = DefaultIgnore::of_path(&path.to_string_lossy()).map(Ignored::ByDefault);
        let is_named = path.to_str().is_some_and(|path| self.named.contains(path));
        by_default.filter(|_| !is_named).or_else(|| self.ignored_by_line(path, Entry::File))
    }

    fn ignored_by_line(&self, path: &OsStr, entry: Entry) -> Option<Ignored> {
        let ignore::Match::Ignore(glob) = self.ignored.matched(Path::new(path), entry == Entry::Folder) else {
            return None;
        };
        let line = self.ignore_lines.iter().rposition(|line| line.trim() == glob.original().trim());
        Some(Ignored::ByLine(line.map_or(0, |line| line + 1)))
    }

    /// Whether the caller leaves exactly this path out.
    pub(super) fn leaves_out(&self, path: &OsStr) -> bool {
        path.to_str().is_some_and(|path| self.left_out.contains(path))
    }

    /// Whether the path is one of the tool's own files, which never are in the table: the two at the root, and what a
    /// killed run left anywhere.
    pub(super) fn is_own_file(path: &OsStr) -> bool {
        path == MANIFEST_FILE || path == IGNORE_FILE || Path::new(path).file_name().is_some_and(is_temporary)
    }
}

fn plain(path: &str) -> String {
    path.strip_prefix("./").unwrap_or(path).trim_end_matches('/').to_owned()
}

/// What is too much to even compile.
fn excesses(globs: &[String], ignore_file: &str) -> Vec<PatternFault> {
    let wildcards: usize = globs.iter().filter(|glob| glob.contains(WILDCARDS)).map(String::len).sum();
    let ignored: usize = ignore_file.lines().filter(|line| !line.starts_with('#')).map(str::len).sum();
    let all_globs = PatternPlace::AllGlobs;
    let checks = [
        (globs.len() > PATTERNS, all_globs, "there are more than 1000 patterns"),
        (wildcards > WILDCARD_BYTES, all_globs, "the patterns with wildcards are longer than 16 KiB together"),
        (ignored > WILDCARD_BYTES, PatternPlace::IgnoreFile, "the patterns are longer than 16 KiB together"),
    ];
    let exceeded = checks.into_iter().filter(|(exceeds, _, _)| *exceeds);
    exceeded.map(|(_, place, message)| PatternFault { place, message: message.to_owned() }).collect()
}

fn parse_globs(globs: &[String], faults: &mut Vec<PatternFault>) -> Vec<(Glob, usize)> {
    let mut parsed = Vec::new();
    for (index, glob) in globs.iter().enumerate() {
        let place = PatternPlace::Glob(index);
        if let Some(message) = objection(glob) {
            faults.push(PatternFault { place, message: message.to_owned() });
            continue;
        }
        for form in forms(glob) {
            match GlobBuilder::new(&form).literal_separator(true).backslash_escape(false).build() {
                Ok(glob) => parsed.push((glob, index)),
                Err(error) => faults.push(PatternFault { place, message: in_words(error.kind()) }),
            }
        }
    }
    parsed
}

/// What is wrong with a glob before it is parsed.
fn objection(glob: &str) -> Option<&'static str> {
    if glob.is_empty() {
        Some("is empty")
    } else if glob.len() > PATTERN_BYTES {
        Some("is longer than 1024 bytes")
    } else if glob.contains('\\') {
        Some("has a backslash; paths are written with `/`")
    } else if glob.starts_with('/') {
        Some("starts with `/`; patterns are relative to the manifest's folder")
    } else if glob.starts_with('!') {
        Some("starts with `!`; what to leave out is listed in .svcignore")
    } else if parts(glob).any(|part| part == "..") {
        Some("has a `..` part; patterns never leave the manifest's folder")
    } else if glob.trim_end_matches('/').split('/').any(|part| part.is_empty() || part == ".") {
        Some("has an empty or `.` part; `**` stands for everything")
    } else if !classes_stay_within_a_part(glob) {
        Some("has a class other than plain characters and ranges of letters or digits, such as `[a-z_]`")
    } else {
        None
    }
}

/// The parts between slashes, also those of each alternative in braces.
fn parts(glob: &str) -> impl Iterator<Item = &str> {
    let in_braces = glob.contains('{');
    glob.split(move |c| c == '/' || (in_braces && matches!(c, '{' | ',' | '}')))
}

/// The glob library lets a class match `/` if it is negated or has a range around it: `a[!b]c` would be `a/c`.
fn classes_stay_within_a_part(glob: &str) -> bool {
    let mut rest = glob;
    while let Some((_, after)) = rest.split_once('[') {
        // An unclosed class is left to the parser to complain about.
        let Some((class, next)) = after.split_once(']') else {
            return true;
        };
        if class.is_empty() || class.starts_with(['!', '^']) || class.contains('/') || !has_plain_ranges(class) {
            return false;
        }
        rest = next;
    }
    true
}

fn has_plain_ranges(class: &str) -> bool {
    let alphanumeric = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    class
        .match_indices('-')
        .filter_map(|(at, dash)| Some((class.get(..at)?, class.get(at + dash.len()..)?)))
        .all(|(before, after)| alphanumeric(before.chars().next_back()) && alphanumeric(after.chars().next()))
}

/// The globs one pattern stands for.
fn forms(glob: &str) -> Vec<String> {
    if glob.ends_with('/') {
        vec![format!("{}/**", glob.trim_end_matches('/'))]
    } else if glob.contains(WILDCARDS) {
        vec![glob.to_owned()]
    } else {
        vec![glob.to_owned(), format!("{glob}/**")]
    }
}

fn build_set(globs: &[(Glob, usize)], faults: &mut Vec<PatternFault>) -> Option<GlobSet> {
    let built = set_of(globs.iter().map(|(glob, _)| glob));
    if let Err(error) = &built {
        let before = faults.len();
        for (glob, index) in globs {
            if let Err(error) = set_of([glob]) {
                faults.push(PatternFault { place: PatternPlace::Glob(*index), message: in_words(error.kind()) });
            }
        }
        if faults.len() == before {
            faults.push(PatternFault { place: PatternPlace::AllGlobs, message: in_words(error.kind()) });
        }
    }
    built.ok()
}

fn set_of<'g>(globs: impl IntoIterator<Item = &'g Glob>) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob.clone());
    }
    set.build()
}

fn in_words(error: &ErrorKind) -> String {
    if let ErrorKind::Regex(_) = error { "is too complex".to_owned() } else { error.to_string() }
}

fn parse_ignore_file(text: &str, faults: &mut Vec<PatternFault>) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let place = PatternPlace::IgnoreLine(index + 1);
        if line.len() > PATTERN_BYTES {
            faults.push(PatternFault { place, message: "is longer than 1024 bytes".to_owned() });
        } else if let Err(error) = builder.add_line(None, line) {
            faults.push(PatternFault { place, message: ignore_in_words(&error) });
        }
    }
    let built = builder.build();
    if built.is_err() {
        let message = "is too complex".to_owned();
        faults.push(PatternFault { place: PatternPlace::IgnoreFile, message });
    }
    built.ok()
}

fn ignore_in_words(error: &ignore::Error) -> String {
    if let ignore::Error::Glob { err, .. } = error { err.clone() } else { "is no pattern".to_owned() }
}

#[cfg(test)]
mod tests;
