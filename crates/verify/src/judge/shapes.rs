//! The shapes of the API contract: members that must be there, and their forms. What a later version adds is let pass.

use std::sync::LazyLock;

use svc_core::{
    contract::contracts,
    explain::{form::Form, shape},
    rules::artifacts,
    verification::FaultCode,
};
use svc_json::tree;

use crate::{
    check::{CheckFault, cut},
    exchange::Reply,
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
    let found = shape::explain(&document.root, form, &shape::ARTIFACT);
    // Claims and gates have codes of their own.
    let is_told = |pointer: &str| {
        let first = pointer.split('/').nth(1).unwrap_or_default();
        matches!(first, "accepted" | "signed" | "installable" | "gateStatuses" | "missingGates" | "code" | "status")
    };
    found
        .iter()
        .filter(|finding| finding.rule != &artifacts::B012 && !is_told(finding.pointer.as_str()))
        .map(|finding| CheckFault::new(code, format!("{}: {}", cut(finding.pointer.as_str()), cut(&finding.message))))
        .collect()
}

fn form_of(name: &str) -> Option<Form> {
    let (_, make) = contracts::schema_sources().into_iter().find(|(other, _)| *other == name)?;
    Some(Form::of(&make()))
}
