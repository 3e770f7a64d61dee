//! `conformance/index/valid-*`, `*-in-semver-order` and `collections-*`: indexes with several versions of one package, where
//! the order of bytes and the order of semantic versions differ, and with one version in several collections.

use std::{collections::BTreeSet, path::Path};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use svc_core::{
    artifact::{checked::Checked, submission::Submission},
    attacks, read,
    samples::rules,
    words::{kind, rule_code::RuleCode},
};
use svc_json::canonical;

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

/// The version of an entry, and its collection where that is not its owner's: type and id.
type Row = (&'static str, Option<(&'static str, &'static str)>);

/// Name, the entries in their order, the verdict, and what the case tries.
const CASES: &[(&str, &[Row], Verdict, &str)] = &[
    (
        "valid-two-versions",
        &[("1.10.0", None), ("1.9.0", None)],
        Verdict::Valid,
        "two versions of a package, in the order of their bytes",
    ),
    (
        "valid-prereleases",
        &[("1.0.0", None), ("1.0.0-rc.1", None), ("1.0.0-rc.10", None), ("1.0.0-rc.2", None)],
        Verdict::Valid,
        "a release and its prereleases, in the order of their bytes",
    ),
    (
        "versions-in-semver-order",
        &[("1.9.0", None), ("1.10.0", None)],
        Verdict::OutOfOrder(1),
        "two versions of a package, in the order of semantic versions",
    ),
    (
        "prereleases-in-semver-order",
        &[("1.0.0-rc.1", None), ("1.0.0-rc.2", None), ("1.0.0", None)],
        Verdict::OutOfOrder(2),
        "a release behind its prereleases, in the order of semantic versions",
    ),
    (
        "valid-two-collections",
        &[("1.0.0", Some(("space", "lab"))), ("1.0.0", Some(("user", "ada"))), ("1.0.0", Some(("user", "bob")))],
        Verdict::Valid,
        "one version in three collections, in the order of their types and ids",
    ),
    (
        "collections-out-of-order",
        &[("1.0.0", Some(("user", "ada"))), ("1.0.0", Some(("space", "lab")))],
        Verdict::OutOfOrder(1),
        "one version in the collection of a user, then in that of a space",
    ),
    (
        "collections-twice",
        &[("1.0.0", Some(("user", "ada"))), ("1.0.0", Some(("user", "ada")))],
        Verdict::OutOfOrder(1),
        "one version in one collection twice",
    ),
];

/// Adds the files.
pub(crate) fn generate(bundles: &Bundles, files: &mut Tree) -> Result<()> {
    for (name, rows_given, verdict, about) in CASES {
        let document = index(bundles, rows_given)?;
        let folder = Path::new("conformance/index").join(name);
        let read = read::verify(rules(), kind::INDEX.artifact, &document);
        let expect = match (verdict, read) {
            (Verdict::Valid, Ok(verified)) => valid_expectation(&kind::INDEX, about, &verified),
            (Verdict::OutOfOrder(at), Err(findings)) => {
                let found = json!(rows(&findings));
                let place = format!("/entries/{at}");
                ensure!(found == json!([{ "pointer": place, "rule": RuleCode::B008 }]), "{name}: {found}");
                json!({
                    "about": about, "caughtBy": RuleCode::B008, "exit": findings.exit_code().code(),
                    "findings": found, "kind": kind::INDEX.kind, "problem": findings.problem_code(),
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

/// The index with these entries of the other package, in this order, every digest made to fit.
fn index(bundles: &Bundles, given: &[Row]) -> Result<Vec<u8>> {
    let versions: BTreeSet<&str> = given.iter().map(|(version, _)| *version).collect();
    let submissions = versions.into_iter().map(|version| versioned(bundles, version)).collect::<Result<Vec<_>>>()?;
    let mut document: Value = serde_json::from_slice(&kit_rules::index(&submissions)?.to_file())?;
    let made = document.get("entries").and_then(Value::as_array).cloned().context("no entries")?;
    let entries = given.iter().map(|row| entry(&made, row)).collect::<Result<Vec<_>>>()?;
    let parents: Vec<Value> = entries
        .iter()
        .map(|entry| json!({ "digest": entry.get("submissionDigest"), "kind": kind::SUBMISSION.kind }))
        .collect();
    let members = document.as_object_mut().context("no object")?;
    members.extend([("derivedFrom".to_owned(), json!(parents)), ("entries".to_owned(), json!(entries))]);
    attacks::reseal(&mut document);
    Ok(canonical::to_pretty(&document))
}

fn entry(made: &[Value], (version, collection): &Row) -> Result<Value> {
    let is_its = |entry: &&Value| entry.pointer("/submission/package/version") == Some(&json!(version));
    let mut entry = made.iter().find(is_its).cloned().context("no entry")?;
    if let Some((kind, id)) = collection {
        *entry.pointer_mut("/scope").context("no scope")? = json!({ "id": id, "type": kind });
    }
    Ok(entry)
}

fn versioned(bundles: &Bundles, version: &str) -> Result<Checked<Submission>> {
    let mut document: Value = serde_json::from_slice(bundles.other(&kind::SUBMISSION)?)?;
    for place in ["/package/version", "/packageArtifact/manifest/version"] {
        *document.pointer_mut(place).with_context(|| format!("no {place}"))? = json!(version);
    }
    attacks::reseal(&mut document);
    held(read::artifact(rules(), &canonical::to_pretty(&document)))
}
