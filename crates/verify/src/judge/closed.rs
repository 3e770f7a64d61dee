//! The specification's own demand on a valid payload: it is answered, and the answer is no, with its gates (4.2, 7).
//!
//! How an answer looks is not given there, so it is read by [`crate::denial`]. A server that turns everything away has
//! answered nothing, however often it says no.

use serde_json::Value;
use svc_client::exchange::Reply;
use svc_core::{
    verification::{FaultCode, Level},
    words::{
        kind::{self, ArtifactSpec},
        problem_code::ProblemCode,
    },
};
use svc_json::tree::Node;

use super::words::{said_code, shown_code};
use crate::{
    check::{CheckFault, cut},
    denial::Denial,
    gates::GateWord,
};

/// Flags that every denial has; `signed` only where signing applies.
const FLAGS: [&str; 2] = ["accepted", "installable"];

/// What the registry said to other valid payloads of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Earlier {
    Nothing,
    /// It answered one, so that it is no wall.
    Answered,
}

/// Whether a status says that nothing looked at the request: a token is asked for, there is no such place, the
/// registry is busy, or something in front of it answered.
pub(super) const fn is_unread(status: u16) -> bool {
    matches!(status, 300..=399 | 401 | 404 | 405 | 410 | 429 | 502..=504)
}

/// Whether a valid payload was answered at all, well or badly.
pub(super) fn is_answered(faults: &[CheckFault]) -> bool {
    faults.iter().all(|fault| fault.code == FaultCode::NoMissing)
}

/// What is wrong with the answer to a valid payload, as the specification has it.
pub(super) fn unanswered(spec: &ArtifactSpec, reply: &Reply, earlier: Earlier) -> Vec<CheckFault> {
    // A registry of our contract says by its code that it did not evaluate.
    let own_code = said_code(reply).and_then(|code| ProblemCode::parse(&code));
    if own_code == Some(ProblemCode::DigestMismatch) {
        let message = format!("a digest that recomputes was called a mismatch, in a valid {}", title(spec));
        return vec![CheckFault::new(FaultCode::DigestVerdict, message)];
    }
    let denial = read(reply).unwrap_or_default();
    if is_unread(reply.status) || own_code.is_some() || denial.is_empty() {
        return vec![wall(spec, reply, &denial, earlier)];
    }
    lacking(spec, &denial)
}

/// The denial in a body, where that is JSON. How strict the JSON is, and what a member twice says, is told elsewhere.
fn read(reply: &Reply) -> Option<Denial> {
    serde_json::from_slice::<Value>(&reply.body).ok().map(|body| Denial::read(&Node::from(body)))
}

/// The parts of a denial that are not there. What they say otherwise is an open claim.
fn lacking(spec: &ArtifactSpec, denial: &Denial) -> Vec<CheckFault> {
    let signing = (spec.kind == kind::SIGNING_REQUEST.kind).then_some("signed");
    let flags = FLAGS.into_iter().chain(signing).filter(|flag| !denial.has_flag(flag));
    let mut faults: Vec<String> =
        flags.map(|flag| format!("`{flag}` must be there and `false`, and is missing")).collect();
    let uncovered = denial.uncovered();
    match &denial.statuses {
        None => faults.push("`gateStatuses` is missing".to_owned()),
        Some(rows) if rows.is_empty() => faults.push("`gateStatuses` names no gate".to_owned()),
        Some(rows) if rows.iter().all(|row| row.word == GateWord::None) => {
            faults.push("`gateStatuses` gives no gate a status".to_owned());
        }
        Some(_) if uncovered.is_empty() => {}
        Some(_) => faults.push(format!("`gateStatuses` leaves out {}", uncovered.join(", "))),
    }
    let unlisted = denial.unlisted();
    if denial.missing.is_empty() {
        faults.push("there is no list of the gates that are missing".to_owned());
    } else if !unlisted.is_empty() {
        faults.push(format!("the list of missing gates leaves out {}", unlisted.join(", ")));
    }
    let told = |fault: String| format!("the answer to a valid {} is not a complete denial: {fault}", title(spec));
    faults.into_iter().map(|fault| CheckFault::new(FaultCode::NoMissing, told(fault))).collect()
}

