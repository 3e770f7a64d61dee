//! Every single input of a local verification, deleted and edited; lying routes; and a whole change of the tables.

use std::sync::LazyLock;

use serde_json::json;
use svc_client::exchange::{Reply, Request, TransportError, TransportKind};
use svc_core::{verification::Posture, words::exit_code::ExitCode};
use svc_testkit::seed_words as words;

use super::*;
use crate::probe::ExpectedReply;

static OWN: LazyLock<Contracts> = LazyLock::new(own_files);
static ENDPOINTS: LazyLock<Vec<EndpointProbes>> =
    LazyLock::new(|| probe::of_endpoints(Samples::make().unwrap().files(), Depth::Local).unwrap());

/// A verification of contracts, with the routes as they are.
fn verified(committed: &Contracts) -> Verification {
    inputs(committed, &InProcess::default(), |_| {})
}

fn inputs(committed: &Contracts, transport: &dyn Transport, change: impl FnOnce(&mut Inputs<'_>)) -> Verification {
    let mut inputs = Inputs {
        committed,
        own: OWN.clone(),
        routes: posts(),
        endpoints: ENDPOINTS.clone(),
        missing_routes: probe::of_missing_routes(),
        served: served_files(),
        files: Samples::make().unwrap().files().clone(),
        transport,
    };
    change(&mut inputs);
    inputs.verify("contracts")
}

/// Only what can be told without asking the routes: quick enough for hundreds of edits.
fn verified_on_paper(committed: &Contracts) -> Verification {
    let mut verification = inputs(committed, &InProcess::default(), |inputs| {
        inputs.endpoints.clear();
        inputs.missing_routes.clear();
    });
    // Without the routes nothing is shown; here only the faults of the paper count.
    verification.checks.retain(|check| check.area != "gates" && check.area != "wording");
    verification.expected = verification.checks.len();
    verification
}

fn edited(name: &str, change: impl FnOnce(&mut Value)) -> Contracts {
    let mut committed = OWN.clone();
    let mut document: Value = serde_json::from_slice(&committed[name]).unwrap();
    change(&mut document);
    committed.insert(name.to_owned(), svc_json::canonical::to_pretty(&document));
    committed
}

#[track_caller]
fn fails(verification: &Verification, exit: ExitCode, code: FaultCode, told: &str) {
    assert_eq!(verification.posture(), Posture::NotAsDeclared);
    let found: Vec<&CheckFault> = verification.faults().map(|(_, fault)| fault).collect();
    assert!(found.iter().any(|fault| fault.code == code && fault.message.contains(told)), "{code} {told}: {found:?}");
    assert_eq!(verification.exit_code(), exit, "{found:?}");
}

#[test]
fn what_is_committed_is_closed_as_declared() {
    let verification = verify(&OWN, "contracts").unwrap();
    let faults: Vec<_> = verification.faults().collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(verification.ran(), CHECKS);
    assert_eq!(verification.exit_code(), ExitCode::Valid);
}

#[test]
fn a_contract_that_lists_other_answers_than_the_routes_give_fails() {
    let committed = edited(API_CONTRACT, |document| {
        let rows = document["operations"].as_array_mut().unwrap();
        let problems = rows[0]["problems"].as_array_mut().unwrap();
        problems.retain(|code| code != "index-inconsistent");
        problems.push(json!("pruned"));
        rows[0]["statuses"].as_array_mut().unwrap().retain(|status| *status != 200);
        rows[0]["problemGateStatuses"]["artifact-hash"] = json!("evidenced");
    });
    let verification = verified(&committed);
    let named = |check: &&VerifierCheck| check.name == "POST /indexes/validate answers what is listed";
    let check = verification.checks.iter().find(named).unwrap();
    let told: Vec<&str> = check.faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "the contract lists `pruned`, which the route never sends",
            "the route answers 200, which the contract does not list",
            "the route answers `index-inconsistent`, which the contract does not list",
            "the route answers other words for its gates than problemGateStatuses",
        ]
    );
}

#[test]
fn another_number_of_checks_shows_nothing() {
    let mut verification = verified(&OWN);
    verification.checks.pop();
    assert_eq!(verification.exit_code(), ExitCode::Findings);
    assert_eq!(
        verification.own_fault().unwrap().message,
        format!("{} checks ran, this build has {CHECKS}", CHECKS - 1)
    );
    verification.checks.clear();
    assert_eq!(verification.exit_code(), ExitCode::Findings);
    assert_eq!(verification.posture(), Posture::NotAsDeclared);
}

