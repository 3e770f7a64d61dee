//! `conformance/lifecycle/<case>/`: an entry for each reachable stage, each hole and each forgery.
#![expect(
    clippy::indexing_slicing,
    reason = "the cases are written against one known document; a wrong path must stop the task"
)]

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use svc_core::{attacks, words::kind};

use crate::{
    conformance::{Bundles, insert_json},
    tree::Tree,
};

type Change = fn(&mut Value);

/// The gates in their order, the hash first.
const GATES: [&str; 6] = [
    "artifact-hash",
    "publisher-verification",
    "review-storage",
    "artifact-signing",
    "host-install-policy",
    "renderer-isolation",
];

/// Name, expected stage and broken rules (by hand), what it tries, and the change to a complete entry.
const CASES: &[(&str, &str, &[&str], &str, Change)] = &[
    ("complete-entry", "collection-entry", &[], "a complete entry", |_| {}),
    ("entry-in-a-space", "collection-entry", &[], "a complete entry of a space", |entry| {
        entry["scope"]["type"] = json!("space")
    }),
    ("author-blocked", "review-report", &[], "the author must act first", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["categories"] = json!(["weather"]);
        resealed(entry);
    }),
    ("submission-alone", "review-report", &[], "a submission that is in no collection", |entry| {
        *entry = json!({ "submission": entry["submission"] });
    }),
    ("manifest-alone", "showcase-preview", &[], "a manifest that was not submitted", |entry| {
        *entry = json!({ "submission": { "packageArtifact": { "manifest": manifest(entry) } } });
    }),
    ("manifest-in-part", "blueprint", &[], "a manifest that lacks its licence", |entry| {
        remove(entry, "/submission/packageArtifact/manifest", "license");
        *entry = json!({ "submission": { "packageArtifact": { "manifest": manifest(entry) } } });
    }),
    ("manifest-without-icon", "blueprint", &[], "a listing without an icon", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["icons"] = json!([]);
        *entry = json!({ "submission": { "packageArtifact": { "manifest": manifest(entry) } } });
    }),
    ("submission-without-icon", "blueprint", &[], "a report on a package without an icon, in a collection", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["icons"] = json!([]);
        entry["submission"]["stage"] = json!("blueprint");
        resealed(entry);
    }),
    (
        "submission-that-skips-a-stage",
        "blueprint",
        &["SVC-B010"],
        "a submission without an icon that says it is a review report",
        |entry| {
            entry["submission"]["packageArtifact"]["manifest"]["icons"] = json!([]);
            resealed(entry);
        },
    ),
    (
        "submission-with-a-refused-manifest",
        "blueprint",
        &[],
        "a report by other rules on a manifest that ours refuse: its listing is no evidence",
        |entry| {
            entry["submission"]["packageArtifact"]["manifest"]["summary"] = json!("The official weather board.");
            resealed(entry);
        },
    ),
    ("host-members", "collection-entry", &[], "a host's own members around an entry", |entry| {
        entry["id"] = json!(7);
        entry["kind"] = json!("listing");
        entry["addedBy"] = json!({ "name": "Ada", "tags": ["new", "weather"] });
    }),
    ("host-members-claim", "blueprint", &["SVC-B006"], "a host's own member that claims a flag", |entry| {
        entry["addedBy"] = json!({ "review": [{ "accepted": true }] });
    }),
    ("host-members-signature", "blueprint", &["SVC-B006"], "a host's own member with a signature inside", |entry| {
        entry["meta"] = json!({ "proofs": [{ "signature": "AA==" }] });
    }),
    ("forged-flag-in-a-part", "blueprint", &["SVC-B006", "SVC-B012"], "an entry whose owner claims a flag", |entry| {
        entry["submission"]["owner"]["accepted"] = json!(true);
    }),
    ("host-members-gate", "blueprint", &["SVC-B006"], "a host's own member that clears a gate", |entry| {
        entry["review"] = json!({ "gate": "artifact-signing", "status": "signed" });
    }),
    (
        "host-members-flood",
        "blueprint",
        &["SVC-B015"],
        "more members than findings are listed, then a wrong scope",
        |entry| {
            for number in 0..300 {
                entry[format!("a{number:03}")] = json!(number);
            }
            entry["scope"]["type"] = json!("world");
        },
    ),
    ("raw-submission", "review-report", &[], "a submission as it is", |entry| *entry = entry["submission"].take()),
    ("raw-submission-forged", "blueprint", &["SVC-B006"], "a submission as it is, with a flag set", |entry| {
        *entry = entry["submission"].take();
        entry["accepted"] = json!(true);
    }),
    ("raw-manifest", "showcase-preview", &[], "a manifest as it is", |entry| *entry = manifest(entry)),
    ("raw-manifest-in-part", "blueprint", &[], "a manifest as it is, without its licence", |entry| {
        *entry = manifest(entry);
        remove(entry, "", "license");
    }),
    ("raw-manifest-refused", "blueprint", &["SVC-L009"], "a manifest as it is that a rule refuses", |entry| {
        *entry = manifest(entry);
        entry["summary"] = json!("The official weather board.");
    }),
    (
        "raw-manifest-malformed",
        "blueprint",
        &["SVC-B006", "SVC-M002", "SVC-M003", "SVC-P009"],
        "a manifest as it is with a flag for a member, a list for a text and no isolation",
        |entry| {
            *entry = manifest(entry);
            entry["installable"] = json!(true);
            entry["name"] = json!([]);
            remove(entry, "/entry", "isolation");
        },
    ),
    ("raw-of-an-unknown-kind", "blueprint", &["SVC-B001"], "a document of a kind that has no stage", |entry| {
        *entry = json!({ "kind": "listing", "title": "Weather board" });
    }),
    ("manifest-refused", "blueprint", &["SVC-L009"], "a manifest that a rule refuses", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["summary"] = json!("The official weather board.");
        *entry = json!({ "submission": { "packageArtifact": { "manifest": manifest(entry) } } });
    }),
    ("empty", "blueprint", &[], "nothing at all", |entry| *entry = json!({})),
    ("no-submission", "blueprint", &[], "a scope around nothing", |entry| remove(entry, "", "submission")),
    ("hole-manifest", "blueprint", &[], "a report about a package that is not there", |entry| {
        remove(entry, "/submission", "packageArtifact");
    }),
    ("hole-icon", "blueprint", &["SVC-B003", "SVC-B010"], "an icon taken out of a submission", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["icons"] = json!([]);
    }),
    ("hole-report", "showcase-preview", &[], "a listing without a report, in a collection", |entry| {
        remove(entry, "/submission", "reviewReport");
    }),
    ("hole-blockers", "showcase-preview", &[], "a report without blockers", |entry| {
        remove(entry, "/submission", "blockers");
    }),
    ("hole-descriptor", "blueprint", &["SVC-B003", "SVC-B015"], "a report without its descriptor", |entry| {
        if let Some(Value::Array(descriptors)) = entry.pointer_mut("/submission/artifactDigests") {
            descriptors.pop();
        }
    }),
    ("hole-scope", "review-report", &[], "a submission in nobody's collection", |entry| remove(entry, "", "scope")),
    ("hole-owner", "showcase-preview", &[], "an entry without an owner", |entry| remove(entry, "/submission", "owner")),
    ("hole-visibility", "showcase-preview", &[], "an entry without a visibility", |entry| {
        remove(entry, "/submission", "visibility");
    }),
    ("forged-blocker", "blueprint", &["SVC-B003", "SVC-B013"], "a gate that the author could clear", |entry| {
        entry["submission"]["blockers"][0]["owner"] = json!("author");
    }),
    ("forged-digest", "blueprint", &["SVC-B003"], "an entry under the digest of another submission", |entry| {
        entry["submissionDigest"] = json!(format!("sha256:{}", "0".repeat(64)));
    }),
    ("forged-digest-form", "blueprint", &["SVC-B004"], "two digests that agree and are none", |entry| {
        entry["submissionDigest"] = json!("yes");
        entry["submission"]["documentDigest"] = json!("yes");
    }),
    ("forged-stage", "blueprint", &["SVC-B006"], "a label that claims the last stage", |entry| {
        entry["stage"] = json!("signed-package");
        entry["submission"]["stage"] = json!("signed-package");
        remove(entry, "", "scope");
    }),
    ("forged-flags", "blueprint", &["SVC-B006"], "flags that claim everything", |entry| {
        entry["installable"] = json!(true);
        entry["submission"]["accepted"] = json!(true);
        entry["submission"]["signed"] = json!(true);
    }),
    ("forged-gates", "blueprint", &["SVC-B007"], "gates that claim to be cleared", |entry| {
        let gates = entry["submission"]["gateStatuses"].as_object_mut();
        gates.into_iter().flatten().for_each(|(_, word)| *word = json!("cleared"));
    }),
    ("forged-signature", "blueprint", &["SVC-B006"], "a signature that nobody asked for", |entry| {
        entry["signature"] = json!({ "keyid": "", "sig": "AA==" });
    }),
    (
        "forged-report",
        "blueprint",
        &["SVC-B013"],
        "a report that counts other findings, every digest made to fit",
        |entry| {
            entry["submission"]["reviewReport"]["counts"]["warnings"] = json!(7);
            resealed(entry);
        },
    ),
    ("malformed-scope", "blueprint", &["SVC-B015"], "a scope of an unknown type", |entry| {
        entry["scope"]["type"] = json!("world");
    }),
    ("malformed-version", "blueprint", &["SVC-M011"], "a version of two numbers", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["version"] = json!("1.2");
    }),
    ("version-is-a-tag", "blueprint", &["SVC-M012"], "a tag in place of a version", |entry| {
        entry["submission"]["packageArtifact"]["manifest"]["version"] = json!("latest");
    }),
    ("malformed-blockers", "blueprint", &["SVC-B015"], "blockers that are not a list", |entry| {
        entry["submission"]["blockers"] = json!("none");
    }),
    ("malformed-submission", "blueprint", &["SVC-B015"], "a list where the submission belongs", |entry| {
        entry["submission"] = json!([])
    }),
    ("malformed-verdict", "blueprint", &["SVC-B015"], "a verdict that does not exist", |entry| {
        entry["submission"]["reviewReport"]["verdict"] = json!("approved");
    }),
];

