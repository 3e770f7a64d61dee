//! The SDK on a page, the page of a report, and the pages of the console, in a real browser.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use svc_gates::{
    debian,
    process::{command, run},
    programs::Programs,
    tools,
};

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

pub(crate) fn check() -> Result<()> {
    let chromium = chromium()?;
    let Programs { svc, registry } = Programs::build()?;
    let live = tools::sdk(&["run", "--silent", "test:browser"])?;
    let pages = command("node", &[&["--test", "--test-concurrency=2"], PAGE_TESTS].concat());
    for mut tests in [live, pages] {
        tests.env("SVC_BINARY", &svc).env("SVC_REGISTRY_BINARY", &registry).env("SVC_CHROMIUM", &chromium);
        run(tests)?;
    }
    Ok(())
}

fn chromium() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os("SVC_CHROMIUM") {
        return Ok(PathBuf::from(named));
    }
    debian::require("chromium", || debian::on_path("chromium").or_else(|| debian::on_path("chromium-browser")))
        .context("Chromium is needed; SVC_CHROMIUM may name one")
}
