//! The step `typescript`: the SDK, built, tested and checked as it is published; and with its tools, that the committed bundle of
//! `web/` is what its sources give.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use svc_gates::{
    process::{command, root, run, target},
    programs::Programs,
    tools,
};

/// How many documents of the differential test go with every change.
const SLICE: &str = "2000";

/// How many a campaign takes.
const CAMPAIGN: &str = "40000";

/// Builds and checks the package, in Node.
pub(crate) fn check() -> Result<()> {
    build()?;
    run(web(&["web/build.mjs", "--check"]))?;
    run(web(&["--test", "web/test/parts.test.mjs"]))?;
    for script in ["test", "test:types", "test:package"] {
        run(npm(&["run", "--silent", script]))?;
    }
    let mut live = npm(&["run", "--silent", "test:live"]);
    give_programs(&mut live)?.env("SVC_XTASK", std::env::current_exe()?);
    run(live)?;
    run(differential(SLICE)?)
}

/// Tells tests where the programs are.
fn give_programs(tests: &mut Command) -> Result<&mut Command> {
    let Programs { svc, registry } = Programs::build()?;
    Ok(tests.env("SVC_BINARY", svc).env("SVC_REGISTRY_BINARY", registry))
}

/// What pages look like, with the tools of the package.
fn web(arguments: &[&str]) -> Command {
    let mut node = command("node", arguments);
    node.current_dir(root());
    node
}

fn build() -> Result<()> {
    tools::sdk(&[]).map(drop)
}

/// The full count of the differential test: its record for the result page.
pub(crate) fn campaign() -> Result<Value> {
    build()?;
    let records = target().join("xtask/differential");
    let _ = fs::remove_dir_all(&records);
    let mut differential = differential(CAMPAIGN)?;
    differential.env("SVC_CAMPAIGN", &records);
    let passed = run(differential).is_ok();
    let record = fs::read(records.join("differential.json")).context("the differential test left no record")?;
    let record: Value = serde_json::from_slice(&record)?;
    let agreed = record.get("found").and_then(Value::as_array).is_some_and(Vec::is_empty);
    ensure!(passed == agreed, "the differential test and its record disagree");
    Ok(record)
}

/// The test that asks this very program for the core's verdicts.
fn differential(count: &str) -> Result<Command> {
    let mut differential = command("node", &["scripts/differential.mjs", count]);
    differential.current_dir(folder()).env("SVC_JUDGE", std::env::current_exe()?);
    Ok(differential)
}

fn npm(arguments: &[&str]) -> Command {
    let mut npm = command("npm", arguments);
    npm.current_dir(folder());
    npm
}

fn folder() -> PathBuf {
    root().join("sdk/typescript")
}
