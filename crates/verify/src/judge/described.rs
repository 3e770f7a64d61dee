//! What comes back from the routes that a registry describes: a GET answers as described, and HEAD is that answer without its
//! body.

use std::collections::{BTreeMap, BTreeSet};

use svc_client::exchange::{Reply, TransportKind};
use svc_core::verification::{FaultCode, Level};

use super::{
    headers::wire_headers,
    words::{with_claims, wrong_status},
};
use crate::{
    check::{CheckFault, cut},
    claims::{self, Reading},
    field::without_body,
};

/// The headers that say what an answer is, and that HEAD must have as GET has them.
const SAME: [&str; 5] = ["content-type", "cache-control", "etag", "allow", "access-control-allow-origin"];

/// The head of an answer to a GET.
#[derive(Debug)]
pub(super) struct Head {
    status: u16,
    fields: BTreeMap<&'static str, Vec<String>>,
}

impl Head {
    pub(super) fn of(reply: &Reply) -> Self {
        let values = |name: &'static str| (name, reply.values(name).map(str::to_owned).collect());
        Self { status: reply.status, fields: SAME.into_iter().map(values).collect() }
    }
}

pub(super) fn judge_get(
    statuses: &BTreeSet<u16>,
    reply: &Reply,
    reading: Reading,
    via: TransportKind,
) -> Vec<CheckFault> {
    let mut faults = wire_headers(reply, via);
    if !statuses.is_empty() && !statuses.contains(&reply.status) {
        let expected = statuses.first().copied().unwrap_or(200);
        let CheckFault { code, .. } = wrong_status(expected, reply);
        let message = format!("the status is {}, which the registry does not list for this route", reply.status);
        faults.push(CheckFault::new(code, message).at(Level::Contract));
    }
    // A failure speaks of itself, whatever the route describes.
    let reading = if (200..300).contains(&reply.status) { reading } else { Reading::Statement };
    let is_text = std::str::from_utf8(&reply.body).is_ok();
    let claims = claims::open_claims(&if is_text { reply.clone() } else { without_body(reply) }, reading);
    with_claims(faults, claims)
}

pub(super) fn judge_head(get: Option<&Head>, reply: &Reply, via: TransportKind) -> Vec<CheckFault> {
    let mut faults = wire_headers(reply, via);
    if let Some(get) = get {
        let own = Head::of(reply);
        if get.status != own.status {
            let message = format!("HEAD is answered with {}, and GET with {}", own.status, get.status);
            faults.push(CheckFault::new(FaultCode::WrongStatus, message).at(Level::Contract));
        } else if let Some((name, _)) = own.fields.iter().find(|(name, _)| is_other(get, &own, name)) {
            let shown = |head: &Head| head.fields.get(*name).map(|values| cut(&values.join(", "))).unwrap_or_default();
            let message = format!("HEAD has `{name}: {}`, and GET has `{}`", shown(&own), shown(get));
            faults.push(CheckFault::new(FaultCode::WrongHeader, message));
        }
    }
    with_claims(faults, claims::open_claims(&without_body(reply), Reading::Statement))
}

/// What changes from moment to moment has another tag each time.
fn is_other(get: &Head, own: &Head, name: &str) -> bool {
    let (one, other) = (get.fields.get(name), own.fields.get(name));
    let of = |values: Option<&Vec<String>>| values.map_or(0, Vec::len);
    if name == "etag" { of(one) != of(other) } else { one != other }
}
