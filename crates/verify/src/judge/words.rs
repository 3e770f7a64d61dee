//! What all judges say in the same words.

use serde_json::Value;
use svc_client::exchange::Reply;
use svc_core::verification::FaultCode;

use crate::{
    check::{CheckFault, cut},
    compare::Difference,
};

/// Claims first; what they already say is not said twice.
pub(super) fn with_claims(faults: Vec<CheckFault>, claims: Vec<CheckFault>) -> Vec<CheckFault> {
    let mut all = claims;
    for fault in faults {
        let repeated = fault.code.exit() == FaultCode::OpenClaim.exit() && all.iter().any(|one| one.code == fault.code);
        if !repeated {
            all.push(fault);
        }
    }
    all
}

pub(super) fn told(difference: &Difference) -> String {
    let place = if difference.pointer.is_empty() { "the whole" } else { &difference.pointer };
    format!("{place}: expected {}, found {}", difference.expected, difference.found)
}

pub(super) fn wrong_status(expected: u16, reply: &Reply) -> CheckFault {
    let said = shown_code(reply);
    let (code, more) = match reply.status {
        300..=399 => (FaultCode::Redirected, reply.only("location").map(|to| format!(" to `{}`", cut(to)))),
        401 | 403 => (FaultCode::NoEntry, None),
        429 | 500..=599 => (FaultCode::ServerError, None),
        _ => (FaultCode::WrongStatus, None),
    };
    let message = format!("the status must be {expected}, and is {}{said}{}", reply.status, more.unwrap_or_default());
    CheckFault::new(code, message)
}

/// The problem code of a refusal in brackets, where it says one.
pub(super) fn shown_code(reply: &Reply) -> String {
    said_code(reply).map(|code| format!(" (`{}`)", cut(&code))).unwrap_or_default()
}

/// The problem code of a refusal, as it says itself.
pub(super) fn said_code(reply: &Reply) -> Option<String> {
    let body: Value = serde_json::from_slice(&reply.body).ok()?;
    body.get("code").and_then(Value::as_str).map(str::to_owned)
}
