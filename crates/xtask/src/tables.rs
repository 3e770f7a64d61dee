//! The tables of the conformance kit. A row is an edit of a base document, and what is expected of it.
//!
//! Rows are written by hand, but for those of the attacks, which are made from the documents that the attacks come to. What
//! follows from an edit by computation (digests, sizes, hashes, a signature of the log) is in `computed`: an author writes the
//! places alone, and `cargo xtask generate` fills in the values, also after the base documents changed.

mod difference;
mod layout;

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use svc_core::attacks;
use svc_json::{canonical, digest::Digest};
use svc_proof::{
    recorded_answer,
    tree::{leaf_hash, to_digest},
};
use svc_testkit::kit::Kit;

pub(crate) use self::difference::row_of;

use svc_gates::process;

use crate::{signed, tree::Tree};

/// The committed rows of a table, if there is one.
pub(crate) fn committed(table: &str) -> Result<Option<Vec<Value>>> {
    let Ok(bytes) = fs::read(process::root().join(path(table))) else { return Ok(None) };
    serde_json::from_slice(&bytes).with_context(|| format!("{table}.json"))
}

/// Adds a table.
pub(crate) fn insert(files: &mut Tree, table: &str, rows: &[Value]) {
    files.insert(path(table), layout::table(rows).into_bytes());
}

fn path(table: &str) -> PathBuf {
    PathBuf::from(format!("conformance/{table}.json"))
}

/// The rows with everything computed anew.
pub(crate) fn refreshed(kit: &Kit, rows: Vec<Value>) -> Result<Vec<Value>> {
    rows.into_iter().map(|row| refresh(kit, row)).collect()
}

fn refresh(kit: &Kit, mut row: Value) -> Result<Value> {
    if row.get("base").is_none() {
        return Ok(row);
    }
    let computed = row.as_object_mut().and_then(|row| row.remove("computed"));
    let mut value = kit.value(&row);
    let mut filled = Vec::new();
    for edit in computed.as_ref().and_then(Value::as_array).into_iter().flatten() {
        let at = edit.get("at").and_then(Value::as_str).context("a computed value without a place")?;
        let edit = json!({ "at": at, "value": followed(&value, at).with_context(|| format!("{at} of {row}"))? });
        kit.apply(&mut value, &edit);
        filled.push(edit);
    }
    if let Some(digest) = row.pointer_mut("/expect/digest") {
        *digest = value.get("documentDigest").cloned().unwrap_or_default();
    }
    if let Some(members) = row.as_object_mut().filter(|_| !filled.is_empty()) {
        members.insert("computed".to_owned(), filled.into());
    }
    Ok(row)
}

/// The value at a place, as it follows from the rest of the document.
fn followed(document: &Value, at: &str) -> Option<Value> {
    let names: Vec<&str> = at.split('/').collect();
    let around = |levels| document.pointer(&names.get(..names.len().checked_sub(levels)?)?.join("/"));
    let text = |digest: Digest| json!(digest.to_string());
    Some(match names.as_slice() {
        [.., "artifactDigests", row, member] => {
            let subject = around(3)?;
            let part = match subject.pointer(&format!("/artifactDigests/{row}/name"))?.as_str()? {
                "manifest" => "/packageArtifact/manifest",
                "package-artifact" => "/packageArtifact",
                _ => "/reviewReport",
            };
            let (digest, size) = canonical::digest(subject.pointer(part)?);
            if *member == "size" { json!(size) } else { text(digest) }
        }
        [.., "documentDigest"] => {
            let mut subject = around(1)?.clone();
            attacks::seal_document(&mut subject);
            subject.get("documentDigest")?.clone()
        }
        [.., "submissionDigest"] => around(1)?.pointer("/submission/documentDigest")?.clone(),
        [_, "derivedFrom", row, _] => document.pointer(&format!("/entries/{row}/submissionDigest"))?.clone(),
        [.., "record", "decisionId"] => document.get("decisionId")?.clone(),
        [.., "decisionId"] => text(recorded_answer::decision_id(document)?),
        [.., "answerDigest"] => text(recorded_answer::answer_digest(document)?),
        [.., "leafHash"] => text(to_digest(&leaf_hash(&canonical::to_bytes(around(1)?.get("record")?)))),
        [.., "rootHash"] => text(root_above(around(1)?)?),
        [.., "checkpoint"] => signed::checkpoint_of(around(1)?).ok()?.into(),
        _ => return None,
    })
}

/// The root that the path of a receipt leads to (RFC 9162, 2.1.3.2).
fn root_above(receipt: &Value) -> Option<Digest> {
    let digest = |value: &Value| Digest::parse(value.as_str()?);
    let over = |left: &Digest, right: &Digest| {
        Digest::of(&[&[1][..], left.as_bytes().as_slice(), right.as_bytes().as_slice()].concat())
    };
    let (mut place, mut last) = (receipt.get("index")?.as_u64()?, receipt.get("treeSize")?.as_u64()? - 1);
    let mut root = digest(receipt.get("leafHash")?)?;
    for sibling in receipt.get("proof")?.as_array()? {
        let sibling = digest(sibling)?;
        if place % 2 == 1 || place == last {
            root = over(&sibling, &root);
            while place % 2 == 0 && place > 0 {
                (place, last) = (place / 2, last / 2);
            }
        } else {
            root = over(&root, &sibling);
        }
        (place, last) = (place / 2, last / 2);
    }
    Some(root)
}
