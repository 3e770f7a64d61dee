//! Every case of the committed kit, posted to its endpoint.

use serde_json::{Value, json};

use crate::{
    in_process::{header, post, registry},
    kit::{ENDPOINTS, assert_closed, parsed, spec, valid},
};
use svc_core::samples::rules;
use svc_testkit::kit;

/// Rule and pointer of each error, sorted, each once.
fn rows(errors: &Value) -> Value {
    let row = |error: &Value| json!({ "pointer": error["pointer"], "rule": error["rule"] });
    let mut rows: Vec<Value> = errors.as_array().unwrap().iter().map(row).collect();
    rows.sort_by_key(ToString::to_string);
    rows.dedup();
    Value::Array(rows)
}

/// What the kit expects, as an answer tells it: a name that only the document has is told by the object it stands in.
fn told(findings: &Value) -> Value {
    let place = |pointer: &Value| match pointer.as_str().unwrap() {
        "/approvedBy" | "/extra" => json!(""),
        "/gateStatuses/self-review" => json!("/gateStatuses"),
        pointer if pointer.ends_with("/message") => json!(pointer.strip_suffix("/message")),
        _ => pointer.clone(),
    };
    let row = |finding: &Value| {
        let pointer = place(&finding["pointer"]);
        let around = pointer.as_str().unwrap().strip_suffix("/signed").filter(|_| finding["rule"] == "SVC-B012");
        json!({ "pointer": around.map_or_else(|| pointer.clone(), |around| json!(around)), "rule": finding["rule"] })
    };
    rows(&findings.as_array().unwrap().iter().map(row).collect())
}

#[test]
fn every_attack_of_the_kit_is_refused_with_its_code_and_every_place() {
    let registry = registry();
    let mut refused = 0;
    for (kind, path) in ENDPOINTS {
        for case in kit::names(kind) {
            let place = format!("{kind}.json#{case}");
            let expect = kit::expected(kind, &case);
            if expect["valid"] == true || expect["seenIn"] == "chain" {
                continue;
            }
            let answer = post(&registry, path, &kit::case(kind, &case));
            let body = assert_closed(answer.status, &answer.body, &place);
            assert_eq!(body["code"], expect["problem"], "{place}");
            assert_eq!(rows(&body["errors"]), told(&expect["findings"]), "{place}");
            let caught = expect["caughtBy"].as_str().unwrap();
            let unreadable = body["errors"][0]["rule"].as_str().unwrap().starts_with("SVC-J");
            assert_eq!(answer.status, if unreadable { 400 } else { 422 }, "{place}");
            assert!(!caught.starts_with("SVC-J") || unreadable, "{place}");
            assert_eq!(header(&answer, "content-type"), Some("application/problem+json"), "{place}");
            assert_eq!(header(&answer, "svc-decision"), None, "{place}");
            refused += 1;
        }
    }
    assert!(refused >= 250, "{refused}");
    assert!(registry.health.is_ready());
}

#[test]
fn an_entry_of_an_index_stands_where_the_resolver_puts_it() {
    let document = valid("index");
    let tree = svc_json::tree::read(&document).unwrap();
    let entries = tree.root.get("entries").unwrap().elements();
    let answer = post(&registry(), ENDPOINTS[0].1, &document);
    let body = assert_closed(answer.status, &answer.body, "index");
    for (entry, evaluated) in entries.iter().zip(body["entries"].as_array().unwrap()) {
        let entry = document.get(entry.span.start..entry.span.end).unwrap();
        let resolved = svc_core::lifecycle::resolve_stage(rules(), entry).resolution;
        assert_eq!(evaluated["stage"], resolved.stage.as_str());
        assert_eq!(evaluated["stage"], "collection-entry");
    }
    assert_eq!(entries.len(), body["entries"].as_array().unwrap().len());
}

