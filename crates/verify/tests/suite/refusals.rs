//! Lies in refusals, and refusals that do not come.

use serde_json::json;
use svc_core::verification::FaultCode::{
    AttackEvaluated, DigestVerdict, GateDiffers, NotAnswered, NotStrict, OpenClaim, WordsRepeated, WrongHeader,
    WrongProblem, WrongStatus,
};

use crate::{
    liar::{RequestHead, Said},
    lie::{Lie, all_are_found_out, in_body, lie, set_header},
};

#[test]
#[ignore = "takes minutes; `cargo xtask gates` runs it"]
fn every_lie_in_a_refusal_is_found_out() {
    all_are_found_out(LIES);
}

/// Whether this is a refusal of this code.
fn is(said: &Said, code: &str) -> bool {
    String::from_utf8_lossy(&said.body).contains(&format!("\"code\":\"{code}\",\"detail\""))
}

fn in_problem(said: &mut Said, code: &str, change: impl FnOnce(&mut serde_json::Map<String, serde_json::Value>)) {
    if is(said, code) {
        in_body(said, change);
    }
}

/// A closed body for what should have been refused.
fn evaluate(said: &mut Said) {
    said.status = 200;
    set_header(said, "content-type", Some("application/json"));
    set_header(said, "svc-decision", Some("denied"));
}

fn is_post(asked: &RequestHead, path: &str) -> bool {
    asked.method == "POST" && asked.path.ends_with(path)
}

/// A word of the request that no document has: what an unknown member is called.
fn unknown_member(asked: &RequestHead) -> Option<String> {
    let body: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&asked.body).ok()?;
    let is_word = |name: &&String| name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_lowercase());
    body.keys().find(is_word).cloned()
}

