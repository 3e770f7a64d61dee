//! What a rule may look at: the manifest, the file table and the facts, on the author's machine as in an artifact.

use std::{borrow::Cow, cell::OnceCell, collections::BTreeSet, sync::Arc};

use svc_json::{pointer::Pointer, tree::Node};

use crate::{
    finding::Finding,
    package::{
        artifact::FileEntry,
        fact::{Fact, Place as FactPlace, row_of},
        fact_table::{self, About, COMPUTED, Known, MENTIONED, UNREAD},
    },
    rules::ruleset::Rules,
    scalar::{path_parts::PathMarks, subject::Subject},
    words::rule::{Needs, Rule},
};

/// What the rules may look at. Whatever is absent leaves the rules that need it unrun.
#[derive(Clone, Debug)]
pub struct Package<'a> {
    /// The rules that judge it.
    pub rules: &'a Rules,
    /// The manifest.
    pub manifest: &'a Node<'a>,
    /// The file table.
    pub files: Option<&'a [FileEntry]>,
    /// What the bytes of the files told.
    pub facts: Option<&'a [Fact]>,
    /// Files that are in the folder, but have a finding in place of a row in the table.
    faulty: Option<&'a BTreeSet<String>>,
    names: OnceCell<Vec<Name<'a>>>,
}

/// The name of a file in lowercase, as several rules ask for it.
#[derive(Clone, Debug)]
pub(crate) struct Name<'a> {
    path: Cow<'a, str>,
    marks: PathMarks,
}

impl<'a> Name<'a> {
    fn of(file: &'a FileEntry) -> Self {
        let path = file.path.lowercase();
        let marks = if matches!(path, Cow::Borrowed(_)) { file.path.marks() } else { PathMarks::of(&path) };
        Self { path, marks }
    }

    fn folders(&self) -> &[u8] {
        self.path.as_bytes().get(..self.marks.last_part().saturating_sub(1)).unwrap_or_default()
    }

    /// Whether the path was in lowercase already.
    pub(crate) fn is_as_written(&self) -> bool {
        matches!(self.path, Cow::Borrowed(_))
    }

    /// How many bytes of the path are its folders, the last slash included.
    pub(crate) fn folder_bytes(&self) -> usize {
        self.marks.last_part()
    }

    /// The name without its folders.
    pub(crate) fn file(&self) -> &str {
        self.path.get(self.marks.last_part()..).unwrap_or_default()
    }

    /// What follows the last dot of the name.
    pub(crate) fn extension(&self) -> Option<&str> {
        self.path.get(self.marks.extension()?..)
    }

    /// Whether it has one of these extensions.
    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        self.extension().is_some_and(|extension| extensions.contains(&extension))
    }

    /// Whether one of its folders is one of these.
    pub(crate) fn is_in(&self, folders: &[&str]) -> bool {
        let mut parts = self.folders().split(|byte| *byte == b'/');
        parts.any(|part| folders.iter().any(|folder| folder.as_bytes() == part))
    }
}

/// A check over a package.
pub type Check = fn(&Package<'_>, &mut Sink<'_>);

/// Takes the findings of one rule.
pub struct Sink<'a> {
    pub(super) rule: &'a Arc<Rule>,
    pub(super) take: &'a mut dyn FnMut(Finding),
}

impl std::fmt::Debug for Sink<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sink").field("rule", &self.rule.code).finish_non_exhaustive()
    }
}

