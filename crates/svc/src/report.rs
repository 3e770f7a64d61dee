//! What a command has to say, before it is put into words for people or machines.

use std::sync::Arc;
use std::{cell::OnceCell, collections::BTreeMap};

use svc_cli::{
    files::{document::DocumentSource, write::WriteOutcome},
    scope::Scope,
};
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    bundle::{Bundle, Edge},
    diagnostics::ReportedGates,
    finding::Finding,
    findings::{Class, Findings},
    manifest::{
        self,
        vocabulary::{Permission, Risk},
    },
    package::{descriptor::DescriptorName, fact_table::SECRET},
    words::{
        exit_code::ExitCode, kind::ArtifactSpec, limits, review_depth::ReviewDepth, rule::Rule, severity::Severity,
        stage::Stage,
    },
};
use svc_json::{digest::Digest, position::NumberedText};

#[derive(Debug, Default)]
pub(crate) struct RunReport {
    /// The documents that were looked at, with what was found.
    pub(crate) documents: Vec<ReportedDocument>,
    /// The artifacts that were made or checked.
    pub(crate) artifacts: Vec<ArtifactLine>,
    /// The packages behind them.
    pub(crate) packages: Vec<PackageLine>,
    /// The first edge of a chain that does not hold.
    pub(crate) broken_edge: Option<Edge>,
    /// The steps of a preflight, in order.
    pub(crate) steps: Vec<PreflightStep>,
    /// What goes to standard output as it is. Standard output that was given to an artifact gets nothing else, also
    /// when there is none in the end.
    pub(crate) payload: Option<Vec<u8>>,
    /// What to run next.
    pub(crate) next: Option<String>,
    /// Whether the command would have written something.
    pub(crate) writes: bool,
    /// Generated files that are stale, for a run that only compares.
    pub(crate) stale: Vec<String>,
    /// What was checked and what was not.
    pub(crate) scope: Scope,
    /// The settings files that were read.
    pub(crate) settings: Vec<UsedSettings>,
    /// Whether warnings fail the run.
    pub(crate) deny: Deny,
    /// What was there to deny findings of.
    pub(crate) judged: Judged,
}

/// A settings file that was read, and what in it had no effect.
#[derive(Clone, Debug, Default)]
pub(crate) struct UsedSettings {
    /// The file. Not escaped.
    pub(crate) label: String,
    /// The members that a file in that place cannot set.
    pub(crate) ignored: Vec<&'static str>,
}

impl UsedSettings {
    /// The file and what was ignored, in one line. Not escaped.
    pub(crate) fn in_words(&self) -> String {
        match self.ignored.as_slice() {
            [] => self.label.clone(),
            ignored => format!("{} (ignored: {}; see `svc explain settings`)", self.label, ignored.join(", ")),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PreflightStep {
    pub(crate) order: u8,
    pub(crate) name: &'static str,
    pub(crate) result: StepResult,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepResult {
    Passed,
    Failed,
    NotRun,
}

/// What a run had to find by rules that go by files: the facts of a package, by a report or by its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Judged {
    #[default]
    Nothing,
    Reports,
    Files,
}

/// Which findings fail the run beside errors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deny {
    pub(crate) blockers: bool,
    pub(crate) warnings: bool,
    pub(crate) rules: Vec<Arc<Rule>>,
    /// Changes between two versions.
    pub(crate) changes: Vec<DeniedChange>,
}

impl Deny {
    pub(crate) fn is_empty(&self) -> bool {
        !self.blockers && !self.warnings && self.rules.is_empty() && self.changes.is_empty()
    }

    /// Whether a finding fails the run only because that was asked for.
    pub(crate) fn denies(&self, finding: &Finding) -> bool {
        let Self { blockers, warnings, rules, changes } = self;
        (*blockers && finding.severity() == Severity::Blocker)
            || (*warnings && finding.severity() == Severity::Warning)
            || rules.contains(&finding.rule)
            || changes.iter().any(|denied| denied.is(finding))
    }

    /// Whether it denies findings that are not listed. Permissions, of which some may be let pass, are all listed.
    pub(crate) fn denies_class(&self, class: &Class<'_>) -> bool {
        let Self { blockers, warnings, rules, changes } = self;
        (*blockers && class.severity == Severity::Blocker)
            || (*warnings && class.severity == Severity::Warning)
            || rules.contains(class.rule)
            || changes.iter().any(|denied| class.rule.is(denied.rule))
    }

    /// What is denied adds up; nothing takes any of it back.
    pub(crate) fn add(&mut self, other: Self) {
        let Self { blockers, warnings, rules, changes } = other;
        self.blockers |= blockers;
        self.warnings |= warnings;
        self.rules.extend(rules);
        self.changes.extend(changes);
    }
}

/// A change that fails a comparison: those of a rule, of permissions perhaps only from a risk on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeniedChange {
    rule: RuleCode,
    from: Option<Risk>,
}

/// The rules on changes.
const CHANGES: [RuleCode; 6] =
    [RuleCode::D001, RuleCode::D002, RuleCode::D003, RuleCode::D004, RuleCode::D005, RuleCode::D006];

impl DeniedChange {
    /// The words on the command line.
    pub(crate) const WORDS: &'static [&'static str] =
        &["gained-permission", "gained-origin", "gained-data", "gained-use", "gained-blocker", "changed-owner", "any"];

