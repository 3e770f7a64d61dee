//! `conformance/receipts/<case>/`: receipts that prove a no, and forgeries that prove nothing, each with its reason.
//!
//! The key is made from a fixed seed and the times are fixed, so that the same bytes come out every time. The forger may
//! change everything but a signature of the log's key. The registry of these cases has the rules of the kit, so that a
//! new rule changes none of them.

use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
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
    words::{gate::Gate, kind},
};
use svc_journal::log_key::LogKey;
use svc_json::{canonical, digest::Digest};
use svc_proof::{
    public_key::PublicKeys,
    receipt::{self, RecordLeaf, Unproven},
    recorded_answer::{self, Contradiction},
    tree::{MerkleTree, leaf_hash, to_digest},
};

use crate::{
    conformance::{Bundles, insert_json},
    kit_rules,
    tree::Tree as Files,
};

const FOLDER: &str = "conformance/receipts";
const ORIGIN: &str = "svc-journal-conformance";
const SEED: [u8; 32] = [1; 32];
/// 2026-01-01, and a millisecond more for each record.
const FIRST: u64 = 1_767_225_600_000;
const RECORDS: u64 = 7;
/// The record that most cases are about: it has siblings on both sides.
const PLACE: u64 = 4;

/// A small log, and the two answers that every record of it is about.
struct Log {
    keys: PublicKeys,
    decision: Value,
    problem: (Findings, Vec<u8>),
    receipts: Vec<Receipt>,
}

/// A case: its name, what it tries, and what a checker has to say.
type Case = (&'static str, &'static str, Option<Unproven>, Value);

/// Adds the files.
pub(crate) fn generate(bundles: &Bundles, files: &mut Files) -> Result<()> {
    let log = Log::make(bundles, ORIGIN, &SEED)?;
    let stranger = Log::make(bundles, ORIGIN, &[2; 32])?;
    let mut cases = log.good()?;
    cases.extend(lying_logs(bundles)?);
    cases.extend(log.forged_records()?);
    cases.extend(log.forged_proofs(&stranger)?);
    cases.extend(log.forged_answers()?);
    cases.extend(log.partial_answers()?);
    for (name, about, expected, document) in cases {
        let bytes = canonical::to_pretty(&document);
        let verdict = receipt::check_file(&bytes, &log.keys).err();
        ensure!(verdict == expected, "receipts/{name}: {verdict:?} instead of {expected:?}");
        let folder = Path::new(FOLDER).join(name);
        files.insert(folder.join("document.json"), bytes);
        let keys: Vec<&str> = log.keys.as_slice().iter().map(|key| key.as_str()).collect();
        let expect = json!({
            "about": about,
            "proven": expected.is_none(),
            "publicKeys": keys,
            "reason": expected.map(Unproven::code),
        });
        insert_json(files, folder.join("expect.json"), &without_null(expect));
    }
    Ok(())
}