pub(crate) const LIES: &[Lie] = &[
    lie!("an unknown member is named", WordsRepeated @ Contract, 1, "an author can make the registry say it", |a, s| {
        if let Some(name) = unknown_member(a) {
            in_body(s, |body| body["detail"] = json!(format!("unknown member '{name}'")));
        }
    }),
    lie!("an unknown member is named in a header", WordsRepeated @ Contract, 1, "the header `x-reason` repeats", |a, s| {
        if let Some(name) = unknown_member(a) {
            set_header(s, "x-reason", Some(&name));
        }
    }),
    lie!("a path comes back", WordsRepeated @ Contract, 1, "an author can make the registry say it", |a, s| {
        let path = a.path.clone();
        in_problem(s, "not-found", |body| body["detail"] = json!(format!("there is nothing at {path}")));
    }),
    lie!("the package is called by its name", WordsRepeated @ Contract, 4, "an author can make the registry say it", |a, s| {
        let asked: serde_json::Value = serde_json::from_slice(&a.body).unwrap_or_default();
        if let Some(name) = asked.pointer("/packageArtifact/manifest/name").filter(|_| s.status == 200) {
            in_body(s, |body| drop(body.insert("packageName".into(), name.clone())));
        }
    }),
    lie!("an index of two versions is refused", NotAnswered @ Contract, 1, "refused a valid index with 422", |a, s| {
        let asked: serde_json::Value = serde_json::from_slice(&a.body).unwrap_or_default();
        let version = |at: usize| asked.pointer(&format!("/entries/{at}/submission/package")).cloned();
        let same_id = version(0).zip(version(1)).is_some_and(|(one, other)| one["id"] == other["id"]);
        if s.status == 200 && same_id {
            s.status = 422;
            s.body = br#"{"error":"entries are not sorted"}"#.to_vec();
        }
    }),
    lie!("a wrong digest is refused with a status of success", DigestVerdict @ Contract, 4, "does not recompute was let through", |_, s| {
        if is(s, "digest-mismatch") {
            evaluate(s);
        }
    }),
    lie!("a wrong digest passes", DigestVerdict @ Closed, 4, "the answer does not say that it was rejected", |_, s| {
        if is(s, "digest-mismatch") {
            evaluate(s);
            in_body(s, |body| body.retain(|name, _| ["accepted", "installable", "signed"].contains(&name.as_str())));
        }
    }),
    lie!("a wrong digest is another problem", DigestVerdict @ Contract, 4, "/code: expected `digest-mismatch`", |_, s| {
        in_problem(s, "digest-mismatch", |body| {
            body["code"] = json!("artifact-invalid");
            body["type"] = json!("/api/sdk/registry/problems/artifact-invalid");
            body["title"] = json!("The artifact does not have its form");
        });
    }),
    lie!("a good digest is called wrong", DigestVerdict @ Closed, 4, "recomputes was called a mismatch", |a, s| {
        if is_post(a, "/install-policy") && s.status == 200 {
            s.status = 422;
            in_body(s, |body| drop(body.insert("code".into(), json!("digest-mismatch"))));
        }
    }),
    lie!("an open claim is evaluated", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |_, s| {
        if is(s, "posture-violation") {
            evaluate(s);
        }
    }),
    lie!("a duplicate member is evaluated", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |_, s| {
        if is(s, "duplicate-member") {
            evaluate(s);
        }
    }),
    lie!("half a document is evaluated", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |_, s| {
        if is(s, "malformed-json") {
            evaluate(s);
        }
    }),
    lie!("another kind is evaluated", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |_, s| {
        if is(s, "wrong-kind") {
            evaluate(s);
        }
    }),
    lie!("an old schema is evaluated", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |_, s| {
        if is(s, "unsupported-schema-version") {
            evaluate(s);
        }
    }),
    lie!("too much is evaluated", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |_, s| {
        if is(s, "body-too-large") {
            evaluate(s);
        }
    }),
    lie!("plain text is evaluated", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |_, s| {
        if is(s, "unsupported-media-type") {
            evaluate(s);
        }
    }),
    lie!("a route more", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |a, s| {
        if is_post(a, "/sign") {
            evaluate(s);
        }
    }),
    lie!("a route more that accepts", OpenClaim @ Closed, 7, "/accepted is `true`", |a, s| {
        if is_post(a, "/accept") {
            evaluate(s);
            in_body(s, |body| body["accepted"] = json!(true));
        }
    }),
    lie!("another method works", AttackEvaluated @ Contract, 1, "evaluated instead of refused", |a, s| {
        if a.method == "PUT" {
            evaluate(s);
        }
    }),
    lie!("one endpoint is not there", NotAnswered @ Closed, 1, "with 404: no such endpoint is there", |a, s| {
        if is_post(a, "/review-evidence") {
            s.status = 404;
        }
    }),
    lie!("nothing is there", NotAnswered @ Closed, 1, "with 404: no such endpoint is there", |_, s| {
        s.status = 404;
        s.body = b"<h1>404 Not Found</h1>".to_vec();
    }),
    lie!("a refusal claims to be accepted", OpenClaim @ Closed, 7, "/accepted is `true`", |_, s| {
        in_problem(s, "wrong-kind", |body| body["accepted"] = json!(true));
    }),
    lie!("a missing route claims to be signed", OpenClaim @ Closed, 7, "/signed is `true`", |_, s| {
        in_problem(s, "not-found", |body| body["signed"] = json!(true));
    }),
    lie!("a refusal without flags", WrongProblem @ Contract, 1, "/installable", |_, s| {
        in_problem(s, "method-not-allowed", |body| drop(body.remove("installable")));
    }),
    lie!("a reason claims to be open", OpenClaim @ Closed, 7, "/errors/0/installable is `true`", |_, s| {
        in_problem(s, "wrong-kind", |body| body["errors"][0]["installable"] = json!(true));
    }),
    lie!("a refusal without gates", GateDiffers @ Contract, 5, "/gateStatuses", |_, s| {
        in_problem(s, "malformed-json", |body| drop(body.remove("gateStatuses")));
    }),
    lie!("a refusal with evidence", GateDiffers @ Contract, 5, "/gateStatuses/artifact-hash: expected `unevidenced`", |_, s| {
        in_problem(s, "malformed-json", |body| body["gateStatuses"]["artifact-hash"] = json!("evidenced"));
    }),
    lie!("a refusal with a gate cleared", OpenClaim @ Closed, 7, "the gate `renderer-isolation` is `isolated`", |_, s| {
        in_problem(s, "body-too-large", |body| body["gateStatuses"]["renderer-isolation"] = json!("isolated"));
    }),
    lie!("a refusal with five missing gates", GateDiffers @ Contract, 5, "/missingGates", |_, s| {
        in_problem(s, "wrong-kind", |body| drop(body["missingGates"].as_array_mut().unwrap().remove(0)));
    }),
    lie!("another code", WrongProblem @ Contract, 1, "/code: expected `wrong-kind`, found `artifact-invalid`", |_, s| {
        in_problem(s, "wrong-kind", |body| body["code"] = json!("artifact-invalid"));
    }),
    lie!("another status within", WrongProblem @ Contract, 1, "/status: expected `422`, found `200`", |_, s| {
        in_problem(s, "wrong-kind", |body| body["status"] = json!(200));
    }),
    lie!("another title", WrongProblem @ Contract, 1, "/title", |_, s| {
        in_problem(s, "wrong-kind", |body| body["title"] = json!("All is well"));
    }),
    lie!("another type", WrongProblem @ Build, 1, "/type", |_, s| {
        in_problem(s, "wrong-kind", |body| body["type"] = json!("about:blank"));
    }),
    lie!("another instance", WrongProblem @ Contract, 1, "/instance must be", |_, s| {
        in_problem(s, "wrong-kind", |body| body["instance"] = json!("/elsewhere"));
    }),
    lie!("no detail", WrongProblem @ Contract, 1, "/detail must not be empty", |_, s| {
        in_problem(s, "wrong-kind", |body| body["detail"] = json!(""));
    }),
    lie!("no reasons", WrongProblem @ Contract, 1, "/errors is empty, and the document was refused for something", |_, s| {
        in_problem(s, "wrong-kind", |body| body["errors"] = json!([]));
    }),
    lie!("reasons are miscounted", WrongProblem @ Contract, 1, "which /errorCount and /truncated contradict", |_, s| {
        in_problem(s, "wrong-kind", |body| body["errorCount"] = json!(0));
    }),
    lie!("reasons are not cut as it says", WrongProblem @ Contract, 1, "which /errorCount and /truncated contradict", |_, s| {
        in_problem(s, "wrong-kind", |body| body["truncated"] = json!(true));
    }),
    lie!("reasons are no list", WrongProblem @ Contract, 1, "/errors must be a list", |_, s| {
        in_problem(s, "wrong-kind", |body| body["errors"] = json!("many"));
    }),
    lie!("a reason too many", WrongProblem @ Contract, 1, "where the document is right", |_, s| {
        in_problem(s, "not-found", |body| body["errors"] = json!([{ "rule": "SVC-B001", "pointer": "/kind" }]));
    }),
    lie!("a reason elsewhere", WrongProblem @ Build, 1, "/errors does not name SVC-B001 at `/kind`", |_, s| {
        in_problem(s, "wrong-kind", |body| body["errors"][0]["pointer"] = json!("/other"));
    }),
    lie!("a member that no problem has", WrongProblem @ Build, 1, "unknown member `approvedBy`", |_, s| {
        in_problem(s, "wrong-kind", |body| drop(body.insert("approvedBy".into(), json!("nobody"))));
    }),
    lie!("a refusal as a decision", WrongHeader @ Build, 1, "a refusal carries `svc-decision`", |_, s| {
        if is(s, "wrong-kind") {
            set_header(s, "svc-decision", Some("denied"));
        }
    }),
    lie!("a refusal is a page", NotStrict @ Contract, 1, "", |_, s| {
        if is(s, "body-too-large") {
            s.body = b"<html><h1>413 Request Entity Too Large</h1></html>".to_vec();
        }
    }),
    lie!("a refusal that may be kept", WrongHeader @ Build, 1, "`cache-control` must be `no-store`", |_, s| {
        if is(s, "not-found") {
            set_header(s, "cache-control", Some("public, max-age=60"));
        }
    }),
    lie!("a refusal with another status", WrongStatus @ Contract, 1, "must be 422, and is 400", |_, s| {
        if is(s, "wrong-kind") {
            s.status = 400;
        }
    }),
];
