//! The project's own tasks: `cargo xtask generate`, `cargo xtask test`, `cargo xtask dist`, `cargo xtask campaign`.

mod api_description;
mod bundle_cases;
mod campaign;
mod conformance;
mod contracts;
mod dist;
mod generate;
mod journal_database;
mod judge;
mod lifecycle_cases;
mod process;
mod readiness;
mod receipts;
mod reference;
mod reference_journal;
mod sdk;
mod service;
mod supply_chain;
mod test;
mod tree;
mod vector_texts;
mod vectors;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask generate [--check]   write contracts/, conformance/ and docs/reference/, or fail when they are stale
cargo xtask test [STEP]          everything that must pass: format, lints, supply chain, tests, TypeScript SDK, generated files
cargo xtask dist [--debug]       write the release archive to target/dist/
cargo xtask campaign [NAME]      the full-count campaigns, with the result page docs/assurance.md";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate"] => generate::run(generate::Mode::Write),
        ["generate", "--check"] => generate::run(generate::Mode::Check),
        ["judge"] => judge::run(),
        ["test"] => test::run_steps(None),
        ["test", step] => test::run_steps(Some(step)),
        ["dist"] => dist::make(dist::Profile::Release),
        ["dist", "--debug"] => dist::make(dist::Profile::Debug),
        ["campaign"] => campaign::run_campaigns(None),
        ["campaign", name] => campaign::run_campaigns(Some(name)),
        _ => bail!("{USAGE}"),
    }
}
