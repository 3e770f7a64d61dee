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

#[cfg(test)]
mod tests {
    use svc_core::verification::Level;

    use super::*;

    const NONE: [&str; 0] = [];

    fn missing(status: u16, body: &str) -> Vec<String> {
        let reply = Reply { status, headers: Vec::new(), body: body.as_bytes().to_vec() };
        let faults = no_missing(&reply);
        assert!(faults.iter().all(|fault| (fault.code, fault.level) == (FaultCode::NoMissing, Level::Closed)));
        faults.into_iter().map(|fault| fault.message).collect()
    }

    #[test]
    fn the_minimum_of_the_specification_is_a_no() {
        for status in [200, 202, 299] {
            let whole = r#"{"accepted":false,"installable":false,"gateStatuses":{}}"#;
            assert_eq!(missing(status, whole), NONE);
        }
    }

    #[test]
    fn each_part_of_the_no_that_is_left_out_is_named() {
        let rows = [
            (r#"{"installable":false,"gateStatuses":{}}"#, "/accepted must be there and `false`, and is missing"),
            (r#"{"accepted":false,"gateStatuses":{}}"#, "/installable must be there and `false`, and is missing"),
            (r#"{"accepted":false,"installable":false}"#, "/gateStatuses must be there, and is missing"),
            (
                r#"{"accepted":false,"installable":false,"gateStatuses":[]}"#,
                "/gateStatuses must be there, and is missing",
            ),
        ];
        for (body, told) in rows {
            assert_eq!(missing(200, body), [told], "{body}");
        }
        assert_eq!(missing(200, "{}").len(), 3);
        // What is said otherwise is an open claim, and told as that.
        assert_eq!(missing(200, r#"{"accepted":true,"installable":1,"gateStatuses":{}}"#), NONE);
    }

    #[test]
    fn a_success_without_an_answer_says_no_to_nothing() {
        for body in ["", "[]", "null", "true", "<p>denied</p>", "{\"accepted\":false"] {
            assert_eq!(missing(204, body), ["an answer with a status of success must be a JSON object that says no"]);
            assert_eq!(missing(404, body), NONE);
        }
        assert_eq!(missing(500, "{}"), NONE);
    }
}
