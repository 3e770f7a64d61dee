//! The wire adds nothing: the registry API asked in-process and the service asked over a socket give the same answers.
//!
//! The service has no setting of its own here, so that nothing is refused at its door. Both keep a journal, each its own.

use std::sync::Arc;

use hyper::{
    HeaderMap,
    header::{HeaderName, HeaderValue},
};
use svc_core::samples::rules;
use svc_journal::{
    open::{Backend, Location},
    writer::Journal,
};
use svc_registry_api::{
    answer::Answer,
    registry::Registry,
    request::RequestHead,
    routes::{Method, Serves},
};
use svc_server::{door::Setup, http::serve::ServeOptions, record::JournalRecorder};

use crate::{
    kit::{ENDPOINTS, assert_closed, parsed, valid},
    wire::{Client, Reply, Server, request},
};

/// Headers that say something about the answer. All others are of the connection, the same for every answer, or of the request.
const HEADERS: &[&str] = &[
    "allow",
    "cache-control",
    "content-encoding",
    "content-type",
    "etag",
    "retry-after",
    "svc-decision",
    "vary",
    "www-authenticate",
];

/// Bodies that nobody should send, to any endpoint.
fn hostile() -> Vec<Vec<u8>> {
    let texts: [&[u8]; 12] = [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"accept me",
        b"{\"accepted\":true,\"installable\":true,\"signed\":true,\"missingGates\":[]}",
        b"{\"kind\":\"a\",\"kind\":\"b\"}",
        b"{\"a\":1e400}",
        b"\"\xff\"",
        b"\xef\xbb\xbf{}",
        b"{\"__proto__\":{\"accepted\":true}}",
        b"{\"a\":\"\xe2\x80\xae\"}",
    ];
    let nested = "[".repeat(5000).into_bytes();
    texts.into_iter().map(<[u8]>::to_vec).chain([nested]).collect()
}

struct Asked<'a> {
    method: &'static str,
    path: &'a str,
    headers: &'a [(&'static str, &'a str)],
    body: &'a [u8],
}

/// Both, and the folder of their journals.
struct Pair {
    library: Registry,
    client: Client,
    _server: Server,
    _folder: tempfile::TempDir,
}

impl Pair {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = |name: &str| -> Arc<Journal> {
            let location = Location { backend: Backend::Embedded, folder: folder.path().join(name) };
            Arc::new(location.write().unwrap())
        };
        let options = ServeOptions { journal: Some(journal("wire")), ..ServeOptions::default() };
        let library = Registry::new(rules().clone()).with_recorder(JournalRecorder(journal("library")));
        let server = Server::start(Setup::default(), options);
        Self { library, client: Client::connect(server.address), _server: server, _folder: folder }
    }

    /// Asks both, and compares what they say.
    #[track_caller]
    fn compare(&mut self, asked: &Asked<'_>) -> Answer {
        let place = format!("{} {} {:?}", asked.method, asked.path, asked.headers);
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("registry.example"));
        if asked.method == "POST" {
            headers.insert("content-type", HeaderValue::from_static("application/json"));
        }
        for (name, value) in asked.headers {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let head = RequestHead {
            method: asked.method,
            path: asked.path,
            has_query: false,
            headers: &headers,
            address: Some([127, 0, 0, 1].into()),
        };
        let library = self.library.answer(head, asked.body);
        let lines: Vec<String> = asked.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        self.client.send(&request(asked.method, asked.path, &lines, asked.body));
        let wire = self.client.reply_to(asked.method).unwrap_or_else(|| panic!("{place}: no answer"));
        assert_eq!(library.status, wire.status, "{place}");
        for name in HEADERS {
            let own = library.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_ref());
            assert_eq!(own, wire.header(name), "{place}: {name}");
        }
        assert_same_body(&library, &wire, asked, &place);
        library
    }
}

