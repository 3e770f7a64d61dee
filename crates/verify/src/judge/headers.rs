//! The headers of a reply: what must be there, exactly once, and what must not.

use svc_core::verification::{FaultCode, Level};

use crate::{
    check::{CheckFault, cut},
    exchange::{Reply, TransportKind},
};

pub(super) fn closed_headers(reply: &Reply, via: TransportKind) -> Vec<CheckFault> {
    let mut faults = exact_header(reply, "cache-control", "no-store");
    if via == TransportKind::Network && reply.values("age").next().is_some() {
        faults.push(CheckFault::new(
            FaultCode::RepeatedAnswer,
            "the header `age` shows that the answer came from a cache",
        ));
    }
    faults
}

pub(super) fn wire_headers(reply: &Reply, via: TransportKind) -> Vec<CheckFault> {
    if via == TransportKind::InProcess {
        return Vec::new();
    }
    let mut faults = exact_header(reply, "svc-registry-api", "1");
    faults.extend(exact_header(reply, "x-content-type-options", "nosniff"));
    if reply.only("svc-request-id").is_none_or(str::is_empty) {
        faults.push(CheckFault::new(FaultCode::WrongHeader, "the header `svc-request-id` must be there exactly once"));
    }
    for refused in ["set-cookie", "content-encoding", "location"] {
        if reply.values(refused).next().is_some() {
            faults.push(CheckFault::new(FaultCode::WrongHeader, format!("the header `{refused}` must not be there")));
        }
    }
    faults
}

pub(super) fn media_type(reply: &Reply, expected: &str) -> Vec<CheckFault> {
    exact_header(reply, "content-type", expected).into_iter().map(|fault| fault.at(Level::Contract)).collect()
}

pub(super) fn exact_header(reply: &Reply, name: &str, expected: &str) -> Vec<CheckFault> {
    if reply.only(name) == Some(expected) {
        return Vec::new();
    }
    let found: Vec<String> = reply.values(name).map(|value| format!("`{}`", cut(value))).collect();
    let found = if found.is_empty() { "nothing".to_owned() } else { found.join(" and ") };
    vec![CheckFault::new(FaultCode::WrongHeader, format!("the header `{name}` must be `{expected}`, found {found}"))]
}