/// A log that signs a record which does not agree with the answer whose digest it has.
fn lying_logs(bundles: &Bundles) -> Result<Vec<Case>> {
    let other = json!(format!("sha256:{}", "0".repeat(64)));
    let record = |about: &'static str, name: &'static str, fault: Contradiction, changes: Vec<(&str, Value)>| {
        let bend = |record: Value| changes.iter().try_fold(record, |it, (at, value)| changed(it, at, value.clone()));
        let log = Log::make_bent(bundles, ORIGIN, &SEED, Ok, (PLACE, bend))?;
        anyhow::Ok((name, about, Some(Unproven::Contradicted(fault)), log.decision()?))
    };
    let answer = |about: &'static str, name: &'static str, fault: Contradiction, bend: fn(Value) -> Result<Value>| {
        let log = Log::make_bent(bundles, ORIGIN, &SEED, bend, (PLACE, Ok))?;
        anyhow::Ok((name, about, Some(Unproven::Contradicted(fault)), log.decision()?))
    };
    let index = vec![("/operation", json!("validate-index")), ("/artifact/kind", json!("svc-registry-index"))];
    let of_index =
        |record: Value| index.iter().try_fold(record, |record, (at, value)| changed(record, at, value.clone()));
    let refusals = Log::make_bent(bundles, ORIGIN, &SEED, Ok, (1, of_index))?;
    Ok(vec![
        (
            "refusal-by-another-operation",
            "the log signed the record of a refusal by another operation",
            Some(Unproven::Contradicted(Contradiction::Operation)),
            refusals.problem()?,
        ),
        record(
            "the log signed the record of another request",
            "record-of-another-request",
            Contradiction::Request,
            vec![("/requestId", json!("request-of-another"))],
        )?,
        record(
            "the log signed the record of another decision",
            "record-of-another-decision",
            Contradiction::Decision,
            vec![("/decisionId", other.clone())],
        )?,
        record(
            "the log signed the record of another operation",
            "record-of-another-operation",
            Contradiction::Operation,
            index.clone(),
        )?,
        record(
            "the log signed the record of another document",
            "record-of-another-document",
            Contradiction::Artifact,
            vec![("/artifact/digest", other.clone())],
        )?,
        record(
            "the log signed the record of another rule set",
            "record-of-other-rules",
            Contradiction::Ruleset,
            vec![("/ruleset", other)],
        )?,
        record(
            "the log signed a record that claims less than the answer",
            "record-of-another-depth",
            Contradiction::Reviewed,
            vec![("/reviewed", json!("without-facts"))],
        )?,
        answer(
            "an answer that claims that files were read, and its record does not",
            "answer-claims-files-read",
            Contradiction::Reviewed,
            |answer| changed(answer, "/reviewed", json!("read")),
        )?,
        answer(
            "an answer that does not say what it is based on",
            "answer-depth-left-out",
            Contradiction::Reviewed,
            |answer| removed(answer, "", "reviewed"),
        )?,
        answer(
            "an answer without an outcome, with the gates of a refusal",
            "answer-gates-of-a-refusal",
            Contradiction::Gates,
            |answer| {
                let gates = removed(answer, "", "outcome")?;
                let gates = changed(gates, "/gateStatuses/artifact-hash", json!("unevidenced"))?;
                changed(gates, "/missingGates", json!(Gate::WORDS))
            },
        )?,
    ])
}

impl Log {
    fn make(bundles: &Bundles, origin: &str, seed: &[u8; 32]) -> Result<Self> {
        Self::make_bent(bundles, origin, seed, Ok, (PLACE, Ok))
    }

    /// A log whose decisions, or whose record at a place, are bent before they are signed.
    fn make_bent(
        bundles: &Bundles,
        origin: &str,
        seed: &[u8; 32],
        bend_answer: impl Fn(Value) -> Result<Value>,
        (bent_place, bend_record): (u64, impl Fn(Value) -> Result<Value>),
    ) -> Result<Self> {
        let spec = kind::find("svc-registry-acceptance-request").context("no acceptance request")?;
        let document = bundles.base(spec)?;
        let Ok(decision) = svc_core::read::decide(rules(), spec.artifact, document) else {
            bail!("the base document is refused")
        };
        let forged = String::from_utf8(document.to_vec())?.replacen("\"accepted\": false", "\"accepted\": true", 1);
        let Err(findings) = svc_core::read::decide(rules(), spec.artifact, forged.as_bytes()) else {
            bail!("a forged document is not refused")
        };
        let answer = bend_answer(kit_rules::decision(&decision)?)?;
        let answer = changed(answer.clone(), "/decisionId", json!(recorded_answer::decision_id(&answer)))?;
        let key = LogKey::from_seed(origin, seed)?;
        let mut records = Vec::new();
        for place in 0..RECORDS {
            let asker = asker(place)?;
            let request = asker.request.to_string();
            let draft = if place % 2 == 0 {
                EntryDraft::denied(&decision.clone().for_request(&request), asker)
            } else {
                EntryDraft::refused(rules(), spec, forged.as_bytes(), &problem(&findings, request.clone()), asker)
            };
            let place = Count::new(place).context("a small number")?;
            let time = Timestamp::from_millis(FIRST + place.get());
            let record = draft.context("a draft")?.record.place(place, time).to_bytes();
            let mut record = changed(serde_json::from_slice(&record)?, "/ruleset", json!(kit_rules::digest()))?;
            if record.get("decisionId").is_some() {
                record = changed(record, "/decisionId", member(&answer, "decisionId")?)?;
                let answer = added(answer.clone(), "", "requestId", json!(request))?;
                record = changed(record, "/answerDigest", json!(recorded_answer::answer_digest(&answer)))?;
            }
            let record = if place.get() == bent_place { bend_record(record)? } else { record };
            records.push(canonical::to_bytes(&record));
        }
        let grown = MerkleTree::empty().grow(&records)?;
        let checkpoint = key.sign_checkpoint(RECORDS, grown.root())?;
        let of = |bytes: &Vec<u8>| {
            let record = Record::parse(bytes).context("a record")?;
            let leaf = RecordLeaf { place: receipt::counted(record.sequence())?, record, hash: leaf_hash(bytes) };
            anyhow::Ok(leaf.receipt(&grown, &checkpoint)?)
        };
        let receipts = records.iter().map(of).collect::<Result<_>>()?;
        let keys = PublicKeys::one(key.public().clone());
        Ok(Self { keys, decision: answer, problem: (findings, forged.into_bytes()), receipts })
    }

