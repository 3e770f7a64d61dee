//! `cargo xtask test`: everything that must pass, one step after the other, each failing loudly.

use std::time::Instant;

use anyhow::{Context as _, Result};

use crate::{
    api_description, generate,
    process::{command, run},
    readiness, supply_chain,
};

type Step = (&'static str, fn() -> Result<()>);

const STEPS: &[Step] = &[
    ("format", || run(command("cargo", &["fmt", "--all", "--check"]))),
    ("lints", || {
        run(command("cargo", &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"]))
    }),
    ("supply chain", supply_chain::check),
    ("tests", || run(command("cargo", &["test", "--workspace", "--locked", "--quiet"]))),
    ("API description", api_description::check),
    ("registry readiness", readiness::check),
    ("generated files", || generate::run(generate::Mode::Check)),
];

/// Runs all steps.
#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
pub(crate) fn run_steps() -> Result<()> {
    for (name, step) in STEPS {
        println!("== {name}");
        let start = Instant::now();
        step().with_context(|| format!("step `{name}`"))?;
        println!("== {name}: passed in {} s", start.elapsed().as_secs());
    }
    println!("all {} steps passed", STEPS.len());
    Ok(())
}