/// With every digest inside made to fit, only the parent could betray it, and a registry sees one document: it is
/// evaluated, and the answer is no as always.
#[test]
fn a_document_that_only_its_parent_betrays_is_denied_like_any_other() {
    let registry = registry();
    let mut denied = 0;
    for (kind, path) in ENDPOINTS {
        for case in kit::names(kind) {
            let place = format!("{kind}.json#{case}");
            if kit::expected(kind, &case)["seenIn"] == "chain" {
                let answer = post(&registry, path, &kit::case(kind, &case));
                assert_eq!(answer.status, 200, "{place}");
                assert_closed(200, &answer.body, &place);
                denied += 1;
            }
        }
    }
    assert!(denied >= 5, "{denied}");
}

#[test]
fn every_good_document_is_evaluated_and_denied() {
    let registry = registry();
    let mut evaluated = 0;
    let cases = ENDPOINTS.iter().flat_map(|it| kit::names(it.0).into_iter().map(move |case| (it, case)));
    for ((kind, path), case) in cases {
        let place = format!("{kind}.json#{case}");
        let expect = kit::expected(kind, &case);
        if expect["valid"] != true {
            continue;
        }
        evaluated += 1;
        let document = kit::case(kind, &case);
        let answer = post(&registry, path, &document);
        assert_eq!(answer.status, 200, "{place}");
        let body = assert_closed(200, &answer.body, &place);
        assert_eq!(body["ruleset"]["equal"], case == "own-rules-valid", "{place}");
        assert_eq!(body["artifact"], json!({ "digest": expect["digest"], "kind": spec(kind).kind }));
        assert_eq!(body["operation"], spec(kind).endpoint.unwrap().operation);
        assert_eq!(body["nextGate"], "publisher-verification");
        assert_eq!(header(&answer, "svc-decision"), Some("denied"));
        assert_eq!(header(&answer, "content-type"), Some("application/json"));
        assert_eq!(header(&answer, "cache-control"), Some("no-store"));
        let packages = if *kind == "index" { body["entries"].as_array().unwrap().clone() } else { vec![body.clone()] };
        assert_eq!(packages.len(), parsed(&document)["entries"].as_array().map_or(1, Vec::len), "{place}");
        for package in packages {
            assert_eq!(package["digestCheck"]["matches"], true, "{kind}");
            assert_eq!(package["digestCheck"]["declared"], package["digestCheck"]["recomputed"], "{kind}");
            assert_ne!(package["blockers"], json!([]), "{kind}");
        }
    }
    assert_eq!(evaluated, 2 * ENDPOINTS.len() + 3, "an index has three good documents more");
}

#[test]
fn equal_input_gives_equal_bytes_but_for_the_request_id() {
    let (one, two) = (registry(), registry());
    for (kind, path) in ENDPOINTS {
        for case in ["valid", "accepted-true", "file-digest-changed", "duplicate-member"] {
            let document = kit::case(kind, case);
            let answers = [post(&one, path, &document), post(&one, path, &document), post(&two, path, &document)];
            let masked = answers.each_ref().map(|answer| {
                let id = parsed(&answer.body)["requestId"].as_str().unwrap().to_owned();
                assert_eq!(id.len(), 32);
                (String::from_utf8(answer.body.to_vec()).unwrap().replace(&id, "-"), id)
            });
            assert_eq!(masked[0].0, masked[1].0, "{kind}/{case}");
            assert_eq!(masked[0].0, masked[2].0, "{kind}/{case}");
            assert_ne!(masked[0].1, masked[1].1);
        }
    }
}

#[test]
fn layout_and_order_of_members_change_nothing_of_the_decision() {
    let registry = registry();
    for (kind, path) in ENDPOINTS {
        let document = valid(kind);
        let first = parsed(&post(&registry, path, &document).body);
        let compact = serde_json::to_vec(&parsed(&document)).unwrap();
        assert_ne!(compact, document);
        let again = parsed(&post(&registry, path, &compact).body);
        assert_eq!(first["decisionId"], again["decisionId"], "{kind}");
    }
}
