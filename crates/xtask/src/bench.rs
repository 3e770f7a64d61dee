//! `cargo xtask bench`: builds the product, what measures it and what it is measured against, and runs the suite.

use std::{fs, path::PathBuf};

use anyhow::Result;

use crate::reference_scale;
use svc_gates::{
    debian, journal_database,
    process::{command, root, run, target},
    programs::Program,
    tools,
};

/// How much is measured, and where the report goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Measure<'a> {
    /// Everything, into `bench/`.
    Full,
    /// Everything for two minutes, into the folder of built things.
    Quick,
    /// One section at length, into the folder of built things.
    Section(&'a str),
}

/// Measures.
pub(crate) fn measure(what: Measure<'_>) -> Result<()> {
    tools::expect_node()?;
    debian::require("nghttp2-client", || debian::on_path("h2load"))?;
    debian::require("openssl", || debian::on_path("openssl"))?;
    journal_database::provide()?;
    let mut packages = command("npm", &["ci", "--silent"]);
    packages.current_dir(root().join("bench/reference"));
    run(packages)?;
    Program::ALL.into_iter().try_for_each(|program| run(program.build_release()))?;
    let built = build(&["--features", "allocator", "--bin", "suite", "--bin", "servers"])?;
    let (mode, folder) = match what {
        Measure::Full => ("full", root().join("bench")),
        Measure::Section(_) => ("full", target().join("xtask/bench")),
        Measure::Quick => ("quick", target().join("xtask/bench")),
    };
    let mut suite = command(&built.join("suite").display().to_string(), &[mode]);
    suite.arg(target().join("release")).arg(root()).arg(folder);
    if let Measure::Section(section) = what {
        suite.arg(section);
    }
    run(suite)?;
    // What docs/reference/scale.md is made from.
    if matches!(what, Measure::Section("long-log")) {
        fs::copy(target().join("xtask/bench/report.json"), root().join(reference_scale::MEASURED))?;
    }
    Ok(())
}

/// Builds programs of the harness and gives their folder.
pub(crate) fn build(arguments: &[&str]) -> Result<PathBuf> {
    let mut build = command("cargo", &["build", "--release", "--locked", "--quiet", "--package", "svc-bench"]);
    build.args(arguments);
    run(build)?;
    Ok(target().join("release"))
}
