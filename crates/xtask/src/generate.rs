//! `cargo xtask generate`: everything that is made from the tables and committed.

use anyhow::{Result, bail};

use crate::{
    bundle_cases, conformance, contracts, exchanges, hand_over_cases, index_cases, lifecycle_cases, policies, receipts,
    reference,
    tree::{self, Tree},
    vectors,
};
use svc_gates::{nginx_problems, process};

/// The folders that hold generated files and nothing else (but a README.md).
const OWNED: &[&str] = &["contracts", "conformance", "deploy/nginx", "docs/reference"];

/// Whether to write or to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    Check,
}

/// Runs the task.
pub(crate) fn run(mode: Mode) -> Result<()> {
    let mut files = Tree::new();
    contracts::generate(&mut files);
    reference::generate(&mut files)?;
    let bundles = conformance::Bundles::make()?;
    conformance::generate(&bundles, &mut files)?;
    index_cases::generate(&bundles, &mut files)?;
    lifecycle_cases::generate(&bundles, &mut files)?;
    vectors::generate(&mut files)?;
    bundle_cases::generate(&mut files)?;
    receipts::generate(&bundles, &mut files)?;
    hand_over_cases::generate(&mut files)?;
    policies::generate(&mut files)?;
    exchanges::generate(&mut files)?;
    files.extend(nginx_problems::generate()?.map(|(path, text)| (path.into(), text.into_bytes())));
    let root = process::root();
    match mode {
        Mode::Write => tree::write(&files, &root, OWNED)?,
        Mode::Check => {
            let stale = tree::stale(&files, &root, OWNED)?;
            if !stale.is_empty() {
                bail!("stale generated files; run `cargo xtask generate`:\n{}", stale.join("\n"));
            }
        }
    }
    println_count(files.len(), mode);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
fn println_count(count: usize, mode: Mode) {
    match mode {
        Mode::Write => println!("{count} generated files written"),
        Mode::Check => println!("{count} generated files are current"),
    }
}
