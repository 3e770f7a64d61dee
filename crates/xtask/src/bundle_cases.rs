//! `conformance/vectors/bundles.json`: bundles put together from documents of the kit, and where each breaks.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    attacks::{self, SeenIn},
    bundle,
    words::kind::{self, ArtifactSpec},
};

use crate::{conformance::insert_json, tree::Tree};

/// A bundle: its name, and the case of the kit that each file is taken from. A file that is not named is missing.
type Case = (String, BTreeMap<&'static str, String>);

/// Adds the file. The documents of the kit must be in the tree already.
pub(crate) fn generate(files: &mut Tree) -> Result<()> {
    let rows: Vec<Value> = cases().iter().map(|case| row(case, files)).collect::<Result<_>>()?;
    insert_json(files, Path::new("conformance/vectors/bundles.json").to_path_buf(), &Value::Array(rows));
    Ok(())
}

fn cases() -> Vec<Case> {
    let all = |case: &str| -> BTreeMap<&'static str, String> {
        kind::ALL.iter().map(|spec| (spec.file, format!("{}/{case}", spec.name))).collect()
    };
    let (whole, own_rules) = (all("valid"), all("own-rules-valid"));
    let mut mixed_rules = whole.clone();
    mixed_rules.insert(kind::SUBMISSION.file, format!("{}/own-rules-valid", kind::SUBMISSION.name));
    let mut cases = vec![
        ("whole".to_owned(), whole.clone()),
        ("whole-own-rules".to_owned(), own_rules),
        ("submission-own-rules".to_owned(), mixed_rules),
    ];
    for spec in kind::ALL {
        let mut without = whole.clone();
        without.remove(spec.file);
        cases.push((format!("without-{}", spec.name), without));
        let attacks = attacks::ALL.iter().filter(|attack| attack.applies_to(spec));
        for attack in attacks.filter(|attack| attack.seen_in == SeenIn::Chain || attack.name == "accepted-true") {
            let mut broken = whole.clone();
            broken.insert(spec.file, format!("{}/{}", spec.name, attack.name));
            cases.push((format!("{}-{}", spec.name, attack.name), broken));
        }
    }
    cases
}

fn row((name, sources): &Case, files: &Tree) -> Result<Value> {
    let mut given = bundle::Files::new();
    for (file, case) in sources {
        let path = Path::new("conformance").join(case).join("document.json");
        given.insert(file, files.get(&path).with_context(|| format!("no {}", path.display()))?.clone());
    }
    let (valid, edge, findings) = match bundle::verify(rules(), &given) {
        Ok(_) => (true, None, Vec::new()),
        Err(broken) => (false, broken.edge, rows(&broken.findings)),
    };
    ensure!(valid == name.starts_with("whole"), "the bundle `{name}` is {}", if valid { "let in" } else { "refused" });
    Ok(json!({
        "brokenEdge": edge.map(|edge| json!({ "child": edge.child.kind, "parent": edge.parent.kind })),
        "files": sources.iter().map(|(file, case)| ((*file).to_owned(), json!(format!("{case}/document.json")))).collect::<serde_json::Map<_, _>>(),
        "findings": findings,
        "name": name,
        "valid": valid,
    }))
}

fn rows(findings: &[(&'static ArtifactSpec, svc_core::findings::Findings)]) -> Vec<Value> {
    let of_file = findings.iter().flat_map(|(spec, findings)| findings.iter().map(move |finding| (spec.file, finding)));
    let mut rows: Vec<Value> = of_file
        .map(|(file, finding)| json!({ "file": file, "pointer": finding.pointer.as_str(), "rule": finding.rule.code }))
        .collect();
    rows.sort_by_key(ToString::to_string);
    rows.dedup();
    rows
}
