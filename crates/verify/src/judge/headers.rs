//! The headers of a reply: what must be there, exactly once, and what must not.

use svc_core::verification::FaultCode;

use crate::{
    check::{Fault, cut},
    exchange::{Reply, Rim},
};

pub(super) fn closed_headers(reply: &Reply, rim: Rim) -> Vec<Fault> {
    let mut faults = exact_header(reply, "cache-control", "no-store");
    if rim == Rim::Wire && reply.values("age").next().is_some() {
        faults.push(Fault::new(FaultCode::RepeatedAnswer, "the header `age` says that a cache gave the answer"));
    }
    faults
}

pub(super) fn wire_headers(reply: &Reply, rim: Rim) -> Vec<Fault> {
    if rim == Rim::InProcess {
        return Vec::new();
    }
    let mut faults = exact_header(reply, "svc-registry-api", "1");
    faults.extend(exact_header(reply, "x-content-type-options", "nosniff"));
    if reply.only("svc-request-id").is_none_or(str::is_empty) {
        faults.push(Fault::new(FaultCode::WrongHeader, "`svc-request-id` is not there exactly once"));
    }
    for refused in ["set-cookie", "content-encoding", "location"] {
        if reply.values(refused).next().is_some() {
            faults.push(Fault::new(FaultCode::WrongHeader, format!("there is a header `{refused}`")));
        }
    }
    faults
}

pub(super) fn media_type(reply: &Reply, expected: &str) -> Vec<Fault> {
    exact_header(reply, "content-type", expected)
}

pub(super) fn exact_header(reply: &Reply, name: &str, expected: &str) -> Vec<Fault> {
    if reply.only(name) == Some(expected) {
        return Vec::new();
    }
    let found: Vec<String> = reply.values(name).map(|value| format!("`{}`", cut(value))).collect();
    let found = if found.is_empty() { "nothing".to_owned() } else { found.join(" and ") };
    vec![Fault::new(FaultCode::WrongHeader, format!("`{name}` should be `{expected}`, found {found}"))]
}