    fn good(&self) -> Result<Vec<Case>> {
        Ok(vec![
            ("first", "the first record", None, self.receipt(0)?),
            ("between", "a record between others", None, self.receipt(PLACE)?),
            ("last", "the last record, whose path is shorter", None, self.receipt(RECORDS - 1)?),
            ("refusal", "the record of a refused document", None, self.receipt(1)?),
            ("whole-decision", "a decision with its receipt, as the registry answers", None, self.decision()?),
            ("whole-problem", "a refusal with its receipt, as the registry answers", None, self.problem()?),
        ])
    }

    fn forged_records(&self) -> Result<Vec<Case>> {
        let receipt = || self.receipt(PLACE);
        let other_request = changed(receipt()?, "/record/requestId", json!("request-of-another"))?;
        let named = added(receipt()?, "/record", "owner", json!("acme"))?;
        let at = |time: &str| rehashed(changed(receipt()?, "/record/time", json!(time))?);
        let place = changed(changed(receipt()?, "/index", json!(PLACE + 1))?, "/record/sequence", json!(PLACE + 1))?;
        let open = changed(receipt()?, "/record/accepted", json!(true))?;
        let approved = changed(receipt()?, "/record/outcome", json!("accepted"))?;
        let gate = changed(receipt()?, "/record/missingGates", json!(["renderer-isolation"]))?;
        let problem = removed(self.receipt(1)?, "/record", "problem")?;
        let code = |code: &str| rehashed(changed(self.receipt(1)?, "/record/problem", json!(code))?);
        let unknown = added(receipt()?, "/record", "note", json!("a member more"))?;
        let depth = |word: &str| rehashed(changed(receipt()?, "/record/reviewed", json!(word))?);
        let no_depth = removed(receipt()?, "/record", "reviewed")?;
        let refused_depth = added(self.receipt(1)?, "/record", "reviewed", json!("as-claimed"))?;
        let kind = changed(receipt()?, "/record/artifact/kind", json!("svc-registry-index"))?;
        Ok(vec![
            ("record-changed", "another request in the record", Some(Unproven::OtherLeaf), other_request.clone()),
            (
                "record-rehashed",
                "another request, with the leaf hash of it",
                Some(Unproven::BadPath),
                rehashed(other_request)?,
            ),
            (
                "place-changed",
                "another index",
                Some(Unproven::OtherPlace),
                changed(receipt()?, "/index", json!(PLACE + 1))?,
            ),
            ("place-rehashed", "another place everywhere", Some(Unproven::BadPath), rehashed(place)?),
            ("record-open", "a record that says accepted", Some(Unproven::NotARefusal), open),
            ("record-of-a-yes", "an outcome that no record has", Some(Unproven::NotARefusal), approved),
            ("gates-removed", "four of the missing gates are gone", Some(Unproven::NotARefusal), rehashed(gate)?),
            ("problem-removed", "a refusal without its reason", Some(Unproven::NotARefusal), rehashed(problem)?),
            ("problem-of-no-form", "a code that no problem has", Some(Unproven::Malformed), code("Fine!")?),
            (
                "problem-not-recorded",
                "a problem that leaves no record",
                Some(Unproven::NotARefusal),
                code("not-found")?,
            ),
            (
                "problem-of-a-later-version",
                "a code that is not known yet",
                Some(Unproven::BadPath),
                code("quota-exceeded")?,
            ),
            ("unknown-member", "a member that no record has", Some(Unproven::Malformed), unknown),
            (
                "record-claims-files-read",
                "a record that claims that the registry read files",
                Some(Unproven::Malformed),
                depth("read")?,
            ),
            (
                "record-claims-whole-review",
                "a record that claims a whole review",
                Some(Unproven::Malformed),
                depth("whole")?,
            ),
            (
                "record-depth-left-out",
                "a denial that does not say what it is based on",
                Some(Unproven::NotARefusal),
                rehashed(no_depth)?,
            ),
            (
                "refusal-with-depth",
                "a refusal that claims a review",
                Some(Unproven::NotARefusal),
                rehashed(refused_depth)?,
            ),
            (
                "record-of-another-kind",
                "a denial of a kind that its operation does not take",
                Some(Unproven::NotARefusal),
                rehashed(kind)?,
            ),
            ("record-names-owner", "a record that names who asked", Some(Unproven::Malformed), rehashed(named)?),
            ("time-of-no-day", "the thirtieth of February", Some(Unproven::Malformed), at("2026-02-30T00:00:00.000Z")?),
            ("time-of-no-hour", "the hour twenty-four", Some(Unproven::Malformed), at("2026-01-01T24:00:00.000Z")?),
            ("time-of-a-leap-second", "a second sixty", Some(Unproven::Malformed), at("2026-06-30T23:59:60.000Z")?),
            (
                "time-before-1970",
                "a moment before the first",
                Some(Unproven::Malformed),
                at("1969-12-31T23:59:59.999Z")?,
            ),
        ])
    }

