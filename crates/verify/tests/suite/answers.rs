//! Lies in completed evaluations.

use serde_json::{Value, json};
use svc_core::verification::FaultCode::{
    ContractDrift, DigestVerdict, GateDiffers, NoMissing, NotStrict, OpenClaim, RepeatedAnswer, WrongAnswer,
    WrongHeader,
};

use crate::lie::{Lie, all_are_found_out, in_decision, in_text, is_decision, lie, resealed, set_header};

#[test]
#[ignore = "takes minutes; `cargo xtask gates` runs it"]
fn every_lie_in_an_answer_is_found_out() {
    all_are_found_out(LIES);
}

const FALSE: &str = "\"accepted\":false";

pub(crate) const LIES: &[Lie] = &[
    lie!("accepted is true", OpenClaim @ Closed, 7, "/accepted is `true`", |a, s| in_text(a, s, FALSE, "\"accepted\":true")),
    lie!("signed is true", OpenClaim @ Closed, 7, "/signed is `true`", |a, s| {
        in_text(a, s, "\"signed\":false", "\"signed\":true");
    }),
    lie!("installable is true", OpenClaim @ Closed, 7, "/installable is `true`", |a, s| {
        in_text(a, s, "\"installable\":false", "\"installable\":true");
    }),
    lie!("accepted is true and the id fits", OpenClaim @ Closed, 7, "/accepted is `true`", |a, s| {
        resealed(a, s, |body| drop(body.insert("accepted".into(), json!(true))));
    }),
    lie!("false is a text", OpenClaim @ Closed, 7, "the text `false`", |a, s| in_text(a, s, FALSE, "\"accepted\":\"false\"")),
    lie!("false is zero", OpenClaim @ Closed, 7, "/accepted is `0`", |a, s| in_text(a, s, FALSE, "\"accepted\":0")),
    lie!("true is one", OpenClaim @ Closed, 7, "/accepted is `1`", |a, s| in_text(a, s, FALSE, "\"accepted\":1")),
    lie!("false is null", OpenClaim @ Closed, 7, "/accepted is null", |a, s| in_text(a, s, FALSE, "\"accepted\":null")),
    lie!("false is an object", OpenClaim @ Closed, 7, "/accepted", |a, s| in_text(a, s, FALSE, "\"accepted\":{\"by\":\"us\"}")),
    lie!("a flag is left out", NoMissing @ Closed, 1, "`accepted` must be there and `false`, and is missing", |a, s| {
        resealed(a, s, |body| drop(body.remove("accepted")));
    }),
    lie!("a flag in another case", OpenClaim @ Closed, 7, "/Accepted is `true`", |a, s| {
        in_text(a, s, FALSE, "\"accepted\":false,\"Accepted\":true");
    }),
    lie!("the outcome is allowed", WrongAnswer @ Contract, 4, "/outcome: expected `denied`, found `allowed`", |a, s| {
        in_text(a, s, "\"outcome\":\"denied\"", "\"outcome\":\"allowed\"");
    }),
    lie!("there is no outcome", WrongAnswer @ Contract, 1, "/outcome", |a, s| {
        resealed(a, s, |body| drop(body.remove("outcome")));
    }),
    lie!("the claim is deep inside", OpenClaim @ Closed, 7, "/digestCheck/installable is `true`", |a, s| {
        in_text(a, s, "\"digestCheck\":{", "\"digestCheck\":{\"installable\":true,");
    }),
    lie!("a duplicate member hides a true", OpenClaim @ Closed, 7, "/accepted is `true`", |a, s| {
        in_text(a, s, FALSE, "\"accepted\":true,\"accepted\":false");
    }),
    lie!("an escape hides a true", OpenClaim @ Closed, 7, "/accepted is `true`", |a, s| {
        in_text(a, s, FALSE, "\"accepted\":false,\"accepte\\u0064\":true");
    }),
    lie!("a second document says true", OpenClaim @ Closed, 7, "the body says that something is accepted", |a, s| {
        if is_decision(a, s) {
            s.body.extend_from_slice(b"\n{\"accepted\": true}");
        }
    }),
    lie!("the header says accepted", OpenClaim @ Closed, 7, "`svc-decision` says `accepted`", |a, s| {
        if is_decision(a, s) {
            set_header(s, "svc-decision", Some("accepted"));
        }
    }),
    lie!("another header says accepted", OpenClaim @ Closed, 7, "the header `x-accepted` says `true`", |a, s| {
        if is_decision(a, s) {
            set_header(s, "x-accepted", Some("true"));
        }
    }),
    lie!("a second decision header says accepted", OpenClaim @ Closed, 7, "`svc-decision` says `accepted`", |a, s| {
        if is_decision(a, s) {
            s.headers.push(("svc-decision".into(), "accepted".into()));
        }
    }),
    lie!("a gate is missing", NoMissing @ Closed, 1, "`gateStatuses` leaves out artifact-signing", |a, s| {
        resealed(a, s, |body| drop(body["gateStatuses"].as_object_mut().unwrap().remove("artifact-signing")));
    }),
    lie!("a gate more", GateDiffers @ Contract, 5, "a gate `self-review` that does not exist", |a, s| {
        resealed(a, s, |body| body["gateStatuses"]["self-review"] = json!("prepared"));
    }),
    lie!("a gate has another word", OpenClaim @ Closed, 7, "the gate `publisher-verification` is `verified`", |a, s| {
        resealed(a, s, |body| body["gateStatuses"]["publisher-verification"] = json!("verified"));
    }),
    lie!("a gate's word in another case", GateDiffers @ Contract, 5, "has the word `Unsigned`", |a, s| {
        resealed(a, s, |body| body["gateStatuses"]["artifact-signing"] = json!("Unsigned"));
    }),
    lie!("a gate's word is no text", OpenClaim @ Closed, 7, "the gate `review-storage` is `true`", |a, s| {
        resealed(a, s, |body| body["gateStatuses"]["review-storage"] = json!(true));
    }),
    lie!("nothing was evidenced", GateDiffers @ Contract, 5, "/gateStatuses/artifact-hash", |a, s| {
        resealed(a, s, |body| body["gateStatuses"]["artifact-hash"] = json!("unevidenced"));
    }),
    lie!("no gate words", GateDiffers @ Closed, 1, "/gateStatuses: expected an object, found nothing", |a, s| {
        resealed(a, s, |body| drop(body.remove("gateStatuses")));
    }),
    lie!("gate words are an empty list", NoMissing @ Closed, 1, "`gateStatuses` names no gate", |a, s| {
        resealed(a, s, |body| body["gateStatuses"] = json!([]));
    }),
    lie!("no gate is missing any more", NoMissing @ Closed, 1, "there is no list of the gates that are missing", |a, s| {
        resealed(a, s, |body| body["missingGates"] = json!([]));
    }),
    lie!("one gate less is missing", GateDiffers @ Contract, 5, "does not name `renderer-isolation`", |a, s| {
        resealed(a, s, |body| drop(body["missingGates"].as_array_mut().unwrap().pop()));
    }),
    lie!("the missing gates in another order", GateDiffers @ Contract, 5, "/missingGates/0", |a, s| {
        resealed(a, s, |body| body["missingGates"].as_array_mut().unwrap().reverse());
    }),
    lie!("another digest was recomputed", DigestVerdict @ Contract, 4, "/digestCheck/recomputed", |a, s| {
        resealed(a, s, |body| body["digestCheck"]["recomputed"] = json!(format!("sha256:{}", "0".repeat(64))));
    }),
    lie!("the digests do not match", DigestVerdict @ Contract, 4, "/digestCheck/matches", |a, s| {
        resealed(a, s, |body| body["digestCheck"]["matches"] = json!(false));
    }),
    lie!("no digest was compared", DigestVerdict @ Contract, 4, "/digestCheck", |a, s| {
        resealed(a, s, |body| drop(body.remove("digestCheck")));
    }),
    lie!("another artifact was evaluated", DigestVerdict @ Contract, 4, "/artifact/digest", |a, s| {
        resealed(a, s, |body| body["artifact"]["digest"] = json!(format!("sha256:{}", "1".repeat(64))));
    }),
    lie!("the decision has another id", DigestVerdict @ Contract, 4, "must be the digest of the decision", |a, s| {
        in_decision(a, s, |body| body["decisionId"] = json!(format!("sha256:{}", "2".repeat(64))));
    }),
    lie!("the decision has no id", DigestVerdict @ Contract, 4, "must be the digest of the decision", |a, s| {
        in_decision(a, s, |body| drop(body.remove("decisionId")));
    }),
    lie!("a stage that nothing reaches", OpenClaim @ Closed, 7, "/stage is `signed-package`", |a, s| {
        resealed(a, s, |body| body["stage"] = json!("signed-package"));
    }),
    lie!("a stage under an old id", OpenClaim @ Closed, 7, "/stage is `signed-package`", |a, s| {
        in_decision(a, s, |body| body["stage"] = json!("signed-package"));
    }),
    lie!("nothing blocks", WrongAnswer @ Contract, 1, "/blockers", |a, s| resealed(a, s, |body| body["blockers"] = json!([]))),
    lie!("another next gate", WrongAnswer @ Contract, 1, "/nextGate", |a, s| {
        resealed(a, s, |body| body["nextGate"] = json!("renderer-isolation"));
    }),
    lie!("another artifact", DigestVerdict @ Contract, 4, "/artifact/digest", |a, s| {
        resealed(a, s, |body| body["artifact"]["digest"] = json!(format!("sha256:{}", "3".repeat(64))));
    }),
    lie!("a review that nobody did", WrongAnswer @ Contract, 1, "/reviewed", |a, s| {
        resealed(a, s, |body| body["reviewed"] = json!("read"));
    }),
    lie!("another kind of answer", WrongAnswer @ Contract, 1, "/kind", |a, s| {
        resealed(a, s, |body| body["kind"] = json!("svc-registry-approval"));
    }),
    lie!("another operation", WrongAnswer @ Contract, 1, "/operation", |a, s| {
        resealed(a, s, |body| body["operation"] = json!("approve"));
    }),
    lie!("a member that nobody knows", WrongAnswer @ Build, 1, "/approvedBy: expected nothing", |a, s| {
        resealed(a, s, |body| drop(body.insert("approvedBy".into(), json!("nobody"))));
    }),
    lie!("a receipt that no schema knows", WrongAnswer @ Build, 1, "/receipts", |a, s| {
        resealed(a, s, |body| drop(body.insert("receipts".into(), Value::Null)));
    }),
    lie!("other rules", ContractDrift @ Build, 5, "/ruleset/own/version", |a, s| {
        resealed(a, s, |body| body["ruleset"]["own"]["version"] = json!("9.0.0"));
    }),
    lie!("always the same request id", RepeatedAnswer @ Contract, 1, "was given before", |a, s| {
        in_decision(a, s, |body| body["requestId"] = json!("0123456789abcdef0123456789abcdef"));
        set_header(s, "svc-request-id", Some("0123456789abcdef0123456789abcdef"));
    }),
    lie!("no request id", WrongAnswer @ Contract, 1, "/requestId is missing", |a, s| {
        in_decision(a, s, |body| drop(body.remove("requestId")));
    }),
    lie!("two request ids", WrongHeader @ Build, 1, "`svc-request-id` and /requestId must be equal", |a, s| {
        if is_decision(a, s) {
            set_header(s, "svc-request-id", Some("another"));
        }
    }),
    lie!("an answer from a cache", RepeatedAnswer @ Contract, 1, "`age`", |a, s| {
        if is_decision(a, s) {
            set_header(s, "age", Some("30"));
        }
    }),
    lie!("a page instead of JSON", NotStrict @ Closed, 1, "", |a, s| {
        if is_decision(a, s) {
            s.body = b"<!doctype html><title>Welcome</title>".to_vec();
        }
    }),
    lie!("a page that says accepted", OpenClaim @ Closed, 7, "the body says that something is accepted", |a, s| {
        if is_decision(a, s) {
            s.body = b"<!doctype html><p>Accepted: <b>true</b>".to_vec();
        }
    }),
    lie!("nothing in it", NotStrict @ Closed, 1, "", |a, s| {
        if is_decision(a, s) {
            s.body.clear();
        }
    }),
    lie!("a list around it", NotStrict @ Contract, 1, "", |a, s| {
        if is_decision(a, s) {
            s.body = [b"[".as_slice(), &s.body, b"]"].concat();
        }
    }),
    lie!("something behind it", NotStrict @ Closed, 1, "", |a, s| {
        if is_decision(a, s) {
            s.body.extend_from_slice(b" ok");
        }
    }),
    lie!("a byte order mark before it", NotStrict @ Closed, 1, "", |a, s| {
        if is_decision(a, s) {
            s.body = [b"\xEF\xBB\xBF".as_slice(), &s.body].concat();
        }
    }),
    lie!("another encoding of text", NotStrict @ Closed, 1, "", |a, s| {
        if is_decision(a, s) {
            s.body = s.body.iter().flat_map(|byte| [*byte, 0]).collect();
        }
    }),
    lie!("a fraction in it", NotStrict @ Contract, 1, "", |a, s| in_text(a, s, FALSE, "\"accepted\":false,\"share\":1.0")),
    lie!("too deep", NotStrict @ Contract, 1, "", |a, s| {
        let deep = format!("{FALSE},\"x\":{}{}", "[".repeat(99), "]".repeat(99));
        in_text(a, s, FALSE, &deep);
    }),
    lie!("a harmless member twice", NotStrict @ Contract, 1, "`kind`", |a, s| {
        in_text(a, s, FALSE, "\"accepted\":false,\"kind\":\"svc-registry-decision\"");
    }),
    lie!("a character that turns the text", NotStrict @ Contract, 1, "", |a, s| {
        in_text(a, s, FALSE, "\"accepted\":false,\"note\":\"\\u202e\"");
    }),
];