#[test]
fn a_check_that_did_not_run_is_no_pass() {
    let mut verification = verified(&OWN);
    verification.checks[0] = VerifierCheck::not_run("committed contracts", "nothing");
    assert_eq!(verification.exit_code(), ExitCode::Findings);
}

#[test]
fn any_file_that_is_missing_fails_by_its_name() {
    for name in OWN.keys() {
        let mut committed = OWN.clone();
        committed.remove(name);
        let verification = verified_on_paper(&committed);
        fails(&verification, ExitCode::Drift, FaultCode::FileMissing, &format!("`{name}` is missing"));
    }
    fails(&verified(&Contracts::new()), ExitCode::Findings, FaultCode::FileMissing, LEDGER);
}

#[test]
fn any_file_that_is_emptied_or_cut_fails() {
    for (name, bytes) in OWN.iter() {
        for other in [b"".to_vec(), b"{}\n".to_vec(), bytes[..bytes.len() / 2].to_vec(), [bytes, &b"\n"[..]].concat()] {
            let mut committed = OWN.clone();
            committed.insert(name.clone(), other);
            let verification = verified_on_paper(&committed);
            assert_eq!(verification.posture(), Posture::NotAsDeclared, "{name}");
            assert!(verification.faults().any(|(check, _)| check.name == *name), "{name}");
        }
    }
}

#[test]
fn any_leaf_of_ledger_and_contract_that_is_edited_fails() {
    let mut edits = 0;
    for name in [LEDGER, API_CONTRACT, "lifecycle-catalog.json", "schemas/decision.schema.json"] {
        let mut document: Value = serde_json::from_slice(&OWN[name]).unwrap();
        let mut pointers = Vec::new();
        leaves(&document, String::new(), &mut pointers);
        for pointer in pointers {
            let leaf = document.pointer_mut(&pointer).unwrap();
            let kept = leaf.take();
            *leaf = if kept == json!("edited") { json!(1) } else { json!("edited") };
            let mut committed = OWN.clone();
            committed.insert(name.to_owned(), svc_json::canonical::to_pretty(&document));
            let check = committed::checks(&committed, &OWN).into_iter().find(|check| check.name == name).unwrap();
            assert!(!check.faults.is_empty(), "{name} {pointer}");
            *document.pointer_mut(&pointer).unwrap() = kept;
            edits += 1;
        }
    }
    assert!(edits > 250, "{edits}");
}

