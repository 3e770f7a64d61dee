//! The gate `api-description`: is `openapi.json` well formed, does it generate clients that cannot read a yes, and does the
//! running service keep to it?
//!
//! Other people's tools look at it with other eyes than ours. Three read the description, three make types and clients of
//! it (`clients.rs`), and one makes requests from it, good and bad, and holds every answer to it. One check of that is left
//! out: a body may fit its schema and still be refused, because no schema says that digests fit.

mod clients;
mod tools;

use std::{path::Path, process::Command};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use self::tools::{DESCRIPTION, Tools};
use svc_gates::{
    process::{command, root, run, target},
    programs::Programs,
    service::Service,
};

const SEED: u64 = 1;

/// Makes the requests of a slice: all documents, every example, and two of the six endpoints.
const SLICES: &[&[&str]] = &[
    &["--phases", "coverage", "--exclude-method", "POST"],
    &["--phases", "examples"],
    &["--phases", "coverage", "--include-path", "/api/sdk/registry/publisher-verification"],
    &["--phases", "coverage", "--include-path", "/api/sdk/registry/install-policy"],
];

/// Every route, by the edges of its schema and by chance.
const CAMPAIGN: &[&[&str]] = &[&["--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "60"]];

/// Checks the description, what is generated from it, and a slice of what can be asked.
pub(crate) fn check() -> Result<()> {
    let (tools, programs) = (Tools::provide()?, Programs::build()?);
    lint(&tools)?;
    clients::check(&tools, &programs)?;
    let (_, findings) = ask(&tools, &programs.registry, SLICES)?;
    ensure!(findings.is_empty(), "the service does not keep to its description:\n{}", findings.join("\n"));
    Ok(())
}

/// The full count, and its record.
pub(crate) fn campaign() -> Result<Value> {
    let (cases, found) = ask(&Tools::provide()?, &Programs::build()?.registry, CAMPAIGN)?;
    Ok(json!({
        "counts": [["requests made from the description", cases]],
        "found": found,
        "seed": format!("{SEED:#x}"),
        "tried": "Requests are made from `openapi.json`, at the edges of every schema and by chance; every answer must keep \
                  to it, and none may be a failure of the service.",
    }))
}

/// Without an error and without a warning. Of the rules, one is off: there is nobody to name as a contact.
fn lint(tools: &Tools) -> Result<()> {
    let ruleset = target().join("xtask/spectral.json");
    std::fs::write(&ruleset, r#"{"extends": ["spectral:oas"], "rules": {"info-contact": "off"}}"#)?;
    let ruleset = ruleset.to_string_lossy();
    run(command(&tools.python("openapi-spec-validator"), &[DESCRIPTION]))?;
    let arguments = ["lint", "--quiet", "--fail-severity=warn", "--ruleset", &ruleset, DESCRIPTION];
    run(command(&tools.node("spectral"), &arguments))?;
    let mut redocly = command(&tools.node("redocly"), &["lint", "--extends=recommended", "--format=json", DESCRIPTION]);
    redocly.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    let output = redocly.output().context("redocly")?;
    let report: Value = serde_json::from_slice(&output.stdout).context("the report of redocly")?;
    let totals = report.get("totals").context("redocly counts nothing")?;
    let is_clean = ["errors", "warnings"].iter().all(|name| totals.get(name).and_then(Value::as_u64) == Some(0));
    ensure!(is_clean && output.status.success(), "redocly:\n{report:#}");
    Ok(())
}

/// Asks a running service: how many requests were made, and the reports of the runs that found something.
fn ask(tools: &Tools, registry: &Path, runs: &[&[&str]]) -> Result<(u64, Vec<String>)> {
    // What is asked here is nothing to keep.
    let service = Service::start(registry, &["--journal", "off"])?;
    let (mut cases, mut findings) = (0, Vec::new());
    for arguments in runs {
        let output = asking(tools, &service.url, arguments).output().context("schemathesis")?;
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        cases += generated(&report).with_context(|| format!("no count in\n{report}"))?;
        if !output.status.success() {
            findings.push(report);
        }
    }
    Ok((cases, findings))
}

fn asking(tools: &Tools, url: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(tools.python("schemathesis"));
    // It leaves files where it stands.
    command.current_dir(target().join("xtask")).arg("run").arg(root().join(DESCRIPTION));
    command.args(["--url", url, "--checks", "all", "--exclude-checks", "positive_data_acceptance"]);
    command.args(["--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure", "--workers", "2"]);
    command.args(["--seed", &SEED.to_string()]).args(arguments);
    command
}

/// The number before `generated` in the closing lines.
fn generated(report: &str) -> Option<u64> {
    let line = report.lines().find(|line| line.contains(" generated, "))?;
    line.split_whitespace().next()?.parse().ok()
}
