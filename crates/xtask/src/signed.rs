//! `conformance/documents/answers.json` and `notes.json`: what logs and witnesses of the kit signed, for rows to copy.
//!
//! Keys come from fixed seeds and times are fixed, so that the same bytes come out every time. The registry of the answers has
//! the rules of the kit, so that a new rule changes none of them.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value, json};
use svc_core::samples::rules;
use svc_core::{
    findings::Findings,
    journal::{
        draft::{EntryDraft, RequestIdentity},
        receipt::Receipt,
        record::Record,
        scalars::{Count, RequestId, TokenName},
        timestamp::Timestamp,
    },
    problem::Problem,
    words::kind::ArtifactSpec,
};
use svc_journal::{log_key::LogKey, witness_key::WitnessKey};
use svc_json::{canonical, digest::Digest};
use svc_proof::{
    checkpoint::Checkpoint,
    receipt::{self, RecordLeaf},
    recorded_answer,
    tree::{MerkleTree, leaf_hash},
};

use crate::kit_rules;

/// The log of the answers.
const ANSWERS: &str = "svc-journal-conformance";
/// The log of the notes, which witnesses cosign and which hands over its key.
const NOTES: &str = "registry.example/journal";
/// 2026-01-01; the records of the answers are a millisecond apart, the cosignatures a second.
const TIME: u64 = 1_767_225_600;
/// When the policies are checked.
const NOW: u64 = TIME + 86_400;
const RECORDS: u64 = 7;
/// The record of the decision, with siblings on both sides, and that of the refusal.
const DENIED: usize = 4;
const REFUSED: usize = 1;

/// Cosignatures: the name, the witness, the number of leaves of the state, and the time.
const COSIGNATURES: &[(&str, u8, u64, u64)] = &[
    ("a+0", 1, 5, TIME),
    ("a+1", 1, 5, TIME + 1),
    ("a-1", 1, 5, TIME - 1),
    ("a-600-ahead", 1, 5, NOW + 600),
    ("a-601-ahead", 1, 5, NOW + 601),
    ("a-in-1970", 1, 5, 1),
    ("a-of-another-state", 1, 6, TIME),
    ("b+0", 2, 5, TIME),
    ("b+1", 2, 5, TIME + 1),
    ("c+0", 3, 5, TIME),
    ("c+1", 3, 5, TIME + 1),
    ("c+2", 3, 5, TIME + 2),
    ("d+0", 4, 5, TIME),
    ("d+1", 4, 5, TIME + 1),
    ("e+0", 5, 5, TIME),
    ("e+2", 5, 5, TIME + 2),
    ("f+0", 6, 5, TIME),
    ("stranger", 9, 5, TIME),
];

/// Notes by which one key of the log names the next.
const HAND_OVERS: &[(u8, u8)] = &[(1, 2), (1, 3), (2, 3), (2, 4), (5, 2), (5, 3), (5, 6)];

/// The lines that policies, checkpoints and hand-overs are put together from.
pub(crate) fn notes() -> Result<Value> {
    let key = |seed: u8| LogKey::from_seed(NOTES, &[seed; 32]);
    let log = |seed: u8| anyhow::Ok(format!("log {}\n", key(seed)?.public().as_str()));
    let (head, line) = parts(&state(5)?)?;
    let cosigned = |(name, number, size, time): &(&str, u8, u64, u64)| {
        let cosigned = witness(*number)?.cosign(&state(*size)?, *time)?;
        anyhow::Ok(((*name).to_owned(), json!(format!("{}\n", cosigned.line()))))
    };
    let handed = |(from, to): &(u8, u8)| {
        anyhow::Ok((format!("{from}-{to}"), json!(key(*from)?.hand_over_to(key(*to)?.public())?.text())))
    };
    let named = |(name, number): (&str, u8)| anyhow::Ok(format!("witness {name} {}\n", witness(number)?.public()));
    let witnesses = ["a", "b", "c", "d", "e"].into_iter().zip(1..).map(named).collect::<Result<String>>()?;
    Ok(json!({
        "cosignatures": COSIGNATURES.iter().map(cosigned).collect::<Result<Map<_, _>>>()?,
        "hand-overs": HAND_OVERS.iter().map(handed).collect::<Result<Map<_, _>>>()?,
        "head": format!("{head}\n"),
        "log": log(1)?,
        "log-line": line,
        "log-line-of-another-state": parts(&state(6)?)?.1,
        "other-log": log(2)?,
        "witnesses": witnesses,
    }))
}

fn witness(number: u8) -> Result<WitnessKey> {
    Ok(WitnessKey::from_seed(&format!("witness.example/w{number}"), &[100 + number; 32])?)
}

fn state(size: u64) -> Result<Checkpoint> {
    let records: Vec<[u8; 8]> = (0..size).map(u64::to_be_bytes).collect();
    let root = MerkleTree::empty().grow(&records)?.tree().root()?;
    Ok(LogKey::from_seed(NOTES, &[1; 32])?.sign_checkpoint(size, &root)?)
}

/// The text of a checkpoint, and its signature.
fn parts(checkpoint: &Checkpoint) -> Result<(String, String)> {
    let (text, line) = checkpoint.text().as_str().split_once("\n\n").context("a signature")?;
    Ok((format!("{text}\n"), line.to_owned()))
}