/// One sentence for a server that answered, and not the payload.
fn wall(spec: &ArtifactSpec, reply: &Reply, denial: &Denial, earlier: Earlier) -> CheckFault {
    let (title, status, said) = (title(spec), reply.status, shown_code(reply));
    let gave = if denial.is_empty() { " and gave no gates" } else { "" };
    let (code, message) = match status {
        300..=399 => {
            let to = reply.only("location").map(|to| format!(" to `{}`", cut(to))).unwrap_or_default();
            let message = format!("the registry redirected a valid {title} with {status}{to}, which is not followed");
            (FaultCode::Redirected, message)
        }
        401 | 403 => {
            let message = format!(
                "the registry refused a valid {title} with {status}{said}{gave}: a token is missing or does not allow this"
            );
            (FaultCode::NoEntry, message)
        }
        429 | 500..=599 => {
            let message = format!(
                "the registry answered a valid {title} with {status}{said}{gave}: it failed, is busy, or something in front of it answered"
            );
            (FaultCode::ServerError, message)
        }
        404 | 405 | 410 => {
            let message =
                format!("the registry answered a valid {title} with {status}{said}: no such endpoint is there");
            (FaultCode::NotAnswered, message)
        }
        200..=299 => {
            let message = format!(
                "the registry answered a valid {title} with {status} and {}: this looks like a wall, not a registry",
                form(reply)
            );
            (FaultCode::NotAnswered, message)
        }
        _ => {
            let why = match earlier {
                Earlier::Nothing => "this looks like a wall, not a registry",
                Earlier::Answered => "it answered another valid one",
            };
            let message = format!("the registry refused a valid {title} with {status}{said}{gave}: {why}");
            (FaultCode::NotAnswered, message)
        }
    };
    CheckFault::new(code, message).at(Level::Closed)
}

/// The kind in words.
fn title(spec: &ArtifactSpec) -> String {
    spec.name.replace('-', " ")
}

/// What a body without a denial is.
fn form(reply: &Reply) -> &'static str {
    let start = reply.body.iter().find(|byte| !byte.is_ascii_whitespace());
    match (start, serde_json::from_slice::<Value>(&reply.body)) {
        (None, _) => "an empty body",
        (Some(b'<'), _) => "a page",
        (Some(_), Ok(_)) => "JSON without flags and gates",
        (Some(_), Err(_)) => "a body that is not JSON",
    }
}

