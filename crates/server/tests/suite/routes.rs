//! What is served is what is documented, and what is not served is refused and closed.

use std::collections::BTreeSet;

use serde_json::Value;
use svc_core::words::problem_code::ProblemCode;
use svc_registry_api::routes::{Method, Serves};
use svc_server::{
    door::{Door, Setup},
    health::Phase,
    live::LiveValues,
};

use crate::{
    in_process::{ask, get, header, post, registry},
    kit::{ENDPOINTS, assert_closed, parsed, read, valid},
};

const BASE: &str = "/api/sdk/registry";

/// Path and file of every document that stands in `contracts/`.
fn committed() -> Vec<(String, String)> {
    let fixed = [
        ("/contract", "hosted-registry-api-contract.json"),
        ("/readiness", "hosted-registry-readiness-contract.json"),
        ("/lifecycle", "lifecycle-catalog.json"),
        ("/ruleset", "ruleset.json"),
        ("/limits", "limits.json"),
        ("/openapi.json", "openapi.json"),
    ];
    let schemas = crate::kit::names_in("contracts/schemas").into_iter().map(|file| {
        let name = file.strip_suffix(".schema.json").unwrap().to_owned();
        (format!("{BASE}/schemas/{name}"), format!("contracts/schemas/{file}"))
    });
    let fixed = fixed.into_iter().map(|(path, file)| (format!("{BASE}{path}"), format!("contracts/{file}")));
    fixed.chain(schemas).collect()
}

#[test]
fn the_served_routes_are_the_documented_ones() {
    let registry = registry();
    let served: BTreeSet<(String, String)> = registry
        .registry
        .operations()
        .iter()
        .map(|operation| (operation.path.clone(), operation.method.as_str().to_ascii_lowercase()))
        .collect();
    assert_eq!(served.len(), registry.registry.operations().len(), "a route stands twice");
    let described = parsed(&read("contracts/openapi.json"));
    let documented: BTreeSet<(String, String)> = described["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| {
            let paths = each_path(path);
            let methods = methods.as_object().unwrap().keys();
            methods.flat_map(move |method| paths.clone().into_iter().map(|path| (path, method.clone())))
        })
        .collect();
    assert_eq!(served, documented);
    let links = parsed(&get(&registry, BASE).body);
    let linked: BTreeSet<(String, String)> = links["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| {
            let text = |name: &str| link[name].as_str().unwrap().to_owned();
            (text("href"), text("method").to_ascii_lowercase())
        })
        .collect();
    assert_eq!(served, linked);
}

/// The routes that a path of the description stands for.
fn each_path(path: &str) -> Vec<String> {
    let with = |part: &str, words: Vec<String>| words.iter().map(|word| path.replace(part, word)).collect();
    if path.contains("{name}") {
        let files = crate::kit::names_in("contracts/schemas").into_iter();
        return with("{name}", files.map(|file| file.strip_suffix(".schema.json").unwrap().to_owned()).collect());
    }
    if path.contains("{code}") {
        return with("{code}", ProblemCode::WORDS.iter().map(|&word| word.to_owned()).collect());
    }
    if path.contains("{level}") {
        return with("{level}", vec!["{level}".to_owned(), "entries".to_owned()]);
    }
    vec![path.to_owned()]
}

#[test]
fn exactly_six_routes_take_a_post_and_the_contract_names_them() {
    let registry = registry();
    let is_post = |method: Method| method == Method::Post;
    let posts = registry.registry.operations().iter().filter(|operation| is_post(operation.method));
    let posts: BTreeSet<&str> = posts.map(|operation| operation.path.as_str()).collect();
    assert_eq!(posts, ENDPOINTS.iter().map(|(_, path)| *path).collect());
    let contract = parsed(&read("contracts/hosted-registry-api-contract.json"));
    let operations = contract["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 6);
    for operation in operations {
        assert_eq!(operation["method"], "POST");
        let path = format!("{}{}", contract["basePath"].as_str().unwrap(), operation["path"].as_str().unwrap());
        assert!(posts.contains(path.as_str()), "{path}");
    }
    for operation in registry.registry.operations().iter().filter(|operation| !is_post(operation.method)) {
        let path = crate::in_process::concrete(&operation.path);
        let answer = post(&registry, &path, b"{}");
        assert_eq!(answer.status, 405, "{path}");
        assert_closed(405, &answer.body, &path);
    }
}

#[test]
fn documents_are_the_committed_bytes_with_a_tag_that_saves_the_second_reading() {
    let registry = registry();
    for (path, file) in committed() {
        let answer = get(&registry, &path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.body == read(&file), "{path} is not {file}");
        let tag = header(&answer, "etag").unwrap().to_owned();
        for tags in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
            let again = ask(&registry, "GET", &path, &[("if-none-match", &tags)], b"");
            assert_eq!((again.status, again.body.len()), (304, 0), "{path} {tags}");
            assert_eq!(header(&again, "etag"), Some(tag.as_str()));
        }
        for tags in ["\"x\"", &tag[1..tag.len() - 1], "\"\""] {
            assert_eq!(ask(&registry, "GET", &path, &[("if-none-match", tags)], b"").status, 200, "{path} {tags}");
        }
    }
}

