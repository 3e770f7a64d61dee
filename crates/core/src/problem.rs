//! The body of every refusal: RFC 9457, and closed.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    closed::False,
    decision::{ProvesRecord, Unrecorded},
    finding::{self, Finding},
    gates::{AllGates, GateStatuses, Unevidenced},
    words::problem_code::{ProblemCode, ProblemSpec},
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:problem:1.0";

/// The body of every refusal: RFC 9457, and closed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "problem", deny_unknown_fields)]
pub struct Problem<R = Unrecorded> {
    accepted: False,
    code: ProblemCode,
    detail: String,
    errors: Vec<ProblemError>,
    gate_statuses: GateStatuses<Unevidenced>,
    installable: False,
    instance: String,
    missing_gates: AllGates,
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<R>,
    request_id: String,
    signed: False,
    status: u16,
    title: &'static str,
    #[serde(rename = "type")]
    kind: String,
}

/// One reason of a refusal.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "problem-error", deny_unknown_fields)]
pub struct ProblemError {
    code: ProblemCode,
    detail: String,
    pointer: String,
    rule: &'static str,
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
            kind: code.page(),
        }
    }

    /// The refusal of a document, with the findings that led to it.
    #[must_use]
    pub fn of_findings(findings: &[Finding], instance: String, request_id: String) -> Self {
        let code = finding::problem_code(findings).unwrap_or(ProblemCode::Internal);
        let detail = format!("{} finding(s); each is in `errors` with its place", findings.len());
        let errors = findings.iter().map(ProblemError::of).collect();
        Self { errors, ..Self::new(code, detail, instance, request_id) }
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
    pub fn with_receipt<R: ProvesRecord>(self, receipt: R) -> Problem<R> {
        let Self {
            accepted,
            code,
            detail,
            errors,
            gate_statuses,
            installable,
            instance,
            missing_gates,
            receipt: None | Some(_),
            request_id,
            signed,
            status,
            title,
            kind,
        } = self;
        let receipt = Some(receipt);
        Problem {
            accepted,
            code,
            detail,
            errors,
            gate_statuses,
            installable,
            instance,
            missing_gates,
            receipt,
            request_id,
            signed,
            status,
            title,
            kind,
        }
    }
}

impl ProblemError {
    fn of(finding: &Finding) -> Self {
        let (place, words) = finding.in_our_words();
        Self {
            code: finding.rule.problem,
            detail: words.to_owned(),
            pointer: place.to_string(),
            rule: finding.rule.code,
        }
    }
}
