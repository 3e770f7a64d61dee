//! `cargo xtask test`: everything that must pass, one step after the other, each failing loudly.

use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::{
    api_description, budget, generate, journal_database,
    process::{command, run},
    readiness, sdk, supply_chain,
};

type Step = (&'static str, fn() -> Result<()>);

const STEPS: &[Step] = &[
    ("format", || run(command("cargo", &["fmt", "--all", "--check"]))),
    ("lints", || {
        run(command("cargo", &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"]))
    }),
    ("supply chain", supply_chain::check),
    ("tests", || run(command("cargo", &["test", "--workspace", "--locked", "--quiet"]))),
    ("budget", budget::check),
    ("journal with PostgreSQL", journal_database::check),
    ("API description", api_description::check),
    ("registry readiness", readiness::check),
    ("TypeScript SDK", sdk::check),
    ("generated files", || generate::run(generate::Mode::Check)),
];

/// Runs all steps, or the one of this name.
#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
pub(crate) fn run_steps(only: Option<&str>) -> Result<()> {
    let chosen: Vec<&Step> = STEPS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = STEPS.iter().map(|(name, _)| *name).collect();
        bail!("no such step; one of: {}", names.join(", "));
    }
    for (name, step) in &chosen {
        println!("== {name}");
        let start = Instant::now();
        step().with_context(|| format!("step `{name}`"))?;
        println!("== {name}: passed in {} s", start.elapsed().as_secs());
    }
    println!("{} of {} steps passed", chosen.len(), STEPS.len());
    Ok(())
}
