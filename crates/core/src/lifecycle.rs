//! The lifecycle catalog and the one function that tells where an entry stands.
//!
//! A stage follows from evidence that was checked here, and from nothing else: no label that claims a stage is ever read.
//! What is missing is not there yet; what is there and does not hold puts the whole entry on the floor. No evidence form
//! exists for the last stage, so nothing resolves to it: [`Reached`] has no value for it.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;
use svc_json::{
    pointer::Pointer,
    tree::{self, Node},
};

use crate::{
    artifact::{
        checked::{Checked, ReviewedPackage},
        index::IndexEntry,
        submission::Submission,
    },
    closed::False,
    explain::{form::Form, shape},
    finding::{Finding, has_errors},
    gates::{Evidenced, HashStanding as _, Unevidenced},
    pack, read,
    rules::{artifacts, manifest, package::Package, run, syntax},
    scalar::any_rule_code::AnyRuleCode,
    schema,
    words::{
        gate::{Clearer, Gate},
        review_depth::ClaimedDepth,
        severity::Severity,
        stage::{Reached, Stage},
    },
};

/// The name of the catalog in every language.
pub const CATALOG_NAME: &str = "SDK_DISTRIBUTION_LIFECYCLE_CATALOG";

/// The catalog: every stage, lowest first.
pub static SDK_DISTRIBUTION_LIFECYCLE_CATALOG: &[Stage] = Stage::ALL;

/// What a stage asks of a part of an entry, for people: the checks themselves are code.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The part.
    pub pointer: &'static str,
    /// What must hold of it.
    pub holds: &'static str,
}

/// The evidence that a stage adds to the stages below. The last one would take gates that no evidence clears.
#[must_use]
pub const fn evidence_of(stage: Stage) -> &'static [Evidence] {
    match stage {
        Stage::Blueprint | Stage::SignedPackage => &[],
        Stage::ShowcasePreview => &[
            Evidence {
                pointer: "/submission/packageArtifact/manifest",
                holds: "it has its form, with a name and a summary, and breaks no rule that needs the manifest alone",
            },
            Evidence { pointer: "/submission/packageArtifact/manifest/icons", holds: "it names an icon" },
        ],
        Stage::ReviewReport => &[Evidence {
            pointer: "/submission",
            holds: "every digest recomputes, and the report is the one that the rules give",
        }],
        Stage::CollectionEntry => &[
            Evidence { pointer: "/scope", holds: "it names a user or a space" },
            Evidence { pointer: "/submissionDigest", holds: "it is the digest of the submission" },
            Evidence { pointer: "/submission", holds: "our rules find nothing that its author must correct" },
        ],
    }
}

/// Where an entry stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resolution {
    /// The rules that a part of the entry breaks. It then stands on the floor.
    pub broken_rules: Vec<AnyRuleCode>,
    /// Never installable.
    pub installable: False,
    /// The stage's name for people.
    pub label: &'static str,
    /// What the stage means.
    pub meaning: &'static str,
    /// The gates that are missing: the artifact hash too, unless digests were recomputed and match.
    pub missing_gates: Vec<Gate>,
    /// The next stage. There always is one.
    pub next_stage: Stage,
    /// What the next stage takes, in words for people.
    pub next_steps: Vec<String>,
    /// What the stage is based on. No file of a package was seen.
    pub reviewed: ClaimedDepth,
    /// The stage.
    pub stage: Reached,
}

/// Where an entry stands, and what is wrong with it when a part of it does not hold.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub resolution: Resolution,
    pub findings: Vec<Finding>,
}

/// Tells where a collection entry stands, from its bytes. It may lack any part.
#[must_use]
pub fn resolve_stage(entry: &[u8]) -> Resolved {
    Standing::of_entry(entry).unwrap_or_else(Standing::Broken).resolve()
}

/// Tells where a manifest stands by itself.
#[must_use]
pub fn resolve_manifest(bytes: &[u8]) -> Resolved {
    Standing::of_manifest(bytes).unwrap_or_else(Standing::Broken).resolve()
}

