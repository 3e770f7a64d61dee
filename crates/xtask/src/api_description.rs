//! The gate `api-description`: is `openapi.json` well formed, and does the running service keep to it?
//!
//! Two tools of the Python index look at it with other eyes than ours: one reads the description, one makes requests from
//! it, good and bad, and holds every answer to it. One check is left out: a body may fit its schema and still be refused,
//! because no schema says that digests fit.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::{
    process::{built_svc, command, root, run, target},
    service::Service,
};

const PACKAGES: &[&str] = &["openapi-spec-validator==0.9.0", "schemathesis==4.32.5"];
const DESCRIPTION: &str = "contracts/openapi.json";
const SEED: u64 = 1;

/// Makes the requests of a slice: all documents, and two of the six endpoints.
const SLICES: &[&[&str]] = &[
    &["--phases", "coverage", "--exclude-method", "POST"],
    &["--phases", "coverage", "--include-path", "/api/sdk/registry/publisher-verification"],
    &["--phases", "coverage", "--include-path", "/api/sdk/registry/install-policy"],
];

/// Every route, by the edges of its schema and by chance.
const CAMPAIGN: &[&[&str]] = &[&["--phases", "coverage,fuzzing,stateful", "--max-examples", "60"]];

/// Checks the description, and a slice of what can be asked.
pub(crate) fn check() -> Result<()> {
    let tools = installed()?;
    run(command(&tools.join("openapi-spec-validator").to_string_lossy(), &[DESCRIPTION]))?;
    let (_, findings) = ask(SLICES)?;
    ensure!(findings.is_empty(), "the service does not keep to its description:\n{}", findings.join("\n"));
    Ok(())
}

/// The full count, and its record.
pub(crate) fn campaign() -> Result<Value> {
    let (cases, found) = ask(CAMPAIGN)?;
    Ok(json!({
        "counts": [["requests made from the description", cases]],
        "found": found,
        "seed": format!("{SEED:#x}"),
        "tried": "Requests are made from `openapi.json`, at the edges of every schema and by chance; every answer must keep \
                  to it, and none may be a failure of the service.",
    }))
}

/// Asks a running service: how many requests were made, and the reports of the runs that found something.
fn ask(runs: &[&[&str]]) -> Result<(u64, Vec<String>)> {
    let tools = installed()?;
    let service = Service::start(&built_svc()?, &[])?;
    let (mut cases, mut findings) = (0, Vec::new());
    for arguments in runs {
        let output = asking(&tools, &service.url, arguments).output().context("schemathesis")?;
        let report = String::from_utf8_lossy(&output.stdout).into_owned();
        cases += generated(&report).with_context(|| format!("no count in\n{report}"))?;
        if !output.status.success() {
            findings.push(report);
        }
    }
    Ok((cases, findings))
}

fn asking(tools: &std::path::Path, url: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(tools.join("schemathesis"));
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

/// The folder of the tools, made when it is missing or holds other versions.
fn installed() -> Result<PathBuf> {
    let folder = target().join("tools/python");
    let (bin, stamp) = (folder.join("bin"), folder.join("packages.txt"));
    let wanted = PACKAGES.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(bin);
    }
    let folder = folder.to_string_lossy();
    run(command("python3", &["-m", "venv", "--clear", &folder])).context("Python 3.11 or newer with venv is needed")?;
    let mut install =
        command(&bin.join("pip").to_string_lossy(), &["install", "--quiet", "--disable-pip-version-check"]);
    install.args(PACKAGES);
    run(install)?;
    fs::write(&stamp, wanted)?;
    Ok(bin)
}
