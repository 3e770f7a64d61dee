//! The step `layers`: the crates and the files of each crate stand on floors, and import downwards only.
//!
//! ARCHITECTURE.md states the floors, in blocks that this step reads (`plan.rs`). It reads the sources itself, without a
//! compiler: names are followed through re-exports, globs and macros to the file that defines them, so that a re-export
//! hides no circle. `mod`, `pub use` and test code count for nothing.

mod faults;
mod graph;
mod manifest;
mod modules;
mod plan;
mod source;
pub(crate) mod test_code;
#[cfg(test)]
mod tests;
pub(crate) mod token;

use std::fs;

use anyhow::{Context as _, Result, anyhow, bail, ensure};

use self::{
    faults::{House, PAGE},
    graph::Graph,
    manifest::Manifest,
    modules::{Files, Modules},
    plan::Plan,
};
use crate::{process::root, sources};

/// Crates whose circles are known and being mended. The list only ever gets shorter.
const EXEMPT: &[&str] = &[];

/// Compares the code with the floors.
pub(crate) fn check() -> Result<()> {
    let sources = Sources::read()?;
    let page = fs::read_to_string(root().join(PAGE)).context(PAGE)?;
    let plan = Plan::read(&page).map_err(|fault| anyhow!("{PAGE}, {fault}"))?;
    let Sources { manifests, files, modules, graph } = &sources;
    let house = House { plan: &plan, manifests, files, modules, graph };
    let faults = house.faults(EXEMPT);
    ensure!(faults.is_empty(), "{} faults in the layers:\n{}", faults.len(), faults.join("\n"));
    for folder in EXEMPT.iter().filter(|folder| graph.circles().iter().all(|circle| !circle.is_in(folder))) {
        say(&format!("{folder} has no circle any more and need not be exempt"));
    }
    let unordered = plan.floors.iter().filter(|(_, floors)| floors.0.is_empty()).map(|(folder, _)| folder.as_str());
    let unordered: Vec<&str> = unordered.collect();
    say(&format!("{} files of {} crates read", graph.files().count(), manifests.len()));
    say(&format!("without floors: {}; circles allowed: {}", unordered.join(" "), EXEMPT.join(" ")));
    Ok(())
}

/// Prints one way around each circle, also in the crates that are exempt.
pub(crate) fn circles() -> Result<()> {
    let circles = Sources::read()?.graph.circles();
    for circle in &circles {
        say(&circle.to_string());
    }
    say(&format!("{} circles", circles.len()));
    Ok(())
}

/// Prints the files that a file needs.
pub(crate) fn reach(file: &str) -> Result<()> {
    let sources = Sources::read()?;
    if !sources.graph.files().any(|known| known == file) {
        bail!("{file} is no source file of the workspace; name it from the root, such as crates/core/src/lib.rs");
    }
    let reached = sources.graph.reach(file);
    for other in &reached {
        say(other);
    }
    let folder = file.split_once("/src/").map_or("", |(folder, _)| folder);
    let own = reached.iter().filter(|other| other.starts_with(&format!("{folder}/"))).count();
    say(&format!("{file} reaches {} files, {own} of them in {folder}", reached.len()));
    Ok(())
}

/// Prints a block of floors for the sources in a folder as they stand, to start from.
pub(crate) fn floors(folder: &str) -> Result<()> {
    let folder = format!("{}/", folder.trim_end_matches('/'));
    for floor in Sources::read()?.graph.floors(&folder) {
        let names: Vec<&str> = floor.iter().filter_map(|file| file.strip_prefix(&folder)).collect();
        say(&names.join(" "));
    }
    Ok(())
}

/// The code as it stands.
struct Sources {
    manifests: Vec<Manifest>,
    files: Files,
    modules: Modules,
    graph: Graph,
}

impl Sources {
    fn read() -> Result<Self> {
        let folders = sources::members()?;
        let files = sources::of_workspace()?;
        let manifests = folders.iter().map(|folder| {
            let text = fs::read_to_string(root().join(folder).join("Cargo.toml")).with_context(|| folder.clone())?;
            Manifest::read(folder, &text, &files).with_context(|| folder.clone())
        });
        let manifests: Vec<Manifest> = manifests.collect::<Result<_>>()?;
        let members: Vec<_> = manifests.iter().map(|manifest| manifest.member.clone()).collect();
        let modules = Modules::read(&members, &files);
        let graph = Graph::of(&modules);
        Ok(Self { manifests, files, modules, graph })
    }
}

#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
fn say(text: &str) {
    println!("{text}");
}