impl Sink<'_> {
    /// Reports the value at a pointer.
    pub fn report(&mut self, pointer: impl Into<Place>, message: impl Into<String>) {
        self.push(Finding::new(self.rule, message), pointer);
    }

    /// Reports a word that was probably meant to be another.
    pub fn report_misspelt(&mut self, pointer: impl Into<Place>, message: impl Into<String>, word: &str) {
        let finding = Finding::new(self.rule, message).help(format!("did you mean `{word}`?"));
        self.push(finding.fixed_by(format!("\"{word}\"")), pointer);
    }

    /// Reports a file of the table.
    pub fn report_file(&mut self, row: usize, file: &FileEntry, message: impl Into<String>) {
        let finding = Finding::new(self.rule, message).in_file(file.path.as_str());
        self.push(finding, Pointer::from_text("/files").join(row));
    }

    /// Reports the value at a pointer, told from another finding there by its subject.
    pub fn report_about(&mut self, pointer: impl Into<Place>, subject: &'static str, message: impl Into<String>) {
        self.push(Finding::new(self.rule, message).about(Subject::word(subject)), pointer);
    }

    /// Reports every fact of these kinds.
    pub(crate) fn report_facts(&mut self, package: &Package<'_>, kinds: &[&str]) {
        for (fact, known) in package.facts_of(kinds) {
            self.report_fact(package, fact, known);
        }
    }

    /// Reports a fact.
    pub(crate) fn report_fact(&mut self, package: &Package<'_>, fact: &Fact, known: Known) {
        let finding = self.of_fact(package, fact, known);
        self.report_finding(finding);
    }

    /// The finding of a fact: in the file that it was seen in, about its word and subject.
    pub(crate) fn of_fact(&self, package: &Package<'_>, fact: &Fact, known: Known) -> Finding {
        let files = Pointer::from_text("/files");
        let finding = Finding::new(self.rule, in_words(fact, known)).about(subject_of(fact));
        let finding = match known {
            Known::Cut => finding.help("Leave out files that the package does not need, or bundle its scripts."),
            Known::One(_) => finding,
        };
        let row = fact.file.as_ref().and_then(|file| Some((file, row_of(package.files?, file.as_str())?)));
        match (row, fact.place.as_ref().map(FactPlace::position)) {
            (Some((file, row)), None) => finding.in_file(file.as_str()).at(files.join(row)),
            (Some((file, row)), Some(position)) => {
                finding.in_file(file.as_str()).at_position(position).at(files.join(row))
            }
            (None, _) => finding.at(fact.manifest_pointer().map_or(files, |pointer| Pointer::from_text(&pointer))),
        }
    }

    /// Reports a finding as it is.
    pub(crate) fn report_finding(&mut self, finding: Finding) {
        (self.take)(finding);
    }

    fn push(&mut self, finding: Finding, place: impl Into<Place>) {
        self.report_finding(finding.at(place.into().0));
    }
}

/// What a fact says, with its subject and how often it was seen in its file.
fn in_words(fact: &Fact, known: Known) -> String {
    let often = fact.count.get();
    let Known::One(spec) = known else {
        let kind = fact.kind.as_str();
        return format!("{often} more of the kind `{kind}` than a report lists, so that nobody can judge them");
    };
    let subject = fact.subject.as_ref().map(Subject::as_str);
    let said = match (spec.about, subject) {
        (About::Address, Some(COMPUTED)) => format!("{} an address that is computed", spec.means),
        (About::Address | About::Name, Some(subject)) => format!("{} `{subject}`", spec.means),
        (About::Argument, Some(COMPUTED)) => format!("{}, put together at run time", spec.means),
        (About::Use, Some(MENTIONED)) => format!("{} (mentioned)", spec.means),
        (About::Use, Some(_)) => format!("{} (called)", spec.means),
        _ => spec.means.to_owned(),
    };
    if often == 1 { said } else { format!("{said}, {often} times") }
}

/// What tells facts apart that are of one rule and file.
fn subject_of(fact: &Fact) -> Subject {
    let word = fact.word.as_str();
    let whole = fact.subject.as_ref().and_then(|subject| Subject::parse(&format!("{word}:{}", subject.as_str())));
    whole.or_else(|| Subject::parse(word)).unwrap_or_else(|| Subject::word("fact"))
}

/// A pointer, or the text of one.
#[derive(Debug)]
pub struct Place(Pointer);

impl From<&str> for Place {
    fn from(text: &str) -> Self {
        Self(Pointer::from_text(text))
    }
}

impl From<String> for Place {
    fn from(text: String) -> Self {
        Self(Pointer::from_text(&text))
    }
}

impl From<Pointer> for Place {
    fn from(pointer: Pointer) -> Self {
        Self(pointer)
    }
}

