//! An answer next to its record: everything that the record says of it, compared member by member.
//!
//! The digest of the record covers every word of the answer. It does not show that the other members of the record are
//! about the same answer: a log that lies signs both.

use serde_json::Value;
use svc_core::{
    journal::record::{Record, Refusal},
    words::{kind, review_depth::ClaimedDepth},
};
use svc_json::{canonical, digest::Digest};

/// A member in which an answer contradicts its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contradiction {
    Request,
    Problem,
    Decision,
    Operation,
    Artifact,
    Ruleset,
    Reviewed,
    Gates,
}

impl Contradiction {
    pub const ALL: &'static [Self] = &[
        Self::Request,
        Self::Problem,
        Self::Decision,
        Self::Operation,
        Self::Artifact,
        Self::Ruleset,
        Self::Reviewed,
        Self::Gates,
    ];

    /// The word that machines read.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Request => "other-request",
            Self::Problem => "other-problem",
            Self::Decision => "other-decision",
            Self::Operation => "other-operation",
            Self::Artifact => "other-artifact",
            Self::Ruleset => "other-ruleset",
            Self::Reviewed => "other-depth",
            Self::Gates => "other-gates",
        }
    }

    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Request => "`requestId` of the answer is not the one on record",
            Self::Problem => "`code` of the answer is not the problem on record",
            Self::Decision => "`decisionId` of the answer is not the one on record, or not the digest of the answer",
            Self::Operation => "`operation` of the answer, or that of its `instance`, is not the one on record",
            Self::Artifact => "`artifact` of the answer is not the document on record: its kind or digest differs",
            Self::Ruleset => "`ruleset.own` of the answer is not the rule set on record",
            Self::Reviewed => "`reviewed` of the answer is not the depth on record",
            Self::Gates => "`missingGates` of the answer are not those on record",
        }
    }

    fn is_in(self, record: &Record, answer: &Value) -> bool {
        let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str);
        let differs = |pointer: &str, recorded: Option<String>| text(pointer) != recorded.as_deref();
        let is_denied = record.outcome() == Refusal::Denied;
        let recorded = |word: String| is_denied.then_some(word);
        match self {
            Self::Request => differs("/requestId", Some(record.request_id().to_string())),
            Self::Problem => differs("/code", record.problem().map(ToString::to_string)),
            Self::Decision => {
                let id = record.decision_id();
                differs("/decisionId", id.map(ToString::to_string)) || (is_denied && decision_id(answer).as_ref() != id)
            }
            Self::Operation => {
                let asked = text("/instance").filter(|_| !is_denied).and_then(operation_of);
                differs("/operation", recorded(record.operation().to_string()))
                    || asked.is_some_and(|asked| asked != record.operation().to_string())
            }
            Self::Artifact => {
                let artifact = record.artifact().filter(|_| is_denied);
                differs("/artifact/digest", artifact.and_then(|it| it.digest).map(|digest| digest.to_string()))
                    || differs("/artifact/kind", artifact.and_then(|it| it.kind).map(|kind| kind.to_string()))
            }
            Self::Ruleset => differs("/ruleset/own/digest", recorded(record.ruleset().to_string())),
            Self::Reviewed => depth_of(answer) != record.reviewed().map(Some),
            Self::Gates => {
                let named = answer.get("missingGates").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                !named.iter().map(Value::as_str).eq(record.missing_gates().iter().map(|gate| Some(gate.as_str())))
            }
        }
    }
}

/// The first member in which an answer contradicts its record.
#[must_use]
pub fn contradiction(record: &Record, answer: &Value) -> Option<Contradiction> {
    Contradiction::ALL.iter().copied().find(|member| member.is_in(record, answer))
}

/// The operation of the endpoint that a path leads to, under any base path.
fn operation_of(path: &str) -> Option<&'static str> {
    let mut endpoints = kind::ALL.iter().filter_map(|spec| spec.endpoint);
    endpoints.find(|endpoint| path.ends_with(endpoint.path)).map(|endpoint| endpoint.operation)
}

/// What an answer says that it is based on: of an index the least of its entries. `Some(None)` for a word that is none.
fn depth_of(answer: &Value) -> Option<Option<ClaimedDepth>> {
    let entries = answer.get("entries").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let whole = answer.get("reviewed").into_iter();
    let said = whole.chain(entries.iter().map(|entry| entry.get("reviewed").unwrap_or(&Value::Null)));
    said.map(|word| word.as_str().and_then(ClaimedDepth::parse)).min()
}

/// The digest of an answer without its receipt: every other word of it is bound by the record.
#[must_use]
pub fn answer_digest(answer: &Value) -> Option<Digest> {
    digest_without(answer, &["receipt"])
}

/// The id of a decision: the digest of the answer without the id itself, the request's name and the receipt.
#[must_use]
pub fn decision_id(answer: &Value) -> Option<Digest> {
    digest_without(answer, &["decisionId", "receipt", "requestId"])
}

fn digest_without(answer: &Value, left_out: &[&str]) -> Option<Digest> {
    let mut members = answer.as_object()?.clone();
    members.retain(|name, _| !left_out.contains(&name.as_str()));
    Some(canonical::digest(&members).0)
}
