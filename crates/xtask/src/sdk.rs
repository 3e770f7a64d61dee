//! The step `typescript` and the gate `chromium`: built, tested and checked as it is published, and with its tools what pages
//! look like: the committed bundle of `web/` is what its sources give, and the page of a report and those of the console are
//! looked at in Chromium.
//!
//! What is missing is said: Node and npm are asked for by name, Chromium is put in from Debian's packages where that can
//! be done and is otherwise named in the error. Nothing is skipped.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::{
    debian,
    process::{command, root, run, target},
    programs::Programs,
};

/// How many documents of the differential test go with every change.
const SLICE: &str = "2000";

/// How many a campaign takes.
const CAMPAIGN: &str = "40000";

const OLDEST_NODE: u32 = 20;

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

/// What is looked at with a browser, or is held against the built program: two at once, because each starts its own.
const PAGE_TESTS: &[&str] = &[
    "web/test/report.test.mjs",
    "web/test/model.test.mjs",
    "web/test/console-text.test.mjs",
    "web/test/console-inspector.test.mjs",
    "web/test/console-journal.test.mjs",
    "web/test/console-alarm.test.mjs",
    "web/test/console-outage.test.mjs",
    "web/test/console-service.test.mjs",
    "web/test/console-access.test.mjs",
    "web/test/images.test.mjs",
];

/// Checks the built package on a page, the page of a report, and the pages of the console.
pub(crate) fn check_in_chromium() -> Result<()> {
    let chromium = chromium()?;
    build()?;
    let mut live = npm(&["run", "--silent", "test:browser"]);
    give_programs(&mut live)?.env("SVC_CHROMIUM", &chromium);
    run(live)?;
    let mut pages = web(&[&["--test", "--test-concurrency=2"], PAGE_TESTS].concat());
    give_programs(&mut pages)?.env("SVC_CHROMIUM", &chromium);
    run(pages)
}

/// Tells tests where the programs are.
fn give_programs(tests: &mut Command) -> Result<&mut Command> {
    let Programs { svc, registry } = Programs::build()?;
    Ok(tests.env("SVC_BINARY", svc).env("SVC_REGISTRY_BINARY", registry))
}

/// A script of the built package.
pub(crate) fn built_npm(arguments: &[&str]) -> Result<Command> {
    build()?;
    Ok(npm(arguments))
}

/// What pages look like, with the tools of the package.
fn web(arguments: &[&str]) -> Command {
    let mut node = command("node", arguments);
    node.current_dir(root());
    node
}

fn build() -> Result<()> {
    expect_node()?;
    run(npm(&["ci"]))?;
    run(npm(&["run", "--silent", "build"]))
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

/// A Node that is new enough.
pub(crate) fn expect_node() -> Result<()> {
    let said = command("node", &["--version"]).output().context("Node 20 or later is needed, and is not here")?;
    let version = String::from_utf8_lossy(&said.stdout).trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    ensure!(major.is_some_and(|major| major >= OLDEST_NODE), "Node 20 or later is needed, and this is {version}");
    Ok(())
}

/// Chromium, put in from Debian's packages where it is missing.
fn chromium() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("SVC_CHROMIUM") {
        return Ok(PathBuf::from(named));
    }
    debian::require("chromium", || debian::on_path("chromium").or_else(|| debian::on_path("chromium-browser")))
        .context("Chromium is needed; SVC_CHROMIUM may name one")
}
