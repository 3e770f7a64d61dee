//! The console: odd paths and methods first, then what every answer under it is dressed in, then the pages.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::Value;
use svc_client::host::Host;
use svc_core::samples::rules;
use svc_core::words::{limits, problem_code::ProblemCode};
use svc_registry_api::{
    answer::{Answer, AnswerKind},
    routes,
};
use svc_server::{
    door::{Door, Setup},
    hosts::AllowedHosts,
    http::serve::ServeOptions,
    live::LiveValues,
};

use crate::{
    in_process::{ask, get, header},
    kit::{assert_closed, parsed},
    wire::{Client, Reply, Server, request},
};

const FIXED: [&str; 9] = [
    "/console/",
    "/console/decisions",
    "/console/log",
    "/console/gates",
    "/console/console.js",
    "/console/console.css",
    "/console/rules",
    "/console/problems",
    "/console/api",
];

/// The headers that a browser goes by, as the specification of the console has them.
const DRESS: [(&str, &str); 5] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];

/// Paths that begin like the console's and are none.
const NOWHERE: [&str; 26] = [
    "/console//",
    "/console/./",
    "/console/../",
    "/console/../livez",
    "/console/../api/sdk/registry",
    "/console/..%2f..%2fetc/passwd",
    "/console/%2e%2e/",
    "/console/%00",
    "/console/rules/",
    "/console/rules/..",
    "/console/rules/svc-b001",
    "/console/rules/SVC-B001/",
    "/console/rules/SVC-B001%20",
    "/console/rules/SVC-B999",
    "/console/rules/%53VC-B001",
    "/console/problems/",
    "/console/problems/not-found",
    "/console/api/",
    "/console/api/sdk/registry",
    "/console/Decisions",
    "/console/decisions/",
    "/console/console.html",
    "/console/console.js.map",
    "/console/index.html",
    "/console/;/",
    "/console/service",
];

fn all_paths() -> Vec<String> {
    let rules = rules().all().map(|rule| format!("/console/rules/{}", rule.code));
    FIXED.iter().map(|path| (*path).to_owned()).chain(rules).collect()
}

fn with_console() -> Door {
    Door::new(Setup { has_console: true, ..Setup::default() })
}

fn serving() -> Server {
    Server::start(Setup { has_console: true, ..Setup::default() }, ServeOptions::default())
}

fn fetch(server: &Server, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
    let lines: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    Client::connect(server.address).send(&request(method, path, &lines, b"")).reply_to(method).unwrap()
}

/// One header of each name, with exactly these words, and nothing that opens or remembers.
fn assert_dressed(reply: &Reply, what: &str) {
    let values = |name: &str| -> Vec<String> {
        let lines = reply.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines
            .filter(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().to_owned())
            .collect()
    };
    for (name, value) in DRESS {
        assert_eq!(values(name), [value], "{what}: {name}");
    }
    assert_eq!(values("cache-control").len(), 1, "{what}");
    assert_eq!(values("svc-request-id").len(), 1, "{what}");
    for name in ["set-cookie", "access-control-allow-origin", "access-control-allow-credentials", "svc-decision"] {
        assert!(values(name).is_empty(), "{what}: {name}");
    }
    let is_problem = values("content-type") == ["application/problem+json"];
    assert_eq!(values("svc-registry-api").is_empty(), !is_problem, "{what}");
}

#[test]
fn a_path_that_is_no_page_is_a_closed_problem_and_says_nothing_of_the_path() {
    let server = serving();
    for path in NOWHERE {
        let reply = fetch(&server, "GET", path, &[]);
        assert_eq!(reply.status, 404, "{path}");
        let problem = assert_closed(404, &reply.body, path);
        assert_eq!((problem["code"].as_str(), problem["instance"].as_str()), (Some("not-found"), Some("/")), "{path}");
        assert_dressed(&reply, path);
    }
    for path in all_paths() {
        for odd in [format!("{path}?"), format!("{path}?a=b"), format!("{path}%3F"), format!("http://127.0.0.1{path}")]
        {
            let reply = fetch(&server, "GET", &odd, &[]);
            assert_eq!(reply.status, 404, "{odd}");
            assert_closed(404, &reply.body, &odd);
            assert_dressed(&reply, &odd);
        }
    }
}

#[test]
fn what_only_looks_like_the_console_is_answered_as_any_unknown_path() {
    let server = serving();
    for path in
        ["//console/", "/Console/", "/consoles", "/console.js", "/%63onsole/", "/console%2F", "/./console/", "/"]
    {
        let reply = fetch(&server, "GET", path, &[("accept", "text/html")]);
        assert!([404, 406].contains(&reply.status), "{path}");
        assert_closed(reply.status, &reply.body, path);
        assert_eq!(
            reply.header("content-security-policy"),
            Some("default-src 'none'; frame-ancestors 'none'"),
            "{path}"
        );
    }
}

