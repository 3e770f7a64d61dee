//! A request as somebody repeats it by hand.

use std::fmt::Write as _;

use svc_client::exchange::{Body, Identity, Request};

use crate::probe::Probe;

/// The most bytes of a body that stand in a line.
const INLINE_BYTES: usize = 200;

/// The request for a shell. A good payload is named by its file; a tampered one by what was done to it, as it is too long
/// for a line.
pub(crate) fn curl(base: &str, has_token: bool, probe: &Probe) -> String {
    let request = &probe.request;
    let mut line = without_body(base, has_token, request);
    match (&request.body, probe.file) {
        (Body::Bytes(bytes), _) if bytes.is_empty() => {}
        (Body::Bytes(_), Some(file)) => {
            let _ = write!(line, " --data-binary @{file}");
        }
        (Body::Bytes(bytes), None) if bytes.len() <= INLINE_BYTES && bytes.is_ascii() => {
            let _ = write!(line, " --data-binary {}", quoted(&String::from_utf8_lossy(bytes)));
        }
        (Body::Bytes(bytes) | Body::Padded(bytes, _), _) => {
            let _ = write!(line, " --data-binary @-  # {} bytes, the payload with: {}", bytes.len(), probe.name);
        }
    }
    line
}

/// The request for a file of the log. A tile is no text, and a terminal is not sent what is none.
pub(crate) fn curl_file(base: &str, has_token: bool, request: &Request) -> String {
    let line = without_body(base, has_token, request);
    if request.path.contains("/tile/") { line + " | od -c" } else { line }
}

fn without_body(base: &str, has_token: bool, request: &Request) -> String {
    let mut line = format!("curl -i -X {} {}", request.method, quoted(&format!("{base}{}", request.path)));
    if has_token && request.identity == Identity::Own {
        line.push_str(" -H \"Authorization: Bearer $SVC_TOKEN\"");
    }
    // curl adds one of its own to a body otherwise.
    if request.method != "GET" && request.headers.iter().all(|(name, _)| *name != "content-type") {
        line.push_str(" -H 'content-type:'");
    }
    for (name, value) in &request.headers {
        let _ = write!(line, " -H {}", quoted(&format!("{name}: {value}")));
    }
    line
}

/// In single quotes, as POSIX shells read them.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use svc_client::exchange::Request;
    use svc_core::words::problem_code::ProblemCode;

    use super::*;
    use crate::probe::{ExpectedRefusal, ExpectedReply};

    const BASE: &str = "https://registry.example";

    fn probe(method: &'static str, path: &str, body: &[u8]) -> Probe {
        let expected = ExpectedReply::Refused(ExpectedRefusal::of_contract(ProblemCode::NotFound));
        let body = Body::Bytes(body.into());
        let headers = vec![("content-type", "application/json".into())];
        let request = Request { method, path: path.to_owned(), headers, body, identity: Identity::Own };
        Probe::new("a test".to_owned(), request, expected)
    }

    #[test]
    fn a_quote_ends_no_argument() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("'"), r"''\'''");
        assert_eq!(quoted(""), "''");
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for text in ["it's", "''", "a'; echo b; '", "$(id) `id` $HOME \\ \"", "two\nlines", "*", "--x", r"\'"] {
            let command = format!("printf %s {}", quoted(text));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }

    #[test]
    fn a_request_is_told_as_it_is_sent() {
        let mut get = probe("GET", "/version", b"");
        get.request.headers.clear();
        assert_eq!(curl(BASE, false, &get), "curl -i -X GET 'https://registry.example/version'");
        let head = format!("curl -i -X POST '{BASE}/sign' -H 'content-type: application/json' --data-binary");
        let post = probe("POST", "/sign", br#"{"it's":1}"#);
        assert_eq!(curl(BASE, false, &post), format!(r#"{head} '{{"it'\''s":1}}'"#));
        let good = Probe { file: Some("svc-registry-index.json"), ..post };
        assert_eq!(curl(BASE, false, &good), format!("{head} @svc-registry-index.json"));
        let long = probe("POST", "/sign", &[b'x'; INLINE_BYTES + 1]);
        assert_eq!(curl(BASE, false, &long), format!("{head} @-  # 201 bytes, the payload with: a test"));
    }

    #[test]
    fn a_file_of_the_log_is_shown_as_what_it_is() {
        let mut request = probe("GET", "/journal/checkpoint", b"").request;
        request.headers.clear();
        assert_eq!(curl_file(BASE, false, &request), format!("curl -i -X GET '{BASE}/journal/checkpoint'"));
        request.path = "/journal/tile/entries/000.p/7".to_owned();
        let tile = format!("curl -i -X GET '{BASE}{}' -H \"Authorization: Bearer $SVC_TOKEN\" | od -c", request.path);
        assert_eq!(curl_file(BASE, true, &request), tile);
    }

    #[test]
    fn the_token_is_named_where_there_is_one_and_never_told() {
        let token = " -H \"Authorization: Bearer $SVC_TOKEN\"";
        let mut own = probe("GET", "/version", b"");
        assert!(curl(BASE, true, &own).contains(token));
        assert!(!curl(BASE, false, &own).contains("Authorization"));
        own.request.identity = Identity::Stranger;
        assert!(!curl(BASE, true, &own).contains("Authorization"));
    }
}