fn leaves(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| leaves(member, format!("{pointer}/{name}"), found));
        }
        Value::Array(elements) => {
            elements
                .iter()
                .enumerate()
                .for_each(|(index, element)| leaves(element, format!("{pointer}/{index}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            found.push(pointer);
        }
    }
}

#[test]
fn a_file_that_nothing_generates_fails() {
    let mut committed = OWN.clone();
    committed.insert("approvals.json".to_owned(), b"{}".to_vec());
    fails(&verified_on_paper(&committed), ExitCode::Drift, FaultCode::FileExtra, "nothing generates `approvals.json`");
}

#[test]
fn a_loosened_word_of_any_gate_is_drift_and_an_open_one_an_open_claim() {
    for (index, (gate, _, word)) in seed::LEDGER.into_iter().enumerate() {
        for (said, exit) in [("pending", ExitCode::Drift), ("approved", ExitCode::OpenClaim)] {
            let committed = edited(LEDGER, |ledger| ledger["gates"][index]["status"] = json!(said));
            fails(&verified_on_paper(&committed), exit, FaultCode::GateDiffers, &format!("row {}", index + 1));
        }
        let committed = edited(LEDGER, |ledger| ledger["gates"][index]["status"] = json!("pending"));
        let told = format!("{gate}: specification `{word}`, ledger `pending`, contract `{word}`, routes `{word}`");
        fails(&verified(&committed), ExitCode::Drift, FaultCode::GateDiffers, &told);
        let committed = edited(LEDGER, |ledger| ledger["gateStatuses"][gate] = json!("complete"));
        // A gate that is said to be cleared is an open claim; the one that shows something may say so in other words.
        let exit = if gate == seed::SHOWN_GATE { ExitCode::Drift } else { ExitCode::OpenClaim };
        fails(&verified_on_paper(&committed), exit, FaultCode::GateDiffers, "has the word `complete`");
        let committed = edited(LEDGER, |ledger| ledger["gates"][index]["localStatus"] = json!("done"));
        fails(&verified_on_paper(&committed), exit, FaultCode::GateDiffers, &format!("row {}", index + 1));
    }
    for gate in seed::missing() {
        let committed = edited(LEDGER, |ledger| ledger["gateStatuses"][gate] = json!("approved"));
        let told = format!("the gate `{gate}` is `approved`");
        fails(&verified_on_paper(&committed), ExitCode::OpenClaim, FaultCode::OpenClaim, &told);
    }
}

#[test]
fn a_gate_less_or_more_in_the_ledger_is_drift() {
    let committed = edited(LEDGER, |ledger| drop(ledger["gates"].as_array_mut().unwrap().pop()));
    fails(&verified_on_paper(&committed), ExitCode::Drift, FaultCode::GateDiffers, "the ledger has 5 gates, not six");
    let committed = edited(LEDGER, |ledger| {
        let first = ledger["gates"][0].clone();
        ledger["gates"].as_array_mut().unwrap().push(first);
    });
    fails(&verified_on_paper(&committed), ExitCode::Drift, FaultCode::GateDiffers, "the ledger has 7 gates, not six");
    let committed = edited(LEDGER, |ledger| ledger["missingGates"] = json!([]));
    fails(&verified_on_paper(&committed), ExitCode::Drift, FaultCode::GateDiffers, "missingGates is []");
}

#[test]
fn a_route_less_or_more_fails() {
    let committed = edited(API_CONTRACT, |contract| {
        let mut more = contract["operations"][0].clone();
        more["path"] = json!("/approvals");
        contract["operations"].as_array_mut().unwrap().push(more);
    });
    fails(&verified_on_paper(&committed), ExitCode::Drift, FaultCode::ContractDrift, "the contract has 7 operations");
    let committed = edited(API_CONTRACT, |contract| drop(contract["operations"].as_array_mut().unwrap().pop()));
    fails(
        &verified_on_paper(&committed),
        ExitCode::Drift,
        FaultCode::ContractDrift,
        "does not have POST /install-policy",
    );
    let more = inputs(&OWN, &InProcess::default(), |inputs| {
        inputs.routes.push(("PUT".to_owned(), "/api/sdk/registry/stages".to_owned()));
    });
    fails(&more, ExitCode::Drift, FaultCode::ContractDrift, "this build 7 routes that evaluate, not six");
}

#[test]
fn an_open_outcome_in_the_contract_is_an_open_claim() {
    let committed = edited(API_CONTRACT, |contract| contract["outcome"]["installable"] = json!(true));
    fails(&verified_on_paper(&committed), ExitCode::OpenClaim, FaultCode::OpenClaim, "/outcome/installable is `true`");
}

#[test]
fn evidence_that_no_artifact_has_fails() {
    let committed = edited(LEDGER, |ledger| ledger["gates"][1]["shownBy"] = json!(["/certificate"]));
    fails(&verified(&committed), ExitCode::Findings, FaultCode::EvidenceMissing, "no artifact has `/certificate`");
    let committed = edited(LEDGER, |ledger| ledger["gates"][2]["shownBy"] = json!(["somebody said so"]));
    fails(&verified(&committed), ExitCode::Findings, FaultCode::EvidenceMissing, "names no field");
}

#[test]
fn a_package_that_is_described_as_more_fails() {
    let committed = edited(LEDGER, |ledger| ledger["packagesAre"] = json!(["marketplace app"]));
    let verification = verified(&committed);
    fails(&verification, ExitCode::Findings, FaultCode::WrongWording, "packagesAre is [marketplace app]");
    fails(&verification, ExitCode::Findings, FaultCode::WrongWording, "`marketplace` stands in");
    let committed = edited(LEDGER, |ledger| ledger["gates"][0]["missing"] = json!("nothing, it is approved"));
    fails(&verified(&committed), ExitCode::Findings, FaultCode::WrongWording, "`approved` stands in");
}

/// The routes of this build with every answer bent.
struct Bent<F>(InProcess, F);

impl<F: Fn(&Request, &mut Reply)> Transport for Bent<F> {
    fn send(&self, request: &Request) -> Result<Reply, TransportError> {
        let mut reply = self.0.send(request)?;
        (self.1)(request, &mut reply);
        Ok(reply)
    }

    fn kind(&self) -> TransportKind {
        TransportKind::InProcess
    }
}

#[test]
fn routes_that_open_are_seen() {
    let open = Bent(InProcess::default(), |_: &Request, reply: &mut Reply| {
        *reply = replaced(reply, "\"installable\":false", "\"installable\":true");
    });
    fails(&inputs(&OWN, &open, |_| {}), ExitCode::OpenClaim, FaultCode::OpenClaim, "/installable is `true`");
}

#[test]
fn routes_that_do_not_recompute_are_seen() {
    let lax = Bent(InProcess::default(), |_: &Request, reply: &mut Reply| {
        if String::from_utf8_lossy(&reply.body).contains("\"code\":\"digest-mismatch\"") {
            reply.status = 200;
        }
    });
    let verification = inputs(&OWN, &lax, |_| {});
    fails(&verification, ExitCode::Digest, FaultCode::DigestVerdict, "was let through");
    fails(&verification, ExitCode::Digest, FaultCode::EvidenceMissing, "0 of 6 routes refuse a digest");
}

/// The ratchet: tables, contracts, schemas, expectations and routes all changed together, as one generated change would.
/// What is left is what the specification says, held by hand.
#[test]
fn a_change_of_all_tables_together_still_differs_from_the_specification() {
    for (from, to, exit, code, told) in [
        ("unsigned", "kept-by-host", ExitCode::Findings, FaultCode::GateDiffers, "has the word `kept-by-host`"),
        ("not-applied", "applied", ExitCode::OpenClaim, FaultCode::OpenClaim, "`host-install-policy` is `applied`"),
        ("\"evidenced\"", "\"complete\"", ExitCode::Drift, FaultCode::GateDiffers, "has the word `complete`"),
    ] {
        let all: Contracts = OWN.iter().map(|(name, bytes)| (name.clone(), replaced_bytes(bytes, from, to))).collect();
        let moved = Bent(InProcess::default(), |_: &Request, reply: &mut Reply| {
            let id = decision_id(reply);
            *reply = replaced(reply, from, to);
            reseal(reply, id);
        });
        let verification = inputs(&all, &moved, |inputs| {
            inputs.own = all.clone();
            for probe in inputs.endpoints.iter_mut().flat_map(|endpoint| &mut endpoint.probes) {
                if let ExpectedReply::Denied { decision, .. } = &mut probe.expected {
                    *decision =
                        serde_json::from_slice(&replaced_bytes(decision.to_string().as_bytes(), from, to)).unwrap();
                    sealed(decision.as_object_mut().unwrap());
                }
            }
        });
        let drifted = verification.faults().find(|(check, _)| check.area == "committed contracts");
        assert!(drifted.is_none(), "the change is whole: {drifted:?}");
        let word = to.trim_matches('"');
        fails(&verification, exit, FaultCode::GateDiffers, &format!("ledger `{word}`, contract `{word}`"));
        fails(&verification, exit, code, told);
    }
}

fn replaced_bytes(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8(bytes.to_vec()).unwrap().replace(from, to).into_bytes()
}

fn replaced(reply: &Reply, from: &str, to: &str) -> Reply {
    Reply { body: replaced_bytes(&reply.body, from, to), ..reply.clone() }
}

fn decision_id(reply: &Reply) -> bool {
    String::from_utf8_lossy(&reply.body).contains("\"decisionId\"") && reply.status == 200
}

fn reseal(reply: &mut Reply, is_decision: bool) {
    let Ok(Value::Object(mut body)) = serde_json::from_slice::<Value>(&reply.body) else { return };
    if is_decision && body.contains_key("requestId") {
        sealed(&mut body);
        reply.body = serde_json::to_vec(&body).unwrap();
    }
}

fn sealed(decision: &mut serde_json::Map<String, Value>) {
    let mut hashed = decision.clone();
    hashed.remove("decisionId");
    hashed.remove("requestId");
    let id = svc_json::canonical::digest(&hashed).0.to_string();
    decision.insert("decisionId".to_owned(), json!(id));
}

#[test]
fn the_words_held_here_are_those_of_the_specifications_tests() {
    assert_eq!(seed::LEDGER, words::LEDGER);
    assert_eq!(seed::FLAGS, words::FLAGS);
    assert_eq!(seed::BASE_PATH, words::BASE_PATH);
    assert_eq!(seed::SIX_POSTS.map(|(path, payload)| ("POST", path, payload)), words::SIX_POSTS);
}
