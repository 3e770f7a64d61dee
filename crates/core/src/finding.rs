//! One finding: a rule, a message, a place and a way out.

use std::sync::Arc;

use svc_json::{digest::Digest, fault::Span, pointer::Pointer, position::Position, survey, tree::Node};

use crate::{
    fix::{Edit, SuggestedFix},
    manifest,
    scalar::subject::Subject,
    words::{limits, rule::Rule, rule_code::RuleCode, severity::Severity},
};

/// What is marked at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The value.
    Value,
    /// The member's name.
    Name,
}

/// What a list of findings is sorted by: the heaviest first, so that no limit cuts off what weighs more.
pub(crate) type PlaceInList<'f> = (Severity, &'f str, Option<&'f str>, &'f str, Option<&'f str>);

/// One finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule that fired.
    pub rule: Arc<Rule>,
    severity: Severity,
    /// What is wrong, here.
    pub message: String,
    /// The way out, here.
    pub help: String,
    /// The file it is about, when it is not the document at hand.
    pub file: Option<String>,
    /// What it is about, where several stand at one place.
    pub subject: Option<Subject>,
    /// Where in the document.
    pub pointer: Pointer,
    /// What to mark there.
    pub mark: Mark,
    /// Where in the source text, once known.
    pub span: Option<Span>,
    /// Where in the other file.
    pub position: Option<Position>,
    /// A second place that explains the first.
    pub related: Option<Span>,
    /// How what is marked is fixed, where there is one sure way.
    pub fix: Option<SuggestedFix>,
    /// How many files have it, the one it is shown in included.
    pub files: usize,
    /// The row of the manifest's `exceptions` that speaks of it.
    pub exception: Option<usize>,
}

impl Finding {
    /// A finding at the root, with the rule's own way out.
    pub fn new(rule: &Arc<Rule>, message: impl Into<String>) -> Self {
        Self {
            rule: Arc::clone(rule),
            severity: rule.severity,
            message: cut(message.into()),
            help: rule.fix.clone().into_owned(),
            file: None,
            subject: None,
            pointer: Pointer::root(),
            mark: Mark::Value,
            span: None,
            position: None,
            related: None,
            fix: None,
            files: 1,
            exception: None,
        }
    }

    /// The finding at a pointer.
    #[must_use]
    pub fn at(mut self, pointer: Pointer) -> Self {
        self.pointer = pointer;
        self
    }

    /// The finding in a document that holds the one it was found in. Its place in the source is to be found anew.
    #[must_use]
    pub(crate) fn beneath(mut self, base: &Pointer) -> Self {
        self.pointer = base.append(&self.pointer);
        self.span = None;
        self
    }

    /// The finding with the member's name marked.
    #[must_use]
    pub fn on_name(mut self) -> Self {
        self.mark = Mark::Name;
        self
    }

