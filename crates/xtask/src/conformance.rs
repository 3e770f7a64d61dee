//! `conformance/<kind>/<attack>/`: a good bundle, and every attack on each of its files. All but a few folders name the
//! rules of the kit, so that a new rule changes few files.

use std::{
    fs,
    path::{Path, PathBuf},
    slice,
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    artifact::{checked::Checked, index::Index, submission::Submission},
    attacks::{self, Attack, SeenIn},
    bundle::{self, Bundle, Files},
    finding::Finding,
    findings::Findings,
    read::{self, Verified},
    words::{
        exit_code::ExitCode,
        kind::{self, ArtifactKind, ArtifactSpec, Source},
    },
};
use svc_json::canonical;

use crate::{
    kit_rules::{self, held},
    tree::Tree,
};
use svc_gates::{process, programs::Programs};

/// Attacks that a reader catches only by comparing with rules that it has, each with the kind that it is tried on. Other
/// kinds have a folder under the rules of the kit where those are enough; the tests of core try every attack on every kind.
const OWN_RULES: &[(&str, &str)] = &[
    ("fact-without-its-finding", "submission"),
    ("fact-of-no-kind", "review-evidence"),
    ("ruleset-misnamed", "acceptance-request"),
];

/// What the folders begin with whose documents name the rules of this build.
const OWN_PREFIX: &str = "own-rules-";

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

    /// The base document of a kind, under the rules of the kit.
    pub(crate) fn base(&self, spec: &ArtifactSpec) -> Result<&[u8]> {
        of(&self.kit.base, spec)
    }

    /// The same of the other package.
    pub(crate) fn other(&self, spec: &ArtifactSpec) -> Result<&[u8]> {
        of(&self.kit.other, spec)
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

/// Adds the files.
pub(crate) fn generate(bundles: &Bundles, files: &mut Tree) -> Result<()> {
    let mut missed = under_kit_rules(&bundles.kit, files)?;
    missed.extend(under_own_rules(&bundles.own, files)?);
    if !missed.is_empty() {
        bail!("attacks that were not caught as they should:\n{}", missed.join("\n"));
    }
    Ok(())
}

/// Every kind with every attack on it that shows whatever rules were used. Gives the attacks that were missed.
fn under_kit_rules(pair: &Pair, files: &mut Tree) -> Result<Vec<String>> {
    let mut missed = Vec::new();
    for spec in kind::ALL {
        let folder = Path::new("conformance").join(spec.name);
        add_valid(pair, spec, &folder.join("valid"), files)?;
        for attack in attacks::ALL.iter().filter(|attack| attack.applies_to(spec)) {
            let miss = add_attack(pair, spec, attack, &folder.join(attack.name), files)?;
            match OWN_RULES.iter().find(|(name, _)| *name == attack.name) {
                None => missed.extend(miss),
                Some((name, kind)) if miss.is_none() && *kind == spec.name => {
                    missed.push(format!("{kind}: {name} is caught under the rules of the kit, and needs no others"));
                }
                Some(_) => {}
            }
        }
    }
    Ok(missed)
}

/// Every kind, and one document for each attack that only rules which the reader has can catch.
fn under_own_rules(pair: &Pair, files: &mut Tree) -> Result<Vec<String>> {
    let folder = |kind: &str, case: &str| Path::new("conformance").join(kind).join(format!("{OWN_PREFIX}{case}"));
    for spec in kind::ALL {
        add_valid(pair, spec, &folder(spec.name, "valid"), files)?;
    }
    let mut missed = Vec::new();
    for (name, kind) in OWN_RULES {
        let attack = attacks::ALL.iter().find(|attack| attack.name == *name);
        let spec = kind::ALL.iter().copied().find(|spec| spec.name == *kind);
        let (attack, spec) = attack.zip(spec).with_context(|| format!("no {kind}/{name}"))?;
        ensure!(attack.applies_to(spec), "{name} cannot be tried on {kind}");
        missed.extend(add_attack(pair, spec, attack, &folder(kind, name), files)?);
    }
    Ok(missed)
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

fn add_valid(pair: &Pair, spec: &'static ArtifactSpec, folder: &Path, files: &mut Tree) -> Result<()> {
    let document = of(&pair.base, spec)?.to_vec();
    let Ok(verified) = read::verify(rules(), spec.artifact, &document) else {
        bail!("the base {} does not hold", spec.file)
    };
    insert_json(files, folder.join("expect.json"), &valid_expectation(spec, "a good document", &verified));
    files.insert(folder.join("document.json"), document);
    Ok(())
}

/// What is expected of a good document.
pub(crate) fn valid_expectation(spec: &ArtifactSpec, about: &str, verified: &Verified) -> Value {
    json!({
        "about": about,
        "digest": verified.checked.digest().to_string(),
        "exit": ExitCode::Valid.code(),
        "findings": [],
        "kind": spec.kind,
        "seenIn": "document",
        "valid": true,
        "warnings": rows(&verified.warnings),
    })
}

fn add_attack(
    pair: &Pair,
    spec: &'static ArtifactSpec,
    attack: &Attack,
    folder: &Path,
    files: &mut Tree,
) -> Result<Option<String>> {
    let document = attack.forge(spec, of(&pair.base, spec)?, of(&pair.other, spec)?)?;
    let findings = match attack.seen_in {
        SeenIn::Document => read::verify(rules(), spec.artifact, &document).err().unwrap_or_default(),
        SeenIn::Chain => {
            let parent = parent_bytes(pair, spec)?;
            files.insert(folder.join("parent.json"), parent.to_vec());
            if read::verify(rules(), spec.artifact, &document).is_err() {
                return Ok(Some(format!("{}: {} should be seen in the chain only", spec.name, attack.name)));
            }
            let (Ok(child), Ok(parent)) =
                (read::any(rules(), spec.artifact, &document), read::any(rules(), parent_kind(spec)?, parent))
            else {
                bail!("{}: {} or its parent does not hold", spec.name, attack.name)
            };
            bundle::edge_fault(&child, &parent).into_iter().collect()
        }
    };
    if !findings.iter().any(|finding| finding.rule.is(attack.caught_by)) {
        let codes: Vec<&str> = findings.iter().map(|finding| finding.rule.code.as_ref()).collect();
        let wanted = attack.caught_by;
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

fn parent_bytes<'p>(pair: &'p Pair, spec: &ArtifactSpec) -> Result<&'p [u8]> {
    match spec.source {
        Source::Artifact { parent, .. } => of(&pair.base, parent),
        Source::Package | Source::Submissions => bail!("{} has no parent", spec.name),
    }
}

fn expectation(spec: &ArtifactSpec, attack: &Attack, findings: &Findings) -> Value {
    json!({
        "about": attack.about,
        "caughtBy": attack.caught_by,
        "exit": findings.exit_code().code(),
        "findings": rows(findings),
        "kind": spec.kind,
        "problem": findings.problem_code(),
        "seenIn": match attack.seen_in { SeenIn::Document => "document", SeenIn::Chain => "chain" },
        "valid": false,
    })
}

/// Rule and place of each finding, each once.
pub(crate) fn rows(findings: &[Finding]) -> Vec<Value> {
    let row = |finding: &Finding| json!({ "pointer": finding.pointer.as_str(), "rule": finding.rule.code });
    let mut rows: Vec<Value> = findings.iter().map(row).collect();
    rows.sort_by_key(ToString::to_string);
    rows.dedup();
    rows
}

/// Adds a JSON file in the canonical layout.
pub(crate) fn insert_json(files: &mut Tree, path: PathBuf, value: &Value) {
    files.insert(path, canonical::to_pretty(value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bundle_cases, index_cases, lifecycle_cases, receipts};

    /// The folders whose documents name the rules of this build.
    const FOLDERS: usize = 10;

    /// The committed submissions under the rules of this build, the base first.
    fn own_submissions() -> [Value; 2] {
        let path = process::root().join("conformance/index/own-rules-valid/document.json");
        let index: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
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

    fn bundles(submissions: [Value; 2]) -> Bundles {
        let [base, other] =
            submissions.map(|document| held(read::artifact(rules(), &canonical::to_pretty(&document))).unwrap());
        Bundles::of(&base, &other).unwrap()
    }

    /// Everything of the kit that is made from bundles.
    fn kit(bundles: &Bundles) -> Tree {
        let mut files = Tree::new();
        assert_eq!(under_kit_rules(&bundles.kit, &mut files).unwrap(), [""; 0]);
        // What the attacks under the rules of another build come to, only that build can tell.
        under_own_rules(&bundles.own, &mut files).unwrap();
        index_cases::generate(bundles, &mut files).unwrap();
        lifecycle_cases::generate(bundles, &mut files).unwrap();
        receipts::generate(bundles, &mut files).unwrap();
        bundle_cases::generate(&mut files).unwrap();
        files
    }

    fn is_under_own_rules(path: &Path) -> bool {
        path.iter().any(|part| part.to_string_lossy().starts_with(OWN_PREFIX))
    }

    #[test]
    fn a_new_rule_changes_the_folders_under_own_rules_and_no_others() {
        let now = kit(&bundles(own_submissions()));
        let then = kit(&bundles(own_submissions().map(with_one_more_rule)));
        for (path, bytes) in now.iter().filter(|(path, _)| !is_under_own_rules(path)) {
            assert_eq!(then.get(path), Some(bytes), "{}", path.display());
        }
        let own: Vec<&PathBuf> = now.keys().filter(|path| is_under_own_rules(path)).collect();
        assert_eq!(own.len(), 2 * FOLDERS, "{own:?}");
        let good = own.iter().filter(|path| path.parent().is_some_and(|folder| folder.ends_with("own-rules-valid")));
        assert!(good.clone().all(|path| then.get(*path) != now.get(*path)), "the other rules were not tried");
        assert_eq!(good.count(), 2 * kind::ALL.len());
    }

    #[test]
    fn no_committed_file_of_the_kit_names_the_rules_of_this_build_but_those_under_own_rules() {
        let (digest, mut naming) = (rules().ruleset().digest.hex(), Vec::new());
        let mut folders = vec![process::root().join("conformance")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(&digest) {
                    naming.push(path);
                }
            }
        }
        assert!(naming.iter().all(|path| is_under_own_rules(path)), "{naming:?}");
        assert_eq!(naming.len(), FOLDERS);
    }
}