/// What an answer of success to a tampered payload leaves out of the no, unless it says that it was rejected.
pub(super) fn no_missing(reply: &Reply) -> Vec<CheckFault> {
    let fault = |message: &str| vec![CheckFault::new(FaultCode::NoMissing, message)];
    let Some(denial) = read(reply) else {
        return fault("an answer with a status of success must be JSON that says no");
    };
    let absent = FLAGS.iter().find(|flag| !denial.has_flag(flag));
    absent.map(|flag| fault(&format!("`{flag}` must be there and `false`, and is missing"))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATES: &str = r#"{"artifact-hash":"evidenced","publisher-verification":"unverified","review-storage":"unstored","artifact-signing":"unsigned","host-install-policy":"not-applied"}"#;
    const MISSING: &str = r#"["publisher-verification","review-storage","artifact-signing","host-install-policy"]"#;

    fn faults(spec: &ArtifactSpec, status: u16, body: &str) -> Vec<(FaultCode, String)> {
        let reply = Reply { status, body: body.as_bytes().to_vec(), ..Reply::default() };
        let faults = unanswered(spec, &reply, Earlier::Nothing);
        assert!(faults.iter().all(|fault| fault.level == Level::Closed));
        faults.into_iter().map(|fault| (fault.code, fault.message)).collect()
    }

    fn whole(extra: &str) -> String {
        format!(r#"{{"accepted":false,"installable":false,"gateStatuses":{GATES},"missing":{MISSING}{extra}}}"#)
    }

    #[test]
    fn the_minimum_of_the_specification_is_a_denial_with_any_status_of_an_answer() {
        for status in [200, 202, 400, 403, 409, 422, 500, 501] {
            assert_eq!(faults(&kind::ACCEPTANCE_REQUEST, status, &whole("")), [], "{status}");
        }
    }

    #[test]
    fn signed_is_asked_for_where_signing_applies() {
        assert_eq!(faults(&kind::SIGNING_REQUEST, 200, &whole(r#","signed":false"#)), []);
        let found = faults(&kind::SIGNING_REQUEST, 200, &whole(""));
        assert!(found.len() == 1 && found[0].1.contains("`signed` must be there and `false`"), "{found:?}");
    }

    #[test]
    fn each_part_of_the_denial_that_is_left_out_is_named() {
        let rows = [
            (whole("").replace("\"accepted\":false,", ""), "`accepted` must be there and `false`, and is missing"),
            (
                whole("").replace("\"installable\":false,", ""),
                "`installable` must be there and `false`, and is missing",
            ),
            (whole("").replace(GATES, "{}"), "`gateStatuses` names no gate"),
            (whole("").replace(GATES, "[]"), "`gateStatuses` names no gate"),
            (whole("").replace("gateStatuses", "other"), "`gateStatuses` is missing"),
            (whole("").replace("\"review-storage\":\"unstored\",", ""), "`gateStatuses` leaves out review-storage"),
            (whole("").replace(MISSING, "[]"), "there is no list of the gates that are missing"),
            (
                whole("").replace("\"review-storage\",\"artifact-signing\",", ""),
                "leaves out review-storage, artifact-signing",
            ),
        ];
        for (body, told) in rows {
            let found = faults(&kind::ACCEPTANCE_REQUEST, 200, &body);
            assert!(found.len() == 1 && found[0].0 == FaultCode::NoMissing, "{body}: {found:?}");
            assert!(found[0].1.ends_with(told), "{found:?}");
        }
    }

    #[test]
    fn a_wall_of_any_status_is_one_sentence() {
        for status in [200, 204, 302, 400, 401, 403, 404, 405, 410, 413, 422, 429, 500, 501, 503] {
            for body in ["", "{}", "[]", "null", "<!doctype html><h1>Welcome</h1>", "no", r#"{"error":"no"}"#] {
                let found = faults(&kind::ACCEPTANCE_REQUEST, status, body);
                assert_eq!(found.len(), 1, "{status} {body}: {found:?}");
                assert!(found[0].1.contains(&format!("a valid acceptance request with {status}")), "{found:?}");
            }
        }
        let reply = Reply { status: 422, body: b"{}".to_vec(), ..Reply::default() };
        let found = unanswered(&kind::INDEX, &reply, Earlier::Answered);
        assert!(found[0].message.ends_with("and gave no gates: it answered another valid one"), "{found:?}");
        let found = faults(&kind::ACCEPTANCE_REQUEST, 422, "{}");
        let told = "the registry refused a valid acceptance request with 422 and gave no gates: this looks like a wall, not a registry";
        assert_eq!(found, [(FaultCode::NotAnswered, told.to_owned())]);
    }

    #[test]
    fn a_refusal_of_our_contract_is_not_a_denial_of_the_payload() {
        let refusal = whole(r#","code":"insufficient-scope""#);
        let found = faults(&kind::ACCEPTANCE_REQUEST, 403, &refusal);
        assert!(found.len() == 1 && found[0].0 == FaultCode::NoEntry, "{found:?}");
        assert!(found[0].1.contains("403 (`insufficient-scope`)"), "{found:?}");
    }
}