    /// The finding with its place in the source, where that is known at once.
    #[must_use]
    pub fn marked(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// The finding about another file.
    #[must_use]
    pub fn in_file(mut self, path: impl Into<String>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// The finding about one of several things at its place.
    #[must_use]
    pub fn about(mut self, subject: Subject) -> Self {
        self.subject = Some(subject);
        self
    }

    /// The finding at a place of the other file.
    #[must_use]
    pub fn at_position(mut self, position: Position) -> Self {
        self.position = Some(position);
        self
    }

    /// The finding with a way out of its own.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = cut(help.into());
        self
    }

    /// The finding with a suggested fix: the JSON text to put in place of what is marked.
    #[must_use]
    pub fn fixed_by(self, text: impl Into<String>) -> Self {
        self.with_fix(SuggestedFix::Replace(text.into()))
    }

    /// The finding about a word that was probably meant to be this one.
    #[must_use]
    pub(crate) fn meant(self, word: &str) -> Self {
        self.help(format!("did you mean `{word}`?")).fixed_by(format!("\"{word}\""))
    }

    /// The finding with a suggested fix.
    #[must_use]
    pub fn with_fix(mut self, fix: SuggestedFix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// The change of the source that fixes it, where there is a sure one.
    #[must_use]
    pub fn edit(&self, source: &str) -> Option<Edit> {
        self.fix.as_ref()?.edit(source, self.span?)
    }

    /// What would stand in place of what is marked, where that is a suggested fix.
    #[must_use]
    pub fn replacement(&self, source: &str) -> Option<String> {
        self.fix.as_ref()?.replacement(source, self.span?)
    }

    /// The finding as a warning, where its rule tells a doubt from a fault.
    #[must_use]
    pub(crate) fn lightened(mut self) -> Self {
        self.severity = self.severity.max(Severity::Warning);
        self
    }

    /// The finding as an error, where a command was asked for more than the rule lets it tell.
    #[must_use]
    pub fn as_error(mut self) -> Self {
        self.severity = Severity::Error;
        self
    }

    /// The finding without a word of the document: the rule's own words, at the document as a whole.
    #[must_use]
    pub fn in_rule_words(mut self) -> Self {
        self.message = self.rule.title.clone().into_owned();
        self.help = self.rule.fix.clone().into_owned();
        self.pointer = Pointer::root();
        self.fix = None;
        self
    }

    /// The finding as that of so many files.
    #[must_use]
    pub(crate) fn of_files(mut self, files: usize) -> Self {
        self.files = files;
        self
    }

    /// The finding with the row of the manifest that excepts it: what would leave no package blocks until a reviewer looks.
    #[must_use]
    pub(crate) fn excepted_by(mut self, row: usize) -> Self {
        self.severity = self.severity.max(Severity::Blocker);
        self.exception = Some(row);
        self
    }

    /// How much it weighs: as its rule, or less.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Finds the place in the source. A missing member is marked where its parent stands.
    pub fn locate(&mut self, root: &Node<'_>) {
        if !self.is_unplaced() {
            return;
        }
        if self.mark == Mark::Name {
            self.span = root.key_span(&self.pointer);
        }
        let mut pointer = Some(self.pointer.clone());
        while let (None, Some(here)) = (self.span, pointer) {
            self.span = root.at(&here).map(|node| node.span);
            pointer = here.split_last().map(|(parent, _)| parent);
        }
    }

    /// Whether it stands in the document at hand, and nobody knows where yet.
    fn is_unplaced(&self) -> bool {
        self.span.is_none() && self.file.is_none()
    }

    /// Where and what, in our words alone, for whoever did not write the document: a name that only the document has is
    /// neither quoted nor pointed at, but the object that it stands in.
    #[must_use]
    pub fn in_our_words(&self) -> (Pointer, &str) {
        let quotes_a_name = self.mark == Mark::Name || self.rule.is(RuleCode::J004);
        let place = match self.mark {
            Mark::Name => self.pointer.parent().unwrap_or_default(),
            Mark::Value => self.pointer.clone(),
        };
        (place, if quotes_a_name { &self.rule.title } else { &self.message })
    }

    /// The file of a finding, when it is not the manifest.
    pub(crate) fn other_file(&self) -> Option<&str> {
        self.file.as_deref().filter(|file| *file != manifest::FILE_NAME)
    }

    /// What a list of findings is sorted by.
    pub(crate) fn place_in_list(&self) -> PlaceInList<'_> {
        let subject = self.subject.as_ref().map(Subject::as_str);
        (self.severity, &self.rule.code, self.other_file(), self.pointer.as_str(), subject)
    }

    /// A name for the finding that stays the same when lines move.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let subject = self.subject.as_ref().map(Subject::as_str);
        fingerprint(&self.rule.code, self.file.as_deref(), self.pointer.as_str(), subject)
    }
}

/// A message within its limit: what it quotes of a document may be as long as a path.
fn cut(mut message: String) -> String {
    if message.len() > limits::MESSAGE_BYTES {
        let end = message.floor_char_boundary(limits::MESSAGE_BYTES);
        message.truncate(end);
        message.push('…');
    }
    message
}

/// In a manifest the pointer tells findings apart; a file has its path, because its row in the table may move.
pub(crate) fn fingerprint(code: &str, file: Option<&str>, pointer: &str, subject: Option<&str>) -> Digest {
    let (file, pointer) = file.map_or(("", pointer), |file| (file, ""));
    Digest::of(format!("{code}\n{file}\n{pointer}\n{}", subject.unwrap_or_default()).as_bytes())
}

/// Places findings in the bytes that they are about, all in one pass that keeps no values.
pub fn locate_all(findings: &mut [Finding], bytes: &[u8]) {
    let pointers: Vec<&str> = findings.iter().map(|finding| finding.pointer.as_str()).collect();
    let Some(survey) = survey::unnoted(bytes, &pointers) else { return };
    for (finding, place) in findings.iter_mut().zip(survey.places).filter(|(finding, _)| finding.is_unplaced()) {
        finding.span = place.name.filter(|_| finding.mark == Mark::Name).or(Some(place.span));
    }
}
