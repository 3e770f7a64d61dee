//! What every answer under `/console` is dressed in, refusals too: a browser that shows it runs nothing but the console's own
//! script, loads from nowhere else, puts it into no frame, and hands it to no other origin.

use std::borrow::Cow;

use hyper::{HeaderMap, header};
use svc_core::words::problem_code::ProblemCode;
use svc_registry_api::{
    answer::{Answer, AnswerKind},
    request::RequestName,
};

use super::{file::HTML, refused};

const HEADERS: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];

/// The same answer to a request at this path with the console's headers. A refusal is a page for whoever asks for pages.
pub(crate) fn dressed(answer: Answer, path: &str, headers: &HeaderMap, request: &RequestName) -> Answer {
    let mut answer = match answer.kind {
        AnswerKind::Refused(code) => {
            let refusal = answer.with_header("vary", "accept");
            if takes_pages(headers) { as_page(refusal, refused::page(code, path, request), code) } else { refusal }
        }
        AnswerKind::Denied(_) | AnswerKind::Document | AnswerKind::Page(_) => answer,
    };
    answer.headers.extend(HEADERS.map(|(name, value)| (name, Cow::Borrowed(value))));
    answer
}

fn as_page(mut refusal: Answer, page: String, code: ProblemCode) -> Answer {
    refusal.headers.retain(|(name, _)| *name != "content-type");
    Answer { body: page.into(), kind: AnswerKind::Page(Some(code)), ..refusal.with_header("content-type", HTML) }
}

/// Whether the client names HTML among what it takes. Scripts take anything, and are better served with JSON.
fn takes_pages(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut ranges = lines.flat_map(|line| line.split(','));
    ranges.any(|range| {
        let mut parts = range.split(';').map(str::trim);
        parts.next().is_some_and(|name| name.eq_ignore_ascii_case("text/html"))
            && !parts.any(|weight| matches!(weight, "q=0" | "q=0." | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn pages_are_for_those_who_name_them() {
        let takes = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            takes_pages(&headers)
        };
        for accept in
            ["", "*/*", "application/json", "text/*", "text/html;q=0", "text/htmlx", "application/json, */*;q=0.1"]
        {
            assert!(!takes(accept), "{accept}");
        }
        for accept in ["text/html", "TEXT/HTML;q=0.1", "application/json, text/html,*/*;q=0.8"] {
            assert!(takes(accept), "{accept}");
        }
        assert!(!takes_pages(&HeaderMap::new()));
    }
}
