//! The lifecycle catalog and the one function that projects an entry onto a stage.
//!
//! Stages are cumulative: an entry stands at the highest stage whose own evidence and all lower evidence is in it. The
//! rules are data, shared with every other implementation. No label that claims a stage is ever read, and no evidence
//! form exists for the last stage, so nothing resolves to it: [`Reached`] has no value for it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    decision::EvaluatedPackage,
    digest::Digest,
    fail_closed::False,
    gate::{Clearer, Gate},
    ident::{OwnerId, OwnerName, PackageId, Version},
    leaf::IsLeaf,
    manifest::forms::{DisplayName, Summary},
    package::DescriptorName,
    path::PackagePath,
    review::Verdict,
    rules::artifacts,
    strict_json::tree::{Member, Node, Value},
    words,
};

/// The name of the catalog in every language.
pub const CATALOG_NAME: &str = "SDK_DISTRIBUTION_LIFECYCLE_CATALOG";

/// The catalog: every stage, lowest first.
pub static SDK_DISTRIBUTION_LIFECYCLE_CATALOG: &[Stage] = Stage::ALL;

/// The facts of one stage.
#[derive(Clone, Copy, Debug)]
pub struct StageSpec {
    /// The name for people.
    pub label: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// The evidence it adds to the stages below.
    pub evidence: &'static [Evidence],
}

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

const fn form<T: IsLeaf>(pointer: &'static str) -> Evidence {
    Evidence { pointer, test: Test::Form(T::LEAF.name, T::LEAF.pattern, T::LEAF.accepts) }
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

macro_rules! stages {
    (
        reachable { $($variant:ident = $id:literal, $label:literal, $meaning:literal, $evidence:expr;)+ }
        unreachable { $last:ident = $last_id:literal, $last_label:literal, $last_meaning:literal, $last_evidence:expr; }
    ) => {
        words! {
            /// A stage of the catalog.
            pub enum Stage("stage", artifacts::B015) {
                $(#[doc = $meaning] $variant = $id,)+
                #[doc = $last_meaning]
                $last = $last_id,
            }
        }

        words! {
            /// A stage that an entry can reach.
            pub enum Reached("reached-stage", artifacts::B006) {
                $(#[doc = $meaning] $variant = $id,)+
            }
        }

        impl From<Reached> for Stage {
            fn from(reached: Reached) -> Self {
                match reached { $(Reached::$variant => Self::$variant,)+ }
            }
        }

        impl Stage {
            /// The stage's row.
            #[must_use]
            pub const fn spec(self) -> StageSpec {
                match self {
                    $(Self::$variant => StageSpec { label: $label, meaning: $meaning, evidence: const { $evidence } },)+
                    Self::$last => StageSpec {
                        label: $last_label, meaning: $last_meaning, evidence: const { $last_evidence },
                    },
                }
            }
        }
    };
}

stages! {
    reachable {
        Blueprint = "blueprint", "Blueprint", "Draft app source.", &[];
        ShowcasePreview = "showcase-preview", "Showcase preview", "Discoverable metadata; preview only.", &[
            form::<PackageId>("/submission/packageArtifact/manifest/id"),
            form::<Version>("/submission/packageArtifact/manifest/version"),
            form::<DisplayName>("/submission/packageArtifact/manifest/name"),
            form::<Summary>("/submission/packageArtifact/manifest/summary"),
            form::<PackagePath>("/submission/packageArtifact/manifest/icons/0/src"),
            evidence("/submission/blockers", Test::NoAuthorBlocker),
        ];
        ReviewReport = "review-report", "Review report", "Validation evidence and remaining blockers.", &[
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
        CollectionEntry = "collection-entry", "Collection entry", "Listing scoped to a user or to a space.", &[
            word("/scope/type", crate::artifact::index::ScopeType::WORDS),
            form::<OwnerId>("/scope/id"),
            form::<OwnerId>("/submission/owner/id"),
            form::<OwnerName>("/submission/owner/name"),
            word("/submission/visibility", crate::artifact::head::Visibility::WORDS),
            form::<Digest>("/submissionDigest"),
            evidence("/submissionDigest", Test::SameAs("/submission/documentDigest")),
        ];
    }
    unreachable {
        SignedPackage = "signed-package", "Signed package", "Installable only when host policy allows it.", &EVERY_GATE;
    }
}

impl Stage {
    /// The stage above; the last one is above itself.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL.iter().copied().find(|next| *next > self).unwrap_or(Self::SignedPackage)
    }
}

impl Reached {
    /// The stage of a checked submission as an entry of a checked index, which adds the scope and the agreeing digest.
    pub(crate) const fn in_collection(self) -> Self {
        match self {
            Self::ReviewReport => Self::CollectionEntry,
            // A hole below caps the stage.
            Self::Blueprint | Self::ShowcasePreview | Self::CollectionEntry => self,
        }
    }
}

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
    let lacking = stage.spec().evidence.iter().filter(|evidence| !is_there(entry, evidence));
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