#[test]
fn a_refusal_is_a_page_for_a_browser_and_holds_nothing_of_the_request() {
    let server = serving();
    for path in NOWHERE.into_iter().chain(["/console/<script>alert(1)</script>", "/console/\"onload=alert(1)"]) {
        for accept in ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8"] {
            let target = path.replace('"', "%22").replace('<', "%3C").replace('>', "%3E");
            let reply = fetch(&server, "GET", &target, &[("accept", accept)]);
            assert_eq!((reply.status, reply.header("content-type")), (404, Some("text/html; charset=utf-8")), "{path}");
            assert_eq!((reply.header("cache-control"), reply.header("vary")), (Some("no-store"), Some("accept")));
            assert_dressed(&reply, path);
            let page = String::from_utf8(reply.body).unwrap();
            assert!(page.contains("<strong>CLOSED</strong>") && !page.contains("script"), "{page}");
            assert!(page.contains("There is nothing here"), "{page}");
        }
    }
}

#[test]
fn nothing_but_reading_is_done() {
    let server = serving();
    for path in ["/console", "/console/", "/console/console.js", "/console/rules/SVC-B001", "/console/api"] {
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "PROPFIND"] {
            let body = b"{\"accepted\":true}";
            let sent = request(method, path, &["Content-Type: application/json", "Origin: https://evil.example"], body);
            let reply = Client::connect(server.address).send(&sent).reply().unwrap();
            assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD")), "{method} {path}");
            assert_closed(405, &reply.body, path);
            assert_dressed(&reply, path);
        }
    }
}

#[test]
fn every_page_is_dressed_also_when_it_is_headed_known_or_compressed() {
    let server = serving();
    for path in all_paths() {
        let plain = fetch(&server, "GET", &path, &[("origin", "https://evil.example"), ("accept", "application/json")]);
        assert_eq!(plain.status, 200, "{path}");
        assert_dressed(&plain, &path);
        assert_eq!(plain.header("cache-control"), Some("no-cache"));
        let tag = plain.header("etag").unwrap().to_owned();
        let headed = fetch(&server, "HEAD", &path, &[]);
        assert_eq!((headed.status, headed.header("etag"), headed.body.len()), (200, Some(tag.as_str()), 0), "{path}");
        assert_eq!(headed.header("content-length"), Some(plain.body.len().to_string().as_str()), "{path}");
        assert_dressed(&headed, &path);
        let known = fetch(&server, "GET", &path, &[("if-none-match", &tag)]);
        assert_eq!((known.status, known.header("etag"), known.body.len()), (304, Some(tag.as_str()), 0), "{path}");
        assert_dressed(&known, &path);
        let coded = fetch(&server, "GET", &path, &[("accept-encoding", "br, gzip")]);
        assert_dressed(&coded, &path);
        assert_eq!((coded.status, coded.header("vary")), (200, Some("accept-encoding")), "{path}");
        if coded.header("content-encoding") == Some("gzip") {
            let mut back = Vec::new();
            GzDecoder::new(&*coded.body).read_to_end(&mut back).unwrap();
            assert!(back == plain.body && coded.body.len() < plain.body.len(), "{path}");
            assert_ne!(coded.header("etag"), Some(tag.as_str()), "{path}");
        } else {
            assert_eq!(coded.body, plain.body, "{path}");
        }
    }
    let generated = fetch(&server, "GET", "/console/rules", &[("accept-encoding", "gzip")]);
    assert_eq!(generated.header("content-encoding"), Some("gzip"));
}

#[test]
fn the_path_without_its_slash_leads_to_the_one_with_it() {
    let server = serving();
    for method in ["GET", "HEAD"] {
        let reply = fetch(&server, method, "/console", &[]);
        assert_eq!((reply.status, reply.header("location"), reply.body.len()), (308, Some("console/"), 0));
        assert_dressed(&reply, "/console");
    }
}

/// A client of the API that is led here must find nothing that it could read.
#[test]
fn no_page_can_be_taken_for_an_answer_of_the_api() {
    let registry = with_console();
    for path in all_paths() {
        let answer = get(&registry, &path);
        assert_eq!((answer.status, answer.kind), (200, AnswerKind::Page(None)), "{path}");
        assert!(serde_json::from_slice::<Value>(&answer.body).is_err(), "{path}");
        assert!(
            ["text/html", "text/javascript", "text/css"]
                .contains(&header(&answer, "content-type").unwrap().split(';').next().unwrap())
        );
    }
    let paths = |operations: &[svc_registry_api::routes::Operation]| -> Vec<String> {
        operations.iter().map(|operation| operation.path.clone()).collect()
    };
    assert_eq!(paths(registry.registry.operations()), paths(&routes::all()));
    assert!(!registry.registry.operations().iter().any(|operation| operation.path.contains("console")));
    let links = parsed(&get(&registry, "/api/sdk/registry").body).to_string();
    let openapi = String::from_utf8(get(&registry, "/api/sdk/registry/openapi.json").body.to_vec()).unwrap();
    assert!(!links.contains("/console") && !openapi.contains("\"/console"));
}

