//! Facts: what the bytes of a package tell, as the machine that packed it read them.
//!
//! They stand in the report, one row for each kind, word, subject and file, without a word of the source. Rules are
//! functions of the manifest, the file table and these rows, so whoever has the report can run every rule again. The rows
//! themselves are the author's word until somebody reads the package: `svc app verify --package`.

use svc_json::{canonical, position::Position};

use crate::{
    package::artifact::FileEntry,
    scalar::{path::PackagePath, size::Size, subject::Subject},
    string_newtype, wire_struct,
    words::limits,
};

string_newtype! {
    /// A kind of fact, or the word for which of its forms it is.
    pub struct FactWord {
        check: is_fact_word,
        name: "fact-word",
        rule: B015,
        expected: "lowercase words with hyphens between them, 40 characters at most",
        pattern: "^[a-z]+(-[a-z]+)*$",
        max_length: 40,
    }
}

wire_struct! {
    /// What the bytes of the package tell.
    Fact "fact" {
        /// How often it was seen.
        count: Size,
        /// The file it was seen in.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<PackagePath>,
        /// What kind of fact it is.
        kind: FactWord,
        /// Where it was seen first.
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        /// What it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        subject: Option<Subject>,
        /// Which form of the kind it is.
        word: FactWord,
    }
    /// A place in source text, counted from one.
    Place "place" {
        /// The column.
        column: Size,
        /// The line.
        line: Size,
    }
}

impl FactWord {
    /// A word of ours. Each has the form: a test reads them all.
    pub(super) fn from_static(word: &'static str) -> Self {
        Self(word.to_owned())
    }
}

/// What rows are sorted by, and told apart by.
pub(crate) type FactKey<'f> = (&'f str, &'f str, Option<&'f str>, Option<&'f str>);

impl Fact {
    pub(crate) fn key(&self) -> FactKey<'_> {
        let file = self.file.as_ref().map(PackagePath::as_str);
        (self.kind.as_str(), self.word.as_str(), self.subject.as_ref().map(Subject::as_str), file)
    }

    /// Whether reading the files of this table can have told it, by whatever rules.
    fn is_sound(&self, files: &[FileEntry]) -> bool {
        let is_there = |file: &PackagePath| row_of(files, file.as_str()).is_some();
        self.count.get() > 0
            && self.file.as_ref().is_none_or(is_there)
            && self.place.as_ref().is_none_or(|place| self.file.is_some() && place.is_sound())
    }
}

impl Place {
    pub(crate) fn from_position(position: Position) -> Self {
        let number = |number: usize| Size::bounded(number as u64);
        Self { column: number(position.column), line: number(position.line) }
    }

    pub(crate) fn position(&self) -> Position {
        let number = |size: &Size| usize::try_from(size.get()).unwrap_or(usize::MAX);
        Position { line: number(&self.line), column: number(&self.column) }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.line.get() > 0 && self.column.get() > 0
    }
}

/// Whether a list of facts is one that reading these files can have given, by whatever rules: sorted, each row once, about
/// files of the table, and no longer than a report holds.
pub(crate) fn are_sound(facts: &[Fact], files: &[FileEntry]) -> bool {
    fit(facts)
        && facts.is_sorted_by(|left, right| left.key() < right.key())
        && facts.iter().all(|fact| fact.is_sound(files))
}

/// Whether these rows are within the bounds of a report.
pub(super) fn fit(facts: &[Fact]) -> bool {
    let are_few = facts.len() <= limits::REPORT_FACT_BYTES / ROW_BYTES;
    facts.len() <= limits::REPORT_FACTS && (are_few || canonical::to_bytes(&facts).len() <= limits::REPORT_FACT_BYTES)
}

/// More than any row has: a path of 1 KiB, a subject, two words and three numbers.
const ROW_BYTES: usize = 2048;

/// The row of a file in a sorted table. A table that is not sorted is refused, whatever is found in it.
pub(crate) fn row_of(files: &[FileEntry], path: &str) -> Option<usize> {
    files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
}

fn is_fact_word(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    text.len() <= 40 && text.split('-').all(is_part)
}
