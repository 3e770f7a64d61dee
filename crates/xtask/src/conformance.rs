//! The base documents and the tables of the conformance kit. All but a few documents name the rules of the kit, so that a new
//! rule changes few files.
//!
//! The table of a kind begins with its good documents and every attack on them; rows that are written by hand follow.

use std::{fs, path::Path, slice};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    artifact::{checked::Checked, index::Index, submission::Submission},
    attacks::{self, Attack, SeenIn},
    bundle::{self, Bundle, Files},
    finding::Finding,
    read,
    words::{
        exit_code::ExitCode,
        kind::{self, ArtifactSpec, Source},
    },
};
use svc_json::canonical;
use svc_testkit::kit::Kit;

use crate::{
    kit_rules::{self, held},
    signed, tables,
    tree::Tree,
};
use svc_gates::{process, programs::Programs};

/// Attacks that a reader catches only by comparing with rules that it has, each with the kind that it is tried on. Other
/// kinds have a row under the rules of the kit where those are enough; the tests of core try every attack on every kind.
const OWN_RULES: &[(&str, &str)] = &[
    ("fact-without-its-finding", "submission"),
    ("fact-of-no-kind", "review-evidence"),
    ("ruleset-misnamed", "acceptance-request"),
];

/// What the rows begin with whose documents name the rules of this build, and the folder of these documents.
const OWN_PREFIX: &str = "own-rules-";
const OWN_FOLDER: &str = "own-rules/";

/// The tables that have no row of an attack.
const BY_HAND: &[&str] = &[
    "lifecycle",
    "receipts",
    "policies",
    "vectors/bundles",
    "vectors/canonical-form",
    "vectors/digests",
    "vectors/hand-overs",
];

/// The examples' bundles: under the rules of the kit, and under those of this build.
pub(crate) struct Bundles {
    kit: Pair,
    own: Pair,
}

/// The base of all cases, and another package to mix in. The index of the base covers both packages.
#[derive(PartialEq, Eq)]
struct Pair {
    base: Files,
    other: Files,
}

impl Bundles {
    /// Makes both with the command line, as an author would.
    pub(crate) fn make() -> Result<Self> {
        let svc = Programs::build()?.svc;
        let folder = process::root().join("target/xtask/bundles");
        let mut made = Pair {
            base: make_bundle(&svc, &folder.join("base"), "weather-board")?,
            other: make_bundle(&svc, &folder.join("other"), "minimal")?,
        };
        let place = |side: &str, file: &str| folder.join(side).join(file).display().to_string();
        let (file, out) = (kind::INDEX.file, place("base", kind::INDEX.file));
        let both = ["base", "other"].map(|side| place(side, kind::SUBMISSION.file));
        make(&svc, &["app", "registry", "--out", &out], &both)?;
        made.base.insert(file, fs::read(out)?);
        let submission = |files: &Files| held(read::artifact(rules(), of(files, &kind::SUBMISSION)?));
        let bundles = Self::of(&submission(&made.base)?, &submission(&made.other)?)?;
        ensure!(bundles.own == made, "the command line makes other bundles than core");
        Ok(bundles)
    }

    /// The bundles of two submissions.
    pub(crate) fn of(base: &Checked<Submission>, other: &Checked<Submission>) -> Result<Self> {
        let pinned = [kit_rules::submission(base)?, kit_rules::submission(other)?];
        let own = [base.clone(), other.clone()];
        Ok(Self {
            kit: Pair::of(&pinned, kit_rules::index)?,
            own: Pair::of(&own, |all| held(Index::from_submissions(rules(), all, None)))?,
        })
    }
}

impl Pair {
    fn of(
        both: &[Checked<Submission>; 2],
        index: impl Fn(&[Checked<Submission>]) -> Result<Checked<Index>>,
    ) -> Result<Self> {
        let bundle = |submission: &Checked<Submission>, listed: &[Checked<Submission>]| {
            let mut files = held(Bundle::from_submission(submission.clone()))?.to_files();
            files.insert(kind::INDEX.file, index(listed)?.to_file());
            anyhow::Ok(files)
        };
        let [base, other] = both;
        Ok(Self { base: bundle(base, both)?, other: bundle(other, slice::from_ref(other))? })
    }
}

fn of<'f>(files: &'f Files, spec: &ArtifactSpec) -> Result<&'f [u8]> {
    files.get(spec.file).map(Vec::as_slice).with_context(|| format!("no {}", spec.file))
}