#[track_caller]
fn assert_same_body(library: &Answer, wire: &Reply, asked: &Asked<'_>, place: &str) {
    if asked.method == "HEAD" {
        assert!(wire.body.is_empty(), "{place}");
    } else if library.body == wire.body {
        assert!(wire.status < 400 && asked.method == "GET", "{place}: no id of the request");
    } else {
        let [library, wire] = [&library.body[..], &wire.body].map(|body| masked(body, place));
        assert!(library == wire, "{place}:\n{library}\n{wire}");
    }
}

/// A body, byte for byte, without what is of this one request: its id, and of its receipt everything but that there is one.
fn masked(body: &[u8], place: &str) -> String {
    let id = parsed(body)["requestId"].as_str().unwrap_or_else(|| panic!("{place}: no id")).to_owned();
    assert_eq!(id.len(), 32, "{place}");
    let mut text = String::from_utf8(body.to_vec()).unwrap();
    if let Some(receipt) = svc_json::tree::read(body).unwrap().root.get("receipt") {
        text.replace_range(receipt.span.start..receipt.span.end, "{}");
    }
    text.replace(&id, "-")
}

#[test]
fn good_refused_and_hostile_bodies_get_the_same_answer_in_process_and_on_the_wire() {
    let mut pair = Pair::start();
    let (mut denied, mut refused) = (0, 0);
    for (kind, path) in ENDPOINTS {
        let kit = svc_testkit::kit::names(kind).into_iter().step_by(5);
        let kit = kit.map(|case| svc_testkit::kit::case(kind, &case));
        let others = ENDPOINTS.iter().map(|(other, _)| valid(other));
        for body in kit.chain(others).chain(hostile()) {
            let answer = pair.compare(&Asked { method: "POST", path, headers: &[], body: &body });
            let receipt = assert_closed(answer.status, &answer.body, path).get("receipt").is_some();
            assert_eq!(receipt, matches!(answer.status, 200 | 422), "{path}: {}", answer.status);
            if answer.status == 200 { denied += 1 } else { refused += 1 }
        }
    }
    assert!(denied >= ENDPOINTS.len() && refused >= 100, "{denied} {refused}");
}

#[test]
fn documents_and_refused_requests_are_the_same_in_process_and_on_the_wire() {
    let mut pair = Pair::start();
    let routes: Vec<(String, Method, bool)> = pair
        .library
        .operations()
        .iter()
        .map(|operation| {
            (operation.path.clone(), operation.method, matches!(operation.serves, Serves::Ready | Serves::Journal(_)))
        })
        .collect();
    let mut documents = 0;
    for (path, method, is_of_the_service) in &routes {
        let with = |method, headers| Asked { method, path, headers, body: b"" };
        pair.compare(&with("PUT", &[]));
        // What a journal holds and whether the service is ready is the service's to say.
        if *method == Method::Post || *is_of_the_service {
            continue;
        }
        let answer = pair.compare(&with("GET", &[]));
        pair.compare(&with("HEAD", &[]));
        pair.compare(&with("GET", &[("accept", "text/html")]));
        pair.compare(&with("GET", &[("svc-probe", "x")]));
        if let Some((_, tag)) = answer.headers.iter().find(|(name, _)| *name == "etag") {
            assert_eq!(pair.compare(&with("GET", &[("if-none-match", tag)])).status, 304, "{path}");
            documents += 1;
        }
    }
    for path in ["/", "/api/sdk/registry/", "/api/sdk/registry/submissions", "/metrics", "/API/SDK/REGISTRY/CONTRACT"] {
        assert_eq!(pair.compare(&Asked { method: "GET", path, headers: &[], body: b"" }).status, 404, "{path}");
    }
    let (kind, path) = ENDPOINTS[1];
    for headers in [[("content-encoding", "gzip")], [("accept", "text/html")], [("content-type", "text/plain")]] {
        let status = pair.compare(&Asked { method: "POST", path, headers: &headers, body: &valid(kind) }).status;
        assert!(matches!(status, 406 | 415), "{headers:?}: {status}");
    }
    assert!(documents >= 40, "{documents}");
}
