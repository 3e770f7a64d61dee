//! The shapes of the API contract: members that must be there, and their forms. What a later version adds is let pass.

use std::sync::LazyLock;

use svc_client::exchange::Reply;
use svc_core::samples::rules;
use svc_core::{
    contract::contracts,
    explain::{form::Form, shape},
    verification::FaultCode,
    words::rule_code::RuleCode,
};
use svc_json::tree;

use crate::{
    check::{CheckFault, cut},
    seed,
};

/// Which shape an answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Decision,
    Problem,
}

/// Where an answer has not the shape that its schema gives.
pub(super) fn faults(shape: Shape, reply: &Reply) -> Vec<CheckFault> {
    static DECISION: LazyLock<Option<Form>> = LazyLock::new(|| form_of("decision"));
    static PROBLEM: LazyLock<Option<Form>> = LazyLock::new(|| form_of("problem"));
    let (form, code) = match shape {
        Shape::Decision => (&*DECISION, FaultCode::WrongAnswer),
        Shape::Problem => (&*PROBLEM, FaultCode::WrongProblem),
    };
    let Some(form) = form else {
        return vec![CheckFault::new(FaultCode::ChecksMissing, "this build has no schema of answers")];
    };
    // What is no JSON is told elsewhere.
    let Ok(document) = tree::read(&reply.body) else { return Vec::new() };
    let found = shape::explain(rules(), document.text, form, &shape::ARTIFACT);
    // Claims and gates have codes of their own. A flag that is not there claims nothing, and is told here.
    let is_told = |pointer: &str| {
        let first = pointer.split('/').nth(1).unwrap_or_default();
        matches!(first, "gateStatuses" | "missingGates" | "code" | "status")
            || (seed::FLAGS.contains(&first) && document.root.get(first).is_some())
    };
    found
        .iter()
        .filter(|finding| !finding.rule.is(RuleCode::B012) && !is_told(finding.pointer.as_str()))
        .map(|finding| CheckFault::new(code, format!("{}: {}", cut(finding.pointer.as_str()), cut(&finding.message))))
        .collect()
}

fn form_of(name: &str) -> Option<Form> {
    let (_, make) = contracts::schema_sources().into_iter().find(|(other, _)| *other == name)?;
    Some(Form::from_schema(&make()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};
    use svc_client::exchange::Transport as _;

    use super::*;
    use crate::{
        in_process::InProcess,
        probe::{self, Depth},
        samples::Samples,
    };

    /// What this build answers to the good document of an endpoint, and to a tampered one.
    fn answers() -> [(Shape, Reply); 2] {
        let endpoints = probe::of_endpoints(Samples::make().unwrap().files(), Depth::Hosted).unwrap();
        let registry = InProcess::default();
        let ask = |name: &str| {
            let probe = endpoints[0].probes.iter().find(|probe| probe.name == name).unwrap();
            registry.send(&probe.request).unwrap()
        };
        [(Shape::Decision, ask("good document")), (Shape::Problem, ask("accepted-true"))]
    }

    fn changed(reply: &Reply, change: impl FnOnce(&mut Map<String, Value>)) -> Reply {
        let mut body: Map<String, Value> = serde_json::from_slice(&reply.body).unwrap();
        change(&mut body);
        Reply { body: serde_json::to_vec(&body).unwrap(), ..reply.clone() }
    }

    #[test]
    fn our_own_answers_have_their_shapes_also_with_what_a_later_version_adds() {
        for (shape, reply) in answers() {
            assert_eq!(faults(shape, &reply), []);
            let later = changed(&reply, |body| drop(body.insert("later".to_owned(), json!({ "version": 2 }))));
            assert_eq!(faults(shape, &later), []);
        }
    }

    #[test]
    fn a_member_that_is_missing_or_has_another_form_is_told() {
        for (shape, reply) in answers() {
            let (member, code) = match shape {
                Shape::Decision => ("operation", FaultCode::WrongAnswer),
                Shape::Problem => ("instance", FaultCode::WrongProblem),
            };
            for value in [None, Some(json!(7)), Some(json!([])), Some(Value::Null)] {
                let bent = changed(&reply, |body| {
                    body.remove(member);
                    body.extend(value.clone().map(|value| (member.to_owned(), value)));
                });
                let found = faults(shape, &bent);
                assert!(!found.is_empty(), "{shape:?} {value:?}");
                assert!(found.iter().all(|fault| fault.code == code && fault.message.contains(member)), "{found:?}");
            }
        }
    }

    #[test]
    fn a_flag_that_is_left_out_is_told() {
        for (shape, reply) in answers() {
            for flag in seed::FLAGS {
                let bent = changed(&reply, |body| drop(body.remove(flag)));
                let found = faults(shape, &bent);
                assert!(found.len() == 1 && found[0].message.contains(flag), "{shape:?} {flag}: {found:?}");
            }
        }
    }

    #[test]
    fn claims_and_gates_are_left_to_those_who_name_them() {
        for (shape, reply) in answers() {
            let bent = changed(&reply, |body| {
                body.insert("accepted".to_owned(), json!(true));
                body.insert("gateStatuses".to_owned(), json!({}));
            });
            assert_eq!(faults(shape, &bent), []);
            assert_eq!(faults(shape, &Reply { body: b"<p>".to_vec(), ..reply }), []);
        }
    }
}