/// Everything that is made from bundles.
pub(crate) fn kit(bundles: &Bundles) -> Result<Kit> {
    let mut kit = Kit::default();
    for (folder, pair) in [("", &bundles.kit), (OWN_FOLDER, &bundles.own)] {
        for spec in kind::ALL {
            kit.documents.insert(format!("{folder}{}", spec.name), serde_json::from_slice(of(&pair.base, spec)?)?);
        }
    }
    kit.documents.insert(
        "answers".to_owned(),
        signed::answers(&kind::ACCEPTANCE_REQUEST, of(&bundles.kit.base, &kind::ACCEPTANCE_REQUEST)?)?,
    );
    kit.documents.insert("notes".to_owned(), signed::notes()?);
    let mut missed = Vec::new();
    for spec in kind::ALL {
        let mut rows = Vec::new();
        for (pair, prefix) in [(&bundles.kit, ""), (&bundles.own, OWN_PREFIX)] {
            rows.push(good(pair, spec, prefix)?);
        }
        for (pair, prefix) in [(&bundles.kit, ""), (&bundles.own, OWN_PREFIX)] {
            for attack in attacks::ALL.iter().filter(|attack| attack.applies_to(spec)) {
                let needs_own = OWN_RULES.iter().find(|(name, _)| *name == attack.name);
                let is_its_own = needs_own.is_some_and(|(_, kind)| *kind == spec.name);
                if prefix == OWN_PREFIX && !is_its_own {
                    continue;
                }
                match attempt(&kit, pair, spec, attack, prefix)? {
                    Ok(_) if prefix.is_empty() && is_its_own => {
                        missed.push(format!("{}: {} needs no rules but those of the kit", spec.name, attack.name));
                    }
                    Ok(row) => rows.push(row),
                    Err(miss) if needs_own.is_none() || (is_its_own && prefix == OWN_PREFIX) => missed.push(miss),
                    Err(_) => {}
                }
            }
        }
        let is_made = |row: &Value| rows.iter().any(|made| made.get("name") == row.get("name"));
        let committed = tables::committed(spec.name)?.unwrap_or_default().into_iter();
        let by_hand: Vec<Value> = committed.filter(|row| !is_made(row)).collect();
        rows.extend(tables::refreshed(&kit, by_hand)?);
        kit.tables.insert(spec.name.to_owned(), rows);
    }
    ensure!(missed.is_empty(), "attacks that were not caught as they should:\n{}", missed.join("\n"));
    for table in BY_HAND {
        let rows = tables::committed(table)?.with_context(|| format!("no {table}.json"))?;
        kit.tables.insert((*table).to_owned(), tables::refreshed(&kit, rows)?);
    }
    Ok(kit)
}

/// Adds the files.
pub(crate) fn generate(kit: &Kit, files: &mut Tree) {
    for (name, document) in &kit.documents {
        files.insert(format!("conformance/documents/{name}.json").into(), canonical::to_pretty(document));
    }
    for (table, rows) in &kit.tables {
        tables::insert(files, table, rows);
    }
}

fn make_bundle(svc: &Path, folder: &Path, example: &str) -> Result<Files> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let place = |file: &str| folder.join(file).display().to_string();
    let mut files = Files::new();
    for spec in kind::ALL {
        let out = place(spec.file);
        let input = match spec.source {
            Source::Package => format!("{}/examples/{example}/svc-app.json", process::root().display()),
            Source::Submissions => place("svc-registry-submission.json"),
            Source::Artifact { parent, .. } => place(parent.file),
        };
        make(svc, &["app", spec.make.name, "--out", &out], &[input])?;
        files.insert(spec.file, fs::read(out)?);
    }
    Ok(files)
}

