//! The bundle: seven files, one hash chain.
//!
//! Every file is read and sealed once. Then each edge of the chain is walked in the order of the commands: what the parent
//! gives is put together again and must be what the child says. The proof is carried from there on, not the bytes.

use std::collections::BTreeMap;

use serde::Serialize;
use svc_json::{digest::Digest, pointer::Pointer};

use crate::{
    artifact::{
        about_package::AboutPackage,
        acceptance_request::AcceptanceRequest,
        any::AnyChecked,
        checked::{Checked, IsArtifact},
        derive::{Derived, derive, expected},
        index::Index,
        install_policy::InstallPolicy,
        publisher_verification::PublisherVerification,
        review_evidence::ReviewEvidence,
        signing_request::SigningRequest,
        submission::Submission,
    },
    finding::{self, Finding},
    findings::Findings,
    read,
    rules::ruleset::Rules,
    words::{
        kind::{self, ArtifactKind, ArtifactSpec, Source},
        rule_code::RuleCode,
    },
};

/// The bytes of a bundle's files, by file name.
pub type Files = BTreeMap<&'static str, Vec<u8>>;

/// Seven artifacts about one package, each derived from the one before.
#[derive(Clone, Debug)]
pub struct Bundle {
    pub submission: Checked<Submission>,
    pub index: Checked<Index>,
    pub acceptance_request: Checked<AcceptanceRequest>,
    pub publisher_verification: Checked<PublisherVerification>,
    pub review_evidence: Checked<ReviewEvidence>,
    pub signing_request: Checked<SigningRequest>,
    pub install_policy: Checked<InstallPolicy>,
}

impl Bundle {
    /// The whole bundle that follows from a submission.
    ///
    /// # Errors
    /// When an artifact would be larger than the registry reads.
    pub fn from_submission(submission: Checked<Submission>) -> Result<Self, Findings> {
        let acceptance_request = derive::<AcceptanceRequest>(&submission)?;
        let signing_request = derive::<SigningRequest>(&acceptance_request)?;
        Ok(Self {
            index: Index::from_submissions(submission.rules(), std::slice::from_ref(&submission), None)?,
            publisher_verification: derive::<PublisherVerification>(&submission)?,
            review_evidence: derive::<ReviewEvidence>(&submission)?,
            install_policy: derive::<InstallPolicy>(&signing_request)?,
            submission,
            acceptance_request,
            signing_request,
        })
    }

    /// The document digests of the seven, in the order of the commands.
    #[must_use]
    pub fn digests(&self) -> [(&'static ArtifactSpec, &Digest); 7] {
        [
            digest(&self.submission),
            digest(&self.index),
            digest(&self.acceptance_request),
            digest(&self.publisher_verification),
            digest(&self.review_evidence),
            digest(&self.signing_request),
            digest(&self.install_policy),
        ]
    }

    /// The seven files.
    #[must_use]
    pub fn to_files(&self) -> Files {
        Files::from([
            file(&self.submission),
            file(&self.index),
            file(&self.acceptance_request),
            file(&self.publisher_verification),
            file(&self.review_evidence),
            file(&self.signing_request),
            file(&self.install_policy),
        ])
    }

    /// The first edge that does not hold. The bytes of the files are for the places of what differs.
    fn broken_edge(&self, files: &Files) -> Option<(Edge, Finding)> {
        let Self { submission, index, acceptance_request, .. } = self;
        let at = |edge: Edge, finding: Option<Finding>| {
            let bytes = files.get(edge.child.file).map(Vec::as_slice).unwrap_or_default();
            let mut finding = [finding?];
            finding::locate_all(&mut finding, bytes);
            let [finding] = finding;
            Some((edge, finding))
        };
        at(Edge::to(ArtifactKind::Index), index_edge(index, submission))
            .or_else(|| at(Edge::to(ArtifactKind::AcceptanceRequest), derived_edge(acceptance_request, submission)))
            .or_else(|| {
                let child = &self.publisher_verification;
                at(Edge::to(ArtifactKind::PublisherVerification), derived_edge(child, submission))
            })
            .or_else(|| at(Edge::to(ArtifactKind::ReviewEvidence), derived_edge(&self.review_evidence, submission)))
            .or_else(|| {
                let child = &self.signing_request;
                at(Edge::to(ArtifactKind::SigningRequest), derived_edge(child, acceptance_request))
            })
            .or_else(|| {
                let (child, parent) = (&self.install_policy, &self.signing_request);
                at(Edge::to(ArtifactKind::InstallPolicy), derived_edge(child, parent))
            })
    }
}

fn digest<A: IsArtifact>(checked: &Checked<A>) -> (&'static ArtifactSpec, &Digest) {
    (A::SPEC, checked.digest_matches().digest())
}

fn file<A: IsArtifact>(checked: &Checked<A>) -> (&'static str, Vec<u8>) {
    (A::SPEC.file, checked.to_file())
}

/// A bundle whose every file and every edge was checked.
#[derive(Clone, Debug)]
pub struct VerifiedBundle {
    pub bundle: Bundle,
    /// What does not stop it, by file and in the order of the commands.
    pub warnings: Vec<FileFindings>,
}

/// The findings of one file.
pub type FileFindings = (&'static ArtifactSpec, Findings);

/// What is wrong with a bundle.
#[derive(Debug)]
pub struct BrokenBundle {
    /// Findings by file, in the order of the commands.
    pub findings: Vec<FileFindings>,
    /// The first edge that does not hold, when every file holds by itself.
    pub edge: Option<Edge>,
}

/// A step from one artifact to the next.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub parent: &'static ArtifactSpec,
    pub child: &'static ArtifactSpec,
}

impl Edge {
    /// The edge to a kind. The submission is its own beginning.
    fn to(child: ArtifactKind) -> Self {
        let child = child.spec();
        let parent = match child.source {
            Source::Package | Source::Submissions => &kind::SUBMISSION,
            Source::Artifact { parent } => parent,
        };
        Self { parent, child }
    }
}

/// Checks a whole bundle by these rules.
///
/// # Errors
/// The findings of every file, or the first broken edge.
pub fn verify(rules: &Rules, files: &Files) -> Result<VerifiedBundle, BrokenBundle> {
    let mut reading = Reading { rules, files, warnings: Vec::new(), findings: Vec::new() };
    let (submission, index) = (reading.read(), reading.read());
    let (acceptance_request, publisher_verification) = (reading.read(), reading.read());
    let (review_evidence, signing_request) = (reading.read(), reading.read());
    let install_policy = reading.read();
    let Reading { warnings, findings, .. } = reading;
    let whole = || {
        Some(Bundle {
            submission: submission?,
            index: index?,
            acceptance_request: acceptance_request?,
            publisher_verification: publisher_verification?,
            review_evidence: review_evidence?,
            signing_request: signing_request?,
            install_policy: install_policy?,
        })
    };
    let Some(bundle) = whole() else { return Err(BrokenBundle { findings, edge: None }) };
    match bundle.broken_edge(files) {
        Some((edge, finding)) => Err(BrokenBundle { findings: vec![(edge.child, finding.into())], edge: Some(edge) }),
        None => Ok(VerifiedBundle { bundle, warnings }),
    }
}

/// The files of a bundle while they are read.
struct Reading<'f> {
    rules: &'f Rules,
    files: &'f Files,
    warnings: Vec<FileFindings>,
    findings: Vec<FileFindings>,
}