/// The checkpoint of the tree that a receipt is about, signed by the log of the answers.
pub(crate) fn checkpoint_of(receipt: &Value) -> Result<String> {
    let size = receipt.get("treeSize").and_then(Value::as_u64).context("no size")?;
    let root = receipt.get("rootHash").and_then(Value::as_str).and_then(Digest::parse).context("no root")?;
    Ok(log(1)?.sign_checkpoint(size, &svc_proof::tree::Hash(*root.as_bytes()))?.text().as_str().to_owned())
}

fn log(seed: u8) -> Result<LogKey> {
    Ok(LogKey::from_seed(ANSWERS, &[seed; 32])?)
}

/// A decision and a refusal with their receipts, the first and the last receipt of their log, and signatures over its state.
pub(crate) fn answers(spec: &'static ArtifactSpec, document: &[u8]) -> Result<Value> {
    let Ok(decision) = svc_core::read::decide(rules(), spec.artifact, document) else {
        bail!("the base document is refused")
    };
    let forged = String::from_utf8(document.to_vec())?.replacen("\"accepted\": false", "\"accepted\": true", 1);
    let Err(findings) = svc_core::read::decide(rules(), spec.artifact, forged.as_bytes()) else {
        bail!("a forged document is not refused")
    };
    let answer = kit_rules::decision(&decision)?;
    let mut records = Vec::new();
    for place in 0..RECORDS {
        let asker = asker(place)?;
        let request = asker.request.to_string();
        let draft = if place % 2 == 0 {
            EntryDraft::denied(&decision.clone().for_request(&request), asker)
        } else {
            EntryDraft::refused(rules(), spec, forged.as_bytes(), &problem(&findings, request.clone()), asker)
        };
        let time = Timestamp::from_millis(TIME * 1000 + place);
        let place = Count::new(place).context("a small number")?;
        let mut record: Value =
            serde_json::from_slice(&draft.context("a draft")?.record.place(place, time).to_bytes())?;
        let members = record.as_object_mut().context("no object")?;
        members.insert("ruleset".to_owned(), json!(kit_rules::digest()));
        if members.contains_key("decisionId") {
            let digest = recorded_answer::answer_digest(&with(&answer, "requestId", json!(request))?);
            members.insert("answerDigest".to_owned(), json!(digest.context("no object")?.to_string()));
            members.insert("decisionId".to_owned(), answer.get("decisionId").cloned().unwrap_or_default());
        }
        records.push(canonical::to_bytes(&record));
    }
    let grown = MerkleTree::empty().grow(&records)?;
    let checkpoint = log(1)?.sign_checkpoint(RECORDS, grown.root())?;
    let of = |bytes: &Vec<u8>| {
        let record = Record::parse(bytes).context("a record")?;
        let leaf = RecordLeaf { place: receipt::counted(record.sequence())?, record, hash: leaf_hash(bytes) };
        anyhow::Ok(leaf.receipt(&grown, &checkpoint)?)
    };
    let receipts: Vec<Receipt> = records.iter().map(of).collect::<Result<_>>()?;
    let [first, .., last] = receipts.as_slice() else { bail!("no receipts") };
    let (denied, refused) = receipts.get(DENIED).zip(receipts.get(REFUSED)).context("no receipts")?;
    ensure!(refused.record.body_digest() == Some(&Digest::of(forged.as_bytes())), "the refused bytes");
    let decision = with(&answer, "requestId", json!(denied.record.request_id().to_string()))?;
    let (body, line) = parts(&checkpoint)?;
    let (_, strangers) = parts(&log(2)?.sign_checkpoint(RECORDS, grown.root())?)?;
    Ok(json!({
        "decision": with(&decision, "receipt", json!(denied))?,
        "first-receipt": first,
        "last-receipt": last,
        "problem": problem(&findings, refused.record.request_id().to_string()).with_receipt(refused.clone()),
        "signatures": {
            "body": body,
            "grown-body": body.replacen("\n7\n", "\n8\n", 1),
            "log": line,
            "stranger": strangers,
            "wrong": flipped(&line)?,
        },
    }))
}

/// The refusal of the forged document.
fn problem(findings: &Findings, request: String) -> Problem {
    Problem::of_findings(findings, "/api/sdk/registry/acceptance-requests".to_owned(), request)
}

fn asker(place: u64) -> Result<RequestIdentity> {
    let request = RequestId::parse(&format!("request-{place}")).context("a request id")?;
    let token = TokenName::parse("conformance").filter(|_| place.is_multiple_of(3));
    Ok(RequestIdentity { request, token, probe: None })
}

fn with(answer: &Value, member: &str, value: Value) -> Result<Value> {
    let mut answer = answer.clone();
    answer.as_object_mut().context("no object")?.insert(member.to_owned(), value);
    Ok(answer)
}

/// One bit of the signature itself, past the key's id.
fn flipped(line: &str) -> Result<String> {
    let (start, encoded) = line.rsplit_once(' ').context("a signature")?;
    let (head, rest) = encoded.split_at_checked(20).context("a signature")?;
    let other = if rest.starts_with('A') { 'B' } else { 'A' };
    Ok(format!("{start} {head}{other}{}", rest.get(1..).unwrap_or_default()))
}
