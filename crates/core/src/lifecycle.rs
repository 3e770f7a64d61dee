//! The lifecycle catalog and the one function that projects an entry onto a stage.
//!
//! Stages are cumulative: an entry stands at the highest stage whose own evidence and all lower evidence is in it. The
//! rules are data, shared with every other implementation. No label that claims a stage is ever read, and no evidence
//! form exists for the last stage, so nothing resolves to it: [`Reached`] has no value for it.

use schemars::JsonSchema;
use serde::Serialize;
use svc_json::{
    digest::Digest,
    tree::{Member, Node, Value},
};

use crate::{
    artifact::evaluated::EvaluatedPackage,
    closed::False,
    manifest::scalars::{DisplayName, Summary},
    package::descriptor::DescriptorName,
    scalar::{
        ident::{OwnerId, OwnerName, PackageId, Version},
        path::PackagePath,
    },
    words::{
        gate::{Clearer, Gate},
        stage::{Reached, Stage},
        verdict::Verdict,
        wire::WireScalar,
    },
};

/// The name of the catalog in every language.
pub const CATALOG_NAME: &str = "SDK_DISTRIBUTION_LIFECYCLE_CATALOG";

/// The catalog: every stage, lowest first.
pub static SDK_DISTRIBUTION_LIFECYCLE_CATALOG: &[Stage] = Stage::ALL;

/// One piece of evidence, looked up in a collection entry.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// Where it stands in the entry; for the last stage the gate it would take.
    pub pointer: &'static str,
    /// What makes it well formed.
    pub test: Test,
}

