//! The headers of a reply: what must be there, exactly once, and what must not.

use svc_client::exchange::{Reply, Request, TransportKind};
use svc_core::verification::{FaultCode, Level};

use svc_registry_api::routes::{self, Serves};

use crate::{
    check::{CheckFault, cut},
    field::{Field, FieldPlace, fields},
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
    if let Some(field) = fields(reply).find(|field| field.place != FieldPlace::Header) {
        faults.push(CheckFault::new(FaultCode::WrongHeader, format!("{} must not be there", field.shown())));
    }
    if let Some(early) = reply.early.first() {
        let message = format!("an answer {} came before the answer, and nobody asked for one", early.status);
        faults.push(CheckFault::new(FaultCode::WrongHeader, message));
    }
    for refused in ["set-cookie", "content-encoding", "location"] {
        if reply.values(refused).next().is_some() {
            faults.push(CheckFault::new(FaultCode::WrongHeader, format!("the header `{refused}` must not be there")));
        }
    }
    faults
}

/// Which pages of other sites may read an answer: those files that prove a public log, for everybody and without cookies.
/// A page of another site that could post with the reader's session would read what only the reader may.
pub(crate) fn cross_origin(request: &Request, reply: &Reply) -> Option<CheckFault> {
    let path = request.path.split('?').next().unwrap_or_default();
    let is_public = matches!(request.method, "GET" | "HEAD")
        && routes::all().iter().any(|operation| {
            matches!(operation.serves, Serves::Journal(wanted) if wanted.is_public()) && operation.is_at(path)
        });
    let mut found = fields(reply).filter(|field| field.name.starts_with("access-control-allow-"));
    let is_meant = |field: &Field<'_>| is_public && field.name == "access-control-allow-origin" && field.value == "*";
    let field = found.find(|field| !is_meant(field))?;
    let message = format!("{} is `{}`: pages of other sites may read this answer", field.shown(), cut(field.value));
    Some(CheckFault::new(FaultCode::CrossOrigin, message))
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
