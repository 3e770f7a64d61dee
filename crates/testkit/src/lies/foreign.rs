//! Registries that others wrote from the specification, each on a framework of theirs, and servers that only look like one.
//!
//! They keep to the specification and to nothing else of ours: each recomputes the SHA-256 of the package artifact, answers
//! in its own words and shapes, and leaves everything else to its framework, as the framework has it by default.

mod shapes;

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

use serde_json::{Value, json};
use svc_json::canonical;

pub use self::shapes::{FALSE_SHAPES, HONEST_SHAPES};

/// A registry or a server, and how far it comes.
#[derive(Debug)]
pub struct Foreign {
    pub name: &'static str,
    /// The highest level that it passes.
    pub level: Option<&'static str>,
    /// The fault that names it, and what the sentence holds, where it passes none.
    pub fault: Option<(&'static str, &'static str)>,
    framework: &'static Framework,
    logic: Logic,
}

/// What is answered to a payload: its endpoint, and whether the package artifact has its digest.
type Logic = fn(&str, Payload<'_>) -> Answer;

/// A payload as it was read.
#[derive(Clone, Copy, Debug)]
pub enum Payload<'p> {
    /// It is of the kind of its endpoint, and the digests of its package artifacts recompute.
    Valid(&'p Value),
    /// A digest does not recompute.
    Mismatch,
    /// It is JSON, and of another kind.
    OtherKind,
}

/// What a server says.
#[derive(Clone, Debug)]
pub struct Answer {
    status: u16,
    media_type: &'static str,
    body: String,
    headers: &'static [(&'static str, &'static str)],
}

/// What a framework does by itself.
#[derive(Debug)]
struct Framework {
    /// The type that it gives to JSON.
    json: &'static str,
    headers: &'static [(&'static str, &'static str)],
    is_chunked: bool,
    /// A body above this is refused before it is read.
    most_bytes: usize,
    too_large: fn() -> Answer,
    not_found: fn(&str, &str) -> Answer,
    /// The path is there, and the method is not.
    wrong_method: fn(&str, &str) -> Answer,
    malformed: fn() -> Answer,
}

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

const fn said(status: u16, media_type: &'static str, body: String) -> Answer {
    Answer { status, media_type, body, headers: &[] }
}

fn json_of(status: u16, body: &Value) -> Answer {
    said(status, "", body.to_string())
}

static EXPRESS: Framework = Framework {
    json: "application/json; charset=utf-8",
    headers: &[("X-Powered-By", "Express"), ("ETag", "W/\"1b-2f\""), ("Keep-Alive", "timeout=5")],
    is_chunked: false,
    most_bytes: 1024 * 1024,
    too_large: || said(413, HTML, "<pre>PayloadTooLargeError: request entity too large</pre>".to_owned()),
    not_found: |method, path| said(404, HTML, format!("<pre>Cannot {method} {path}</pre>")),
    wrong_method: |method, path| said(404, HTML, format!("<pre>Cannot {method} {path}</pre>")),
    malformed: || said(400, HTML, "<pre>SyntaxError: Unexpected token in JSON</pre>".to_owned()),
};

static HONO: Framework = Framework {
    json: "application/json",
    headers: &[],
    is_chunked: true,
    most_bytes: 1024 * 1024,
    too_large: || said(413, TEXT, "Payload Too Large".to_owned()),
    not_found: |_, _| said(404, TEXT, "404 Not Found".to_owned()),
    wrong_method: |_, _| said(404, TEXT, "404 Not Found".to_owned()),
    malformed: || said(500, TEXT, "Internal Server Error".to_owned()),
};

static FASTAPI: Framework = Framework {
    json: "application/json",
    headers: &[("server", "uvicorn"), ("date", "Wed, 18 Nov 2026 04:00:00 GMT")],
    is_chunked: false,
    most_bytes: usize::MAX,
    too_large: || json_of(413, &json!({ "detail": "Request Entity Too Large" })),
    not_found: |_, _| json_of(404, &json!({ "detail": "Not Found" })),
    wrong_method: |_, _| json_of(405, &json!({ "detail": "Method Not Allowed" })),
    malformed: || {
        json_of(422, &json!({ "detail": [{ "type": "json_invalid", "loc": ["body", 0], "msg": "JSON decode error" }] }))
    },
};

static AXUM: Framework = Framework {
    json: "application/json",
    headers: &[],
    is_chunked: false,
    most_bytes: 2 * 1024 * 1024,
    too_large: || said(413, TEXT, "length limit exceeded".to_owned()),
    not_found: |_, _| said(404, "", String::new()),
    wrong_method: |_, _| Answer { headers: &[("allow", "POST")], ..said(405, "", String::new()) },
    malformed: || {
        said(400, TEXT, "Failed to parse the request body as JSON: expected value at line 1 column 1".to_owned())
    },
};

static FLASK: Framework = Framework {
    json: "application/json",
    headers: &[("Server", "Werkzeug/3.0 Python/3.12"), ("Set-Cookie", "session=e30; HttpOnly; Path=/")],
    is_chunked: false,
    most_bytes: usize::MAX,
    too_large: || said(413, HTML, "<!doctype html>\n<title>413 Request Entity Too Large</title>".to_owned()),
    not_found: |_, _| said(404, HTML, "<!doctype html>\n<title>404 Not Found</title>".to_owned()),
    wrong_method: |_, _| said(405, HTML, "<!doctype html>\n<title>405 Method Not Allowed</title>".to_owned()),
    malformed: || said(400, HTML, "<!doctype html>\n<title>400 Bad Request</title>".to_owned()),
};

static RAILS: Framework = Framework {
    json: "application/json; charset=utf-8",
    headers: &[
        ("X-Request-Id", "6e3b"),
        ("X-Runtime", "0.002"),
        ("Vary", "Accept"),
        ("Cache-Control", "max-age=0, private"),
    ],
    is_chunked: false,
    most_bytes: usize::MAX,
    too_large: || said(413, HTML, String::new()),
    not_found: |_, _| said(404, HTML, "<h1>The page you were looking for doesn't exist.</h1>".to_owned()),
    wrong_method: |_, _| said(404, HTML, "<h1>The page you were looking for doesn't exist.</h1>".to_owned()),
    malformed: || json_of(400, &json!({ "status": 400, "error": "Bad Request" })),
};

/// The five gates of the ledger in the words of the specification.
fn gates() -> Value {
    json!({
        "artifact-hash": "evidenced",
        "publisher-verification": "unverified",
        "review-storage": "unstored",
        "artifact-signing": "unsigned",
        "host-install-policy": "not-applied",
    })
}

fn missing() -> Value {
    json!(["publisher-verification", "review-storage", "artifact-signing", "host-install-policy"])
}

fn whole() -> Value {
    json!({ "accepted": false, "signed": false, "installable": false, "missingGates": missing(), "gateStatuses": gates() })
}

/// Whatever comes, this.
macro_rules! always {
    ($status:literal, $media_type:expr, $body:expr) => {
        |_, _| said($status, $media_type, $body.to_string())
    };
}

const fn honest(name: &'static str, framework: &'static Framework, logic: Logic) -> Foreign {
    Foreign { name, level: Some("closed"), fault: None, framework, logic }
}

const fn false_one(
    name: &'static str,
    fault: (&'static str, &'static str),
    framework: &'static Framework,
    logic: Logic,
) -> Foreign {
    Foreign { name, level: None, fault: Some(fault), framework, logic }
}

/// Registries that keep the specification, and nothing that is ours.
pub static HONEST_FOREIGN: &[Foreign] = &[
    honest("express-digest-alone", &EXPRESS, |_, payload| match payload {
        Payload::Valid(_) => json_of(200, &whole()),
        Payload::Mismatch => json_of(422, &json!({ "error": "digest mismatch" })),
        Payload::OtherKind => json_of(400, &json!({ "error": "unexpected kind" })),
    }),
    honest("hono-gates-as-a-list", &HONO, |path, payload| match payload {
        Payload::Valid(_) => {
            let gates = gates();
            let rows: Vec<Value> =
                gates.as_object().unwrap().iter().map(|(gate, word)| json!({ "gate": gate, "status": word })).collect();
            let mut body =
                json!({ "accepted": false, "installable": false, "pendingGates": missing(), "gateStatuses": rows });
            if path.ends_with("/signing-requests") {
                body["signed"] = json!(false);
            }
            json_of(200, &body)
        }
        Payload::Mismatch => said(400, TEXT, "sha256 mismatch".to_owned()),
        Payload::OtherKind => said(400, TEXT, "wrong kind".to_owned()),
    }),
    honest("express-a-gate-a-row", &EXPRESS, |_, payload| match payload {
        Payload::Valid(_) => {
            let mut body = whole();
            let gates = gates();
            let rows = gates.as_object().unwrap().iter().map(|(gate, word)| json!({ (gate): word }));
            body["gateStatuses"] = rows.collect();
            body["hash"] = json!({ "equal": true });
            json_of(200, &body)
        }
        Payload::Mismatch => {
            let mut body = whole();
            body["hash"] = json!({ "equal": false });
            json_of(200, &body)
        }
        Payload::OtherKind => json_of(422, &json!({ "error": "unexpected kind" })),
    }),
    honest("fastapi-own-names-in-an-envelope", &FASTAPI, |_, payload| match payload {
        Payload::Valid(_) => json_of(
            200,
            &json!({ "data": {
            "type": "registry-decision",
            "attributes": { "accepted": false, "signed": false, "installable": false, "reason": "server gates are missing" },
            "gates": {
                "remaining_server_gates": [
                    { "name": "Publisher identity" }, { "name": "Review storage" },
                    { "name": "Artifact signing" }, { "name": "Host install policy" },
                ],
                "gateStatuses": [
                    ["Artifact hash", "recomputed"], ["Publisher identity", "unverified"], ["Review storage", "unstored"],
                    ["Artifact signing", "unsigned"], ["Host install policy", "not applied"],
                ],
            },
        } }),
        ),
        Payload::Mismatch => json_of(409, &json!({ "detail": "the package artifact has another SHA-256" })),
        Payload::OtherKind => {
            json_of(422, &json!({ "detail": [{ "loc": ["body", "kind"], "msg": "unexpected value" }] }))
        }
    }),
    honest("axum-denies-with-403", &AXUM, |_, payload| match payload {
        Payload::Valid(_) => json_of(403, &whole()),
        Payload::Mismatch => said(422, TEXT, "digest mismatch".to_owned()),
        Payload::OtherKind => said(415, TEXT, "unexpected kind".to_owned()),
    }),
    honest("rails-denies-with-501-and-says-the-rest-in-the-body", &RAILS, |_, payload| match payload {
        Payload::Valid(_) => json_of(501, &whole()),
        Payload::Mismatch => {
            let mut body = whole();
            body["error"] = json!("artifact_digest_mismatch");
            json_of(501, &body)
        }
        Payload::OtherKind => {
            json_of(501, &json!({ "error": "unexpected_kind", "accepted": false, "installable": false }))
        }
    }),
    honest("flask-answers-everything-with-200", &FLASK, |_, payload| match payload {
        Payload::Valid(document) => {
            let mut body = whole();
            body["packageId"] = document.pointer("/package/id").cloned().unwrap_or(Value::Null);
            body["evaluatedAt"] = json!("2026-11-18T04:00:00Z");
            body["gateStatuses"]["malware-scan"] = json!("done");
            json_of(200, &body)
        }
        Payload::Mismatch => json_of(
            200,
            &json!({ "accepted": false, "installable": false, "outcome": "rejected", "reason": "SHA-256" }),
        ),
        Payload::OtherKind => json_of(200, &json!({ "accepted": false, "installable": false, "outcome": "invalid" })),
    }),
];

/// Servers that are no registry, or lie, and look closed.
pub static FALSE_FOREIGN: &[Foreign] = &[
    false_one(
        "a-wall-of-422",
        ("not-answered", "with 422 and gave no gates: this looks like a wall"),
        &EXPRESS,
        always!(422, "", "{}"),
    ),
    false_one(
        "a-wall-of-400",
        ("not-answered", "with 400 and gave no gates: this looks like a wall"),
        &HONO,
        always!(400, "", ""),
    ),
    false_one(
        "a-wall-of-401",
        ("no-entry", "with 401 and gave no gates: a token is missing"),
        &FASTAPI,
        always!(401, "", r#"{"detail":"Not authenticated"}"#),
    ),
    false_one(
        "a-wall-of-403",
        ("no-entry", "with 403 and gave no gates"),
        &RAILS,
        always!(403, HTML, "<h1>Forbidden</h1>"),
    ),
    false_one(
        "a-wall-of-404",
        ("not-answered", "with 404: no such endpoint is there"),
        &FLASK,
        always!(404, HTML, "<title>404 Not Found</title>"),
    ),
    false_one("a-wall-of-405", ("not-answered", "with 405: no such endpoint is there"), &AXUM, always!(405, "", "")),
    false_one("a-wall-of-410", ("not-answered", "with 410: no such endpoint is there"), &AXUM, always!(410, "", "")),
    false_one(
        "a-wall-of-413",
        ("not-answered", "with 413 and gave no gates: this looks like a wall"),
        &EXPRESS,
        always!(413, HTML, "<pre>PayloadTooLargeError</pre>"),
    ),
    false_one(
        "a-wall-of-429",
        ("server-error", "with 429 and gave no gates"),
        &EXPRESS,
        always!(429, TEXT, "Too many requests"),
    ),
    false_one(
        "a-wall-of-500",
        ("server-error", "with 500 and gave no gates"),
        &HONO,
        always!(500, TEXT, "Internal Server Error"),
    ),
    false_one("a-wall-of-503", ("server-error", "with 503 and gave no gates"), &RAILS, always!(503, HTML, "")),
    false_one(
        "a-page-for-everything",
        ("not-answered", "with 200 and a page: this looks like a wall"),
        &EXPRESS,
        always!(200, HTML, "<!doctype html><div id=root></div>"),
    ),
    false_one(
        "nothing-for-everything",
        ("not-answered", "with 200 and an empty body: this looks like a wall"),
        &AXUM,
        always!(200, "", ""),
    ),
    false_one(
        "an-empty-object-for-everything",
        ("not-answered", "with 200 and JSON without flags and gates"),
        &FASTAPI,
        always!(200, "", "{}"),
    ),
    false_one("a-redirect-for-everything", ("redirected", "redirected a valid"), &RAILS, |_, _| Answer {
        headers: &[("Location", "/login")],
        ..said(302, HTML, String::new())
    }),
    false_one(
        "the-same-denial-for-everything",
        ("digest-verdict", "the answer is that to the valid payload"),
        &EXPRESS,
        |_, _| json_of(200, &whole()),
    ),
    false_one(
        "the-same-refusal-for-everything",
        ("digest-verdict", "the answer is that to the valid payload"),
        &AXUM,
        |_, _| json_of(422, &whole()),
    ),
    false_one("an-echo", ("digest-verdict", "the answer does not say that it was rejected"), &FLASK, |_, payload| {
        match payload {
            Payload::Valid(document) => json_of(200, document),
            Payload::Mismatch | Payload::OtherKind => json_of(200, &whole()),
        }
    }),
    false_one("a-yes-in-other-words", ("open-claim", "/decision is `accepted`"), &EXPRESS, |_, payload| {
        denied_but(payload, |body| body["decision"] = json!("accepted"))
    }),
    false_one("gates-that-pass", ("open-claim", "the gate `artifact-signing` is `pass`"), &HONO, |_, payload| {
        denied_but(payload, |body| body["gateStatuses"]["artifact-signing"] = json!("pass"))
    }),
    false_one(
        "a-mismatch-is-sent-elsewhere",
        ("redirected", "nothing looked at it"),
        &FLASK,
        |_, payload| match payload {
            Payload::Valid(_) => json_of(200, &whole()),
            Payload::Mismatch | Payload::OtherKind => said(302, TEXT, String::new()),
        },
    ),
    false_one("gates-without-a-status", ("no-missing", "`gateStatuses` names no gate"), &HONO, |_, payload| {
        denied_but(payload, |body| body["gateStatuses"] = json!({}))
    }),
    false_one("gates-as-an-empty-list", ("no-missing", "`gateStatuses` names no gate"), &FLASK, |_, payload| {
        denied_but(payload, |body| body["gateStatuses"] = json!([]))
    }),
    false_one("no-gate-statuses", ("no-missing", "`gateStatuses` is missing"), &EXPRESS, |_, payload| {
        denied_but(payload, |body| drop(body.as_object_mut().unwrap().remove("gateStatuses")))
    }),
    false_one(
        "no-missing-gates",
        ("no-missing", "there is no list of the gates that are missing"),
        &AXUM,
        |_, payload| denied_but(payload, |body| drop(body.as_object_mut().unwrap().remove("missingGates"))),
    ),
    false_one(
        "an-empty-list-of-missing-gates",
        ("no-missing", "there is no list of the gates that are missing"),
        &FASTAPI,
        |_, payload| denied_but(payload, |body| body["missingGates"] = json!([])),
    ),
    false_one(
        "signing-is-not-among-the-missing",
        ("no-missing", "the list of missing gates leaves out artifact-signing"),
        &RAILS,
        |_, payload| denied_but(payload, |body| drop(body["missingGates"].as_array_mut().unwrap().remove(2))),
    ),
    false_one(
        "nothing-said-about-signing",
        ("no-missing", "`signed` must be there and `false`"),
        &EXPRESS,
        |_, payload| denied_but(payload, |body| drop(body.as_object_mut().unwrap().remove("signed"))),
    ),
    false_one(
        "a-gate-that-is-done",
        ("open-claim", "the gate `publisher-verification` is `done`"),
        &HONO,
        |_, payload| denied_but(payload, |body| body["gateStatuses"]["publisher-verification"] = json!("done")),
    ),
    false_one(
        "a-gate-that-is-signed-in-a-list",
        ("open-claim", "the gate `artifactSigning` is `signed`"),
        &FASTAPI,
        |_, payload| denied_but(payload, |body| body["gateStatuses"] = json!([["artifactSigning", "signed"]])),
    ),
    false_one("a-yes-in-an-envelope", ("open-claim", "/data/installable is `true`"), &FLASK, |_, payload| {
        denied_but(payload, |body| body["data"] = json!({ "installable": true }))
    }),
];

/// The denial, changed, to a valid payload; everything else is refused.
fn denied_but(payload: Payload<'_>, change: impl FnOnce(&mut Value)) -> Answer {
    match payload {
        Payload::Valid(_) => {
            let mut body = whole();
            change(&mut body);
            json_of(200, &body)
        }
        Payload::Mismatch => json_of(422, &json!({ "error": "digest mismatch" })),
        Payload::OtherKind => json_of(400, &json!({ "error": "unexpected kind" })),
    }
}

/// Path and kind of the six endpoints.
const ENDPOINTS: [(&str, &str); 6] = [
    ("/acceptance-requests", "svc-registry-acceptance-request"),
    ("/indexes/validate", "svc-registry-index"),
    ("/publisher-verification", "svc-registry-publisher-verification"),
    ("/review-evidence", "svc-registry-review-evidence"),
    ("/signing-requests", "svc-registry-signing-request"),
    ("/install-policy", "svc-registry-install-policy"),
];

impl Foreign {
    /// Starts it and gives its address. Its threads end with the process.
    pub fn start(&'static self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || self.serve(stream));
            }
        });
        url
    }

    fn serve(&self, mut stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut first = String::new();
        reader.read_line(&mut first).ok()?;
        let (mut length, mut is_json) = (0, false);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
            is_json |= name.eq_ignore_ascii_case("content-type") && value.trim().starts_with("application/json");
        }
        // As these frameworks do, without reading what was refused.
        if length > self.framework.most_bytes {
            return self.write(&mut stream, &(self.framework.too_large)());
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        self.write(&mut stream, &self.answer(&first, is_json, &body))
    }

    fn answer(&self, first: &str, is_json: bool, body: &[u8]) -> Answer {
        let mut words = first.split_whitespace();
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let path = target.split('?').next().unwrap_or_default();
        // A wall is one for every path and method.
        if self.is_wall() {
            return (self.logic)(path, Payload::OtherKind);
        }
        let endpoint = ENDPOINTS.iter().find(|(end, _)| path == format!("/api/sdk/registry{end}"));
        let Some((_, kind)) = endpoint else { return (self.framework.not_found)(method, path) };
        if method != "POST" {
            return (self.framework.wrong_method)(method, path);
        }
        match serde_json::from_slice::<Value>(body) {
            Ok(document) if is_json => (self.logic)(path, read(kind, &document)),
            Ok(_) | Err(_) => (self.framework.malformed)(),
        }
    }

    fn is_wall(&self) -> bool {
        self.name.starts_with("a-wall-of") || self.name.ends_with("for-everything")
    }

    fn write(&self, stream: &mut TcpStream, answer: &Answer) -> Option<()> {
        let mut head = format!("HTTP/1.1 {} Said\r\n", answer.status);
        let media_type = if answer.media_type.is_empty() { self.framework.json } else { answer.media_type };
        if !answer.body.is_empty() {
            head += &format!("Content-Type: {media_type}\r\n");
        }
        for (name, value) in self.framework.headers.iter().chain(answer.headers) {
            head += &format!("{name}: {value}\r\n");
        }
        let body = if self.framework.is_chunked {
            head += "Transfer-Encoding: chunked\r\n";
            let chunks = answer
                .body
                .as_bytes()
                .chunks(100)
                .map(|chunk| format!("{:x}\r\n{}\r\n", chunk.len(), String::from_utf8_lossy(chunk)));
            chunks.collect::<String>() + "0\r\n\r\n"
        } else {
            head += &format!("Content-Length: {}\r\n", answer.body.len());
            answer.body.clone()
        };
        stream.write_all((head + "Connection: close\r\n\r\n" + &body).as_bytes()).ok()
    }
}

/// The specification to the letter: the kind, and the SHA-256 of the package artifact.
fn read<'p>(kind: &str, document: &'p Value) -> Payload<'p> {
    if document.get("kind").and_then(Value::as_str) != Some(kind) {
        return Payload::OtherKind;
    }
    let entries = document.get("entries").and_then(Value::as_array);
    let recomputes = match entries {
        Some(entries) => entries.iter().all(|entry| entry.get("submission").is_some_and(recomputes)),
        None => recomputes(document),
    };
    if recomputes { Payload::Valid(document) } else { Payload::Mismatch }
}

fn recomputes(document: &Value) -> bool {
    let declared = document.get("artifactDigests").and_then(Value::as_array);
    let declared = declared.and_then(|rows| rows.iter().find(|row| row["name"] == "package-artifact"));
    let artifact = document.get("packageArtifact").map(|artifact| canonical::digest(artifact).0.to_string());
    declared.and_then(|row| row["digest"].as_str()) == artifact.as_deref() && artifact.is_some()
}