    /// What a word denies.
    pub(crate) fn parse(word: &str) -> Option<Vec<Self>> {
        let (name, risk) = word.split_once(':').map_or((word, None), |(name, risk)| (name, Some(risk)));
        let from = match risk {
            None => None,
            Some(risk) if name == "gained-permission" => Some(Risk::parse(risk)?),
            Some(_) => return None,
        };
        let one = |rule| Some(vec![Self { rule, from }]);
        match name {
            "gained-permission" => one(RuleCode::D001),
            "gained-origin" => one(RuleCode::D002),
            "gained-data" => one(RuleCode::D003),
            "gained-use" => one(RuleCode::D004),
            "gained-blocker" => one(RuleCode::D005),
            "changed-owner" => one(RuleCode::D006),
            "any" => Some(CHANGES.map(|rule| Self { rule, from: None }).into()),
            _ => None,
        }
    }

    fn is(self, finding: &Finding) -> bool {
        let risk =
            || finding.subject.as_ref().and_then(|subject| Permission::parse(subject.as_str())).map(Permission::risk);
        // A permission that this build does not know has no risk, and is denied.
        let is_enough = self.from.is_none_or(|from| risk().is_none_or(|risk| rank(risk) >= rank(from)));
        finding.rule.is(self.rule) && is_enough
    }
}

const fn rank(risk: Risk) -> u8 {
    match risk {
        Risk::Low => 0,
        Risk::Medium => 1,
        Risk::High => 2,
    }
}

#[derive(Debug)]
pub(crate) struct ReportedDocument {
    /// The name a user knows it by. Not escaped.
    pub(crate) label: String,
    pub(crate) bytes: Vec<u8>,
    /// What was found, in source order.
    pub(crate) findings: Findings,
    /// Whether it stands for a whole package: its manifest, with the files beside it.
    pub(crate) is_package: bool,
    /// Whether a secret stands in it, so that none of its lines is shown.
    pub(crate) holds_secret: bool,
    /// The folder that it was read from, for an excerpt of a file beside it.
    source: Option<DocumentSource>,
    /// The digests that files beside it must have to be read, where only those of a bundle count.
    only: Option<BTreeMap<String, Digest>>,
    /// Its text, where it is one, made when it is first asked for.
    text: OnceCell<Option<NumberedText>>,
}

/// A finding and the document that it is about.
pub(crate) type Located<'r> = (&'r ReportedDocument, &'r Finding);

#[derive(Debug)]
pub(crate) struct ArtifactLine {
    pub(crate) action: Action,
    /// The file. Not escaped.
    pub(crate) label: String,
    pub(crate) kind: &'static str,
    /// Its digest, for artifacts.
    pub(crate) digest: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Created,
    Replaced,
    Unchanged,
    Printed,
    Checked,
}

