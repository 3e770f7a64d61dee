//! Lies in the documents that a registry serves.

use serde_json::{Value, json};
use svc_core::verification::FaultCode::{
    ContractDrift, GateDiffers, NotStrict, OpenClaim, ServerError, WrongHeader, WrongStatus,
};

use crate::{
    liar::{RequestHead, Said},
    lie::{Lie, all_are_found_out, lie, set_header},
};

#[test]
#[ignore = "takes minutes; `cargo xtask gates` runs it"]
fn every_lie_in_a_document_is_found_out() {
    all_are_found_out(LIES);
}

/// Changes a document, in the layout that it had.
fn at(asked: &RequestHead, said: &mut Said, path: &str, change: impl FnOnce(&mut Value)) {
    if asked.method == "GET" && asked.path.ends_with(path) {
        let mut document: Value = serde_json::from_slice(&said.body).unwrap();
        change(&mut document);
        said.body = svc_json::canonical::to_pretty(&document);
    }
}

pub(crate) const LIES: &[Lie] = &[
    lie!("a stale ledger", ContractDrift @ Build, 5, "/gates/1/missing", |a, s| {
        at(a, s, "/readiness", |ledger| ledger["gates"][1]["missing"] = json!("something"));
    }),
    lie!("a ledger that speaks otherwise of a gate", GateDiffers @ Closed, 5, "the ledger says `planned` of the gate `artifact-signing` locally, not `prepared`", |a, s| {
        at(a, s, "/readiness", |ledger| ledger["gates"][3]["localStatus"] = json!("planned"));
    }),
    lie!("a ledger with a gate that is complete locally", OpenClaim @ Closed, 7, "the gate `artifact-signing` is `complete`", |a, s| {
        at(a, s, "/readiness", |ledger| ledger["gates"][3]["localStatus"] = json!("complete"));
    }),
    lie!("a ledger with a loosened word", OpenClaim @ Closed, 7, "the gate `artifact-signing` is `signed`", |a, s| {
        at(a, s, "/readiness", |ledger| ledger["gateStatuses"]["artifact-signing"] = json!("signed"));
    }),
    lie!("a ledger with a gate less", GateDiffers @ Closed, 5, "the gate `review-storage` is missing", |a, s| {
        at(a, s, "/readiness", |ledger| drop(ledger["gateStatuses"].as_object_mut().unwrap().remove("review-storage")));
    }),
    lie!("a ledger in which nothing is missing", GateDiffers @ Closed, 5, "does not name `publisher-verification`", |a, s| {
        at(a, s, "/readiness", |ledger| ledger["missingGates"] = json!([]));
    }),
    lie!("a ledger in other bytes", ContractDrift @ Build, 5, "the bytes differ", |a, s| {
        if a.path.ends_with("/readiness") {
            s.body.push(b'\n');
        }
    }),
    lie!("a ledger with a member twice", ContractDrift @ Build, 5, "the bytes differ", |a, s| {
        if a.method == "GET" && a.path.ends_with("/readiness") {
            s.body = String::from_utf8_lossy(&s.body).replacen('{', "{ \"name\": \"x\",", 1).into_bytes();
        }
    }),
    lie!("no ledger", WrongStatus @ Contract, 1, "must be 200, and is 404", |a, s| {
        if a.path.ends_with("/readiness") {
            s.status = 404;
        }
    }),
    lie!("the ledger is a page", NotStrict @ Contract, 1, "the document must be JSON", |a, s| {
        if a.path.ends_with("/readiness") {
            s.body = b"<html>".to_vec();
        }
    }),
    lie!("the ledger has another media type", WrongHeader @ Contract, 1, "`content-type`", |a, s| {
        if a.path.ends_with("/readiness") {
            set_header(s, "content-type", Some("text/html"));
        }
    }),
    lie!("the ledger's headers claim", OpenClaim @ Closed, 7, "the header `x-signed`", |a, s| {
        if a.path.ends_with("/readiness") {
            set_header(s, "x-signed", Some("true"));
        }
    }),
    lie!("a contract with a seventh operation", ContractDrift @ Contract, 5, "the contract has 7 operations, not six", |a, s| {
        at(a, s, "/contract", |contract| {
            let first = contract["operations"][0].clone();
            contract["operations"].as_array_mut().unwrap().push(first);
        });
    }),
    lie!("a contract with five operations", ContractDrift @ Closed, 5, "/operations", |a, s| {
        at(a, s, "/contract", |contract| drop(contract["operations"].as_array_mut().unwrap().pop()));
    }),
    lie!("a contract whose outcome is open", OpenClaim @ Closed, 7, "/outcome/accepted is `true`", |a, s| {
        at(a, s, "/contract", |contract| contract["outcome"]["accepted"] = json!(true));
    }),
    lie!("other rules are served", ContractDrift @ Build, 5, "/digest", |a, s| {
        at(a, s, "/ruleset", |rules| rules["digest"] = json!("sha256:0"));
    }),
    lie!("a rule less is served", ContractDrift @ Build, 5, "/rules", |a, s| {
        at(a, s, "/ruleset", |rules| drop(rules["rules"].as_array_mut().unwrap().pop()));
    }),
    lie!("a schema that allows more", ContractDrift @ Build, 5, "", |a, s| {
        at(a, s, "/schemas/decision", |schema| drop(schema["properties"].as_object_mut().unwrap().remove("accepted")));
    }),
    lie!("a schema is not there", WrongStatus @ Build, 1, "must be 200, and is 404", |a, s| {
        if a.path.ends_with("/schemas/problem") {
            s.status = 404;
        }
    }),
    lie!("another API description", ContractDrift @ Build, 5, "/info", |a, s| {
        at(a, s, "/openapi.json", |api| api["info"]["title"] = json!("Another"));
    }),
    lie!("other limits", ContractDrift @ Build, 5, "", |a, s| {
        at(a, s, "/limits", |limits| limits[0]["value"] = json!(1));
    }),
    lie!("other stages", ContractDrift @ Build, 5, "/stages", |a, s| {
        at(a, s, "/lifecycle", |catalog| drop(catalog["stages"].as_array_mut().unwrap().pop()));
    }),
    lie!("a link more", ContractDrift @ Build, 5, "/links", |a, s| {
        at(a, s, "/api/sdk/registry", |links| {
            let first = links["links"][0].clone();
            links["links"].as_array_mut().unwrap().push(first);
        });
    }),
    lie!("another program is running", ContractDrift @ Build, 5, "/ruleset/digest", |a, s| {
        at(a, s, "/version", |version| version["ruleset"]["digest"] = json!("sha256:0"));
    }),
    lie!("it is not ready", ServerError @ Closed, 6, "must be 200, and is 503", |a, s| {
        if a.path.ends_with("/readyz") {
            s.status = 503;
        }
    }),
];
