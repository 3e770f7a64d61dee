//! `conformance/lifecycle/<case>/`: an entry for each reachable stage, each hole and each forgery.
#![expect(
    clippy::indexing_slicing,
    reason = "the cases are written against one known document; a wrong path must stop the task"
)]

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use svc_core::words::kind;

use crate::{
    conformance::{Bundles, insert_json},
    tree::Tree,
};

type Change = fn(&mut Value);

/// Name, expected stage (by hand), what it tries, and the change to a complete entry.
const CASES: &[(&str, &str, &str, Change)] = &[
    ("complete-entry", "collection-entry", "a complete entry", |_| {}),
    ("entry-in-a-space", "collection-entry", "a complete entry of a space", |entry| {
        entry["scope"]["type"] = json!("space")
    }),
    ("submission-alone", "review-report", "a submission that is in no collection", |entry| {
        *entry = json!({ "submission": entry["submission"] });
    }),
    ("manifest-alone", "showcase-preview", "a manifest that was not submitted", |entry| {
        *entry = json!({ "submission": { "packageArtifact": { "manifest": entry["submission"]["packageArtifact"]["manifest"] } } });
    }),
    ("empty", "blueprint", "nothing at all", |entry| *entry = json!({})),
    ("no-submission", "blueprint", "a scope around nothing", |entry| remove(entry, "", "submission")),
    ("hole-manifest", "blueprint", "a report about a package that is not there", |entry| {
        remove(entry, "/submission", "packageArtifact");
    }),
    ("hole-icon", "blueprint", "a listing without an icon", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["icons"] = json!([]);
    }),
    ("hole-report", "showcase-preview", "a listing without a report, in a collection", |entry| {
        remove(entry, "/submission", "reviewReport");
    }),
    ("hole-blockers", "showcase-preview", "a report without blockers", |entry| {
        remove(entry, "/submission", "blockers");
    }),
    ("hole-descriptor", "showcase-preview", "a report without its descriptor", |entry| {
        if let Some(Value::Array(descriptors)) = entry.pointer_mut("/submission/artifactDigests") {
            descriptors.pop();
        }
    }),
    ("hole-scope", "review-report", "a submission in nobody's collection", |entry| remove(entry, "", "scope")),
    ("hole-owner", "review-report", "an entry without an owner", |entry| remove(entry, "/submission", "owner")),
    ("hole-visibility", "review-report", "an entry without a visibility", |entry| {
        remove(entry, "/submission", "visibility");
    }),
    ("author-blocked", "blueprint", "the author must act first", |entry| {
        entry["submission"]["blockers"][0]["owner"] = json!("author");
    }),
    ("forged-digest", "review-report", "an entry under the digest of another submission", |entry| {
        entry["submissionDigest"] = json!(format!("sha256:{}", "0".repeat(64)));
    }),
    ("forged-digest-form", "review-report", "two digests that agree and are none", |entry| {
        entry["submissionDigest"] = json!("yes");
        entry["submission"]["documentDigest"] = json!("yes");
    }),
    ("forged-stage", "review-report", "a label that claims the last stage", |entry| {
        entry["stage"] = json!("signed-package");
        entry["submission"]["stage"] = json!("signed-package");
        remove(entry, "", "scope");
    }),
    ("forged-flags", "collection-entry", "flags that claim everything change nothing", |entry| {
        entry["installable"] = json!(true);
        entry["submission"]["accepted"] = json!(true);
        entry["submission"]["signed"] = json!(true);
    }),
    ("forged-gates", "collection-entry", "gates that claim to be cleared change nothing", |entry| {
        let gates = entry["submission"]["gateStatuses"].as_object_mut();
        gates.into_iter().flatten().for_each(|(_, word)| *word = json!("cleared"));
    }),
    ("forged-signature", "collection-entry", "a signature that nobody asked for changes nothing", |entry| {
        entry["signature"] = json!({ "keyid": "", "sig": "AA==" });
    }),
    ("malformed-scope", "review-report", "a scope of an unknown type", |entry| entry["scope"]["type"] = json!("world")),
    ("malformed-version", "blueprint", "a version that is none", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["version"] = json!("latest");
    }),
    ("malformed-blockers", "blueprint", "blockers that are not a list", |entry| {
        entry["submission"]["blockers"] = json!("none");
    }),
    ("malformed-submission", "blueprint", "a list where the submission belongs", |entry| {
        entry["submission"] = json!([])
    }),
    ("malformed-verdict", "showcase-preview", "a verdict that does not exist", |entry| {
        entry["submission"]["reviewReport"]["verdict"] = json!("approved");
    }),
];

/// Adds the files.
pub(crate) fn generate(bundles: &Bundles, files: &mut Tree) -> Result<()> {
    let index: Value = serde_json::from_slice(bundles.base(&kind::INDEX)?)?;
    let complete = index.pointer("/entries/0").context("the base index is empty")?;
    for (name, stage, about, change) in CASES {
        let mut entry = complete.clone();
        change(&mut entry);
        let folder = Path::new("conformance/lifecycle").join(name);
        insert_json(files, folder.join("entry.json"), &entry);
        insert_json(
            files,
            folder.join("expect.json"),
            &json!({ "about": about, "installable": false, "stage": stage }),
        );
    }
    Ok(())
}

fn remove(entry: &mut Value, parent: &str, name: &str) {
    if let Some(Value::Object(members)) = entry.pointer_mut(parent) {
        members.remove(name);
    }
}
