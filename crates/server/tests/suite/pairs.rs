//! Every kind at every endpoint: six of forty-two are evaluated.

use crate::{
    in_process::{post, registry},
    kit::{ENDPOINTS, assert_closed, valid},
};

#[test]
fn a_kind_is_evaluated_at_its_own_endpoint_only() {
    let registry = registry();
    let (mut evaluated, mut refused) = (Vec::new(), 0);
    let kinds = ["submission"].into_iter().chain(ENDPOINTS.map(|(kind, _)| kind));
    for kind in kinds {
        for (expected, path) in ENDPOINTS {
            let answer = post(&registry, path, &valid(kind));
            let place = format!("{kind} at {path}");
            let body = assert_closed(answer.status, &answer.body, &place);
            if answer.status == 200 {
                assert_eq!(kind, expected, "{place}");
                evaluated.push(kind);
            } else {
                assert_eq!((answer.status, &body["code"]), (422, &"wrong-kind".into()), "{place}");
                assert!(body["errors"].as_array().unwrap().iter().any(|error| error["pointer"] == "/kind"), "{place}");
                refused += 1;
            }
        }
    }
    assert_eq!(evaluated, ENDPOINTS.map(|(kind, _)| kind));
    assert_eq!(refused, 36);
}
