//! The documents that a registry serves: what they state must hold wherever they are served, and be this build's.

use serde_json::Value;
use svc_client::exchange::{Reply, TransportKind};
use svc_core::{
    contract::contracts::BASE_PATH,
    verification::{FaultCode, Level},
};

use super::{
    headers::{media_type, wire_headers},
    words::{told, with_claims, wrong_status},
};
use crate::{
    check::{CheckFault, cut},
    claims::{self, Reading},
    compare::differences,
    field::without_body,
    seed,
};

pub(super) fn judge(
    path: &str,
    reply: &Reply,
    (expected, kind): (&[u8], &str),
    reading: Reading,
    except: &[&str],
    via: TransportKind,
) -> Vec<CheckFault> {
    let mut faults = wire_headers(reply, via);
    if reply.status == 200 && reply.body == expected {
        faults.extend(media_type(reply, kind));
        return with_claims(faults, claims::open_claims(&without_body(reply), reading));
    }
    let claims = claims::open_claims(reply, reading);
    let level = match path.strip_prefix(BASE_PATH) {
        Some(LEDGER | CONTRACT) => Level::Contract,
        Some(_) | None => Level::Build,
    };
    if reply.status != 200 {
        let fault = wrong_status(200, reply);
        // What is not offered need not be true; a registry that is busy may offer it.
        let is_busy = matches!(reply.status, 429 | 502..=504);
        faults.push(if is_busy { fault } else { fault.at(level) });
        return with_claims(faults, claims);
    }
    faults.extend(media_type(reply, kind));
    let (Ok(mut expected), Ok(mut found)) =
        (serde_json::from_slice::<Value>(expected), serde_json::from_slice::<Value>(&reply.body))
    else {
        faults.push(CheckFault::new(FaultCode::NotStrict, "the document must be JSON").at(level));
        return with_claims(faults, claims);
    };
    let mut claims = claims;
    match path.strip_prefix(BASE_PATH) {
        Some(LEDGER) => {
            faults.extend(false_ledger(&found));
            // What the rows are held to, the words and the list beside them are held to.
            // The specification's own ledger does not have the last of our gates.
            let ours = seed::LEDGER.last().map_or("", |(gate, ..)| *gate);
            let stated = |fault: &CheckFault| {
                fault.code == FaultCode::GateDiffers && !fault.message.contains(&format!("`{ours}`"))
            };
            claims.iter_mut().filter(|fault| stated(fault)).for_each(|fault| fault.level = Level::Closed);
        }
        Some(CONTRACT) => faults.extend(false_contract(&found)),
        Some(_) | None => {}
    }
    for member in except {
        for value in [&mut expected, &mut found] {
            value.as_object_mut().and_then(|members| members.remove(*member));
        }
    }
    let differing = differences(&expected, &found);
    let drift = |message: String| CheckFault::new(FaultCode::ContractDrift, message).at(Level::Build);
    faults.extend(differing.iter().map(|difference| drift(told(difference))));
    if differing.is_empty() && except.is_empty() {
        let message = "the values are the same and the bytes differ: something rewrote the document, or hid a member";
        faults.push(drift(message.to_owned()));
    }
    with_claims(faults, claims)
}

const LEDGER: &str = "/readiness";
const CONTRACT: &str = "/contract";

/// What a ledger that is served says of a gate is offered to everyone, so it holds at every level. What it leaves out is
/// no lie.
fn false_ledger(ledger: &Value) -> Vec<CheckFault> {
    let rows = ledger.get("gates").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut faults = Vec::new();
    for (gate, local, word) in seed::LEDGER {
        let row = rows.iter().find(|row| row.get("gate").and_then(Value::as_str) == Some(gate));
        let said = |member: &str| row.and_then(|row| row.get(member)).and_then(Value::as_str);
        for (member, expected, where_) in [("status", word, ""), ("localStatus", local, " locally")] {
            let level = if said(member).is_some() { Level::Closed } else { Level::Contract };
            let said = said(member).unwrap_or("nothing");
            if said != expected {
                let message = format!("the ledger says `{}` of the gate `{gate}`{where_}, not `{expected}`", cut(said));
                faults.push(CheckFault::new(FaultCode::GateDiffers, message).at(level));
            }
        }
    }
    faults
}

/// A contract that is served has the six endpoints, each of them a POST, and no other.
fn false_contract(contract: &Value) -> Vec<CheckFault> {
    let drift = |message: String| CheckFault::new(FaultCode::ContractDrift, message);
    let Some(operations) = contract.get("operations").and_then(Value::as_array) else {
        return vec![drift("the contract names no operations".to_owned()).at(Level::Contract)];
    };
    let has = |path: &str| {
        let is_it = |operation: &Value| {
            let text = |member: &str| operation.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
            text("method") == "POST" && text("path").ends_with(path)
        };
        operations.iter().any(is_it)
    };
    let absent = seed::SIX_POSTS.iter().filter(|(path, _)| !has(path));
    let mut faults: Vec<CheckFault> =
        absent.map(|(path, _)| drift(format!("the contract does not have POST {path}")).at(Level::Closed)).collect();
    if operations.len() > seed::SIX_POSTS.len() {
        let message = format!("the contract has {} operations, not six", operations.len());
        faults.push(drift(message).at(Level::Contract));
    }
    faults
}