/// The cases that nothing but a rule about packages decides, and what that rule finds: the rule, and the place in the manifest.
/// A reader without these rules takes the finding as given, or leaves the case out.
const NEED_PACKAGE_RULES: &[(&str, &str, &str)] = &[
    ("author-blocked", "SVC-M022", "/categories/0"),
    ("manifest-refused", "SVC-L009", "/summary"),
    ("raw-manifest-refused", "SVC-L009", "/summary"),
    ("submission-with-a-refused-manifest", "SVC-L009", "/summary"),
];

/// Whole submissions that hold and still have the first stage, because their listing is no evidence.
const WHOLE_SUBMISSIONS: &[&str] = &["submission-without-icon", "submission-with-a-refused-manifest"];

/// Adds the files.
pub(crate) fn generate(bundles: &Bundles, files: &mut Tree) -> Result<()> {
    let index: Value = serde_json::from_slice(bundles.base(&kind::INDEX)?)?;
    let complete = index.pointer("/entries/0").context("the base index is empty")?;
    for (name, stage, broken, about, change) in CASES {
        let mut entry = complete.clone();
        change(&mut entry);
        let folder = Path::new("conformance/lifecycle").join(name);
        insert_json(files, folder.join("entry.json"), &entry);
        // Digests were recomputed of a whole submission alone, and only its report tells facts.
        let is_submission = matches!(*stage, "review-report" | "collection-entry") || WHOLE_SUBMISSIONS.contains(name);
        let mut expect = json!({
            "about": about,
            "brokenRules": broken,
            "installable": false,
            "missingGates": if is_submission { &GATES[1..] } else { &GATES[..] },
            "reviewed": if is_submission { "as-claimed" } else { "without-facts" },
            "stage": stage,
        });
        if let Some((_, rule, pointer)) = NEED_PACKAGE_RULES.iter().find(|(case, ..)| case == name) {
            expect["needsPackageRules"] = json!([{ "pointer": pointer, "rule": rule }]);
        }
        insert_json(files, folder.join("expect.json"), &expect);
    }
    Ok(())
}

fn remove(entry: &mut Value, parent: &str, name: &str) {
    if let Some(Value::Object(members)) = entry.pointer_mut(parent) {
        members.remove(name);
    }
}

fn manifest(entry: &Value) -> Value {
    entry["submission"]["packageArtifact"]["manifest"].clone()
}

/// Makes every digest of the entry fit what is in it.
fn resealed(entry: &mut Value) {
    attacks::reseal(&mut entry["submission"]);
    entry["submissionDigest"] = entry["submission"]["documentDigest"].clone();
}