    fn forged_proofs(&self, stranger: &Self) -> Result<Vec<Case>> {
        let receipt = || self.receipt(PLACE);
        let proof = member(&receipt()?, "proof")?.as_array().cloned().unwrap_or_default();
        let with = |proof: Vec<Value>| changed(receipt()?, "/proof", Value::Array(proof));
        let root = json!(to_digest(&leaf_hash(b"another tree")).to_string());
        let checkpoint = member(&receipt()?, "checkpoint")?.as_str().unwrap_or_default().to_owned();
        let grown = checkpoint.replacen("\n7\n", "\n8\n", 1);
        let signature = flipped_signature(&checkpoint)?;
        let line = |text: &str| text.lines().last().map(|line| format!("{line}\n")).context("a signature");
        let (own, bad) = (line(&checkpoint)?, line(&signature)?);
        let strangers = member(&stranger.receipt(PLACE)?, "checkpoint")?;
        let cosigned = line(strangers.as_str().unwrap_or_default())?;
        let text = |text: String| changed(receipt()?, "/checkpoint", Value::String(text));
        Ok(vec![
            (
                "path-shortened",
                "the last hash is gone",
                Some(Unproven::BadPath),
                with(proof.iter().skip(1).cloned().collect())?,
            ),
            (
                "path-extended",
                "one hash more",
                Some(Unproven::BadPath),
                with(proof.iter().chain(proof.first()).cloned().collect())?,
            ),
            (
                "path-turned-round",
                "the path from the root down",
                Some(Unproven::BadPath),
                with(proof.iter().rev().cloned().collect())?,
            ),
            ("path-empty", "no path at all", Some(Unproven::BadPath), with(Vec::new())?),
            (
                "size-changed",
                "another tree size",
                Some(Unproven::OtherTree),
                changed(receipt()?, "/treeSize", json!(8))?,
            ),
            ("root-changed", "another root", Some(Unproven::OtherTree), changed(receipt()?, "/rootHash", root)?),
            ("checkpoint-changed", "a size that was not signed", Some(Unproven::BadSignature), text(grown)?),
            ("signature-changed", "one bit of the signature", Some(Unproven::BadSignature), text(signature)?),
            (
                "signature-added",
                "a second signature of the log's key, and it is none",
                Some(Unproven::BadSignature),
                text(format!("{checkpoint}{bad}"))?,
            ),
            ("signature-repeated", "the log's signature twice", None, text(format!("{checkpoint}{own}"))?),
            (
                "signature-of-a-stranger",
                "a stranger's signature beside the log's",
                None,
                text(format!("{checkpoint}{cosigned}"))?,
            ),
            (
                "signature-after-a-stranger",
                "a stranger's signature before the log's",
                None,
                text(checkpoint.replacen(&own, &format!("{cosigned}{own}"), 1))?,
            ),
            (
                "checkpoint-of-a-stranger",
                "signed by another key of the same name",
                Some(Unproven::UnknownKey),
                changed(receipt()?, "/checkpoint", strangers)?,
            ),
            (
                "checkpoint-unsigned",
                "a checkpoint without its signature",
                Some(Unproven::MalformedCheckpoint),
                text(checkpoint.lines().take(3).map(|line| format!("{line}\n")).collect())?,
            ),
        ])
    }

