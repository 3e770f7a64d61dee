//! An answer before it is put on the wire.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;
use svc_core::{
    decision::Decision,
    journal::receipt::Receipt,
    problem::Problem,
    read,
    rules::ruleset::Rules,
    words::{kind::ArtifactSpec, problem_code::ProblemCode},
};
use svc_json::{canonical, digest::Digest, printable};

use crate::request::RequestName;

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// Headers beyond those that every answer has.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    pub body: Bytes,
    /// What the body is held to before it leaves.
    pub kind: AnswerKind,
}

/// What a body says, and so what it is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// A completed evaluation under the name of its decision. It carries the closed outcome, and the guard reads it again.
    Denied(Option<Digest>),
    /// A refusal. It carries the closed outcome, and the guard reads it again.
    Refused(ProblemCode),
    /// A document that makes no statement about a package.
    Document,
    /// A page for people, or a file that one is made of; a refusal under this code. It is no JSON, and the guard looks that it
    /// could not be taken for any.
    Page(Option<ProblemCode>),
}

/// The media type of problems.
const PROBLEM: &str = "application/problem+json";
pub const JSON: &str = "application/json";

impl Answer {
    /// A completed evaluation, without its body.
    fn denied(decision: &Decision) -> Self {
        Self {
            status: 200,
            headers: vec![
                ("content-type", JSON.into()),
                ("cache-control", "no-store".into()),
                ("svc-decision", "denied".into()),
            ],
            body: Bytes::new(),
            kind: AnswerKind::Denied(decision.id().copied()),
        }
    }

    /// A refusal.
    #[must_use]
    pub fn problem(code: ProblemCode, detail: &str, request: &RequestName) -> Self {
        let problem = Problem::new(code, detail.to_owned(), request.path.clone(), request.id.clone());
        Self { body: in_bytes(&problem), ..Self::refused(code) }
    }

    /// A refusal, without its body.
    fn refused(code: ProblemCode) -> Self {
        Self {
            status: code.spec().status,
            headers: vec![("content-type", PROBLEM.into()), ("cache-control", "no-store".into())],
            body: Bytes::new(),
            kind: AnswerKind::Refused(code),
        }
    }

    /// The same answer with one more header.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// What core says of a body: an answer that may have to wait for its record.
#[derive(Debug)]
pub enum PendingAnswer {
    /// The evaluation was completed: denied.
    Denied(Box<Decision>),
    /// The document was refused.
    Refused(Box<Problem>),
}

impl PendingAnswer {
    /// A pure function of the body and the name of its request.
    pub(crate) fn to_body(rules: &Rules, spec: &ArtifactSpec, body: &[u8], request: &RequestName) -> Self {
        match read::decide(rules, spec.artifact, body) {
            Ok(decision) => Self::Denied(Box::new(decision.for_request(&request.id))),
            Err(findings) => {
                let problem = Problem::of_findings(&findings, request.path.clone(), request.id.clone());
                Self::Refused(Box::new(problem))
            }
        }
    }

    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Denied(_) => 200,
            Self::Refused(problem) => problem.code().spec().status,
        }
    }

    /// The answer where nothing is put on record.
    pub(crate) fn without_receipt(self) -> Answer {
        match self {
            Self::Denied(decision) => Answer { body: in_bytes(&decision), ..Answer::denied(&decision) },
            Self::Refused(problem) => Answer { body: in_bytes(&problem), ..Answer::refused(problem.code()) },
        }
    }

    /// The answer with its proof.
    pub(crate) fn with_receipt(self, receipt: Receipt) -> Answer {
        match self {
            Self::Denied(decision) => {
                let answer = Answer::denied(&decision);
                Answer { body: in_bytes(&decision.with_receipt(receipt)), ..answer }
            }
            Self::Refused(problem) => {
                let answer = Answer::refused(problem.code());
                Answer { body: in_bytes(&problem.with_receipt(receipt)), ..answer }
            }
        }
    }
}

/// The body of an answer: nothing in it hides or moves text.
fn in_bytes<T: Serialize>(answer: &T) -> Bytes {
    printable::escaped(canonical::to_bytes(answer)).into()
}
