//! What `svc` must do without: whoever only checks packages builds no runtime, no database and no server.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use svc_gates::{
    process::{command, said},
    programs::Program,
};

/// Crates that only `svc-registry` may link, found in its tree so that a renamed one does not pass unseen.
const OPERATORS_ONLY: &[&str] =
    &["hyper", "libsqlite3-sys", "rusqlite", "svc-journal", "svc-server", "tokio", "tokio-postgres", "tokio-rustls"];

/// Looks through both trees.
pub(crate) fn check() -> Result<String> {
    let [svc, registry] = Program::ALL.map(linked);
    let (svc, registry) = (svc?, registry?);
    let unknown = OPERATORS_ONLY.iter().filter(|name| !registry.contains(**name)).collect::<Vec<_>>();
    ensure!(unknown.is_empty(), "`svc-registry` does not link {unknown:?}; correct the list here");
    let found = OPERATORS_ONLY.iter().filter(|name| svc.contains(**name)).collect::<Vec<_>>();
    ensure!(found.is_empty(), "`svc` links {found:?}; `cargo tree -p svc -e normal -i CRATE` shows why");
    Ok(format!(
        "{} crates in svc and {} in svc-registry; no runtime, database or server in svc",
        svc.len(),
        registry.len()
    ))
}

/// The names of all crates that a program links, on every platform.
fn linked(program: Program) -> Result<BTreeSet<String>> {
    let mut tree = command("cargo", &["tree", "--locked", "--package", program.name(), "--edges", "normal"]);
    tree.args(["--target", "all", "--prefix", "none", "--format", "{p}"]);
    let names = said(&mut tree)?;
    Ok(names.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}