#[test]
fn a_registry_without_a_console_has_no_such_paths() {
    let server = Server::plain();
    let paths = all_paths().into_iter().chain(NOWHERE.map(str::to_owned)).chain(["/console".to_owned()]);
    for path in paths {
        let reply = fetch(&server, "GET", &path, &[]);
        assert_eq!(reply.status, 404, "{path}");
        assert_closed(404, &reply.body, &path);
        assert_eq!(reply.header("content-security-policy"), Some("default-src 'none'; frame-ancestors 'none'"));
    }
}

#[test]
fn another_name_is_refused_and_every_request_is_counted() {
    let hosts = Some(AllowedHosts::new([Host::parse("registry.example").unwrap()], false));
    let live = LiveValues { hosts, ..LiveValues::default() };
    let registry = Door::new(Setup { has_console: true, live, ..Setup::default() });
    let refused = |answer: Answer, status: u16| {
        assert_eq!(answer.status, status);
        assert_closed(status, &answer.body, "/console/");
        assert_eq!(header(&answer, "content-security-policy"), Some(DRESS[0].1));
    };
    for path in ["/console", "/console/", "/console/console.js", "/console/nothing"] {
        refused(ask(&registry, "GET", path, &[("host", "rebound.example")], b""), 421);
        refused(ask(&registry, "GET", path, &[("host", "")], b""), 400);
    }
    for path in ["/console/", "/console/nothing"] {
        let live = LiveValues { rate: Some((60, 5)), ..LiveValues::default() };
        let registry = Door::new(Setup { has_console: true, live, ..Setup::default() });
        for _ in 0..5 {
            assert_ne!(get(&registry, path).status, 429);
        }
        let answer = get(&registry, path);
        assert!(header(&answer, "retry-after").is_some());
        refused(answer, 429);
        assert_eq!(get(&registry, "/api/sdk/registry/limits").status, 429);
        assert_eq!(get(&registry, "/livez").status, 200);
    }
}

#[test]
fn every_rule_and_every_problem_is_told_with_all_that_its_row_says() {
    let registry = with_console();
    let page = |path: &str| String::from_utf8(get(&registry, path).body.to_vec()).unwrap();
    let written = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#39;")
    };
    // Code within a sentence has an element of its own.
    let flat = |page: &str| page.replace("<code>", "`").replace("</code>", "`");
    let (all, problems) = (flat(&page("/console/rules")), flat(&page("/console/problems")));
    for rule in rules().all() {
        let own = flat(&page(&format!("/console/rules/{}", rule.code)));
        for text in [rule.title.as_ref(), &rule.why, &rule.fix, rule.severity.as_str()] {
            assert!(own.contains(&written(text)) && all.contains(&written(text)), "{}: {text}", rule.code);
        }
        assert!(all.contains(&format!("<article id=\"{}\">", rule.code)));
        assert!(own.contains("Fires on") && own.contains("Passes"));
    }
    for code in ProblemCode::ALL {
        for text in [code.spec().title, code.spec().help, code.as_str()] {
            assert!(problems.contains(&written(text)), "{code}: {text}");
        }
    }
    let api = page("/console/api");
    for operation in routes::all().iter().filter(|operation| operation.method == routes::Method::Post) {
        assert!(api.contains(&format!("POST {}", operation.path)), "{}", operation.path);
    }
}

/// Somebody who reads pages and never takes them off the wire loses the connection, and no answer of the API waits for that.
#[test]
fn whoever_does_not_read_pages_keeps_nobody_from_answers() {
    let server = serving();
    let page = fetch(&server, "GET", "/console/rules", &[]).body.len();
    let crowd = limits::PAGES_IN_FLIGHT / page + 8;
    let sent = request("GET", "/console/rules", &[], b"").repeat(24);
    let mut silent: Vec<Client> = (0..crowd).map(|_| Client::connect(server.address)).collect();
    for client in &mut silent {
        client.send(&sent);
    }
    for _ in 0..20 {
        let reply = fetch(&server, "GET", "/api/sdk/registry/openapi.json", &[]);
        assert_eq!(reply.status, 200);
        let reply = fetch(&server, "GET", "/console/console.css", &[]);
        assert_eq!(reply.status, 200);
    }
    drop(silent);
}
