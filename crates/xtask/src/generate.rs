//! `cargo xtask generate`: everything that is made from the tables and committed.

use anyhow::{Result, bail};

use crate::{
    conformance, contracts, exchanges, reference,
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
    let kit = conformance::kit(&conformance::Bundles::make()?)?;
    conformance::generate(&kit, &mut files);
    vectors::generate(&kit, &mut files)?;
    exchanges::generate(&kit, &mut files)?;
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
