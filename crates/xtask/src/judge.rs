//! `cargo xtask judge`: the checker as a filter, for comparing it with implementations in other languages.
//!
//! Each line of the standard input is a question, each line of the standard output its answer, both compact JSON:
//!
//! | question | answer |
//! |---|---|
//! | `{"kind": K, "document": BASE64}` | `{digest?, findings, problem?, total?, warnings}` of the document read as this kind |
//! | `{"bundle": {FILE: BASE64}}` | `{edge?, findings}`, each finding with its file |
//! | `{"entry": BASE64}` | the resolution of an entry, or `{findings}` |
//! | `{"receipt": BASE64, "keys": TEXT}` | `{origin, rootHash, size, withAnswer}`, or the `{fault}` why it proves nothing |
//! | `{"checkpoint": BASE64, "keys": TEXT}` | `{origin, rootHash, size}`, or its `{fault}` |
//! | `{"record": BASE64}` | `{record}`: whether the bytes are the record of a no |
//!
//! A finding is `[rule, pointer, message]`, one of a package `[rule, file, pointer, subject, severity, files,
//! exception]`.

use std::io::{BufRead as _, Write as _};

use anyhow::{Context as _, Result, bail};
use data_encoding::BASE64;
use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    artifact::checked::ReviewedPackage,
    bundle,
    finding::Finding,
    journal::record::Record,
    lifecycle,
    scalar::subject::Subject,
    words::{kind, severity::Severity},
};
use svc_proof::{
    checkpoint::Checkpoint,
    public_key::PublicKeys,
    receipt::{self, Proven, Unproven},
    tree::to_digest,
};

/// Answers every line.
pub(crate) fn run() -> Result<()> {
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?).context("a question is one JSON object a line")?;
        serde_json::to_writer(&mut output, &answer(&question)?)?;
        output.write_all(b"\n")?;
        // Whoever asks may wait for this answer before asking on.
        output.flush()?;
    }
    Ok(())
}

fn answer(question: &Value) -> Result<Value> {
    if let Some(document) = question.get("document") {
        let kind = question.get("kind").and_then(Value::as_str).unwrap_or_default();
        return document_answer(kind, &decoded(document)?);
    }
    if let Some(Value::Object(files)) = question.get("bundle") {
        return bundle_answer(files);
    }
    if let Some(entry) = question.get("entry") {
        return Ok(entry_answer(&decoded(entry)?));
    }
    if let Some(record) = question.get("record") {
        return Ok(json!({ "record": Record::parse(&decoded(record)?).is_some() }));
    }
    let keys = PublicKeys::parse(question.get("keys").and_then(Value::as_str).unwrap_or_default());
    match (question.get("receipt"), question.get("checkpoint")) {
        (Some(receipt), _) => Ok(receipt_answer(&decoded(receipt)?, &keys?)),
        (None, Some(checkpoint)) => Ok(checkpoint_answer(&String::from_utf8(decoded(checkpoint)?)?, &keys?)),
        (None, None) => bail!("no such question: {}", question.to_string().chars().take(80).collect::<String>()),
    }
}

fn document_answer(kind: &str, document: &[u8]) -> Result<Value> {
    let spec = kind::find(kind).with_context(|| format!("no kind `{kind}`"))?;
    Ok(match svc_core::read::verify(rules(), spec.artifact, document) {
        Ok(verified) => json!({
            "digest": verified.checked.digest().to_string(),
            "findings": [],
            "packages": verified.checked.packages().iter().map(package_row).collect::<Vec<_>>(),
            "warnings": rows(&verified.warnings),
        }),
        Err(findings) => {
            json!({
                "findings": rows(&findings), "problem": findings.problem_code(), "total": findings.total(), "warnings": [],
            })
        }
    })
}

/// What our own rules say of a package, whatever rules the document names.
fn package_row(package: &ReviewedPackage) -> Value {
    let place = |finding: &Finding| {
        let subject = finding.subject.as_ref().map(Subject::as_str);
        let Finding { rule, file, pointer, files, exception, .. } = finding;
        json!([rule.code, file, pointer.as_str(), subject, finding.severity().as_str(), files, exception])
    };
    json!({
        "blockers": package.blockers(),
        "findings": package.findings().iter().map(place).collect::<Vec<_>>(),
        "package": package.package(),
        "reviewed": package.reviewed(),
        "stage": package.stage(),
        "total": Severity::ALL.iter().map(|severity| count(package, *severity)).collect::<Vec<_>>(),
        "verdict": package.verdict(),
    })
}

fn count(package: &ReviewedPackage, severity: Severity) -> usize {
    let such = package.findings().classes().filter(|(class, _)| class.severity == severity);
    such.map(|(_, count)| count).sum()
}

fn bundle_answer(given: &serde_json::Map<String, Value>) -> Result<Value> {
    let mut files = bundle::Files::new();
    for spec in kind::ALL {
        if let Some(document) = given.get(spec.file) {
            files.insert(spec.file, decoded(document)?);
        }
    }
    Ok(match bundle::verify(rules(), &files) {
        Ok(_) => json!({ "findings": [] }),
        Err(broken) => {
            let by_file = broken.findings.iter().flat_map(|(spec, findings)| {
                findings.iter().map(|finding| json!([spec.file, row(finding)])).collect::<Vec<_>>()
            });
            let edge = broken.edge.map(|edge| json!([edge.parent.kind, edge.child.kind]));
            json!({ "edge": edge, "findings": by_file.collect::<Vec<_>>() })
        }
    })
}

fn entry_answer(entry: &[u8]) -> Value {
    json!(lifecycle::resolve_stage(rules(), entry).resolution)
}

fn receipt_answer(file: &[u8], keys: &PublicKeys) -> Value {
    match receipt::check_file(file, keys) {
        Ok(Proven { checkpoint, with_answer, .. }) => opened(&checkpoint, keys, Some(with_answer)),
        Err(fault) => json!({ "fault": fault.code() }),
    }
}

fn checkpoint_answer(text: &str, keys: &PublicKeys) -> Value {
    match Checkpoint::open(text, keys) {
        Ok(checkpoint) => opened(&checkpoint, keys, None),
        Err(error) => json!({ "fault": Unproven::from(error).code() }),
    }
}

fn opened(checkpoint: &Checkpoint, keys: &PublicKeys, with_answer: Option<bool>) -> Value {
    let root = to_digest(checkpoint.root()).to_string();
    let mut answer = json!({ "origin": keys.origin(), "rootHash": root, "size": checkpoint.size() });
    if let (Some(with_answer), Some(members)) = (with_answer, answer.as_object_mut()) {
        members.insert("withAnswer".to_owned(), json!(with_answer));
    }
    answer
}

fn rows(findings: &[Finding]) -> Vec<Value> {
    findings.iter().map(row).collect()
}

fn row(finding: &Finding) -> Value {
    json!([finding.rule.code, finding.pointer.as_str(), finding.message])
}

fn decoded(text: &Value) -> Result<Vec<u8>> {
    BASE64.decode(text.as_str().unwrap_or_default().as_bytes()).context("documents travel in base64")
}
