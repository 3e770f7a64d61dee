//! `conformance/<kind>/<attack>/`: a good bundle, and every attack on each of its files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use svc_core::{
    bundle,
    finding::{self, Finding},
    read,
    words::{
        exit_code::ExitCode,
        kind::{self, ArtifactKind, ArtifactSpec, Source},
    },
};
use svc_json::canonical;
use svc_testkit::adversary::{self, Attack, SeenIn};

use crate::{
    process::{self, built_svc},
    tree::Tree,
};

/// The examples' bundles: the base of all cases, and another package to mix in.
pub(crate) struct Bundles {
    base: BTreeMap<&'static str, Vec<u8>>,
    other: BTreeMap<&'static str, Vec<u8>>,
}

impl Bundles {
    /// Makes both with the command line, as an author would. The index covers both packages.
    pub(crate) fn make() -> Result<Self> {
        let svc = built_svc()?;
        let folder = process::root().join("target/xtask/bundles");
        let base = make_bundle(&svc, &folder.join("base"), "weather-board")?;
        let other = make_bundle(&svc, &folder.join("other"), "minimal")?;
        let mut bundles = Self { base, other };
        let submission = |side: &str| folder.join(side).join("svc-registry-submission.json").display().to_string();
        for (side, name) in [("base", true), ("other", false)] {
            let out = folder.join(side).join("svc-registry-index.json");
            let both = [submission("base"), submission("other")];
            let given = if name { both.as_slice() } else { &both[1..] };
            make(&svc, &["app", "registry", "--out", &out.display().to_string()], given)?;
            let target = if name { &mut bundles.base } else { &mut bundles.other };
            target.insert("svc-registry-index.json", fs::read(out)?);
        }
        Ok(bundles)
    }

    /// The base document of a kind.
    pub(crate) fn base(&self, spec: &ArtifactSpec) -> Result<&[u8]> {
        self.base.get(spec.file).map(Vec::as_slice).with_context(|| format!("no {}", spec.file))
    }

    fn other(&self, spec: &ArtifactSpec) -> Result<&[u8]> {
        self.other.get(spec.file).map(Vec::as_slice).with_context(|| format!("no {}", spec.file))
    }
}

/// Adds the files.
pub(crate) fn generate(bundles: &Bundles, files: &mut Tree) -> Result<()> {
    let mut missed = Vec::new();
    for spec in kind::ALL {
        let folder = Path::new("conformance").join(spec.name);
        add_valid(bundles, spec, &folder.join("valid"), files)?;
        for attack in adversary::ALL.iter().filter(|attack| attack.applies_to(spec)) {
            missed.extend(add_attack(bundles, spec, attack, &folder.join(attack.name), files)?);
        }
    }
    if !missed.is_empty() {
        bail!("attacks that were not caught as they should:\n{}", missed.join("\n"));
    }
    Ok(())
}

fn make_bundle(svc: &Path, folder: &Path, example: &str) -> Result<BTreeMap<&'static str, Vec<u8>>> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let place = |file: &str| folder.join(file).display().to_string();
    let mut files = BTreeMap::new();
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

fn add_valid(bundles: &Bundles, spec: &'static ArtifactSpec, folder: &Path, files: &mut Tree) -> Result<()> {
    let document = bundles.base(spec)?.to_vec();
    let Ok(verified) = read::verify(spec.artifact, &document) else { bail!("the base {} does not hold", spec.file) };
    let expect = json!({
        "about": "a good document",
        "digest": verified.checked.digest().to_string(),
        "exit": ExitCode::Valid.code(),
        "findings": [],
        "kind": spec.kind,
        "seenIn": "document",
        "valid": true,
    });
    files.insert(folder.join("document.json"), document);
    insert_json(files, folder.join("expect.json"), &expect);
    Ok(())
}

fn add_attack(
    bundles: &Bundles,
    spec: &'static ArtifactSpec,
    attack: &Attack,
    folder: &Path,
    files: &mut Tree,
) -> Result<Option<String>> {
    let document = attack.forge(spec, bundles.base(spec)?, bundles.other(spec)?)?;
    let findings = match attack.seen_in {
        SeenIn::Document => read::verify(spec.artifact, &document).err().unwrap_or_default(),
        SeenIn::Chain => {
            let parent = parent_bytes(bundles, spec)?;
            files.insert(folder.join("parent.json"), parent.to_vec());
            if read::verify(spec.artifact, &document).is_err() {
                return Ok(Some(format!("{}: {} should be seen in the chain only", spec.name, attack.name)));
            }
            let (Ok(child), Ok(parent)) = (read::any(spec.artifact, &document), read::any(parent_kind(spec)?, parent))
            else {
                bail!("{}: {} or its parent does not hold", spec.name, attack.name)
            };
            bundle::edge_fault(&child, &parent).into_iter().collect()
        }
    };
    if !findings.iter().any(|finding| finding.rule == attack.caught_by) {
        let codes: Vec<&str> = findings.iter().map(|finding| finding.rule.code).collect();
        let wanted = attack.caught_by.code;
        return Ok(Some(format!("{}: {} is not caught by {wanted}, but by {codes:?}", spec.name, attack.name)));
    }
    insert_json(files, folder.join("expect.json"), &expectation(spec, attack, &findings));
    files.insert(folder.join("document.json"), document);
    Ok(None)
}

fn parent_kind(spec: &ArtifactSpec) -> Result<ArtifactKind> {
    match spec.source {
        Source::Artifact { parent } => Ok(parent.artifact),
        Source::Package | Source::Submissions => bail!("{} has no parent", spec.name),
    }
}

fn parent_bytes<'b>(bundles: &'b Bundles, spec: &ArtifactSpec) -> Result<&'b [u8]> {
    match spec.source {
        Source::Artifact { parent, .. } => bundles.base(parent),
        Source::Package | Source::Submissions => bail!("{} has no parent", spec.name),
    }
}

fn expectation(spec: &ArtifactSpec, attack: &Attack, findings: &[Finding]) -> Value {
    let mut rows: Vec<Value> = findings
        .iter()
        .map(|finding| json!({ "pointer": finding.pointer.as_str(), "rule": finding.rule.code }))
        .collect();
    rows.sort_by_key(ToString::to_string);
    rows.dedup();
    json!({
        "about": attack.about,
        "caughtBy": attack.caught_by.code,
        "exit": finding::exit_code(findings).code(),
        "findings": rows,
        "kind": spec.kind,
        "problem": finding::problem_code(findings),
        "seenIn": match attack.seen_in { SeenIn::Document => "document", SeenIn::Chain => "chain" },
        "valid": false,
    })
}

/// Adds a JSON file in the canonical layout.
pub(crate) fn insert_json(files: &mut Tree, path: PathBuf, value: &Value) {
    files.insert(path, canonical::to_pretty(value));
}
