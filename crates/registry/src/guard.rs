//! The last line: what leaves is read again, and whatever is not closed is replaced.
//!
//! Types make an open answer impossible; this stands behind them for the day somebody finds a way around a type.
//! It shares no code with what wrote the answer, and has no fast path: it walks the text byte by byte, whatever the types
//! behind it were.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use svc_core::words::{limits, problem_code::ProblemCode};

use crate::{
    answer::{Answer, AnswerKind},
    request::RequestName,
};

/// Why an answer was withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// It said something else than no, or could be read so.
    NotClosed,
    /// No client would read all of it.
    TooLarge,
}

/// How often an answer was withheld that was not closed; shared by all who hold a copy.
#[derive(Clone, Debug, Default)]
pub struct GuardTrips(Arc<AtomicU64>);

/// The members that say false in every closed body, wherever they stand.
const FLAGS: [&[u8]; 3] = [b"accepted", b"installable", b"signed"];

/// The member that is never empty.
const GATES: &[u8] = b"missingGates";

impl Withheld {
    /// What the log says of it.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::NotClosed => "the guard withheld an answer that was not closed",
            Self::TooLarge => "the guard withheld an answer that was too large",
        }
    }

    /// The closed failure that is answered instead.
    pub(crate) fn answer(self, request: &RequestName) -> Answer {
        let detail = match self {
            Self::NotClosed => "the answer did not pass the last check of the service, so it was withheld",
            Self::TooLarge => "the answer was larger than a client reads, so it was withheld",
        };
        Answer::problem(ProblemCode::Internal, detail, request)
    }
}

impl GuardTrips {
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts an open answer. One that was too large is no sign of a fault in what is said.
    pub(crate) fn note(&self, withheld: Withheld) {
        match withheld {
            Withheld::NotClosed => {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
            Withheld::TooLarge => {}
        }
    }
}

/// Lets a closed answer pass, and no other.
pub(crate) fn check(answer: Answer) -> Result<Answer, Withheld> {
    let is_about_document = matches!(answer.kind, AnswerKind::Denied(_) | AnswerKind::Refused(_));
    if is_about_document && answer.body.len() > limits::ANSWER_BYTES {
        // Findings and blockers are limited where they are made; this keeps a client from an answer that it cannot read.
        return Err(Withheld::TooLarge);
    }
    let may_leave = match answer.kind {
        AnswerKind::Document => true,
        AnswerKind::Page(_) => is_page(&answer),
        AnswerKind::Denied(_) | AnswerKind::Refused(_) => is_closed(&answer),
    };
    if may_leave { Ok(answer) } else { Err(Withheld::NotClosed) }
}

fn is_closed(answer: &Answer) -> bool {
    let named_open = answer.headers.iter().any(|(name, value)| *name == "svc-decision" && value != "denied");
    !named_open && says_no(&answer.body)
}

/// What a page is sent as.
const PAGE_TYPES: [&str; 3] = ["text/html;", "text/javascript;", "text/css;"];

/// Whether an answer is nothing that a client of the API could read as one: no JSON by its name or its first byte, and no
/// word about a decision.
fn is_page(answer: &Answer) -> bool {
    let named = |wanted: &str| answer.headers.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_ref());
    let is_typed = named("content-type").is_some_and(|value| PAGE_TYPES.iter().any(|kind| value.starts_with(kind)));
    let first = answer.body.iter().find(|byte| !byte.is_ascii_whitespace());
    named("svc-decision").is_none() && !matches!(first, Some(b'{' | b'[')) && (is_typed || answer.body.is_empty())
}

/// Whether a body is one object that carries each flag and the gates, and no object in it says anything but no.
fn says_no(body: &[u8]) -> bool {
    let (mut depth, mut at, mut carried) = (0_usize, 0, [0; FLAGS.len() + 1]);
    while let Some(byte) = body.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 0 => depth -= 1,
            b'"' => {
                let Some((text, is_escaped)) = text_at(body, at) else { return false };
                at += text.len() + 2;
                if let Some(value) = value_behind(body, at) {
                    // Names are written as they are. One that is not could be read as another.
                    let says_no = !is_escaped && note(text, value, depth, &mut carried);
                    if !says_no {
                        return false;
                    }
                }
                continue;
            }
            // Answers have no space between their tokens, so that a name ends where its colon starts.
            ..=b' ' => return false,
            _ if depth == 0 => return false,
            _ => {}
        }
        at += 1;
    }
    depth == 0 && carried == [1; FLAGS.len() + 1]
}

/// Looks at a member. Tells whether its value is a no, and notes what the outermost object carries.
fn note(name: &[u8], value: &[u8], depth: usize, carried: &mut [u32; FLAGS.len() + 1]) -> bool {
    let flag = FLAGS.iter().position(|flag| *flag == name);
    let Some(place) = flag.or((name == GATES).then_some(FLAGS.len())) else { return true };
    if let Some(count) = carried.get_mut(place).filter(|_| depth == 1) {
        *count += 1;
    }
    match flag {
        Some(_) => matches!(value, [b'f', b'a', b'l', b's', b'e', b',' | b'}', ..]),
        None => value.starts_with(b"[\""),
    }
}

