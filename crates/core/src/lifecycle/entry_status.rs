//! How much of a document is there and holds, and the stage that follows from it.

use std::sync::LazyLock;

use svc_json::{
    pointer::Pointer,
    tree::{self, Document, Node},
};

use crate::{
    artifact::{
        checked::{Checked, ReviewedPackage},
        index::IndexEntry,
        submission::Submission,
    },
    closed::False,
    explain::{form::Form, open_flags::open_flags, shape},
    finding::Finding,
    findings::Findings,
    gates::{Evidenced, HashGateStatus as _, Unevidenced},
    lifecycle::resolution::{ENTRY_MEMBERS, Resolution, Resolvable, Resolved},
    open_claim, pack, read,
    review::{self, ListingLacks},
    rules::{package::Package, ruleset::Rules, run, syntax},
    scalar::any_rule_code::AnyRuleCode,
    schema,
    words::{
        gate::{Clearer, Gate},
        kind::{self, ArtifactKind},
        review_depth::ClaimedDepth,
        rule_code::RuleCode,
        stage::{Reached, Stage, StageEvidence},
        verdict::Verdict,
    },
};

/// How much of an entry is there and holds.
pub(super) enum EntryStatus {
    /// A part is there and does not hold.
    Broken(Findings),
    NoManifest,
    PartOfManifest,
    NoIcon,
    Manifest,
    /// A document that holds, with what is there of the evidence.
    Submission {
        blockers: Vec<(Clearer, AnyRuleCode)>,
        evidence: StageEvidence,
        reviewed: ClaimedDepth,
        verdict: Option<Verdict>,
    },
}

const SUBMISSION: &str = "/submission";
const MANIFEST: &str = "/submission/packageArtifact/manifest";
const NAME_AN_ICON: &str = "name an icon in the manifest";

impl EntryStatus {
    pub(super) fn of_document(rules: &Rules, bytes: &[u8]) -> Result<Self, Findings> {
        let document = tree::read(bytes).map_err(|faults| syntax::findings(rules, &faults))?;
        let status = match Resolvable::from_root(&document.root) {
            _ if !document.faults.is_empty() => Err(syntax::findings(rules, &document.faults)),
            Resolvable::Entry => Self::of_entry(rules, bytes, &document),
            Resolvable::Manifest => Self::of_manifest(rules, bytes),
            Resolvable::Artifact(kind) => Self::of_artifact(rules, bytes, kind),
        };
        // Whatever else is wrong hides no open claim.
        status.map_err(|mut findings: Findings| {
            if !findings.iter().any(shape::is_open_claim) {
                findings.append(open_flags(rules, document.text));
            }
            findings
        })
    }

    /// A submission, or an index with one entry. The other kinds are about a submission that says more.
    fn of_artifact(rules: &Rules, bytes: &[u8], kind: &str) -> Result<Self, Findings> {
        let spec = kind::find(kind).ok_or_else(|| no_stage(rules, "not an svc artifact: unknown `kind`".to_owned()))?;
        let checked = match spec.artifact {
            ArtifactKind::Submission | ArtifactKind::Index => read::any(rules, spec.artifact, bytes)?,
            ArtifactKind::AcceptanceRequest
            | ArtifactKind::PublisherVerification
            | ArtifactKind::ReviewEvidence
            | ArtifactKind::SigningRequest
            | ArtifactKind::InstallPolicy => {
                let message = format!("a `{kind}` has no stage: give a manifest, a submission, an index or an entry");
                return Err(no_stage(rules, message));
            }
        };
        let [package] = checked.packages() else {
            return Err(no_stage(rules, "the index has several entries: resolve each of them".to_owned()));
        };
        Ok(Self::of_package(package))
    }

    pub(super) fn of_package(package: &ReviewedPackage) -> Self {
        let verdict = Some(package.verdict());
        let (evidence, reviewed) = (package.evidence(), package.reviewed());
        Self::Submission { blockers: kept_out_by(package), evidence, reviewed, verdict }
    }

