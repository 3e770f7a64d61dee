//! What is refused at the door, and that whoever is refused is counted.

use std::time::Duration;

use hyper::{HeaderMap, header::HeaderValue};
use svc_client::host::Host;
use svc_registry_api::{
    request::{RequestHead, RequestName},
    scope::TokenScope,
};
use svc_server::{
    auth::{
        token_store::TokenStore,
        tokens::{self, TokenFile},
    },
    door::{Door, Setup},
    hosts::AllowedHosts,
    http::serve::ServeOptions,
    live::LiveValues,
};

use crate::{
    in_process::{ask, get, header},
    kit::{ENDPOINTS, assert_closed, valid},
    wire::{Client, Server, request},
};

fn named(hosts: &[&str]) -> Option<AllowedHosts> {
    Some(AllowedHosts::new(hosts.iter().map(|host| Host::parse(host).unwrap()), false))
}

fn live(live: LiveValues) -> Door {
    Door::new(Setup { live, ..Setup::default() })
}

/// A registry with one token, and the token.
fn with_token(rate: Option<(u32, u32)>) -> (Door, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.json");
    let (token, record) = tokens::create("ci".to_owned(), vec![TokenScope::Preflight, TokenScope::Read], None).unwrap();
    std::fs::write(&file, serde_json::to_vec(&TokenFile { tokens: vec![record] }).unwrap()).unwrap();
    let tokens = Some(TokenStore::open(file).unwrap());
    (
        Door::new(Setup { tokens, live: LiveValues { rate, ..LiveValues::default() }, ..Setup::default() }),
        format!("Bearer {token}"),
        folder,
    )
}

#[test]
fn a_name_that_nobody_listed_is_refused_everywhere_but_at_the_probes() {
    let registry = live(LiveValues { hosts: named(&["registry.example"]), ..LiveValues::default() });
    for operation in registry.registry.operations() {
        let path = crate::in_process::concrete(&operation.path);
        let answer = ask(&registry, operation.method.as_str(), &path, &[("host", "rebound.example")], b"{}");
        if operation.is_probe() {
            assert_eq!(answer.status, 200, "{path}");
        } else {
            assert_eq!(answer.status, 421, "{path}");
            assert_eq!(assert_closed(421, &answer.body, &path)["code"], "misdirected-request");
            assert!(!String::from_utf8_lossy(&answer.body).contains("rebound"));
        }
    }
    let (kind, path) = ENDPOINTS[0];
    assert_eq!(ask(&registry, "POST", path, &[("host", "REGISTRY.example:8443")], &valid(kind)).status, 200);
    assert_eq!(ask(&registry, "GET", "/nothing", &[("host", "rebound.example")], b"").status, 421);
}

#[test]
fn the_admin_address_has_names_of_its_own() {
    let hosts = named(&["registry.example"]).map(AllowedHosts::with_addresses);
    let registry = live(LiveValues { admin_hosts: hosts, ..LiveValues::default() });
    for (host, path, allowed) in [
        ("10.0.0.1:8788", "/metrics", true),
        ("registry.example", "/metrics", true),
        ("rebound.example", "/metrics", false),
        ("rebound.example", "/readyz", true),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static(host));
        let head = RequestHead { method: "GET", path, has_query: false, headers: &headers, address: None };
        let admitted = registry.admit_to_admin(head, &RequestName::new(path));
        assert_eq!(admitted.map(|_| ()).map_err(|answer| answer.status), if allowed { Ok(()) } else { Err(421) });
    }
}

#[test]
fn two_authorizations_are_refused_in_either_order() {
    let (registry, token, _folder) = with_token(None);
    let (kind, path) = ENDPOINTS[1];
    let body = valid(kind);
    for values in [[token.as_str(), "Bearer other"], ["Bearer other", token.as_str()], [token.as_str(), token.as_str()]]
    {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("registry.example"));
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        for value in values {
            headers.append("authorization", value.parse().unwrap());
        }
        let head = RequestHead { method: "POST", path, has_query: false, headers: &headers, address: None };
        let answer = registry.answer(head, &body);
        assert_eq!(answer.status, 400);
        assert_eq!(assert_closed(400, &answer.body, path)["code"], "malformed-request");
    }
    assert_eq!(ask(&registry, "POST", path, &[("authorization", &token)], &body).status, 200);
}

/// Five of each are let through to their refusal; then the address has used up what it may.
#[test]
fn whoever_is_refused_is_counted_and_a_token_is_not_kept_out_by_others() {
    let (kind, path) = ENDPOINTS[1];
    for (method, at, headers, refused) in [
        ("GET", "/nothing", &[][..], 404),
        ("PUT", path, &[], 405),
        ("GET", "/api/sdk/registry/limits", &[("authorization", "Bearer guess")], 401),
        ("POST", path, &[("authorization", "Bearer guess")], 401),
        ("GET", "/version", &[("host", "")], 400),
        ("GET", "/version", &[("svc-probe", "x")], 400),
    ] {
        let (registry, token, _folder) = with_token(Some((60, 5)));
        for _ in 0..5 {
            assert_eq!(ask(&registry, method, at, headers, b"").status, refused, "{method} {at}");
        }
        let answer = ask(&registry, method, at, headers, b"");
        assert_eq!(answer.status, 429, "{method} {at}");
        assert_eq!(assert_closed(429, &answer.body, at)["code"], "rate-limited");
        assert!(header(&answer, "retry-after").is_some());
        assert_eq!(ask(&registry, "POST", path, &[("authorization", &token)], &valid(kind)).status, 200);
        assert_eq!(get(&registry, "/livez").status, 200);
    }
}

#[test]
fn what_is_no_request_is_counted_too() {
    let live = LiveValues { rate: Some((1, 3)), ..LiveValues::default() };
    let server = Server::start(Setup { live, ..Setup::default() }, ServeOptions::default());
    for malformed in ["G@T / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "GET /"] {
        Client::connect(server.address).send(malformed.as_bytes()).end().reply();
    }
    // It is counted when the connection has ended, which the client may see first.
    std::thread::sleep(Duration::from_millis(300));
    let ask = |path| Client::connect(server.address).send(&request("GET", path, &[], b"")).reply().unwrap().status;
    assert_eq!((ask("/version"), ask("/livez")), (429, 200));
}