#[test]
fn every_document_can_be_read_and_headed() {
    let registry = registry();
    for operation in registry.registry.operations().iter().filter(|operation| operation.method == Method::Get) {
        if matches!(operation.serves, Serves::Journal(_)) {
            // There is none in-process; what it serves is held to its own tests.
            let answer = get(&registry, &crate::in_process::concrete(&operation.path));
            assert_closed(404, &answer.body, &operation.path);
            continue;
        }
        let answer = get(&registry, &operation.path);
        assert_eq!(answer.status, 200, "{}", operation.path);
        assert!(parsed(&answer.body).is_object() || parsed(&answer.body).is_array(), "{}", operation.path);
        assert_eq!(ask(&registry, "HEAD", &operation.path, &[], b"").status, 200, "{}", operation.path);
    }
    for code in ProblemCode::ALL {
        let page = parsed(&get(&registry, &code.page()).body);
        assert_eq!(page["code"], code.as_str());
        assert_eq!(page["status"], code.spec().status);
    }
    for (path, member) in [("/livez", "live"), ("/readyz", "ready")] {
        assert_eq!(parsed(&get(&registry, path).body)[member], Value::Bool(true));
    }
    let version = parsed(&get(&registry, "/version").body);
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn what_is_not_there_is_refused_and_closed() {
    let registry = registry();
    let deep = format!("/{}", "a/".repeat(4000));
    let paths = [
        "/",
        "",
        "*",
        "/api",
        "/api/sdk",
        "/api/sdk/registry/",
        "//api/sdk/registry",
        "/api/sdk/registry/submissions",
        "/api/sdk/registry/contract/",
        "/api/sdk/registry/contract.json",
        "/api/sdk/registry/%63ontract",
        "/api/sdk/registry/./contract",
        "/api/sdk/registry/x/../contract",
        "/api/sdk/registry/%2e%2e/registry/contract",
        "/API/SDK/REGISTRY/CONTRACT",
        "/api/sdk/registry/schemas",
        "/api/sdk/registry/schemas/",
        "/api/sdk/registry/schemas/../contract",
        "/api/sdk/registry/schemas/decision.schema.json",
        "/api/sdk/registry/acceptance-requests/",
        "/api/sdk/registry/acceptance-requests/1",
        "/api/sdk/registry/acceptance-requests;v=1",
        "/problems",
        "/problems/",
        "/problems/nothing",
        "/metrics",
        "/readyz/",
        "/.well-known/security.txt",
        "/etc/passwd",
        "/<script>alert(1)</script>",
        "/\u{202e}",
        &deep,
    ];
    for path in paths {
        for method in ["GET", "POST", "PUT", "HEAD"] {
            let answer = ask(&registry, method, path, &[], b"{}");
            assert_eq!(answer.status, 404, "{method} {path}");
            let body = assert_closed(404, &answer.body, path);
            assert_eq!(body["instance"], "/", "the client's words are not repeated");
            assert_eq!(header(&answer, "cache-control"), Some("no-store"));
        }
    }
}

#[test]
fn another_method_is_refused_and_told_which_one_to_use() {
    let registry = registry();
    for (_, path) in ENDPOINTS {
        for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post", "Post", "PROPFIND", "X"] {
            let answer = ask(&registry, method, path, &[("x-http-method-override", "POST")], &valid("index"));
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_closed(405, &answer.body, path);
            assert_eq!(header(&answer, "allow"), Some("POST"), "{method} {path}");
        }
    }
    for method in ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "head"] {
        let answer = ask(&registry, method, "/api/sdk/registry/contract", &[], b"");
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(header(&answer, "allow"), Some("GET, HEAD"), "{method}");
        assert_closed(405, &answer.body, method);
    }
}

