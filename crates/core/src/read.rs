//! The door: the one place where the bytes of an artifact become a checked artifact.
//!
//! The typed read decides. When it refuses, the explaining reader goes over the same bytes again, and they are walked
//! beside the schema to find words and places for the no; that never overrules it, and keeps no values. What was read is
//! sealed, and from then on the proof is carried, not the bytes.

use std::{collections::BTreeMap, sync::LazyLock};

use svc_json::{pointer::Pointer, survey, typed};

use crate::{
    artifact::{
        acceptance_request::AcceptanceRequest,
        any::{AnyChecked, json_schema},
        checked::{self, Checked, IsArtifact},
        index::Index,
        install_policy::InstallPolicy,
        publisher_verification::PublisherVerification,
        review_evidence::ReviewEvidence,
        signing_request::SigningRequest,
        submission::Submission,
    },
    decision::Decision,
    explain::{form::Form, open_flags::open_flags, shape},
    finding::{self, Finding},
    findings::Findings,
    rules::{ruleset::Rules, syntax},
    words::{
        kind::{self, ArtifactKind},
        rule_code::RuleCode,
    },
};

/// Reads and checks a document. All findings come back at once, with their places.
///
/// # Errors
/// The findings, when any of them is an error.
pub fn artifact<A: IsArtifact>(rules: &Rules, bytes: &[u8]) -> Result<Checked<A>, Findings> {
    artifact_within(rules, bytes, usize::MAX)
}

/// [`artifact`], of a document whose values take no more than so many bytes of memory.
fn artifact_within<A: IsArtifact>(rules: &Rules, bytes: &[u8], most_memory: usize) -> Result<Checked<A>, Findings> {
    if bytes.len() > A::SPEC.most_bytes {
        let message = format!("the document is larger than {} bytes", A::SPEC.most_bytes);
        return Err(rules.finding(RuleCode::B016, message).into());
    }
    match typed::from_slice_within::<A>(bytes, most_memory) {
        Ok(artifact) => checked::seal(rules, artifact).map_err(|mut findings| {
            finding::locate_all(findings.listed_mut(), bytes);
            findings
        }),
        Err(refused) => Err(explain::<A>(rules, bytes, &refused)),
    }
}

/// [`artifact`] for a kind that is known at run time only.
///
/// # Errors
/// As [`artifact`].
pub fn any(rules: &Rules, kind: ArtifactKind, bytes: &[u8]) -> Result<AnyChecked, Findings> {
    any_within(rules, kind, bytes, usize::MAX)
}

fn any_within(rules: &Rules, kind: ArtifactKind, bytes: &[u8], most_memory: usize) -> Result<AnyChecked, Findings> {
    match kind {
        ArtifactKind::Submission => artifact_within::<Submission>(rules, bytes, most_memory).map(AnyChecked::from),
        ArtifactKind::Index => artifact_within::<Index>(rules, bytes, most_memory).map(AnyChecked::from),
        ArtifactKind::AcceptanceRequest => {
            artifact_within::<AcceptanceRequest>(rules, bytes, most_memory).map(AnyChecked::from)
        }
        ArtifactKind::PublisherVerification => {
            artifact_within::<PublisherVerification>(rules, bytes, most_memory).map(AnyChecked::from)
        }
        ArtifactKind::ReviewEvidence => {
            artifact_within::<ReviewEvidence>(rules, bytes, most_memory).map(AnyChecked::from)
        }
        ArtifactKind::SigningRequest => {
            artifact_within::<SigningRequest>(rules, bytes, most_memory).map(AnyChecked::from)
        }
        ArtifactKind::InstallPolicy => {
            artifact_within::<InstallPolicy>(rules, bytes, most_memory).map(AnyChecked::from)
        }
    }
}

/// How much memory the values of a document may take that the registry is asked about: twice its bytes, and 256 KiB. What svc
/// makes takes less, also without the blanks of its layout; what is nothing but words of one letter would take sixteen times its
/// bytes, and is refused. It bounds the service, not the form: whoever checks a file of their own reads it whole.
const fn most_memory(bytes: &[u8]) -> usize {
    2 * bytes.len() + 256 * 1024
}

/// The registry's answer to a document: no, or why there is none.
///
/// # Errors
/// As [`artifact`], and for what would take too much memory ([`most_memory`]); a kind without an endpoint is the wrong kind
/// everywhere.
pub fn decide(rules: &Rules, kind: ArtifactKind, bytes: &[u8]) -> Result<Decision, Findings> {
    let evaluation = any_within(rules, kind, bytes, most_memory(bytes))?.into_evaluation();
    Decision::deny(evaluation).ok_or_else(|| rules.finding(RuleCode::B001, "no endpoint takes this kind").into())
}