    fn forged_answers(&self) -> Result<Vec<Case>> {
        let stage = changed(self.decision()?, "/stage", json!("blueprint"))?;
        let signed = changed(self.decision()?, "/stage", json!("signed-package"))?;
        let gate = changed(self.problem()?, "/gateStatuses/artifact-signing", json!("signed"))?;
        let detail = changed(self.problem()?, "/detail", json!("everything was found in order"))?;
        let reason = changed(self.problem()?, "/errors/0/detail", json!("nothing of importance"))?;
        let reasons = changed(self.problem()?, "/errors", json!([]))?;
        let open = changed(self.decision()?, "/installable", json!(true))?;
        let request = changed(self.decision()?, "/requestId", json!("request-2"))?;
        let code = changed(self.problem()?, "/code", json!("wrong-kind"))?;
        let moved = added(self.problem()?, "", "receipt", self.receipt(PLACE)?)?;
        Ok(vec![
            ("answer-changed", "another stage around the receipt", Some(Unproven::OtherAnswer), stage),
            ("answer-opened", "an open claim around the receipt", Some(Unproven::NotARefusal), open),
            ("answer-signed", "a stage that cannot be reached around the receipt", Some(Unproven::NotARefusal), signed),
            ("problem-gate-opened", "a gate that says signed around the receipt", Some(Unproven::NotARefusal), gate),
            ("problem-detail-changed", "another sentence around the receipt", Some(Unproven::OtherAnswer), detail),
            ("problem-reason-changed", "another reason around the receipt", Some(Unproven::OtherAnswer), reason),
            ("problem-reason-removed", "no reasons around the receipt", Some(Unproven::OtherAnswer), reasons),
            ("answer-to-another", "the answer to another request", Some(Unproven::OtherAnswer), request),
            ("problem-changed", "another problem code around the receipt", Some(Unproven::OtherAnswer), code),
            ("receipt-moved", "the receipt of another answer", Some(Unproven::OtherAnswer), moved),
            (
                "no-receipt",
                "an answer without a receipt",
                Some(Unproven::Malformed),
                removed(self.decision()?, "", "receipt")?,
            ),
        ])
    }

    /// Answers that leave out a part of their no, or say a part of it in another word.
    fn partial_answers(&self) -> Result<Vec<Case>> {
        let decision = || self.decision();
        let problem = || self.problem();
        let open = Some(Unproven::NotARefusal);
        let signing = changed(decision()?, "/blockers/2/status", json!("passed"))?;
        let unknown = changed(decision()?, "/blockers/2/gate", json!("a-new-gate"))?;
        let fewer = changed(decision()?, "/blockers", json!([]))?;
        let five = member(&decision()?, "missingGates")?;
        let four = json!(five.as_array().and_then(|gates| gates.get(1..)).context("five gates")?);
        let evidenced = changed(problem()?, "/gateStatuses/artifact-hash", json!("evidenced"))?;
        let request = changed(problem()?, "/requestId", json!("request-3"))?;
        let unnamed = removed(decision()?, "", "requestId")?;
        Ok(vec![
            (
                "answer-gate-left-out",
                "no word for one gate",
                open,
                removed(decision()?, "/gateStatuses", "artifact-signing")?,
            ),
            ("answer-gates-left-out", "no words for any gate", open, removed(decision()?, "", "gateStatuses")?),
            (
                "answer-missing-gate-left-out",
                "one missing gate fewer",
                open,
                changed(decision()?, "/missingGates", four)?,
            ),
            (
                "answer-missing-gates-left-out",
                "no list of missing gates",
                open,
                removed(decision()?, "", "missingGates")?,
            ),
            ("answer-accepted-left-out", "no flag `accepted`", open, removed(decision()?, "", "accepted")?),
            ("answer-signed-left-out", "no flag `signed`", open, removed(decision()?, "", "signed")?),
            ("answer-installable-left-out", "no flag `installable`", open, removed(decision()?, "", "installable")?),
            ("answer-blocker-passed", "a blocker with a word that its gate does not have", open, signing),
            ("answer-blocker-of-no-gate", "a blocker of a gate that does not exist", open, unknown),
            ("answer-blockers-removed", "no blockers around the receipt", Some(Unproven::OtherAnswer), fewer),
            ("answer-to-nobody", "an answer that names no request", Some(Unproven::OtherAnswer), unnamed),
            (
                "problem-gate-left-out",
                "no word for one gate",
                open,
                removed(problem()?, "/gateStatuses", "artifact-hash")?,
            ),
            ("problem-gates-left-out", "no words for any gate", open, removed(problem()?, "", "gateStatuses")?),
            ("problem-gate-of-a-decision", "the hash as evidenced, which only a decision says", open, evidenced),
            (
                "problem-missing-gates-of-a-decision",
                "the missing gates of a decision",
                open,
                changed(problem()?, "/missingGates", five)?,
            ),
            (
                "problem-missing-gates-left-out",
                "no list of missing gates",
                open,
                removed(problem()?, "", "missingGates")?,
            ),
            ("problem-accepted-left-out", "no flag `accepted`", open, removed(problem()?, "", "accepted")?),
            ("problem-signed-left-out", "no flag `signed`", open, removed(problem()?, "", "signed")?),
            ("problem-installable-left-out", "no flag `installable`", open, removed(problem()?, "", "installable")?),
            ("problem-to-another", "the refusal of another request", Some(Unproven::OtherAnswer), request),
        ])
    }

