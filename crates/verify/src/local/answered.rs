//! What the routes answered, against what the committed contract lists for each endpoint.

use serde_json::{Value, json};
use svc_client::exchange::Reply;
use svc_core::{contract::contracts::BASE_PATH, verification::FaultCode, words::problem_code::ProblemCode};
use svc_registry_api::routes;

use crate::check::{CheckFault, VerifierCheck, cut};

/// What one endpoint answered to all probes.
pub(super) struct AnsweredEndpoint {
    /// The path below the base path.
    pub(super) path: String,
    pub(super) answers: Vec<StatedAnswer>,
}

/// What of an answer the contract has a list for.
pub(super) struct StatedAnswer {
    status: u16,
    code: Option<String>,
    gate_statuses: Value,
}

impl StatedAnswer {
    /// Nothing, when the body is not JSON: that is a fault of the probe already.
    pub(super) fn of(reply: &Reply) -> Option<Self> {
        let body: Value = serde_json::from_slice(&reply.body).ok()?;
        Some(Self {
            status: reply.status,
            code: body.get("code").and_then(Value::as_str).map(str::to_owned),
            gate_statuses: body.get("gateStatuses").cloned().unwrap_or_default(),
        })
    }
}

/// One check for each endpoint: the file lists what the route answered, and nothing that it cannot answer.
pub(super) fn checks(contract: Option<&Value>, endpoints: &[AnsweredEndpoint]) -> Vec<VerifierCheck> {
    let operations = contract.and_then(|contract| contract.get("operations")).and_then(Value::as_array);
    let row_of = |path: &str| operations?.iter().find(|row| row.get("path").and_then(Value::as_str) == Some(path));
    endpoints
        .iter()
        .map(|endpoint| {
            let faults = match row_of(&endpoint.path) {
                Some(row) => faults(row, endpoint),
                None => vec![drift("the contract does not have this endpoint".to_owned())],
            };
            VerifierCheck::ran("API contract", format!("POST {} answers what is listed", endpoint.path), faults)
        })
        .collect()
}

fn faults(row: &Value, endpoint: &AnsweredEndpoint) -> Vec<CheckFault> {
    let listed = |member: &str, value: Value| {
        row.get(member).and_then(Value::as_array).is_some_and(|list| list.contains(&value))
    };
    let mut faults = Vec::new();
    for StatedAnswer { status, code, gate_statuses } in &endpoint.answers {
        if !listed("statuses", json!(status)) {
            faults.push(drift(format!("the route answers {status}, which the contract does not list")));
        }
        if let Some(code) = code.as_ref().filter(|code| !listed("problems", json!(code))) {
            faults.push(drift(format!("the route answers `{}`, which the contract does not list", cut(code))));
        }
        let member = if code.is_some() { "problemGateStatuses" } else { "decisionGateStatuses" };
        if row.get(member) != Some(gate_statuses) {
            let message = format!("the route answers other words for its gates than {member}");
            faults.push(CheckFault::new(FaultCode::GateDiffers, message));
        }
    }
    faults.extend(never_sent(row, &endpoint.path));
    faults.sort_by(|left, right| left.message.cmp(&right.message));
    faults.dedup_by(|left, right| left.message == right.message);
    faults
}

/// What the file lists and the route cannot send.
fn never_sent(row: &Value, path: &str) -> Vec<CheckFault> {
    let whole = format!("{BASE_PATH}{path}");
    let Some(operation) = routes::all().into_iter().find(|operation| operation.path == whole) else {
        return Vec::new();
    };
    let can_send = |code: &str| ProblemCode::parse(code).is_some_and(|code| operation.may_refuse_with(code));
    let listed = row.get("problems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let listed = listed.iter().map(|code| code.as_str().unwrap_or_default());
    listed
        .filter(|code| !can_send(code))
        .map(|code| drift(format!("the contract lists `{}`, which the route never sends", cut(code))))
        .collect()
}

fn drift(message: String) -> CheckFault {
    CheckFault::new(FaultCode::ContractDrift, message)
}
