//! `svc explain`: everything that has a name, offline.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::run::{Run, program};

#[test]
fn what_has_no_name_is_refused_with_a_guess() {
    let run = explain("SVC-M0222").exits(2);
    assert!(run.stderr.contains("did you mean `SVC-M022`?"), "{}", run.stderr);
    explain("marketplace").exits(2);
    explain("").exits(2);
}

#[test]
fn every_rule_is_explained_under_its_long_and_its_short_name() {
    let rules = contract("ruleset")["rules"].as_array().unwrap().clone();
    assert!(rules.len() > 70, "{}", rules.len());
    for rule in rules {
        let code = rule["code"].as_str().unwrap();
        let text = explain(code).exits(0).stdout;
        for member in ["title", "why", "fix"] {
            assert!(text.contains(rule[member].as_str().unwrap()), "{code}: no {member} in\n{text}");
        }
        assert_eq!(explain(code.strip_prefix("SVC-").unwrap()).exits(0).stdout, text, "{code}");
    }
}

#[test]
fn every_gate_stage_and_problem_is_explained() {
    let ledger = contract("readiness");
    let gates: Vec<String> = names(&ledger["gates"], "gate");
    assert_eq!(gates.len(), 6);
    let stages = names(&contract("lifecycle")["stages"], "id");
    assert_eq!(stages.len(), 5);
    let problems: Vec<String> = codes(&contract("problems"));
    assert!(problems.len() > 5);
    let mut texts = BTreeSet::new();
    for topic in gates.iter().chain(&stages).chain(&problems) {
        let text = explain(topic).exits(0).stdout;
        assert!(text.contains(topic.as_str()) && text.lines().count() >= 3, "{topic}: {text}");
        assert!(texts.insert(text), "{topic} is explained as another one");
    }
}

#[test]
fn the_general_topics_are_explained_and_the_list_names_them() {
    let list = explain_all();
    for topic in ["outcome", "gates", "exit-codes"] {
        assert!(!explain(topic).exits(0).stdout.is_empty());
        assert!(list.contains(topic), "{topic}");
    }
    let codes = explain("exit-codes").stdout;
    for code in ["  0  ", "  1  ", "  2  ", "  3  ", "  4  ", "  5  ", "  6  ", "  7  ", " 70  "] {
        assert!(codes.lines().any(|line| line.starts_with(code)), "{code} in\n{codes}");
    }
    for rule in contract("ruleset")["rules"].as_array().unwrap() {
        assert!(list.contains(rule["code"].as_str().unwrap()), "{rule}");
    }
}

fn explain(topic: &str) -> Run {
    Run::of(&mut program(&std::env::temp_dir(), &["explain", topic]))
}

fn explain_all() -> String {
    Run::of(&mut program(&std::env::temp_dir(), &["explain"])).exits(0).stdout
}

fn contract(name: &str) -> Value {
    let run = Run::of(&mut program(&std::env::temp_dir(), &["contract", name])).exits(0);
    serde_json::from_str(&run.stdout).unwrap()
}

fn names(list: &Value, member: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
}

/// The text of every member named `code`, at any depth.
fn codes(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let own = members.get("code").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(codes)).collect()
        }
        Value::Array(items) => items.iter().flat_map(codes).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
