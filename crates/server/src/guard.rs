//! The last line: what leaves is read again, and whatever is not closed is replaced.
//!
//! Types make an open answer impossible; this stands behind them for the day somebody finds a way around a type.

use serde::Deserialize;
use svc_core::{fail_closed::False, problem::ProblemCode};

use crate::{
    answer::{Answer, Posture, RequestName},
    health::Health,
};

/// The members that every closed body carries. Others may stand beside them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Closed {
    #[serde(rename = "accepted")]
    _accepted: False,
    #[serde(rename = "installable")]
    _installable: False,
    #[serde(rename = "signed")]
    _signed: False,
    missing_gates: Vec<String>,
}

/// Lets a closed answer pass and replaces any other by a closed failure.
pub(crate) fn check(answer: Answer, request: &RequestName, health: &Health) -> Answer {
    if answer.posture == Posture::Document || is_closed(&answer) {
        return answer;
    }
    health.trip_guard();
    Answer::problem(ProblemCode::Internal, "the answer was withheld", request)
}

fn is_closed(answer: &Answer) -> bool {
    let named_open = answer.headers.iter().any(|(name, value)| *name == "svc-decision" && value != "denied");
    let closed = serde_json::from_slice::<Closed>(&answer.body).is_ok_and(|closed| !closed.missing_gates.is_empty());
    closed && !named_open
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Answer {
        Answer { status: 200, headers: Vec::new(), body: body.to_owned().into(), posture: Posture::Denied(None) }
    }

    #[test]
    fn nothing_open_leaves_and_the_server_is_not_ready_any_more() {
        let request = RequestName::new("/");
        for body in [
            "",
            "{}",
            "{\"accepted\":true,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"installable\":1,\"signed\":false,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[]}",
            "{\"accepted\":false,\"installable\":false,\"signed\":null,\"missingGates\":[\"x\"]}",
            "{\"accepted\":false,\"accepted\":true,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}",
        ] {
            let health = Health::default();
            let checked = check(answer(body), &request, &health);
            assert_eq!(checked.status, 500, "{body}");
            assert!(is_closed(&checked), "{body}");
            assert!(!health.is_ready(), "{body}");
        }
    }

    #[test]
    fn an_open_header_is_withheld_too() {
        let body = "{\"accepted\":false,\"installable\":false,\"signed\":false,\"missingGates\":[\"x\"]}";
        let health = Health::default();
        assert_eq!(check(answer(body), &RequestName::new("/"), &health).status, 200);
        assert!(health.is_ready());
        let open = answer(body).with_header("svc-decision", "accepted");
        assert_eq!(check(open, &RequestName::new("/"), &health).status, 500);
        assert!(!health.is_ready());
    }
}
