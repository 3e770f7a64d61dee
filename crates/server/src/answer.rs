//! An answer before it is put on the wire.

use std::{borrow::Cow, cell::RefCell};

use bytes::Bytes;
use serde::Serialize;
use svc_core::{
    decision::Decision, findings::Findings, journal::receipt::Receipt, problem::Problem,
    words::problem_code::ProblemCode,
};
use svc_json::{canonical, digest::Digest, printable};

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
pub(crate) const JSON: &str = "application/json";

impl Answer {
    /// A completed evaluation.
    pub(crate) fn decision(decision: &Decision) -> Self {
        Self { body: in_bytes(decision), ..Self::denied(decision) }
    }

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

    /// A refusal with the findings that led to it.
    pub(crate) fn findings(findings: &Findings, request: &RequestName) -> Self {
        let problem = Problem::of_findings(findings, request.path.clone(), request.id.clone());
        Self { body: in_bytes(&problem), ..Self::refused(problem.code()) }
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

/// An answer that waits for the proof that it is on record.
#[derive(Debug)]
pub(crate) enum PendingAnswer {
    Denied(Box<Decision>),
    Refused(Box<Problem>),
}

impl PendingAnswer {
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

/// How a request is named in answers and logs.
#[derive(Clone, Debug)]
pub struct RequestName {
    /// The id that the server gave it.
    pub id: String,
    /// Its path, cut to what can be read.
    pub path: String,
}

impl RequestName {
    /// A fresh name for a request.
    #[must_use]
    pub fn new(path: &str) -> Self {
        let end = path.char_indices().nth(256).map_or(path.len(), |(at, _)| at);
        Self { id: data_encoding::HEXLOWER.encode(&random_id()), path: path.get(..end).unwrap_or_default().to_owned() }
    }

    /// The same request, for an answer that must not repeat its path: nobody but the client chose those words.
    pub(crate) fn without_path(&self) -> Self {
        Self { id: self.id.clone(), path: "/".to_owned() }
    }
}

/// Sixteen random bytes. The system is asked for many at a time.
fn random_id() -> [u8; 16] {
    thread_local! {
        static READY: RefCell<Vec<[u8; 16]>> = const { RefCell::new(Vec::new()) };
    }
    READY.with_borrow_mut(|ready| {
        if ready.is_empty() {
            let mut fresh = [0; 16 * 64];
            // Without randomness ids repeat, which only makes logs harder to read.
            let _ = getrandom::fill(&mut fresh);
            ready.extend_from_slice(fresh.as_chunks().0);
        }
        ready.pop().unwrap_or_default()
    })
}

/// The body of an answer: nothing in it hides or moves text.
fn in_bytes<T: Serialize>(answer: &T) -> Bytes {
    printable::escaped(canonical::to_bytes(answer)).into()
}
