//! `contracts/openapi.json`: what it says of answers is what the service answers, and a yes fits nothing in it.

use serde_json::{Value, json};
use svc_testkit::jsonschema;

use crate::{
    in_process::{get, post, registry},
    kit::{ENDPOINTS, parsed, read, valid},
};

fn description() -> Value {
    parsed(&read("contracts/openapi.json"))
}

/// The judge of a component, with everything that it refers to.
fn judge(name: &str) -> jsonschema::Validator {
    let components = description()["components"].clone();
    jsonschema::validator_for(&json!({ "$ref": format!("#/components/schemas/{name}"), "components": components }))
        .unwrap()
}

#[test]
fn an_answer_that_says_yes_fits_no_schema_of_the_description() {
    let registry = registry();
    let (decision, problem) = (judge("Decision"), judge("Problem"));
    for (name, path) in ENDPOINTS {
        let answer = parsed(&post(&registry, path, &valid(name)).body);
        assert!(decision.is_valid(&answer), "{name}");
        let refused = parsed(&post(&registry, path, b"{}").body);
        assert!(problem.is_valid(&refused), "{name}");
        for flag in ["accepted", "signed", "installable"] {
            for open in [json!(true), json!("true"), json!(1), json!(null)] {
                for (judge, closed) in [(&decision, &answer), (&problem, &refused)] {
                    let mut opened = closed.clone();
                    opened[flag] = open.clone();
                    assert!(!judge.is_valid(&opened), "{name}: {flag} {open}");
                    opened.as_object_mut().unwrap().remove(flag);
                    assert!(!judge.is_valid(&opened), "{name}: no {flag}");
                }
            }
        }
    }
}

#[test]
fn problems_may_grow_and_decisions_may_not() {
    let registry = registry();
    let (name, path) = ENDPOINTS[0];
    let mut problem = parsed(&post(&registry, path, b"{}").body);
    problem["code"] = json!("not-known-yet");
    problem["hint"] = json!("added later");
    assert!(judge("Problem").is_valid(&problem));
    let mut decision = parsed(&post(&registry, path, &valid(name)).body);
    decision["hint"] = json!("added later");
    assert!(!judge("Decision").is_valid(&decision));
}

#[test]
fn every_document_has_the_form_that_is_described() {
    let registry = registry();
    for (path, schema) in [
        ("/api/sdk/registry", "Links"),
        ("/api/sdk/registry/contract", "ApiContract"),
        ("/api/sdk/registry/readiness", "ReadinessLedger"),
        ("/api/sdk/registry/lifecycle", "LifecycleCatalog"),
        ("/api/sdk/registry/ruleset", "RuleCatalog"),
        ("/api/sdk/registry/limits", "Limits"),
        ("/api/sdk/registry/problems/digest-mismatch", "ProblemPage"),
        ("/livez", "Liveness"),
        ("/readyz", "Readiness"),
        ("/version", "RunningVersion"),
    ] {
        let document = parsed(&get(&registry, path).body);
        let errors: Vec<String> = judge(schema).iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
    }
}

#[test]
fn every_example_has_the_form_of_its_schema() {
    let examples = description()["components"]["examples"].as_object().unwrap().clone();
    let (mut decisions, mut problems) = (0, 0);
    for (name, example) in &examples {
        let value = &example["value"];
        if name.ends_with("Decision") {
            assert!(judge("Decision").is_valid(value), "{name}");
            decisions += 1;
        } else if name.starts_with("Problem") {
            assert!(judge("Problem").is_valid(value), "{name}");
            problems += 1;
        } else if !name.starts_with("Document") {
            assert!(judge(name).is_valid(value), "{name}");
        }
    }
    assert_eq!(decisions, 6);
    assert!(problems >= 20, "{problems}");
}

/// Generators give what has no type the type of anything.
#[test]
fn every_constant_and_vocabulary_has_a_type() {
    fn look(schema: &Value, at: &str, untyped: &mut Vec<String>) {
        match schema {
            Value::Object(members) => {
                let is_closed =
                    (members.contains_key("const") || members.contains_key("enum")) && !at.ends_with("/properties");
                let is_typed = members.contains_key("type")
                    || members.get("allOf").is_some_and(|all| all[0].get("type").is_some());
                untyped.extend((is_closed && !is_typed).then(|| at.to_owned()));
                members.iter().for_each(|(name, inner)| look(inner, &format!("{at}/{name}"), untyped));
            }
            Value::Array(several) => several.iter().for_each(|inner| look(inner, at, untyped)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let components = &description()["components"];
    let mut untyped = Vec::new();
    for section in ["schemas", "parameters", "headers"] {
        look(&components[section], section, &mut untyped);
    }
    assert!(untyped.is_empty(), "{untyped:?}");
}