/// Tells where a package of a checked submission or index stands.
#[must_use]
pub fn resolve_checked(package: &ReviewedPackage) -> Resolved {
    let is_entry = package.stage() == Reached::CollectionEntry;
    Standing::Submission { blockers: kept_out_by(package), is_entry, reviewed: package.reviewed() }.resolve()
}

/// How much of an entry is there and holds.
enum Standing {
    /// A part is there and does not hold.
    Broken(Vec<Finding>),
    NoManifest,
    PartOfManifest,
    NoIcon,
    Manifest,
    /// A whole submission that holds, as an entry or by itself.
    Submission {
        blockers: Vec<(Clearer, AnyRuleCode)>,
        is_entry: bool,
        reviewed: ClaimedDepth,
    },
}

const SUBMISSION: &str = "/submission";
const MANIFEST: &str = "/submission/packageArtifact/manifest";

impl Standing {
    fn of_entry(bytes: &[u8]) -> Result<Self, Vec<Finding>> {
        let document = tree::read(bytes).map_err(|faults| faults.iter().map(syntax::finding).collect::<Vec<_>>())?;
        if !document.faults.is_empty() {
            return Err(document.faults.iter().map(syntax::finding).collect());
        }
        static FORM: LazyLock<Form> = LazyLock::new(|| Form::of(&schema::of::<IndexEntry>("", "entry")));
        let found = shape::explain(document.text, &FORM, &shape::ARTIFACT);
        let (missing, wrong): (Vec<Finding>, Vec<Finding>) =
            found.into_iter().partition(|finding| finding.rule == &artifacts::B014);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        // A part is whole when nothing is missing inside it, and it is not missing itself.
        let whole = |place: &str| {
            let lacks = |finding: &Finding| {
                let rest = finding.pointer.as_str().strip_prefix(place);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let node = document.root.at_text(place).filter(|_| !missing.iter().any(lacks))?;
            bytes.get(node.span.start..node.span.end)
        };
        if let Some(submission) = whole(SUBMISSION) {
            return Self::of_submission(submission, &document.root, missing.is_empty());
        }
        match (whole(MANIFEST), document.root.at_text(MANIFEST)) {
            (Some(manifest), _) => Self::of_manifest(manifest).map_err(|findings| placed(MANIFEST, findings)),
            (None, Some(_)) => Ok(Self::PartOfManifest),
            (None, None) => Ok(Self::NoManifest),
        }
    }

    fn of_submission(bytes: &[u8], entry: &Node<'_>, is_whole: bool) -> Result<Self, Vec<Finding>> {
        let submission: Checked<Submission> = read::artifact(bytes).map_err(|findings| placed(SUBMISSION, findings))?;
        let declared = entry.get("submissionDigest").and_then(Node::as_str);
        if declared.is_some_and(|declared| declared != submission.digest_matches().digest().to_string()) {
            let place = Pointer::from_text("/submissionDigest");
            let message = "the submission's digest does not recompute";
            return Err(vec![Finding::new(&artifacts::B003, message).at(place)]);
        }
        let blockers: Vec<(Clearer, AnyRuleCode)> = submission.packages().iter().flat_map(kept_out_by).collect();
        let reviewed = submission.packages().iter().map(|package| package.reviewed()).min();
        let reviewed = reviewed.unwrap_or(ClaimedDepth::WithoutFacts);
        Ok(Self::Submission { is_entry: is_whole && blockers.is_empty(), blockers, reviewed })
    }

    fn of_manifest(bytes: &[u8]) -> Result<Self, Vec<Finding>> {
        let draft = pack::read_manifest(bytes)?;
        let (missing, wrong): (Vec<&Finding>, Vec<&Finding>) =
            draft.shape_findings().iter().partition(|finding| finding.rule == &manifest::M001);
        if !wrong.is_empty() {
            return Err(wrong.into_iter().cloned().collect());
        }
        let mut findings = run::findings(&Package::of_manifest(draft.root()));
        findings.retain(|finding| finding.severity() == Severity::Error);
        let has_icon = draft.root().get("icons").is_some_and(|icons| !icons.elements().is_empty());
        match (missing.is_empty(), has_icon) {
            _ if has_errors(&findings) => Err(findings),
            (true, true) => Ok(Self::Manifest),
            (true, false) => Ok(Self::NoIcon),
            (false, _) => Ok(Self::PartOfManifest),
        }
    }

    fn stage(&self) -> Reached {
        match self {
            Self::Broken(_) | Self::NoManifest | Self::PartOfManifest | Self::NoIcon => Reached::Blueprint,
            Self::Manifest => Reached::ShowcasePreview,
            Self::Submission { is_entry: false, .. } => Reached::ReviewReport,
            Self::Submission { is_entry: true, .. } => Reached::CollectionEntry,
        }
    }

    /// Which gates are missing, and what the stage is based on: no digest was recomputed of less than a submission.
    fn basis(&self) -> (Vec<Gate>, ClaimedDepth) {
        match self {
            Self::Broken(_) | Self::NoManifest | Self::PartOfManifest | Self::NoIcon | Self::Manifest => {
                (Unevidenced::missing(), ClaimedDepth::WithoutFacts)
            }
            Self::Submission { reviewed, .. } => (Evidenced::missing(), *reviewed),
        }
    }

    /// What the next stage takes.
    fn next_steps(&self) -> Vec<String> {
        match self {
            Self::Broken(findings) => vec![format!("correct what does not hold: {}", listed(&codes(findings)))],
            Self::NoManifest => vec!["write a manifest: run `svc app init`".to_owned()],
            Self::PartOfManifest => vec!["complete the manifest: `svc app validate` names what is missing".to_owned()],
            Self::NoIcon => vec!["name an icon in the manifest".to_owned()],
            Self::Manifest => vec!["make the submission: run `svc app pack`".to_owned()],
            Self::Submission { is_entry: true, .. } => vec!["no evidence clears the missing gates".to_owned()],
            Self::Submission { blockers, .. } => {
                let of = |clearer: Clearer| -> Vec<AnyRuleCode> {
                    blockers.iter().filter(|(owner, _)| *owner == clearer).map(|(_, code)| *code).collect()
                };
                match (of(Clearer::Author).as_slice(), of(Clearer::Registry).as_slice()) {
                    ([], []) => vec!["put it into a collection: run `svc app registry`".to_owned()],
                    ([], asked) => vec![format!("a reviewer has to look at exceptions: {}", listed(asked))],
                    ([one], _) => vec![format!("one blocker is yours: {}", one.as_str())],
                    (more, _) => vec![format!("{} blockers are yours: {}", more.len(), listed(more))],
                }
            }
        }
    }

    fn resolve(self) -> Resolved {
        let reached = self.stage();
        let stage = Stage::from(reached);
        let (missing_gates, reviewed) = self.basis();
        let next_steps = self.next_steps();
        let findings = if let Self::Broken(findings) = self { findings } else { Vec::new() };
        let resolution = Resolution {
            broken_rules: codes(&findings),
            installable: False,
            label: stage.spec().label,
            meaning: stage.spec().meaning,
            missing_gates,
            next_stage: stage.next(),
            next_steps,
            reviewed,
            stage: reached,
        };
        Resolved { resolution, findings }
    }
}

/// What keeps a package out of every collection, and who can clear it.
fn kept_out_by(package: &ReviewedPackage) -> Vec<(Clearer, AnyRuleCode)> {
    let keeping = package.blockers().iter().filter(|blocker| blocker.keeps_out());
    keeping.filter_map(|blocker| Some((blocker.owner, AnyRuleCode::parse(blocker.code.as_str())?))).collect()
}

fn placed(place: &str, findings: Vec<Finding>) -> Vec<Finding> {
    let base = Pointer::from_text(place);
    let place = |finding: Finding| finding.beneath(&base);
    findings.into_iter().map(place).collect()
}

/// The rules behind findings, each once, in order of code.
fn codes(findings: &[Finding]) -> Vec<AnyRuleCode> {
    let mut codes: Vec<AnyRuleCode> = findings.iter().map(|finding| AnyRuleCode::of(finding.rule.code)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn listed(codes: &[AnyRuleCode]) -> String {
    codes.iter().map(AnyRuleCode::as_str).collect::<Vec<_>>().join(", ")
}
