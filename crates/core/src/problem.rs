//! The body of every refusal: RFC 9457, and closed.
//!
//! Closed is what it says of a package. Its schema is open: a later version may add members and codes, and whoever reads
//! one lets them pass (`docs/versioning.md`).

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    closed::False,
    finding::Finding,
    findings::Findings,
    gates::{AllGates, GateStatuses, Unevidenced},
    journal::{receipt::Receipt, scalars::RequestId},
    scalar::{any_problem_code::AnyProblemCode, any_rule_code::AnyRuleCode},
    words::problem_code::{ProblemCode, ProblemSpec},
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:problem:1.0";

/// The body of every refusal: RFC 9457, and closed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "problem")]
pub struct Problem {
    /// Never accepted.
    accepted: False,
    /// What a program goes by.
    #[schemars(with = "AnyProblemCode")]
    code: ProblemCode,
    /// What is wrong with this request, for people.
    detail: String,
    /// How many findings there are, those that are not in `errors` included. The reader of a text counts no further than 200
    /// faults of a kind.
    error_count: usize,
    /// The findings with their places, 200 at most: at least one of each rule that is broken.
    #[schemars(length(max = 200))]
    errors: Vec<ProblemError>,
    /// The word of each gate: nothing was evaluated.
    gate_statuses: GateStatuses<Unevidenced>,
    /// Never installable.
    installable: False,
    /// The path that was asked.
    instance: String,
    /// All gates.
    missing_gates: AllGates,
    /// With a journal, for a document that was refused: the proof that this answer is on record.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<Receipt>,
    /// The id of this one request, also in the header `Svc-Request-Id`.
    #[schemars(with = "RequestId")]
    request_id: String,
    /// Never signed.
    signed: False,
    /// The status of the answer.
    status: u16,
    /// A title that never changes for a code.
    title: &'static str,
    /// Whether there are more findings than `errors` lists.
    truncated: bool,
    /// The path of a page about the code, on the same server.
    #[serde(rename = "type")]
    kind: String,
}

/// One reason of a refusal.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "problem-error")]
pub struct ProblemError {
    /// The problem code of the rule.
    #[schemars(with = "AnyProblemCode")]
    code: ProblemCode,
    /// What is wrong.
    detail: String,
    /// Where in the document, as a JSON pointer.
    pointer: String,
    /// The code of the rule.
    rule: AnyRuleCode,
}

impl Problem {
    /// The refusal of a request.
    #[must_use]
    pub fn new(code: ProblemCode, detail: String, instance: String, request_id: String) -> Self {
        let ProblemSpec { status, title, .. } = code.spec();
        Self {
            accepted: False,
            code,
            detail,
            error_count: 0,
            errors: Vec::new(),
            gate_statuses: GateStatuses::now(),
            installable: False,
            instance,
            missing_gates: AllGates,
            receipt: None,
            request_id,
            signed: False,
            status,
            title,
            truncated: false,
            kind: code.page(),
        }
    }

    /// The refusal of a document, with the findings that led to it.
    #[must_use]
    pub fn of_findings(findings: &Findings, instance: String, request_id: String) -> Self {
        let code = findings.problem_code().unwrap_or(ProblemCode::Internal);
        let (error_count, truncated) = (findings.total(), findings.is_truncated());
        let detail = if truncated {
            format!("{error_count} findings; `errors` lists {} of them", findings.len())
        } else {
            format!("{error_count} finding(s); each is in `errors` with its place")
        };
        let errors = findings.iter().map(ProblemError::from_finding).collect();
        Self { error_count, errors, truncated, ..Self::new(code, detail, instance, request_id) }
    }

    /// The request that it answers.
    #[must_use]
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    #[must_use]
    pub fn code(&self) -> ProblemCode {
        self.code
    }

    /// The refusal with the proof that it is on record.
    #[must_use]
    pub fn with_receipt(mut self, receipt: Receipt) -> Self {
        self.receipt = Some(receipt);
        self
    }

    /// The proof that it is on record, once there is one.
    #[must_use]
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_ref()
    }
}

impl ProblemError {
    fn from_finding(finding: &Finding) -> Self {
        let (place, words) = finding.in_our_words();
        Self {
            code: finding.rule.problem,
            detail: words.to_owned(),
            pointer: place.to_string(),
            rule: AnyRuleCode::from_rule(&finding.rule),
        }
    }
}
