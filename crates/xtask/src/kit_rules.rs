//! The rule set `kit-1`, which the documents of the conformance kit name: a rule that is added or changed leaves them as
//! they are.
//!
//! No build of svc has these rules. What they said of the two examples is data, `kit/kit-1.json`; what a report tells of
//! the package itself comes from the package.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    artifact::{checked::Checked, index::Index, submission::Submission},
    attacks,
    decision::Decision,
    findings::Findings,
    read,
};
use svc_json::{canonical, digest::Digest};

/// The word that the digest of the rule set is over.
const NAME: &str = "kit-1";
const VERSION: &str = "1.0.0-kit.1";

/// What the rules said, by the id of the package.
const REPORTS: &str = include_str!("../kit/kit-1.json");

/// The rule set as documents name it.
pub(crate) fn ruleset() -> Value {
    json!({ "digest": digest(), "version": VERSION })
}

/// The digest alone, as records name it.
pub(crate) fn digest() -> String {
    Digest::of(NAME.as_bytes()).to_string()
}

/// The submission as the rules of the kit would have made it.
pub(crate) fn submission(made: &Checked<Submission>) -> Result<Checked<Submission>> {
    let mut document: Value = serde_json::from_slice(&made.to_file())?;
    let package = document.pointer("/package/id").and_then(Value::as_str).context("no package")?.to_owned();
    let reports: Value = serde_json::from_str(REPORTS)?;
    let said = reports.get(&package).and_then(Value::as_object).with_context(|| format!("no report on {package}"))?;
    let report = document.get_mut("reviewReport").and_then(Value::as_object_mut).context("no report")?;
    report.extend(said.clone());
    // The reports of the kit hold no blocker, so that the gates alone are in the way.
    let blockers = document.get_mut("blockers").and_then(Value::as_array_mut).context("no blockers")?;
    blockers.retain(|blocker| blocker.get("gate").is_some());
    let members = document.as_object_mut().context("no object")?;
    members.extend([("ruleset".to_owned(), ruleset()), ("stage".to_owned(), json!("review-report"))]);
    attacks::reseal(&mut document);
    held(read::artifact(rules(), &canonical::to_pretty(&document)))
}

/// The index of these submissions as a build with the rules of the kit would make it.
pub(crate) fn index(submissions: &[Checked<Submission>]) -> Result<Checked<Index>> {
    let mut document: Value =
        serde_json::from_slice(&held(Index::from_submissions(rules(), submissions, None))?.to_file())?;
    document.as_object_mut().context("no object")?.insert("ruleset".to_owned(), ruleset());
    attacks::reseal(&mut document);
    held(read::artifact(rules(), &canonical::to_pretty(&document)))
}

/// The decision of a registry that has the rules of the kit, under the id that it has then.
pub(crate) fn decision(made: &Decision) -> Result<Value> {
    let mut answer = serde_json::to_value(made)?;
    let members = answer.as_object_mut().context("no object")?;
    let rulesets = json!({ "declared": digest(), "equal": true, "own": ruleset() });
    members.insert("ruleset".to_owned(), rulesets);
    members.remove("decisionId");
    members.retain(|name, _| !["receipt", "requestId"].contains(&name.as_str()));
    let id = canonical::digest(members).0.to_string();
    members.insert("decisionId".to_owned(), json!(id));
    Ok(answer)
}

/// What was made, or what is wrong with it.
pub(crate) fn held<T>(made: Result<T, Findings>) -> Result<T> {
    made.or_else(|findings| {
        let told: Vec<String> = findings
            .iter()
            .map(|finding| format!("{} {}: {}", finding.rule.code, finding.pointer.as_str(), finding.message))
            .collect();
        bail!("a document of the kit does not hold:\n{}", told.join("\n"))
    })
}
