//! What a run checked, what it did not check and why. Every summary of every command gets these words from here.
//!
//! The words are closed lists: a command can name a part, it cannot phrase what it did.

mod why;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use svc_core::words::rule_code::RuleCode;
use svc_core::{
    artifact::checked::ReviewedPackage,
    diagnostics::{NotChecked, RunScope, ScopePart},
    findings::Findings,
    pack::Walked,
    words::review_depth::{ClaimedDepth, ReviewDepth},
};

use crate::rules::rules;

pub use self::why::Why;

/// The parts of a run.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    checked: BTreeSet<ScopePart>,
    not_checked: BTreeMap<ScopePart, Why>,
    /// What statements about packages are based on. `None` when the run states nothing about any.
    reviewed: Option<ReviewDepth>,
    /// Whether statements about some documents are based on more than those about others.
    is_mixed: bool,
}

impl Scope {
    /// What was looked at of a log, each part with the reason where it was not checked.
    pub fn of_log<const N: usize>(parts: [(ScopePart, Option<Why>); N]) -> Self {
        let mut scope = Self::default();
        for (part, why) in parts {
            match why {
                Some(why) => scope.skip(part, why),
                None => scope.check(part),
            }
        }
        scope
    }

    /// A package folder: its manifest was read here, and every file if the walk came to its end.
    pub fn of_package(walked: &Walked) -> Self {
        let mut scope = Self::of_broken_manifest();
        let has_files = walked.files.as_ref().is_some_and(|files| !files.is_empty());
        if has_files && !walked.findings.has_errors() {
            scope.read_package();
        }
        scope
    }

    /// Files that were hashed, and whose code could not be read to its end, are not called read.
    pub fn note_unread(&mut self, findings: &Findings) {
        if findings.classes().any(|(class, _)| class.rule.is(RuleCode::F020))
            && self.checked.contains(&ScopePart::PackageFiles)
        {
            self.skip(ScopePart::PackageFiles, Why::Unread);
        }
    }

    /// The report was made with other rules, so it was not compared with what those of this build give.
    #[must_use]
    pub fn with_rules_of(mut self, has_own_rules: bool) -> Self {
        if !has_own_rules {
            self.skip(ScopePart::DeclaredReport, Why::OtherRules);
        }
        self
    }

    /// An entry of a collection, by what its stage is based on.
    pub fn of_entry(reviewed: ClaimedDepth) -> Self {
        match reviewed {
            ClaimedDepth::AsClaimed => {
                let mut scope = Self::of_parts([ScopePart::ArtifactShape, ScopePart::ArtifactDigests]);
                scope.set_reviewed(ReviewDepth::AsClaimed);
                scope.of_one_artifact()
            }
            ClaimedDepth::WithoutFacts => Self::of_manifest(),
        }
    }

    /// A manifest by itself.
    pub fn of_manifest() -> Self {
        let scope = Self::of_parts([ScopePart::Manifest]);
        scope
            .without(ScopePart::PackageFiles, Why::NotByThisCommand)
            .without(ScopePart::Review, Why::NotByThisCommand)
            .without(ScopePart::Maker, Why::NoDigestShowsIt)
    }

    /// A folder of which only paths were compared with the patterns of the manifest.
    pub fn of_file_list() -> Self {
        [ScopePart::Manifest, ScopePart::PackageFiles, ScopePart::Review]
            .into_iter()
            .fold(Self::default(), |scope, part| scope.without(part, Why::OnlyPatterns))
            .without(ScopePart::Maker, Why::NoDigestShowsIt)
    }

    /// A manifest that cannot be read.
    pub fn of_broken_manifest() -> Self {
        Self::of_manifest()
            .without(ScopePart::PackageFiles, Why::FailedBefore)
            .without(ScopePart::Review, Why::FailedBefore)
    }

    /// A whole bundle, of which no package file was read.
    pub fn of_bundle() -> Self {
        let mut scope = Self::of_parts([ScopePart::ArtifactShape, ScopePart::ArtifactDigests, ScopePart::Chain]);
        scope.set_reviewed(ReviewDepth::AsClaimed);
        scope
            .without(ScopePart::PackageFiles, Why::NotByThisCommand)
            .without(ScopePart::KeptAnswers, Why::NotByThisCommand)
            .without(ScopePart::Maker, Why::NoDigestShowsIt)
    }

