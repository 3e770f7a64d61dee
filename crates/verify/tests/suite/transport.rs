//! Lies in how an answer is sent, and in what surrounds it.

use svc_core::verification::FaultCode::{
    NoAnswer, NoEntry, NotAnswered, OpenClaim, OverBounds, Redirected, ServerError, WrongHeader, WrongStatus,
};

use crate::{
    liar::Manner,
    lie::{Lie, all_are_found_out, in_body, is_decision, lie, set_header},
};

#[test]
#[ignore = "takes minutes; `cargo xtask gates` runs it"]
fn every_lie_of_the_wire_is_found_out() {
    all_are_found_out(LIES);
}

/// A change of completed evaluations.
macro_rules! decision {
    ($said:ident, $change:expr) => {
        |asked, $said| {
            if is_decision(asked, $said) {
                $change;
            }
        }
    };
}

pub(crate) const LIES: &[Lie] = &[
    lie!("no content", NotAnswered @ Closed, 1, "with 204 and an empty body", decision!(s, s.status = 204)),
    lie!("created", WrongStatus @ Contract, 1, "must be 200, and is 201", decision!(s, s.status = 201)),
    lie!("accepted for later", WrongStatus @ Contract, 1, "must be 200, and is 202", decision!(s, s.status = 202)),
    lie!("a status of its own", WrongStatus @ Contract, 1, "must be 200, and is 299", decision!(s, s.status = 299)),
    lie!(
        "moved for ever",
        Redirected @ Closed, 1, "with 301 to `https://other.example/`, which is not followed",
        decision!(s, {
            s.status = 301;
            set_header(s, "location", Some("https://other.example/"));
        })
    ),
    lie!(
        "moved to itself",
        Redirected @ Closed, 1, "with 302 to",
        decision!(s, {
            s.status = 302;
            set_header(s, "location", Some("/api/sdk/registry/acceptance-requests"));
        })
    ),
    lie!(
        "not modified",
        Redirected @ Closed, 1, "with 304, which is not followed",
        decision!(s, {
            s.status = 304;
            s.body.clear();
        })
    ),
    lie!("it failed", ServerError @ Contract, 6, "must be 200, and is 500", decision!(s, s.status = 500)),
    lie!(
        "it failed and claims",
        OpenClaim @ Closed, 7, "/accepted is `true`",
        decision!(s, {
            s.status = 500;
            in_body(s, |body| body["accepted"] = true.into());
        })
    ),
    lie!(
        "a gateway failed",
        ServerError @ Closed, 6, "with 502 and gave no gates",
        decision!(s, {
            s.status = 502;
            s.body = b"Bad Gateway".to_vec();
        })
    ),
    lie!(
        "busy without an end",
        ServerError @ Closed, 6, "with 503: it failed, is busy",
        decision!(s, {
            s.status = 503;
            set_header(s, "retry-after", Some("0"));
        })
    ),
    lie!(
        "busy for a year",
        ServerError @ Closed, 6, "with 503: it failed, is busy",
        decision!(s, {
            s.status = 503;
            set_header(s, "retry-after", Some("31536000"));
        })
    ),
    lie!(
        "busy until some day",
        ServerError @ Closed, 6, "with 429: it failed, is busy",
        decision!(s, {
            s.status = 429;
            set_header(s, "retry-after", Some("Fri, 31 Dec 2999 23:59:59 GMT"));
        })
    ),
    lie!("busy, and claims meanwhile", OpenClaim @ Closed, 7, "/signed is `true`", |asked, s| {
        if is_decision(asked, s) && asked.number.is_multiple_of(2) {
            s.status = 429;
            set_header(s, "retry-after", Some("0"));
            in_body(s, |body| body["signed"] = true.into());
        }
    }),
    lie!("a token is wanted", NoEntry @ Closed, 1, "with 401: a token is missing", |_, s| s.status = 401),
    lie!("another scope is wanted", NoEntry @ Contract, 1, "must be 200, and is 403", |_, s| s.status = 403),
    lie!("a byte at a time", NoAnswer @ Closed, 6, "no complete answer came within", decision!(s, s.manner = Manner::Drip)),
    lie!("a body without end", OverBounds @ Closed, 1, "at most 8388608 bytes", decision!(s, s.manner = Manner::Endless)),
    lie!(
        "an open body without end",
        OpenClaim @ Closed, 7, "something is accepted",
        decision!(s, {
            s.manner = Manner::Endless;
            s.body = b"{\"accepted\": true, \"padding\": [".repeat(50);
        })
    ),
    lie!(
        "an open body a byte at a time",
        OpenClaim @ Closed, 7, "something is signed",
        decision!(s, {
            s.manner = Manner::Drip;
            s.body = [b"{\"signed\":true,\"padding\":\"".as_slice(), &b"x".repeat(500)].concat();
        })
    ),
    lie!("half of what was promised", NoAnswer @ Closed, 6, "", decision!(s, s.manner = Manner::Half)),
    lie!("headers without end", NoAnswer @ Closed, 6, "", decision!(s, s.manner = Manner::EndlessHeaders)),
    lie!(
        "a hundred headers",
        NoAnswer @ Closed, 6, "",
        decision!(s, {
            s.headers.extend((0..100).map(|number| (format!("x-{number}"), "x".to_owned())));
        })
    ),
    lie!("silence", NoAnswer @ Closed, 6, "no complete answer came within", decision!(s, s.manner = Manner::Silent)),
    lie!("gone", NoAnswer @ Closed, 6, "", decision!(s, s.manner = Manner::Gone)),
    lie!("always gone", NoAnswer @ Closed, 6, "", |_, s| s.manner = Manner::Gone),
    lie!(
        "no HTTP at all",
        NoAnswer @ Closed, 6, "",
        decision!(s, {
            s.manner = Manner::Bare;
            s.body = b"SSH-2.0-OpenSSH_9.9\r\n".to_vec();
        })
    ),
    lie!("JSON without HTTP", NoAnswer @ Closed, 6, "", decision!(s, s.manner = Manner::Bare)),
    lie!("two lengths", NoAnswer @ Closed, 6, "", decision!(s, set_header(s, "content-length", Some("1")))),
    lie!(
        "compressed",
        WrongHeader @ Closed, 1, "the header `content-encoding` must not be there",
        decision!(s, {
            set_header(s, "content-encoding", Some("gzip"));
            s.body = b"\x1f\x8b\x08\x00".to_vec();
        })
    ),
    lie!(
        "another media type",
        WrongHeader @ Contract, 1, "`content-type` must be",
        decision!(s, {
            set_header(s, "content-type", Some("text/html"));
        })
    ),
    lie!("no media type", WrongHeader @ Contract, 1, "found nothing", decision!(s, set_header(s, "content-type", None))),
    lie!(
        "two media types",
        WrongHeader @ Contract, 1, "`application/json` and `text/html`",
        decision!(s, {
            s.headers.push(("content-type".into(), "text/html".into()));
        })
    ),
    lie!(
        "no decision header",
        WrongHeader @ Build, 1, "`svc-decision` must be `denied`",
        decision!(s, {
            set_header(s, "svc-decision", None);
        })
    ),
    lie!(
        "two decision headers",
        WrongHeader @ Build, 1, "`denied` and `denied`",
        decision!(s, {
            s.headers.push(("svc-decision".into(), "denied".into()));
        })
    ),
    lie!(
        "an answer that may be kept",
        WrongHeader @ Build, 1, "`cache-control`",
        decision!(s, {
            set_header(s, "cache-control", Some("max-age=600"));
        })
    ),
    lie!("a cookie", WrongHeader @ Build, 1, "`set-cookie`", decision!(s, set_header(s, "set-cookie", Some("a=b")))),
    lie!(
        "another version of the API",
        WrongHeader @ Build, 1, "`svc-registry-api` must be `1`",
        decision!(s, {
            set_header(s, "svc-registry-api", Some("2"));
        })
    ),
    lie!(
        "no version of the API",
        WrongHeader @ Build, 1, "`svc-registry-api`",
        decision!(s, {
            set_header(s, "svc-registry-api", None);
        })
    ),
    lie!(
        "bodies may be sniffed",
        WrongHeader @ Build, 1, "`x-content-type-options`",
        decision!(s, {
            set_header(s, "x-content-type-options", None);
        })
    ),
    lie!(
        "no id in the headers",
        WrongHeader @ Build, 1, "`svc-request-id` must be there",
        decision!(s, {
            set_header(s, "svc-request-id", None);
        })
    ),
];
