//! What follows from the rest of a document: digests, sizes, hashes, a signature of the log.

use serde_json::{Value, json};
use svc_core::attacks;
use svc_json::{canonical, digest::Digest};
use svc_proof::{
    recorded_answer,
    tree::{leaf_hash, to_digest},
};

use crate::signed;

/// The value at a place, as it follows from the rest of the document.
pub(super) fn followed(document: &Value, at: &str) -> Option<Value> {
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