#[test]
fn only_plain_json_is_read() {
    let registry = registry();
    let refused: &[(&str, &str)] = &[
        ("content-type", ""),
        ("content-type", "text/plain"),
        ("content-type", "text/json"),
        ("content-type", "application/jsonx"),
        ("content-type", "application/json-seq"),
        ("content-type", "application/problem+json"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("content-type", "multipart/form-data; boundary=x"),
        ("content-type", "application/json, text/plain"),
        ("content-type", "application/json; charset=latin1"),
        ("content-type", "application/json; charset=utf-16"),
        ("content-type", "application/json; charset=utf-8; boundary=x"),
        ("content-type", "*/*"),
        ("content-encoding", "gzip"),
        ("content-encoding", "identity"),
        ("content-encoding", "br"),
        ("content-encoding", "x"),
    ];
    for (kind, path) in ENDPOINTS {
        for (name, value) in refused {
            let answer = ask(&registry, "POST", path, &[(name, value)], &valid(kind));
            assert_eq!(answer.status, 415, "{path} {name}: {value}");
            assert_eq!(assert_closed(415, &answer.body, path)["code"], "unsupported-media-type");
        }
        for value in ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON;Charset=UTF-8"] {
            assert_eq!(ask(&registry, "POST", path, &[("content-type", value)], &valid(kind)).status, 200, "{value}");
        }
    }
}

#[test]
fn a_client_that_takes_no_json_is_told_so() {
    let registry = registry();
    let (kind, path) = ENDPOINTS[1];
    for accept in ["text/html", "image/*", "application/xml", "application/json;q=0", "text/plain, text/html;q=0.9"] {
        let answer = ask(&registry, "POST", path, &[("accept", accept)], &valid(kind));
        assert_eq!(answer.status, 406, "{accept}");
        assert_eq!(assert_closed(406, &answer.body, accept)["code"], "not-acceptable");
    }
    for accept in ["*/*", "application/*", "application/json", "text/html, */*;q=0.1", "Application/JSON"] {
        assert_eq!(ask(&registry, "POST", path, &[("accept", accept)], &valid(kind)).status, 200, "{accept}");
    }
}

#[test]
fn exactly_one_host_is_needed() {
    let registry = registry();
    let answer = ask(&registry, "GET", "/livez", &[("host", "")], b"");
    assert_eq!(answer.status, 400);
    assert_eq!(assert_closed(400, &answer.body, "no host")["code"], "malformed-request");
}

#[test]
fn a_client_that_asks_too_often_is_told_when_to_come_back() {
    let registry =
        Door::new(Setup { live: LiveValues { rate: Some((60, 2)), ..LiveValues::default() }, ..Setup::default() });
    let (kind, path) = ENDPOINTS[2];
    for _ in 0..2 {
        assert_eq!(post(&registry, path, &valid(kind)).status, 200);
    }
    let answer = post(&registry, path, &valid(kind));
    assert_eq!(answer.status, 429);
    assert_eq!(assert_closed(429, &answer.body, "429")["code"], "rate-limited");
    assert_eq!(header(&answer, "retry-after"), Some("1"));
}

#[test]
fn probes_of_health_are_never_turned_away_for_asking_often() {
    let registry =
        Door::new(Setup { live: LiveValues { rate: Some((1, 1)), ..LiveValues::default() }, ..Setup::default() });
    assert_eq!(get(&registry, "/version").status, 200);
    assert_eq!(get(&registry, "/version").status, 429);
    for path in ["/livez", "/readyz"] {
        for _ in 0..5 {
            assert_eq!(get(&registry, path).status, 200, "{path}");
        }
    }
}

#[test]
fn a_leaving_service_says_so_and_still_answers() {
    let registry = registry();
    registry.health.enter(Phase::Leaving);
    let ready = get(&registry, "/readyz");
    assert_eq!((ready.status, &ready.body[..]), (503, &b"{\"ready\": false, \"reason\": \"stopping\"}\n"[..]));
    let (kind, path) = ENDPOINTS[0];
    assert_eq!(post(&registry, path, &valid(kind)).status, 200);
    registry.health.enter(Phase::Open);
    assert_eq!(get(&registry, "/readyz").status, 503, "there is no way back");
}

#[test]
fn a_stopping_service_is_not_ready_and_refuses_closed() {
    let registry = registry();
    registry.health.enter(Phase::Stopping);
    for (kind, path) in ENDPOINTS {
        let answer = post(&registry, path, &valid(kind));
        assert_eq!(answer.status, 503);
        assert_eq!(assert_closed(503, &answer.body, path)["code"], "shutting-down");
        assert!(header(&answer, "retry-after").is_some());
    }
    assert_eq!(get(&registry, "/readyz").status, 503);
    assert_eq!(get(&registry, "/livez").status, 200);
}