impl Reading<'_> {
    /// Reads the file of a kind, and notes what is to be said of it.
    fn read<A: IsArtifact>(&mut self) -> Option<Checked<A>> {
        let rules = self.rules;
        let checked = match self.files.get(A::SPEC.file) {
            Some(bytes) => read::artifact::<A>(rules, bytes).inspect(|checked| {
                let warnings = read::warnings(rules, &checked.to_file(), checked.has_own_rules(), bytes);
                self.warnings.push((A::SPEC, warnings.into()));
            }),
            None => Err(rules.finding(RuleCode::B011, format!("`{}` is missing", A::SPEC.file)).into()),
        };
        checked.map_err(|faults| self.findings.push((A::SPEC, faults))).ok()
    }
}

/// What is wrong between two documents, when each holds by itself.
#[must_use]
pub fn edge_fault(child: &AnyChecked, parent: &AnyChecked) -> Option<Finding> {
    match (child, parent) {
        (AnyChecked::Index(child), AnyChecked::Submission(parent)) => index_edge(child, parent),
        (AnyChecked::AcceptanceRequest(child), AnyChecked::Submission(parent)) => derived_edge(child, parent),
        (AnyChecked::PublisherVerification(child), AnyChecked::Submission(parent)) => derived_edge(child, parent),
        (AnyChecked::ReviewEvidence(child), AnyChecked::Submission(parent)) => derived_edge(child, parent),
        (AnyChecked::SigningRequest(child), AnyChecked::AcceptanceRequest(parent)) => derived_edge(child, parent),
        (AnyChecked::InstallPolicy(child), AnyChecked::SigningRequest(parent)) => derived_edge(child, parent),
        _ => Some(child.rules().finding(RuleCode::B005, "nothing of this kind is derived from the parent")),
    }
}

/// The index holds the bundle's submission, to the letter.
pub(crate) fn index_edge(index: &Checked<Index>, submission: &Checked<Submission>) -> Option<Finding> {
    let own = index.entries().iter().position(|entry| entry.submission == **submission);
    if own.is_some() {
        return None;
    }
    let same_package = index.entries().iter().position(|entry| entry.submission.package() == submission.package());
    let entries = Pointer::root().join("entries");
    let rules = index.rules();
    Some(match same_package {
        Some(position) => rules
            .finding(RuleCode::B010, "the index holds another submission of this package")
            .at(entries.join(position).join("submission")),
        None => rules.finding(RuleCode::B005, "the index does not hold the bundle's submission").at(entries),
    })
}

/// The child says what its parent gives.
fn derived_edge<C: Derived + PartialEq>(child: &Checked<C>, parent: &Checked<C::Parent>) -> Option<Finding> {
    let expected = expected::<C>(parent);
    if **child == expected {
        return None;
    }
    let member = first_difference(&expected, &**child);
    let code = if member == "derivedFrom" { RuleCode::B005 } else { RuleCode::B010 };
    let message = format!("`{member}` is not what the parent gives");
    Some(child.rules().finding(code, message).at(Pointer::root().join(member)))
}

/// The first member that differs, the named parent first: another parent explains every other difference. The digest of
/// the document differs whenever anything does, so the cause is named before the effect.
fn first_difference<A: Serialize>(expected: &A, found: &A) -> String {
    let members = |artifact: &A| match serde_json::to_value(artifact) {
        Ok(serde_json::Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    let (expected, found) = (members(expected), members(found));
    let differing: Vec<&String> = expected.keys().filter(|name| expected.get(*name) != found.get(*name)).collect();
    let cause = differing.iter().find(|name| **name == "derivedFrom");
    let cause =
        cause.or_else(|| differing.iter().find(|name| **name != "documentDigest")).or_else(|| differing.first());
    cause.map_or_else(String::new, |name| (*name).clone())
}