/// What makes a piece of evidence well formed.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// A text of this form.
    Form(&'static str, &'static str, fn(&Value<'_>) -> bool),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list that is not empty.
    NonEmptyList,
    /// The same text as at another place of the entry.
    SameAs(&'static str),
    /// Absent, or a list of blockers of which none names the author.
    NoAuthorBlocker,
    /// No form of evidence exists.
    NoneExists,
}

const fn form<T: WireScalar>(pointer: &'static str) -> Evidence {
    Evidence { pointer, test: Test::Form(T::SCALAR.name, T::SCALAR.pattern, T::SCALAR.accepts) }
}

const fn word(pointer: &'static str, words: &'static [&'static str]) -> Evidence {
    Evidence { pointer, test: Test::Word(words) }
}

const fn evidence(pointer: &'static str, test: Test) -> Evidence {
    Evidence { pointer, test }
}

/// The last stage would take every gate, and no evidence form exists for that.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which would refuse an index out of bounds")]
const EVERY_GATE: [Evidence; Gate::ALL.len()] = {
    let mut rows = [evidence("", Test::NoneExists); Gate::ALL.len()];
    let mut row = 0;
    while row < rows.len() {
        rows[row] = evidence(Gate::ALL[row].as_str(), Test::NoneExists);
        row += 1;
    }
    rows
};

/// The evidence that a stage adds to the stages below.
#[must_use]
pub const fn evidence_of(stage: Stage) -> &'static [Evidence] {
    match stage {
        Stage::Blueprint => &[],
        Stage::ShowcasePreview => SHOWCASE_PREVIEW,
        Stage::ReviewReport => REVIEW_REPORT,
        Stage::CollectionEntry => COLLECTION_ENTRY,
        Stage::SignedPackage => &EVERY_GATE,
    }
}

const SHOWCASE_PREVIEW: &[Evidence] = &[
    form::<PackageId>("/submission/packageArtifact/manifest/id"),
    form::<Version>("/submission/packageArtifact/manifest/version"),
    form::<DisplayName>("/submission/packageArtifact/manifest/name"),
    form::<Summary>("/submission/packageArtifact/manifest/summary"),
    form::<PackagePath>("/submission/packageArtifact/manifest/icons/0/src"),
    evidence("/submission/blockers", Test::NoAuthorBlocker),
];

const REVIEW_REPORT: &[Evidence] = &[
    word("/submission/reviewReport/verdict", Verdict::WORDS),
    evidence("/submission/reviewReport/checks", Test::NonEmptyList),
    evidence("/submission/blockers", Test::NonEmptyList),
    word("/submission/artifactDigests/0/name", const { &[DescriptorName::Manifest.as_str()] }),
    form::<Digest>("/submission/artifactDigests/0/digest"),
    word("/submission/artifactDigests/1/name", const { &[DescriptorName::PackageArtifact.as_str()] }),
    form::<Digest>("/submission/artifactDigests/1/digest"),
    word("/submission/artifactDigests/2/name", const { &[DescriptorName::ReviewReport.as_str()] }),
    form::<Digest>("/submission/artifactDigests/2/digest"),
];

const COLLECTION_ENTRY: &[Evidence] = &[
    word("/scope/type", crate::artifact::index::ScopeType::WORDS),
    form::<OwnerId>("/scope/id"),
    form::<OwnerId>("/submission/owner/id"),
    form::<OwnerName>("/submission/owner/name"),
    word("/submission/visibility", crate::artifact::head::Visibility::WORDS),
    form::<Digest>("/submissionDigest"),
    evidence("/submissionDigest", Test::SameAs("/submission/documentDigest")),
];

/// Where an entry stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resolution {
    /// Never installable.
    pub installable: False,
    /// The stage's name for people.
    pub label: &'static str,
    /// What the stage means.
    pub meaning: &'static str,
    /// The evidence that the next stage lacks.
    pub missing_evidence: Vec<&'static str>,
    /// The next stage. There always is one.
    pub next_stage: Stage,
    /// The stage.
    pub stage: Reached,
}

/// Projects a collection entry onto a stage. Presence, form and agreement are looked at; hashing is the checker's work.
#[must_use]
pub fn resolve_stage(entry: &Node<'_>) -> Resolution {
    let complete = |stage: &Reached| missing(entry, Stage::from(*stage)).is_empty();
    let reached = Reached::ALL.iter().copied().take_while(complete).last().unwrap_or(Reached::Blueprint);
    let stage = Stage::from(reached);
    let next_stage = stage.next();
    Resolution {
        installable: False,
        label: stage.spec().label,
        meaning: stage.spec().meaning,
        missing_evidence: missing(entry, next_stage),
        next_stage,
        stage: reached,
    }
}

fn missing(entry: &Node<'_>, stage: Stage) -> Vec<&'static str> {
    let lacking = evidence_of(stage).iter().filter(|evidence| !is_there(entry, evidence));
    let mut pointers: Vec<&'static str> = lacking.map(|evidence| evidence.pointer).collect();
    pointers.dedup();
    pointers
}

fn is_there(entry: &Node<'_>, evidence: &Evidence) -> bool {
    let at = |pointer| entry.at_text(pointer);
    let found = at(evidence.pointer);
    match evidence.test {
        Test::Form(_, _, accepts) => found.is_some_and(|node| accepts(&node.value)),
        Test::Word(words) => found.and_then(Node::as_str).is_some_and(|text| words.contains(&text)),
        Test::NonEmptyList => found.is_some_and(|node| !node.elements().is_empty()),
        Test::SameAs(other) => {
            let text = found.and_then(Node::as_str);
            text.is_some() && text == at(other).and_then(Node::as_str)
        }
        Test::NoAuthorBlocker => found.is_none_or(names_no_author),
        Test::NoneExists => false,
    }
}

fn names_no_author(blockers: &Node<'_>) -> bool {
    let Value::Array(blockers) = &blockers.value else { return false };
    blockers.iter().all(|blocker| {
        let owner = blocker.get("owner").and_then(Node::as_str).and_then(Clearer::parse);
        owner.is_some_and(|owner| owner != Clearer::Author)
    })
}

/// Projects an entry whose submission was checked: what blocks it is what our own rules found, whatever it declares.
#[must_use]
pub fn resolve_checked(entry: &Node<'_>, evaluated: &EvaluatedPackage) -> Resolution {
    let mut entry = entry.clone();
    if let Some(submission) = entry.member_mut("submission")
        && let Some(blockers) = submission.member_mut("blockers")
    {
        let span = blockers.span;
        let text = |text: &'static str| Node { value: Value::String(text.into()), span };
        let own = evaluated.blockers().iter().map(|blocker| wrapped("owner", text(blocker.owner.as_str())));
        blockers.value = Value::Array(own.collect());
    }
    resolve_stage(&entry)
}

/// A submission seen as the entry it could become.
#[must_use]
pub fn entry_of_submission<'a>(submission: &Node<'a>) -> Node<'a> {
    wrapped("submission", submission.clone())
}

/// A manifest seen as the draft of an entry.
#[must_use]
pub fn entry_of_manifest<'a>(manifest: &Node<'a>) -> Node<'a> {
    let package = wrapped("packageArtifact", wrapped("manifest", manifest.clone()));
    wrapped("submission", package)
}

fn wrapped<'a>(name: &'static str, node: Node<'a>) -> Node<'a> {
    let span = node.span;
    Node { value: Value::Object(vec![Member { key: name.into(), key_span: span, value: node }]), span }
}