    /// A bundle of which nothing was looked at: open claims next to it came first.
    pub fn of_open_claims() -> Self {
        [ScopePart::ArtifactShape, ScopePart::ArtifactDigests, ScopePart::Chain, ScopePart::PackageFiles]
            .into_iter()
            .chain([ScopePart::Review, ScopePart::ExpectedDigest, ScopePart::KeptAnswers])
            .fold(Self::default(), |scope, part| scope.without(part, Why::FailedBefore))
            .without(ScopePart::Maker, Why::NoDigestShowsIt)
    }

    /// A bundle of which an edge is broken: its review says nothing.
    pub fn of_broken_chain() -> Self {
        let mut scope = Self::of_bundle();
        scope.skip(ScopePart::Review, Why::FailedBefore);
        scope
    }

    /// A bundle of which files are broken or missing: what they make together was not looked at.
    pub fn of_broken_files(are_all_there: bool) -> Self {
        let mut scope = Self::of_broken_chain();
        for part in [ScopePart::ArtifactDigests, ScopePart::Chain] {
            scope.skip(part, Why::FailedBefore);
        }
        if !are_all_there {
            scope.skip(ScopePart::ArtifactShape, Why::Missing);
        }
        scope
    }

    /// A run that stopped before it could say what it checked.
    pub fn of_stop() -> Self {
        Self::default().without(ScopePart::Everything, Why::Stopped)
    }

    /// One artifact, by the packages that it is about.
    pub fn of_artifact(packages: &[ReviewedPackage]) -> Self {
        let mut scope = Self::of_parts([ScopePart::ArtifactShape, ScopePart::ArtifactDigests]);
        let lacks_facts = packages.iter().any(|one| one.reviewed() == ClaimedDepth::WithoutFacts);
        if lacks_facts || packages.is_empty() {
            scope.skip(ScopePart::Review, Why::NoReport);
        } else {
            scope.set_reviewed(ReviewDepth::AsClaimed);
        }
        scope.of_one_artifact()
    }

    /// An artifact that does not pass.
    pub fn of_broken_artifact() -> Self {
        Self::of_parts([ScopePart::ArtifactShape])
            .without(ScopePart::ArtifactDigests, Why::FailedBefore)
            .without(ScopePart::Review, Why::FailedBefore)
            .of_one_artifact()
    }

    fn of_one_artifact(self) -> Self {
        self.without(ScopePart::Chain, Why::OneArtifactAlone)
            .without(ScopePart::PackageFiles, Why::NotByThisCommand)
            .without(ScopePart::Maker, Why::NoDigestShowsIt)
    }

    fn of_parts<const N: usize>(parts: [ScopePart; N]) -> Self {
        Self { checked: parts.into_iter().collect(), ..Self::default() }
    }

    fn without(mut self, part: ScopePart, why: Why) -> Self {
        self.skip(part, why);
        self
    }

    fn set_reviewed(&mut self, depth: ReviewDepth) {
        self.check(ScopePart::Review);
        self.reviewed = Some(depth);
    }

    /// The part was checked after all.
    pub fn check(&mut self, part: ScopePart) {
        self.not_checked.remove(&part);
        self.checked.insert(part);
    }

    /// The part was not checked.
    pub fn skip(&mut self, part: ScopePart, why: Why) {
        self.checked.remove(&part);
        self.not_checked.insert(part, why);
        if part == ScopePart::Review {
            let has_no_facts = matches!(why, Why::NoReport | Why::NotByThisCommand);
            self.reviewed = has_no_facts.then_some(ReviewDepth::WithoutFacts);
        }
    }

    /// Files of the folder are not files of the package.
    pub fn note_left_out(&mut self) {
        self.skip(ScopePart::LeftOutFiles, Why::LeftOut);
    }

    /// Something else lies in the folder of the bundle.
    pub fn note_other_files(&mut self) {
        self.skip(ScopePart::OtherFiles, Why::NoPartOfIt);
    }