    fn receipt(&self, place: u64) -> Result<Value> {
        let receipt = self.receipts.get(usize::try_from(place)?).context("a receipt")?;
        Ok(serde_json::to_value(receipt)?)
    }

    fn decision(&self) -> Result<Value> {
        let receipt = self.receipts.get(usize::try_from(PLACE)?).context("a receipt")?;
        let answer = added(self.decision.clone(), "", "requestId", json!(format!("request-{PLACE}")))?;
        added(answer, "", "receipt", serde_json::to_value(receipt)?)
    }

    fn problem(&self) -> Result<Value> {
        let receipt = self.receipts.get(1).context("a receipt")?;
        let problem = problem(&self.problem.0, receipt.record.request_id().to_string());
        ensure!(receipt.record.body_digest() == Some(&Digest::of(&self.problem.1)), "the refused bytes");
        Ok(serde_json::to_value(problem.with_receipt(receipt.clone()))?)
    }
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

fn member(document: &Value, name: &str) -> Result<Value> {
    document.get(name).cloned().with_context(|| format!("no {name}"))
}

fn changed(mut document: Value, pointer: &str, value: Value) -> Result<Value> {
    *document.pointer_mut(pointer).with_context(|| format!("nothing at {pointer}"))? = value;
    Ok(document)
}

fn added(mut document: Value, pointer: &str, member: &str, value: Value) -> Result<Value> {
    let object = document.pointer_mut(pointer).and_then(Value::as_object_mut).context("an object")?;
    object.insert(member.to_owned(), value);
    Ok(document)
}

fn removed(mut document: Value, pointer: &str, member: &str) -> Result<Value> {
    let object = document.pointer_mut(pointer).and_then(Value::as_object_mut).context("an object")?;
    object.remove(member).with_context(|| format!("no {member}"))?;
    Ok(document)
}

/// The receipt with the leaf hash of the record as it is now.
fn rehashed(receipt: Value) -> Result<Value> {
    let record = receipt.get("record").context("a record")?;
    let leaf = to_digest(&leaf_hash(&canonical::to_bytes(record))).to_string();
    changed(receipt, "/leafHash", json!(leaf))
}

/// One bit of the signature itself, past the key's id.
fn flipped_signature(checkpoint: &str) -> Result<String> {
    let (text, line) = checkpoint.trim_end().rsplit_once(' ').context("a signature")?;
    let mut characters: Vec<char> = line.chars().collect();
    let flipped = characters.get_mut(20).context("a signature")?;
    *flipped = if *flipped == 'A' { 'B' } else { 'A' };
    Ok(format!("{text} {}\n", characters.into_iter().collect::<String>()))
}

fn without_null(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
    value
}