fn make(svc: &Path, arguments: &[&str], inputs: &[String]) -> Result<()> {
    let mut command = process::command(&svc.display().to_string(), arguments);
    let output = command.args(inputs).output()?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// The row of a good document.
fn good(pair: &Pair, spec: &'static ArtifactSpec, prefix: &str) -> Result<Value> {
    let Ok(verified) = read::verify(rules(), spec.artifact, of(&pair.base, spec)?) else {
        bail!("the base {} does not hold", spec.file)
    };
    Ok(json!({
        "about": "a good document",
        "base": base(spec, prefix),
        "expect": {
            "digest": verified.checked.digest().to_string(),
            "exit": ExitCode::Valid.code(),
            "findings": [],
            "kind": spec.kind,
            "seenIn": "document",
            "valid": true,
            "warnings": found(&verified.warnings),
        },
        "name": format!("{prefix}valid"),
    }))
}

/// The document that rows of a kind change.
fn base(spec: &ArtifactSpec, prefix: &str) -> String {
    format!("{}{}", if prefix.is_empty() { "" } else { OWN_FOLDER }, spec.name)
}

/// The row of an attack, or how it was missed.
fn attempt(
    kit: &Kit,
    pair: &Pair,
    spec: &'static ArtifactSpec,
    attack: &Attack,
    prefix: &str,
) -> Result<Result<Value, String>> {
    let document = attack.forge(spec, of(&pair.base, spec)?, of(&pair.other, spec)?)?;
    let mut row = tables::row_of(kit, &base(spec, prefix), &document)?;
    let findings = match (attack.seen_in, spec.source) {
        (SeenIn::Chain, Source::Artifact { parent }) => {
            let Ok(child) = read::any(rules(), spec.artifact, &document) else {
                return Ok(Err(format!("{}: {} should be seen in the chain only", spec.name, attack.name)));
            };
            row.insert("parent".to_owned(), json!(base(parent, prefix)));
            let parent = held(read::any(rules(), parent.artifact, of(&pair.base, parent)?))?;
            bundle::edge_fault(&child, &parent).into_iter().collect()
        }
        (SeenIn::Document | SeenIn::Chain, _) => {
            read::verify(rules(), spec.artifact, &document).err().unwrap_or_default()
        }
    };
    if !findings.iter().any(|finding| finding.rule.is(attack.caught_by)) {
        let codes: Vec<&str> = findings.iter().map(|finding| finding.rule.code.as_ref()).collect();
        let wanted = attack.caught_by;
        return Ok(Err(format!("{}: {} is not caught by {wanted}, but by {codes:?}", spec.name, attack.name)));
    }
    let expect = json!({
        "caughtBy": attack.caught_by,
        "exit": findings.exit_code().code(),
        "findings": found(&findings),
        "kind": spec.kind,
        "problem": findings.problem_code(),
        "seenIn": match attack.seen_in { SeenIn::Document => "document", SeenIn::Chain => "chain" },
        "valid": false,
    });
    let members =
        [("about", json!(attack.about)), ("expect", expect), ("name", json!(format!("{prefix}{}", attack.name)))];
    row.extend(members.map(|(name, value)| (name.to_owned(), value)));
    Ok(Ok(Value::Object(row)))
}

/// Rule and place of each finding, each once.
fn found(findings: &[Finding]) -> Vec<Value> {
    let row = |finding: &Finding| json!({ "pointer": finding.pointer.as_str(), "rule": finding.rule.code });
    let mut rows: Vec<Value> = findings.iter().map(row).collect();
    rows.sort_by_key(ToString::to_string);
    rows.dedup();
    rows
}

/// Adds a JSON file in the canonical layout.
pub(crate) fn insert_json(files: &mut Tree, path: &str, value: &Value) {
    files.insert(path.into(), canonical::to_pretty(value));
}

#[cfg(test)]
mod tests {
    use svc_testkit::kit;

    use super::*;

    /// The documents that name the rules of this build, and the rows of attacks on them.
    const DOCUMENTS: usize = 7;
    const ROWS: usize = 3;

    /// The committed submissions under the rules of this build, the base first.
    fn own_submissions() -> [Value; 2] {
        let index = &kit::committed().documents["own-rules/index"];
        [0, 1].map(|at| index.pointer(&format!("/entries/{at}/submission")).unwrap().clone())
    }

    /// The submission as a build with one more rule would have made it.
    fn with_one_more_rule(mut submission: Value) -> Value {
        let checks = submission.pointer_mut("/reviewReport/checks").and_then(Value::as_array_mut).unwrap();
        checks.push(json!({ "code": "SVC-Z999", "result": "passed" }));
        let ruleset = json!({ "digest": canonical::digest(&"one more rule").0.to_string(), "version": "1.1.0" });
        submission.as_object_mut().unwrap().insert("ruleset".to_owned(), ruleset);
        attacks::reseal(&mut submission);
        submission
    }

    fn made(submissions: [Value; 2]) -> Bundles {
        let [base, other] =
            submissions.map(|document| held(read::artifact(rules(), &canonical::to_pretty(&document))).unwrap());
        Bundles::of(&base, &other).unwrap()
    }

    #[test]
    fn a_new_rule_changes_what_is_under_own_rules_and_nothing_else() {
        let (now, then) = (made(own_submissions()), made(own_submissions().map(with_one_more_rule)));
        assert!(now.own != then.own, "the other rules were not tried");
        assert!(now.kit == then.kit, "a document under the rules of the kit is another one");
        let rows = kit::committed().tables.values().flatten();
        let under_own_rules = rows.filter(|row| row["base"].as_str().is_some_and(|base| base.starts_with(OWN_FOLDER)));
        assert_eq!(under_own_rules.count(), DOCUMENTS + ROWS);
    }

    #[test]
    fn no_committed_file_of_the_kit_names_the_rules_of_this_build_but_the_documents_under_own_rules() {
        let digest = rules().ruleset().digest.hex();
        let kit = kit::committed();
        let names = |value: &Value| value.to_string().contains(&digest);
        let naming: Vec<&String> = kit.documents.iter().filter(|(_, it)| names(it)).map(|(name, _)| name).collect();
        assert!(naming.iter().all(|name| name.starts_with(OWN_FOLDER)), "{naming:?}");
        assert_eq!(naming.len(), DOCUMENTS);
        assert!(!kit.tables.values().flatten().any(names));
    }
}