    /// The files of the package were hashed and read here, and the review with them.
    pub fn read_package(&mut self) {
        self.check(ScopePart::PackageFiles);
        self.set_reviewed(ReviewDepth::Read);
    }

    /// Adds what another document of the same run had: a part counts as checked only if it was checked for all of them.
    pub fn add(&mut self, other: Self) {
        if self.checked.is_empty() && self.not_checked.is_empty() {
            *self = other;
            return;
        }
        let known = |scope: &Self| -> BTreeSet<ScopePart> {
            scope.checked.iter().copied().chain(scope.not_checked.keys().copied()).collect()
        };
        let all: BTreeSet<ScopePart> = known(self).union(&known(&other)).copied().collect();
        self.is_mixed |= other.is_mixed || self.reviewed != other.reviewed;
        let reviewed = self.reviewed.zip(other.reviewed).map(|(one, two)| one.min(two));
        for part in all {
            if self.checked.contains(&part) && other.checked.contains(&part) {
                continue;
            }
            let same = self.not_checked.get(&part).filter(|why| other.not_checked.get(&part) == Some(why)).copied();
            self.skip(part, same.unwrap_or(Why::NotForAll));
        }
        self.reviewed = reviewed;
    }

    /// What statements about packages are based on, the least of them.
    pub const fn reviewed(&self) -> Option<ReviewDepth> {
        self.reviewed
    }

    /// What a depth means in this run.
    pub fn meaning(&self, depth: ReviewDepth) -> &'static str {
        match depth {
            ReviewDepth::Read if self.has_unread() => {
                "the package files were hashed in this run, and reviewed but for those that SVC-F020 names"
            }
            ReviewDepth::WithoutFacts if self.is_mixed => {
                "at least one document carries no report; the word for the least of them counts"
            }
            ReviewDepth::Read | ReviewDepth::AsClaimed | ReviewDepth::WithoutFacts => depth.meaning(),
        }
    }

    /// Whether files were hashed whose code was not read to its end.
    pub fn has_unread(&self) -> bool {
        self.not_checked.get(&ScopePart::PackageFiles) == Some(&Why::Unread)
    }

    pub fn is_empty(&self) -> bool {
        self.checked.is_empty() && self.not_checked.is_empty()
    }

    /// For machines.
    pub fn to_report(&self) -> RunScope<'static> {
        RunScope {
            build: env!("CARGO_PKG_VERSION"),
            checked: self.checked.iter().copied().collect(),
            not_checked: self
                .not_checked
                .iter()
                .map(|(what, why)| NotChecked { what: *what, why: why.words() })
                .collect(),
            reviewed: self.reviewed,
            ruleset: rules().ruleset(),
        }
    }

    /// For people, a line for each.
    pub fn in_lines(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut text = format!("Checked   {}\n", self.checked_in_words());
        for (part, why) in &self.not_checked {
            let _ = writeln!(text, "Not       {}: {}", words(*part), why.words());
        }
        let _ = writeln!(text, "By        {}", Self::by());
        text
    }

    /// On one line.
    pub fn in_one_line(&self) -> String {
        let not: Vec<&str> = self.not_checked.keys().map(|part| part.as_str()).collect();
        let not = if not.is_empty() { "nothing".to_owned() } else { not.join(", ") };
        let checked: Vec<String> = self.checked.iter().map(|part| self.word(*part)).collect();
        let checked = if checked.is_empty() { "nothing".to_owned() } else { checked.join(", ") };
        format!("checked: {checked}; not checked: {not}; by {}", Self::by())
    }

    fn checked_in_words(&self) -> String {
        let checked: Vec<String> = self
            .checked
            .iter()
            .map(|part| match (part, self.reviewed) {
                (ScopePart::Review, Some(ReviewDepth::AsClaimed)) => {
                    "review (as claimed: recomputed from the report, not from package files)".to_owned()
                }
                (ScopePart::Review, Some(ReviewDepth::Read)) if self.has_unread() => {
                    "review (read: files hashed here, and read but for those of SVC-F020)".to_owned()
                }
                (ScopePart::Review, Some(ReviewDepth::Read)) => "review (read: files hashed and read here)".to_owned(),
                _ => words(*part).to_owned(),
            })
            .collect();
        match checked.as_slice() {
            [] if self.not_checked.values().any(|why| *why == Why::NotForAll) => {
                "nothing for every document".to_owned()
            }
            [] => "nothing".to_owned(),
            checked => checked.join(", "),
        }
    }

    fn word(&self, part: ScopePart) -> String {
        match self.reviewed.filter(|_| part == ScopePart::Review) {
            Some(ReviewDepth::Read) if self.has_unread() => format!("{part} (read but for those of SVC-F020)"),
            Some(depth) => format!("{part} ({depth})"),
            None => part.to_string(),
        }
    }

    /// The build and its rules.
    pub fn by() -> String {
        let own = rules().ruleset();
        format!("svc {}, rules {} {}", env!("CARGO_PKG_VERSION"), own.version, own.digest)
    }
}