/// A checked artifact and what does not stop it, but should be known of it.
#[derive(Clone, Debug)]
pub struct Verified {
    pub checked: AnyChecked,
    /// Another layout, other rules.
    pub warnings: Vec<Finding>,
}

/// [`any`], with the warnings that only whoever reads a file of their own cares for.
///
/// # Errors
/// As [`artifact`].
pub fn verify(rules: &Rules, kind: ArtifactKind, bytes: &[u8]) -> Result<Verified, Findings> {
    let checked = any(rules, kind, bytes)?;
    let warnings = warnings(rules, &checked.to_file(), checked.has_own_rules(), bytes);
    Ok(Verified { checked, warnings })
}

/// What should be known of a document: whether its bytes are those that svc writes, and whether its rules are ours.
pub fn warnings(rules: &Rules, file: &[u8], has_own_rules: bool, bytes: &[u8]) -> Vec<Finding> {
    let mut warnings = Vec::new();
    if file != bytes {
        let message = "the meaning is right, but the layout is not the one svc writes";
        warnings.push(rules.finding(RuleCode::B009, message));
    }
    if !has_own_rules {
        let message = "made with another rule set; its review report was not compared with the rules of this build";
        warnings.push(rules.finding(RuleCode::B017, message).at(Pointer::root().join("ruleset")));
    }
    warnings
}

/// Tells everything about a document that the typed read refused.
fn explain<A: IsArtifact>(rules: &Rules, bytes: &[u8], refused: &typed::Refused) -> Findings {
    let survey = match survey::read(bytes, &["/kind", "/manifestVersion"]) {
        Ok(survey) => survey,
        Err(faults) => return syntax::findings(rules, &faults),
    };
    let [kind, manifest_version] = [0, 1].map(|number| survey.places.get(number).filter(|place| place.is_whole));
    let mut findings = syntax::findings(rules, &survey.faults);
    if kind.is_none() && manifest_version.is_some() {
        findings.push(rules.finding(RuleCode::B001, format!("this is a package manifest, not a `{}`", A::SPEC.kind)));
        findings.append(open_flags(rules, survey.text));
        return findings;
    }
    let other_kind = survey.text_at(0).filter(|kind| *kind != A::SPEC.kind);
    if let Some(other) = other_kind.and_then(|kind| kind::find(&kind)) {
        let message = format!("this is a `{}`, not a `{}`", other.kind, A::SPEC.kind);
        let mut finding = rules.finding(RuleCode::B001, message).at(Pointer::root().join("kind"));
        finding.span = kind.map(|place| place.span);
        findings.push(finding);
        // The wrong door does not hide an open claim: the document is still held against its own kind's posture.
        if let Some(form) = form_of(other.artifact) {
            findings.append(shape::open_claims(rules, survey.text, form, &shape::ARTIFACT));
        }
    } else if let Some(form) = form_of(A::SPEC.artifact) {
        findings.append(shape::explain(rules, survey.text, form, &shape::ARTIFACT));
    }
    if !findings.iter().any(shape::is_open_claim) {
        findings.append(open_flags(rules, survey.text));
    }
    if refused.is_over_memory {
        let message = "the document has too many small values for its size; the registry does not hold them all";
        findings.push(rules.finding(RuleCode::B016, message).marked(survey.root));
    }
    if !findings.has_errors() {
        // The typed read refused and decides; a reason that cannot be told is still a no.
        let message = "the document does not have the form of its kind";
        findings.push(rules.finding(RuleCode::B015, message).marked(survey.root));
    }
    findings
}

/// The form of a kind's schema, made once: every refusal is explained beside it.
fn form_of(kind: ArtifactKind) -> Option<&'static Form> {
    type LazyForm = LazyLock<Form, Box<dyn FnOnce() -> Form + Send>>;
    static FORMS: LazyLock<BTreeMap<&str, LazyForm>> = LazyLock::new(|| {
        let lazy =
            |kind: ArtifactKind| -> LazyForm { LazyLock::new(Box::new(move || Form::from_schema(&json_schema(kind)))) };
        kind::ALL.iter().map(|spec| (spec.kind, lazy(spec.artifact))).collect()
    });
    FORMS.get(kind.spec().kind).map(|form| &**form)
}