/// The text between the quote at a place and the one that ends it, as it is written, and whether it has an escape.
fn text_at(body: &[u8], at: usize) -> Option<(&[u8], bool)> {
    let rest = body.get(at + 1..)?;
    let (mut end, mut is_escaped) = (0, false);
    loop {
        end += rest.get(end..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        match rest.get(end)? {
            b'"' => return Some((rest.get(..end)?, is_escaped)),
            _ => (end, is_escaped) = (end + 2, true),
        }
    }
}

/// What follows the colon at a place; nothing when the text before it was no name.
fn value_behind(body: &[u8], at: usize) -> Option<&[u8]> {
    body.get(at..)?.strip_prefix(b":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use svc_core::samples::rules;

    fn answer(body: &str) -> Answer {
        Answer { status: 200, headers: Vec::new(), body: body.to_owned().into(), kind: AnswerKind::Denied(None) }
    }

    fn is_ready(registry: &Registry) -> bool {
        registry.readiness().unready.is_none()
    }

    #[test]
    fn nothing_open_leaves_and_the_server_is_not_ready_any_more() {
        let request = RequestName::new("/");
        for body in [
            "",
            "{}",
            "{\"accepted\":true,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"installable\":1,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[]}",
            "{\"accepted\":false,\"installable\":false,\"signed\":null,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"accepted\":true,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"accepted\" :true,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"\\u0061ccepted\":true,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"in\":{\"accepted\":true},\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":falsely,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"in\":{\"accepted\":false},\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]",
            "{\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[\"x]}",
            "[{\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}]",
            "{\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}true",
        ] {
            let registry = Registry::new(rules().clone());
            let checked = registry.guarded(answer(body), &request);
            assert_eq!(checked.status, 500, "{body}");
            assert!(is_closed(&checked), "{body}");
            assert!(!is_ready(&registry), "{body}");
        }
    }

    #[test]
    fn an_answer_that_no_client_reads_is_withheld_closed() {
        let closed = "\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]";
        let of_size = |more: usize| answer(&format!("{{\"a\":\"{}\",{closed}}}", "x".repeat(more)));
        let registry = Registry::new(rules().clone());
        assert_eq!(registry.guarded(of_size(0), &RequestName::new("/")).status, 200);
        let withheld = registry.guarded(of_size(limits::ANSWER_BYTES), &RequestName::new("/"));
        assert!(withheld.status == 500 && is_closed(&withheld) && is_ready(&registry));
    }

    #[test]
    fn a_page_that_could_be_taken_for_an_answer_is_withheld() {
        let page = |kind: &'static str, body: &str| {
            let answer = Answer { kind: AnswerKind::Page(None), ..answer(body) };
            answer.with_header("content-type", kind)
        };
        for open in [
            page("application/json", "{}"),
            page("application/json", "<p>"),
            page("text/html; charset=utf-8", "{\"accepted\":true}"),
            page("text/html; charset=utf-8", " \n[true]"),
            page("text/htmlx", "<p>"),
            page("text/html; charset=utf-8", "<p>").with_header("svc-decision", "denied"),
        ] {
            let registry = Registry::new(rules().clone());
            let checked = registry.guarded(open, &RequestName::new("/"));
            assert!(checked.status == 500 && is_closed(&checked) && !is_ready(&registry));
        }
        let registry = Registry::new(rules().clone());
        for (kind, body) in
            [("text/html; charset=utf-8", "<p>"), ("text/css; charset=utf-8", ""), ("text/javascript; x", "a")]
        {
            assert_eq!(registry.guarded(page(kind, body), &RequestName::new("/")).status, 200);
        }
        assert!(is_ready(&registry));
    }

    #[test]
    fn words_inside_texts_claim_nothing() {
        let registry = Registry::new(rules().clone());
        for text in ["accepted", "\\\"accepted\\\":true,", "{\\\\\\\"signed\\\":1", "\\u0061", "}]", " : "] {
            let body = format!(
                "{{\"accepted\":false,\"at\":[\"{text}\"],\"installable\":false,\"missingGates\":[\"x\"],\"signed\":false}}"
            );
            assert!(serde_json::from_str::<serde_json::Value>(&body).is_ok(), "{body}");
            assert_eq!(registry.guarded(answer(&body), &RequestName::new("/")).status, 200, "{body}");
        }
        assert!(is_ready(&registry));
    }

    #[test]
    fn an_open_header_is_withheld_too() {
        let body = "{\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}";
        let registry = Registry::new(rules().clone());
        assert_eq!(registry.guarded(answer(body), &RequestName::new("/")).status, 200);
        assert!(is_ready(&registry));
        let open = answer(body).with_header("svc-decision", "accepted");
        assert_eq!(registry.guarded(open, &RequestName::new("/")).status, 500);
        assert!(!is_ready(&registry));
    }
}
