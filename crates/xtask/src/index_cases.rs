//! `conformance/index/valid-*` and `conformance/index/*-in-semver-order`: indexes with several versions of one package, where
//! the order of bytes and the order of semantic versions differ.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use svc_core::{
    artifact::{checked::Checked, submission::Submission},
    finding, read,
    rules::artifacts,
    words::kind,
};
use svc_json::canonical;
use svc_testkit::adversary;

use crate::{
    conformance::{Bundles, insert_json, rows, valid_expectation},
    kit_rules::{self, held},
    tree::Tree,
};

/// What a case comes to, written here by hand.
enum Verdict {
    Valid,
    /// The entry at this position does not come after the one before it.
    OutOfOrder(usize),
}

/// Name, the versions in the order of the entries, the verdict, and what the case tries.
const CASES: &[(&str, &[&str], Verdict, &str)] = &[
    (
        "valid-two-versions",
        &["1.10.0", "1.9.0"],
        Verdict::Valid,
        "two versions of a package, in the order of their bytes",
    ),
    (
        "valid-prereleases",
        &["1.0.0", "1.0.0-rc.1", "1.0.0-rc.10", "1.0.0-rc.2"],
        Verdict::Valid,
        "a release and its prereleases, in the order of their bytes",
    ),
    (
        "versions-in-semver-order",
        &["1.9.0", "1.10.0"],
        Verdict::OutOfOrder(1),
        "two versions of a package, in the order of semantic versions",
    ),
    (
        "prereleases-in-semver-order",
        &["1.0.0-rc.1", "1.0.0-rc.2", "1.0.0"],
        Verdict::OutOfOrder(2),
        "a release behind its prereleases, in the order of semantic versions",
    ),
];

/// Adds the files.
pub(crate) fn generate(bundles: &Bundles, files: &mut Tree) -> Result<()> {
    for (name, versions, verdict, about) in CASES {
        let document = index(bundles, versions)?;
        let folder = Path::new("conformance/index").join(name);
        let read = read::verify(kind::INDEX.artifact, &document);
        let expect = match (verdict, read) {
            (Verdict::Valid, Ok(verified)) => valid_expectation(&kind::INDEX, about, &verified),
            (Verdict::OutOfOrder(at), Err(findings)) => {
                let found = json!(rows(&findings));
                let place = format!("/entries/{at}");
                ensure!(found == json!([{ "pointer": place, "rule": artifacts::B008.code }]), "{name}: {found}");
                json!({
                    "about": about, "caughtBy": artifacts::B008.code, "exit": finding::exit_code(&findings).code(),
                    "findings": found, "kind": kind::INDEX.kind, "problem": finding::problem_code(&findings),
                    "seenIn": "document", "valid": false,
                })
            }
            (Verdict::Valid, Err(findings)) => anyhow::bail!("{name} is refused: {:?}", rows(&findings)),
            (Verdict::OutOfOrder(_), Ok(_)) => anyhow::bail!("{name} is let through"),
        };
        insert_json(files, folder.join("expect.json"), &expect);
        files.insert(folder.join("document.json"), document);
    }
    Ok(())
}

/// The index with these versions of the other package, in this order, every digest made to fit.
fn index(bundles: &Bundles, versions: &[&str]) -> Result<Vec<u8>> {
    let submissions = versions.iter().map(|version| versioned(bundles, version)).collect::<Result<Vec<_>>>()?;
    let mut document: Value = serde_json::from_slice(&kit_rules::index(&submissions)?.to_file())?;
    let place = |row: &Value, pointer: &str| {
        let version = row.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        versions.iter().position(|wanted| *wanted == version)
    };
    let entries = document.get_mut("entries").and_then(Value::as_array_mut).context("no entries")?;
    entries.sort_by_key(|entry| place(entry, "/submission/package/version"));
    let parents: Vec<Value> = entries
        .iter()
        .map(|entry| json!({ "digest": entry.get("submissionDigest"), "kind": kind::SUBMISSION.kind }))
        .collect();
    document.as_object_mut().context("no object")?.insert("derivedFrom".to_owned(), json!(parents));
    adversary::reseal(&mut document);
    Ok(canonical::to_pretty(&document))
}

fn versioned(bundles: &Bundles, version: &str) -> Result<Checked<Submission>> {
    let mut document: Value = serde_json::from_slice(bundles.other(&kind::SUBMISSION)?)?;
    for place in ["/package/version", "/packageArtifact/manifest/version"] {
        *document.pointer_mut(place).with_context(|| format!("no {place}"))? = json!(version);
    }
    adversary::reseal(&mut document);
    held(read::artifact(&canonical::to_pretty(&document)))
}
