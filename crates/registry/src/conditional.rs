//! Conditional requests (RFC 9110, section 13): a client that has a document already is not sent it again.

use bytes::Bytes;
use http::{HeaderMap, header};
use svc_json::digest::Digest;

use crate::answer::Answer;

/// The strong entity tag of a body.
#[must_use]
pub fn entity_tag(body: &[u8]) -> String {
    format!("\"{}\"", Digest::of(body).hex())
}

/// The same answer, or 304 when `If-None-Match` names its entity tag or, as `*`, any that there is. Tags are compared
/// weakly, as section 13.1.2 asks for.
#[must_use]
pub fn unless_known(answer: Answer, headers: &HeaderMap) -> Answer {
    let tag = answer.headers.iter().find(|(name, _)| *name == "etag").map(|(_, tag)| tag.as_ref());
    if tag.is_some_and(|tag| is_known(tag, headers)) {
        return Answer { status: 304, body: Bytes::new(), ..answer };
    }
    answer
}

fn is_known(own: &str, headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lines.any(|line| {
        line.trim() == "*" || line.split(',').map(str::trim).any(|tag| tag.strip_prefix("W/").unwrap_or(tag) == own)
    })
}

#[cfg(test)]
mod tests {
    use http::header::HeaderValue;

    use super::*;
    use crate::answer::AnswerKind;

    fn status(own: Option<&'static str>, tags: &[&'static str]) -> u16 {
        let etag = own.map(|own| ("etag", own.into())).into_iter().collect();
        let answer = Answer { status: 200, headers: etag, body: Bytes::from_static(b"{}"), kind: AnswerKind::Document };
        let mut headers = HeaderMap::new();
        for tag in tags {
            headers.append(header::IF_NONE_MATCH, HeaderValue::from_static(tag));
        }
        let answer = unless_known(answer, &headers);
        assert_eq!(answer.body.is_empty(), answer.status == 304);
        answer.status
    }

    #[test]
    fn a_tag_that_is_named_in_any_way_is_not_sent_again() {
        for tags in [&["\"a\""][..], &["W/\"a\""], &["\"b\", \"a\""], &["\"b\",W/\"a\" "], &["\"b\"", "\"a\""], &["*"]]
        {
            assert_eq!(status(Some("\"a\""), tags), 304, "{tags:?}");
        }
    }

    #[test]
    fn what_names_no_tag_of_the_answer_is_answered_in_full() {
        for tags in [&[][..], &[""], &["a"], &["\"b\""], &["w/\"a\""], &["W/W/\"a\""], &["\"*\""], &["\"b\", *"]] {
            assert_eq!(status(Some("\"a\""), tags), 200, "{tags:?}");
        }
        assert_eq!(status(None, &["*"]), 200);
    }

    #[test]
    fn a_tag_is_the_digest_of_its_body() {
        assert_eq!(entity_tag(b"").len(), 66);
        assert_ne!(entity_tag(b"a"), entity_tag(b"b"));
    }
}