#[derive(Debug)]
pub(crate) struct PackageLine {
    pub(crate) id: String,
    pub(crate) version: String,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) digest: String,
    /// What the stage is based on.
    pub(crate) reviewed: ReviewDepth,
    pub(crate) stage: Stage,
    pub(crate) next_stage: Stage,
}

impl From<WriteOutcome> for Action {
    fn from(written: WriteOutcome) -> Self {
        match written {
            WriteOutcome::Created => Self::Created,
            WriteOutcome::Replaced => Self::Replaced,
            WriteOutcome::Unchanged => Self::Unchanged,
        }
    }
}

impl Action {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
            Self::Printed => "printed",
            Self::Checked => "valid",
        }
    }
}

impl StepResult {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotRun => "not-run",
        }
    }
}

impl ReportedDocument {
    pub(crate) fn new(label: String, bytes: Vec<u8>, findings: impl Into<Findings>) -> Self {
        let mut findings = findings.into();
        findings.listed_mut().sort_by_key(|finding| {
            let position = finding.position.map(|position| (position.line, position.column));
            (finding.file.clone(), finding.span.map(|span| span.start), position)
        });
        let holds_secret = !findings.is_empty() && shows_secret(&String::from_utf8_lossy(&bytes));
        if holds_secret {
            findings = findings.map(without_secrets);
        }
        Self {
            label,
            bytes,
            findings,
            is_package: false,
            holds_secret,
            source: None,
            only: None,
            text: OnceCell::new(),
        }
    }

    /// A manifest, with the files beside it.
    pub(crate) fn package(
        label: String,
        bytes: Vec<u8>,
        findings: impl Into<Findings>,
        source: DocumentSource,
    ) -> Self {
        Self { is_package: true, source: Some(source), ..Self::new(label, bytes, findings) }
    }

    /// The document, of whose folder no other files are read than these, and none with other bytes.
    pub(crate) fn only_with(mut self, digests: BTreeMap<String, Digest>) -> Self {
        self.only = Some(digests);
        self
    }

    /// Its text with its lines and columns, where it is text.
    pub(crate) fn text(&self) -> Option<&NumberedText> {
        let read = || String::from_utf8(self.bytes.clone()).ok().map(NumberedText::new);
        self.text.get_or_init(read).as_ref()
    }

    /// The bytes of a file beside it, as they are now.
    pub(crate) fn read_beside(&self, path: &str) -> Option<Vec<u8>> {
        let bytes = self.source.as_ref()?.read_beside(path, limits::FILE_BYTES).ok()?;
        let is_expected = |only: &BTreeMap<String, Digest>| only.get(path) == Some(&Digest::of(&bytes));
        self.only.as_ref().is_none_or(is_expected).then_some(bytes)
    }
}

/// Whether a secret stands in a text.
pub(crate) fn shows_secret(text: &str) -> bool {
    svc_facts::of_text(text).iter().any(|sighting| sighting.what.kind == SECRET)
}

/// The finding, in the words of its rule where it would quote a secret.
fn without_secrets(finding: Finding) -> Finding {
    let quoted = [&finding.message, &finding.help, finding.pointer.as_str()];
    if quoted.into_iter().any(shows_secret) { finding.in_rule_words() } else { finding }
}

impl ArtifactLine {
    pub(crate) fn new(action: Action, label: String, spec: &ArtifactSpec, digest: &Digest) -> Self {
        Self { action, label, kind: spec.kind, digest: Some(digest.to_string()) }
    }

    /// An answer of a registry that was kept and still holds.
    pub(crate) fn answer(label: String) -> Self {
        Self { action: Action::Checked, label, kind: "svc-registry-decision", digest: None }
    }

    /// A manifest that was looked at.
    pub(crate) fn manifest(label: String) -> Self {
        Self { action: Action::Checked, label, kind: manifest::FILE_NAME, digest: None }
    }
}

