//! The step `circles`: no files of a crate import each other in a circle. Cargo holds the walls between crates.
//!
//! It reads the sources itself, without a compiler: names are followed through re-exports, globs and macros to the file that
//! defines them, so that a re-export hides no circle. `mod`, `pub use` and test code count for nothing.

mod graph;
mod modules;
mod source;
pub(crate) mod test_code;
#[cfg(test)]
mod tests;
pub(crate) mod token;

use anyhow::{Result, ensure};

use self::{
    graph::Graph,
    modules::{Files, Member, Modules},
};
use crate::sources;

/// Fails with one path around each circle.
pub(crate) fn check() -> Result<()> {
    let files = sources::of_workspace()?;
    let members: Vec<Member> = sources::members()?.iter().map(|folder| member(folder, &files)).collect();
    let circles = Graph::of(&Modules::read(&members, &files)).circles();
    let shown: Vec<String> = circles.iter().map(ToString::to_string).collect();
    ensure!(circles.is_empty(), "{} circles:\n{}", circles.len(), shown.join("\n"));
    Ok(())
}

/// A crate by its folder: the library, the program and what lies in `src/bin`.
fn member(folder: &str, files: &Files) -> Member {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    let own = ["lib.rs", "main.rs"].map(|name| format!("{folder}/src/{name}"));
    let others = format!("{folder}/src/bin/");
    let others = files.keys().filter(|file| file.strip_prefix(&others).is_some_and(|name| !name.contains('/')));
    let roots = own.into_iter().filter(|file| files.contains_key(file)).chain(others.cloned()).collect();
    Member { name: format!("svc_{name}"), roots }
}