    fn of_entry(rules: &Rules, bytes: &[u8], document: &Document<'_>) -> Result<Self, Findings> {
        static FORM: LazyLock<Form> =
            LazyLock::new(|| Form::from_schema(&schema::for_type::<IndexEntry>("", "entry")).shared_with_others());
        let found = shape::explain(rules, document.text, &FORM, &shape::ARTIFACT);
        let (missing, mut wrong) = found.partition(RuleCode::B014);
        wrong.extend(host_claims(rules, &document.root));
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
            return Self::of_submission(rules, submission, &document.root, missing.is_empty());
        }
        match (whole(MANIFEST), document.root.at_text(MANIFEST)) {
            (Some(manifest), _) => Self::of_manifest(rules, manifest).map_err(|findings| placed(MANIFEST, findings)),
            (None, Some(_)) => Ok(Self::PartOfManifest),
            (None, None) => Ok(Self::NoManifest),
        }
    }

    fn of_submission(rules: &Rules, bytes: &[u8], entry: &Node<'_>, is_whole: bool) -> Result<Self, Findings> {
        let submission: Checked<Submission> =
            read::artifact(rules, bytes).map_err(|findings| placed(SUBMISSION, findings))?;
        let declared = entry.get("submissionDigest").and_then(Node::as_str);
        if declared.is_some_and(|declared| declared != submission.digest_matches().digest().to_string()) {
            let place = Pointer::from_text("/submissionDigest");
            let message = "the submission's digest does not recompute";
            return Err(rules.finding(RuleCode::B003, message).at(place).into());
        }
        let blockers: Vec<(Clearer, AnyRuleCode)> = submission.packages().iter().flat_map(kept_out_by).collect();
        let package = submission.packages().first();
        let evidence = package.map(|package| package.evidence()).unwrap_or_default();
        let evidence = StageEvidence { entry: is_whole && blockers.is_empty(), ..evidence };
        let reviewed = package.map_or(ClaimedDepth::WithoutFacts, |package| package.reviewed());
        Ok(Self::Submission { blockers, evidence, reviewed, verdict: package.map(ReviewedPackage::verdict) })
    }

    fn of_manifest(rules: &Rules, bytes: &[u8]) -> Result<Self, Findings> {
        let draft = pack::read_manifest(rules, bytes)?;
        let (missing, wrong) = draft.shape_findings().clone().partition(RuleCode::M001);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        if !missing.is_empty() {
            return Ok(Self::PartOfManifest);
        }
        let package = Package::of_manifest(rules, draft.root());
        match review::lacks_for_listing(&package, &run::findings(&package)) {
            Some(ListingLacks::Errors(findings)) => Err(findings),
            Some(ListingLacks::Icon) => Ok(Self::NoIcon),
            None => Ok(Self::Manifest),
        }
    }

    fn evidence(&self) -> StageEvidence {
        match self {
            Self::Broken(_) | Self::NoManifest | Self::PartOfManifest | Self::NoIcon => StageEvidence::default(),
            Self::Manifest => StageEvidence { listing: true, ..StageEvidence::default() },
            Self::Submission { evidence, .. } => *evidence,
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
            Self::NoIcon => vec![NAME_AN_ICON.to_owned()],
            Self::Manifest => vec!["make the submission: run `svc app pack`".to_owned()],
            Self::Submission { evidence, .. } if evidence.stage() == Reached::CollectionEntry => {
                vec!["no evidence clears the missing gates".to_owned()]
            }
            Self::Submission { blockers, evidence, reviewed: _, verdict: _ } => {
                let of = |clearer: Clearer| -> Vec<AnyRuleCode> {
                    blockers.iter().filter(|(owner, _)| *owner == clearer).map(|(_, code)| *code).collect()
                };
                vec![match (of(Clearer::Author).as_slice(), of(Clearer::Registry).as_slice()) {
                    ([one], _) => format!("the author has one blocker to clear: {}", one.as_str()),
                    (more @ [_, _, ..], _) => {
                        format!("the author has {} blockers to clear: {}", more.len(), listed(more))
                    }
                    ([], _) if !evidence.listing => NAME_AN_ICON.to_owned(),
                    ([], _) if !evidence.report => "check the submission: this document has no report".to_owned(),
                    ([], []) => "put it into a collection: run `svc app registry`".to_owned(),
                    ([], asked) => format!("a reviewer has to look at exceptions: {}", listed(asked)),
                }]
            }
        }
    }

    pub(super) fn resolve(self) -> Resolved {
        let reached = self.evidence().stage();
        let stage = Stage::from(reached);
        let (missing_gates, reviewed) = self.basis();
        let next_steps = self.next_steps();
        let verdict = if let Self::Submission { verdict, .. } = &self { *verdict } else { None };
        let findings = if let Self::Broken(findings) = self { findings } else { Findings::default() };
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
            verdict,
        };
        Resolved { resolution, findings }
    }
}

/// What keeps a package out of every collection, and who can clear it.
fn kept_out_by(package: &ReviewedPackage) -> Vec<(Clearer, AnyRuleCode)> {
    let keeping = package.blockers().iter().filter(|blocker| blocker.keeps_out());
    keeping.filter_map(|blocker| Some((blocker.owner, AnyRuleCode::parse(blocker.code.as_str())?))).collect()
}

fn no_stage(rules: &Rules, message: String) -> Findings {
    rules.finding(RuleCode::B001, message).at(Pointer::root().join("kind")).into()
}

/// The members of a host around the entry that claim to be open. What else the host says there is its own.
fn host_claims(rules: &Rules, entry: &Node<'_>) -> impl Iterator<Item = Finding> {
    let own = entry.members().iter().filter(|member| !ENTRY_MEMBERS.contains(&member.key.as_ref()));
    own.filter(|member| open_claim::is_open_host_member(member)).map(move |member| {
        let message = "a member of the host next to the entry claims what no package has";
        rules.finding(RuleCode::B006, message).at(Pointer::root().join(member.key.as_ref())).on_name()
    })
}

fn placed(place: &str, findings: Findings) -> Findings {
    findings.beneath(&Pointer::from_text(place))
}

/// The rules behind findings, each once, in order of code.
fn codes(findings: &[Finding]) -> Vec<AnyRuleCode> {
    let mut codes: Vec<AnyRuleCode> = findings.iter().map(|finding| AnyRuleCode::from_rule(&finding.rule)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn listed(codes: &[AnyRuleCode]) -> String {
    codes.iter().map(AnyRuleCode::as_str).collect::<Vec<_>>().join(", ")
}