impl PackageLine {
    /// The package of a submission, with the stage that our own rules give it.
    pub(crate) fn of_submission(submission: &Checked<Submission>) -> Self {
        let basis = submission.basis();
        let package = basis.package();
        let files = &basis.package_artifact.files;
        let evaluated = submission.packages().first();
        let stage = evaluated.map_or(Stage::Blueprint, |package| package.stage().into());
        Self {
            id: package.id.to_string(),
            version: package.version.to_string(),
            files: files.len(),
            bytes: files.iter().map(|file| file.size.get()).sum(),
            digest: basis.digest(DescriptorName::PackageArtifact).map(ToString::to_string).unwrap_or_default(),
            reviewed: evaluated.map_or(ReviewDepth::WithoutFacts, |package| package.reviewed().into()),
            stage,
            next_stage: stage.next(),
        }
    }

    /// The same, of a package whose files this run hashed and read.
    pub(crate) fn read_here(self) -> Self {
        Self { reviewed: ReviewDepth::Read, ..self }
    }

    /// The package of a bundle, as the entry that it is in the bundle's index.
    pub(crate) fn of_bundle(bundle: &Bundle) -> Self {
        let package = Self::of_submission(&bundle.submission);
        let own = bundle.index.packages().iter().find(|entry| {
            let entry = entry.package();
            entry.id.as_str() == package.id && entry.version.as_str() == package.version
        });
        match own.map(|entry| Stage::from(entry.stage())) {
            Some(stage) => Self { stage, next_stage: stage.next(), ..package },
            None => package,
        }
    }
}

impl RunReport {
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> + Clone {
        self.documents.iter().flat_map(|document| &document.findings)
    }

    /// All findings with the documents they are about: the heaviest first, then as the documents come and as they read.
    pub(crate) fn located(&self) -> Vec<Located<'_>> {
        let documents = self.documents.iter();
        let mut located: Vec<Located<'_>> =
            documents.flat_map(|document| document.findings.iter().map(move |finding| (document, finding))).collect();
        located.sort_by_key(|(_, finding)| finding.severity());
        located
    }

    /// Drops every finding that does not fail the run.
    pub(crate) fn keep_failing(&mut self) {
        let deny = self.deny.clone();
        for document in &mut self.documents {
            document.findings.retain(|finding| finding.severity() == Severity::Error || deny.denies(finding));
        }
    }

    /// How many findings weigh this much, those that are not listed included.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        let classes = self.documents.iter().flat_map(|document| document.findings.classes());
        classes.filter(|(class, _)| class.severity == severity).map(|(_, count)| count).sum()
    }

    /// How many findings of each class are not listed: a document lists no more than anybody reads.
    pub(crate) fn unlisted(&self) -> impl Iterator<Item = (Class<'_>, usize)> {
        self.documents.iter().flat_map(|document| document.findings.unlisted())
    }

    /// Whether everything that was looked at holds.
    pub(crate) fn is_valid(&self) -> bool {
        self.exit_code() == ExitCode::Valid
    }

    /// What the statements of this run are based on, the least of them. `None` when it states nothing about a package.
    pub(crate) fn reviewed(&self) -> Option<ReviewDepth> {
        self.packages.iter().map(|package| package.reviewed).chain(self.scope.reviewed()).min()
    }

    /// Whether this run recomputed digests and found them equal.
    pub(crate) fn gates(&self) -> ReportedGates {
        let hashed = self.artifacts.iter().any(|line| line.digest.is_some());
        if hashed && self.is_valid() { ReportedGates::Evidenced } else { ReportedGates::Unevidenced }
    }

    /// The exit code that the findings ask for.
    pub(crate) fn exit_code(&self) -> ExitCode {
        let codes = self.documents.iter().map(|document| document.findings.exit_code());
        let worst = codes.fold(ExitCode::Valid, ExitCode::worse);
        let is_denied = self.findings().any(|finding| self.denies(finding))
            || self.unlisted().any(|(class, _)| self.deny.denies_class(&class));
        let worst = if is_denied { worst.worse(ExitCode::Findings) } else { worst };
        if self.stale.is_empty() { worst } else { worst.worse(ExitCode::Drift) }
    }

    /// Whether a finding fails the run only because that was asked for.
    pub(crate) fn denies(&self, finding: &Finding) -> bool {
        self.deny.denies(finding)
    }
}
