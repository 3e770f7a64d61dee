//! What the contract and OpenAPI list for an operation is what it answers.
//!
//! Every answer of every test goes through `Registry::expect_listed`, which stops a test when a route sends a problem that is not
//! listed for it. Here the other half is shown: what is listed occurs.

use std::collections::BTreeSet;

use hyper::{HeaderMap, header::HeaderValue};
use serde_json::{Value, json};
use svc_client::host::Host;
use svc_core::{attacks, words::problem_code::ProblemCode};
use svc_json::canonical;
use svc_registry_api::{
    answer::{Answer, AnswerKind},
    request::RequestHead,
    routes::{self, Operation},
    scope::TokenScope,
};
use svc_server::{
    auth::{
        token_store::TokenStore,
        tokens::{self, TokenFile},
    },
    door::{Door, Setup},
    health::Phase,
    hosts::AllowedHosts,
    live::LiveValues,
};

use crate::{
    in_process::{concrete, registry},
    kit::{ENDPOINTS, parsed, read, valid},
};

/// What only a socket, a store or a fault brings about. The tests of bodies, limits, journals, witnesses and the guard do so,
/// and none of them gets it from an operation that does not list it.
const ELSEWHERE: [ProblemCode; 9] = [
    ProblemCode::RequestTimeout,
    ProblemCode::AheadOfLog,
    ProblemCode::Pruned,
    ProblemCode::BodyTooLarge,
    ProblemCode::Internal,
    ProblemCode::Overloaded,
    ProblemCode::JournalUnavailable,
    ProblemCode::QuorumLacking,
    ProblemCode::ShuttingDown,
];

/// A request that a registry refuses before a body counts.
struct Refused<'r> {
    registry: &'r Door,
    method: &'r str,
    has_query: bool,
    headers: &'r [(&'static str, &'r str)],
}

impl Refused<'_> {
    fn answer(&self, path: &str, body: &[u8]) -> Answer {
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("registry.example"));
        headers.insert("content-type", HeaderValue::from_static("application/json"));
        for (name, value) in self.headers {
            if value.is_empty() {
                headers.remove(*name);
            } else {
                headers.insert(*name, value.parse().unwrap());
            }
        }
        let address = Some([127, 0, 0, 1].into());
        let head = RequestHead { method: self.method, path, has_query: self.has_query, headers: &headers, address };
        self.registry.answer(head, body)
    }
}

fn code(answer: &Answer) -> Option<ProblemCode> {
    match answer.kind {
        AnswerKind::Refused(code) | AnswerKind::Page(Some(code)) => Some(code),
        AnswerKind::Denied(_) | AnswerKind::Document | AnswerKind::Page(None) => None,
    }
}

/// What an operation answers to requests that are refused by their form, their token, their name or their number.
fn refused_at_the_door(operation: &Operation) -> BTreeSet<ProblemCode> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.json");
    let (token, record) = tokens::create("none".to_owned(), vec![TokenScope::Probe], None).unwrap();
    std::fs::write(&file, serde_json::to_vec(&TokenFile { tokens: vec![record] }).unwrap()).unwrap();
    let bearer = format!("Bearer {token}");
    let with = |live: LiveValues| Door::new(Setup { live, ..Setup::default() });
    let open = registry();
    let stopping = registry();
    stopping.health.enter(Phase::Stopping);
    let guarded = Door::new(Setup { tokens: Some(TokenStore::open(file).unwrap()), ..Setup::default() });
    let hosts = Some(AllowedHosts::new([Host::parse("other.example").unwrap()], false));
    let named = with(LiveValues { hosts, ..LiveValues::default() });
    let counted = with(LiveValues { rate: Some((1, 1)), ..LiveValues::default() });
    let (method, path) = (operation.method.as_str(), concrete(&operation.path));
    let plain = |registry| Refused { registry, method, has_query: false, headers: &[] };
    let requests = [
        Refused { headers: &[("host", "")], ..plain(&open) },
        Refused { has_query: true, ..plain(&open) },
        Refused { method: "PUT", ..plain(&open) },
        Refused { headers: &[("accept", "text/html")], ..plain(&open) },
        Refused { headers: &[("content-type", "text/plain")], ..plain(&open) },
        plain(&guarded),
        Refused { headers: &[("authorization", &bearer)], ..plain(&guarded) },
        plain(&named),
        plain(&counted),
        plain(&counted),
        plain(&stopping),
    ];
    requests.iter().filter_map(|request| code(&request.answer(&path, b"{}"))).collect()
}

/// What an endpoint answers to the documents of the kit, and to one whose report is not what the rules give.
fn refused_documents(kind: &str, path: &str) -> BTreeSet<ProblemCode> {
    let registry = registry();
    let cases = svc_testkit::kit::names(kind).into_iter();
    let documents = cases.map(|case| svc_testkit::kit::case(kind, &case));
    let bodies = documents.chain([canonical::to_pretty(&with_another_review(kind))]);
    bodies.filter_map(|body| code(&crate::in_process::post(&registry, path, &body))).collect()
}