impl<'a> Package<'a> {
    /// A package of which only the manifest is known.
    #[must_use]
    pub fn of_manifest(rules: &'a Rules, manifest: &'a Node<'a>) -> Self {
        Self { rules, manifest, files: None, facts: None, faulty: None, names: OnceCell::new() }
    }

    /// The package with its file table.
    #[must_use]
    pub fn with_files(self, files: Option<&'a [FileEntry]>) -> Self {
        Self { files, names: OnceCell::new(), ..self }
    }

    /// The package with what the bytes of its files told.
    #[must_use]
    pub fn with_facts(self, facts: Option<&'a [Fact]>) -> Self {
        Self { facts, ..self }
    }

    /// The package with the files that are there without a row, so that nobody calls them missing.
    #[must_use]
    pub fn with_faulty(self, faulty: &'a BTreeSet<String>) -> Self {
        Self { faulty: Some(faulty), ..self }
    }

    /// Whether what the rule needs is here.
    #[must_use]
    pub fn can_run(&self, rule: &Rule) -> bool {
        match rule.needs {
            Needs::Text | Needs::Manifest => true,
            Needs::FileTable => self.files.is_some(),
            Needs::Facts | Needs::Folder => self.facts.is_some(),
            Needs::Artifact => false,
        }
    }

    /// Whether a rule looked at less than all it goes by: a file that was not read, or rows that were cut.
    #[must_use]
    pub(crate) fn is_blind(&self, rule: &Rule) -> bool {
        let kinds = rule.facts();
        let goes_by_code = kinds.iter().any(|kind| fact_table::CODE_KINDS.contains(kind));
        if goes_by_code && self.lacks_files() {
            return true;
        }
        self.facts.unwrap_or_default().iter().any(|fact| {
            let is_cut = matches!(fact.known(), Some(Known::Cut)) && kinds.contains(&fact.kind.as_str());
            is_cut || (goes_by_code && fact.kind.as_str() == UNREAD)
        })
    }

    /// Whether files of a package that was read here could not be read, or are not there: any of them may be code. What was
    /// written down of a package elsewhere says which of its files were not read.
    fn lacks_files(&self) -> bool {
        let Some(faulty) = self.faulty else { return false };
        let renderer = self.text("/entry/renderer").filter(|_| self.files.is_some());
        !faulty.is_empty() || renderer.is_some_and(|renderer| !self.has_row(renderer))
    }

    pub(crate) fn at(&self, pointer: &str) -> Option<&Node<'a>> {
        self.manifest.at_text(pointer)
    }

    pub(crate) fn text(&self, pointer: &str) -> Option<&str> {
        self.at(pointer)?.as_str()
    }

    /// The elements of a list with their pointers.
    pub(crate) fn list(&self, pointer: &str) -> impl Iterator<Item = (Pointer, &Node<'a>)> {
        let base = Pointer::from_text(pointer);
        let elements = self.at(pointer).map(Node::elements).unwrap_or_default();
        elements.iter().enumerate().map(move |(index, node)| (base.join(index), node))
    }

    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.has_row(path) || self.faulty.is_some_and(|faulty| faulty.contains(path))
    }

    /// Whether a file is in the table.
    pub(crate) fn has_row(&self, path: &str) -> bool {
        self.files.is_some_and(|files| row_of(files, path).is_some())
    }

    /// The rows of the file table with their names in lowercase.
    pub(crate) fn named(&self) -> impl Iterator<Item = (usize, &'a FileEntry, &Name<'a>)> {
        let names = self.names.get_or_init(|| self.rows().map(|(_, file)| Name::of(file)).collect());
        self.rows().zip(names).map(|((row, file), name)| (row, file, name))
    }

    /// The rows of the file table.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &'a FileEntry)> {
        self.files.unwrap_or_default().iter().enumerate()
    }

    /// The facts of these kinds that this build knows.
    pub(crate) fn facts_of(&self, kinds: &[&str]) -> impl Iterator<Item = (&'a Fact, Known)> {
        let is_asked = move |fact: &&Fact| kinds.contains(&fact.kind.as_str());
        self.facts.unwrap_or_default().iter().filter(is_asked).filter_map(|fact| Some((fact, fact.known()?)))
    }
}
