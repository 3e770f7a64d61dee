//! The specification's own demand on an evaluated payload: the answer says no.

use serde_json::Value;
use svc_core::verification::FaultCode;

use crate::{check::CheckFault, exchange::Reply};

/// Flags that every answer with a status of success has. `signed` may be left out.
const TOLD: [&str; 2] = ["accepted", "installable"];

/// What an answer with a status of success leaves out of the no. What it says otherwise is an open claim.
pub(super) fn no_missing(reply: &Reply) -> Vec<CheckFault> {
    if !(200..300).contains(&reply.status) {
        return Vec::new();
    }
    let fault = |message: String| CheckFault::new(FaultCode::NoMissing, message);
    let Ok(Value::Object(body)) = serde_json::from_slice::<Value>(&reply.body) else {
        return vec![fault("an answer with a status of success must be a JSON object that says no".to_owned())];
    };
    let mut faults: Vec<CheckFault> = TOLD
        .iter()
        .filter(|flag| !body.contains_key(**flag))
        .map(|flag| fault(format!("/{flag} must be there and `false`, and is missing")))
        .collect();
    if !body.get("gateStatuses").is_some_and(Value::is_object) {
        faults.push(fault("/gateStatuses must be there, and is missing".to_owned()));
    }
    faults
}