/// A good document whose review does not follow from its package, with everything else made to fit.
fn with_another_review(kind: &str) -> Value {
    let mut document = parsed(&valid(kind));
    match kind {
        "index" => {
            let entry = &mut document["entries"][0];
            entry["submission"]["reviewReport"]["verdict"] = json!("blocked");
            attacks::reseal(&mut entry["submission"]);
            entry["submissionDigest"] = entry["submission"]["documentDigest"].clone();
            document["derivedFrom"][0]["digest"] = document["entries"][0]["submissionDigest"].clone();
        }
        "signing-request" => add_colliding_file(&mut document),
        _ if document["reviewReport"].is_object() => document["reviewReport"]["verdict"] = json!("blocked"),
        _ => add_colliding_file(&mut document),
    }
    attacks::reseal(&mut document);
    let digest_of = |document: &Value, name: &str| {
        let rows = document["artifactDigests"].as_array().cloned().unwrap_or_default();
        let row = rows.iter().find(|row| row["name"] == name).cloned().unwrap_or_default();
        row["digest"].as_str().unwrap_or_default().trim_start_matches("sha256:").to_owned()
    };
    if document["storage"].is_object() {
        let hex = digest_of(&document, "review-report");
        document["storage"]["key"] = json!(format!("reviews/sha256/{}/{hex}", &hex[..2]));
    }
    if document["statement"].is_object() {
        for at in 0..2 {
            let name = document["statement"]["subject"][at]["name"].as_str().unwrap().to_owned();
            document["statement"]["subject"][at]["digest"]["sha256"] = json!(digest_of(&document, &name));
        }
        let payload = data_encoding::BASE64.encode(&canonical::to_bytes(&document["statement"]));
        document["envelope"]["payload"] = json!(payload);
    }
    attacks::reseal(&mut document);
    document
}

/// Two files whose names differ in case alone.
fn add_colliding_file(document: &mut Value) {
    let files = document["packageArtifact"]["files"].as_array_mut().unwrap();
    let mut file = files[0].clone();
    let path = file["path"].as_str().unwrap().to_uppercase();
    assert_ne!(file["path"], path);
    file["path"] = json!(path);
    files.push(file);
    files.sort_by_key(|file| file["path"].as_str().unwrap().to_owned());
}

fn operation_at(path: &str) -> Operation {
    routes::all().into_iter().find(|operation| operation.path == path).unwrap()
}

fn listed(operation: &Operation) -> BTreeSet<ProblemCode> {
    ProblemCode::ALL.iter().copied().filter(|code| operation.may_refuse_with(*code)).collect()
}

#[test]
fn every_problem_that_an_endpoint_lists_occurs_there() {
    for (kind, path) in ENDPOINTS {
        let operation = operation_at(path);
        let mut seen = refused_at_the_door(&operation);
        seen.extend(refused_documents(kind, path));
        let unseen: BTreeSet<ProblemCode> = listed(&operation).difference(&seen).copied().collect();
        let only_elsewhere: BTreeSet<ProblemCode> =
            ELSEWHERE.into_iter().filter(|code| listed(&operation).contains(code) && !seen.contains(code)).collect();
        assert_eq!(unseen, only_elsewhere, "{kind}");
        assert!(seen.is_subset(&listed(&operation)), "{kind}");
        assert!(
            !listed(&operation).contains(&ProblemCode::Pruned)
                && !listed(&operation).contains(&ProblemCode::AheadOfLog)
        );
        assert_eq!(listed(&operation).contains(&ProblemCode::IndexInconsistent), kind == "index");
    }
}

#[test]
fn every_problem_that_a_document_lists_occurs_there() {
    for operation in routes::all().iter().filter(|operation| operation.method == routes::Method::Get) {
        let seen = refused_at_the_door(operation);
        let unseen: Vec<ProblemCode> = listed(operation).difference(&seen).copied().collect();
        assert!(unseen.iter().all(|code| ELSEWHERE.contains(code)), "{}: {unseen:?}", operation.id);
        assert!(seen.is_subset(&listed(operation)), "{}: {seen:?}", operation.id);
    }
}

#[test]
fn the_committed_contract_and_description_list_the_same() {
    let contract = parsed(&read("contracts/hosted-registry-api-contract.json"));
    let description = parsed(&read("contracts/openapi.json"));
    for row in contract["operations"].as_array().unwrap() {
        let path = format!("/api/sdk/registry{}", row["path"].as_str().unwrap());
        let operation = operation_at(&path);
        let described = &description["paths"][&path]["post"];
        assert_eq!(row["problems"], json!(listed(&operation)), "{path}");
        assert_eq!(row["problems"], described["x-problems"], "{path}");
        let statuses: BTreeSet<u64> = row["statuses"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        let responses = described["responses"].as_object().unwrap().keys().map(|status| status.parse().unwrap());
        assert_eq!(statuses, responses.collect(), "{path}");
    }
    // A path in braces describes several operations, which list the same.
    let described = |path: &str| description["paths"].as_object().unwrap().keys().any(|known| known == path);
    let mut compared = 0;
    for operation in routes::all().iter().filter(|operation| described(&operation.path)) {
        let method = operation.method.as_str().to_lowercase();
        let row = &description["paths"][&operation.path][&method]["x-problems"];
        assert_eq!(*row, json!(listed(operation)), "{}", operation.path);
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

/// The guide says what to do for each status of a problem, in one row of its table.
#[test]
fn the_guide_has_every_status_of_a_problem_once_and_no_other() {
    let guide = String::from_utf8(read("docs/guides/api.md")).unwrap();
    let (_, table) = guide.split_once("| Status | What to do |\n|---|---|\n").unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').nth(1).unwrap());
    let mut named: Vec<u64> = cells.flat_map(|cell| cell.split(',')).map(|text| text.trim().parse().unwrap()).collect();
    named.sort_unstable();
    let problems = parsed(&read("contracts/problems.json"));
    let listed: BTreeSet<u64> =
        problems.as_array().unwrap().iter().map(|problem| problem["status"].as_u64().unwrap()).collect();
    assert_eq!(named, listed.into_iter().collect::<Vec<_>>());
}