const fn words(part: ScopePart) -> &'static str {
    match part {
        ScopePart::Manifest => "manifest",
        ScopePart::PackageFiles => "package files",
        ScopePart::ArtifactShape => "artifact shape",
        ScopePart::ArtifactDigests => "artifact digests",
        ScopePart::Chain => "chain",
        ScopePart::Review => "review",
        ScopePart::CollectionIndex => "collection index",
        ScopePart::BundleOnDisk => "bundle on disk",
        ScopePart::ExpectedDigest => "expected digest",
        ScopePart::KeptAnswers => "kept registry answers",
        ScopePart::LogKey => "public key of the log",
        ScopePart::OtherFiles => "other files in the folder",
        ScopePart::LeftOutFiles => "files that are left out",
        ScopePart::Everything => "everything",
        ScopePart::Maker => "who made it",
        ScopePart::DeclaredReport => "report as it was made",
        ScopePart::Receipt => "receipt",
        ScopePart::Answer => "answer",
        ScopePart::Decisions => "decisions",
        ScopePart::Records => "records",
        ScopePart::LogTree => "tree and signed states",
        ScopePart::LogGrowth => "growth from an earlier state",
        ScopePart::Cosignatures => "witnesses",
        ScopePart::Evidence => "evidence",
    }
}

#[cfg(test)]
mod tests {
    use svc_core::{
        package::artifact::FileEntry,
        scalar::{path::PackagePath, size::Size},
    };
    use svc_json::digest::Digest;

    use super::*;

    fn walked() -> Walked {
        let file = FileEntry::new(PackagePath::parse("a.js").unwrap(), Size::new(1).unwrap(), Digest::of(b"a"));
        Walked { files: Some(vec![file]), ..Walked::default() }
    }

    #[test]
    fn a_part_counts_only_if_it_was_checked_for_every_document() {
        let mut scope = Scope::of_package(&walked());
        scope.add(Scope::of_bundle());
        let report = scope.to_report();
        assert_eq!(report.checked, [ScopePart::Review]);
        assert_eq!(report.reviewed, Some(ReviewDepth::AsClaimed), "the weaker word counts");
        assert!(report.not_checked.iter().any(|one| one.what == ScopePart::PackageFiles));
    }

    #[test]
    fn nobody_is_ever_shown_to_have_made_it() {
        for scope in
            [Scope::of_package(&walked()), Scope::of_manifest(), Scope::of_bundle(), Scope::of_broken_artifact()]
        {
            assert!(scope.not_checked.contains_key(&ScopePart::Maker));
        }
    }

    #[test]
    fn a_review_that_failed_has_no_depth() {
        let mut scope = Scope::of_bundle();
        assert_eq!(scope.reviewed, Some(ReviewDepth::AsClaimed));
        scope.read_package();
        assert_eq!(scope.reviewed, Some(ReviewDepth::Read));
        scope.skip(ScopePart::Review, Why::FailedBefore);
        assert_eq!(scope.reviewed, None);
        assert_eq!(Scope::of_package(&Walked::default()).reviewed, None, "the walk stopped");
    }
}
