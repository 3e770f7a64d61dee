//! The program of another commit beside this one, with the same rules and with others: on one log, under load, and each in the
//! place of the other.

use std::{path::Path, thread};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::{
    event::{Event, Stage, address},
    other_program::OtherProgram,
};
use crate::deploy::{
    http, load,
    nodes::{Node, Nodes},
    restarts::BETWEEN,
};
use svc_gates::process::said;

pub(crate) fn side_by_side(stage: &Stage<'_>) -> Result<Vec<Event>> {
    let other = OtherProgram::build()?;
    let what = format!("replacements of both programs, to and from `{}`", other.commit);
    let same = replaced(stage, "same", &other.registry, &what)?;
    let changed = replaced(stage, "changed", &other.with_other_rules, &format!("{what} with a changed rule"))?;
    let differ = rule_set(&other.with_other_rules)? != rule_set(stage.registry)?;
    Ok(vec![same, changed.must("the rule sets are to differ", differ)])
}

fn replaced(stage: &Stage<'_>, name: &str, other: &Path, what: &str) -> Result<Event> {
    // The older one begins the log, as it did on the machines where it runs.
    let mut nodes = Nodes::prepare(other, &stage.folder.join(name))?;
    nodes.up()?;
    let proxy = stage.before(&nodes)?;
    let rounds = stage.times.div_ceil(2);
    let (seen, ()) = load::under_load(address(&proxy)?, &load::requests()?, || {
        for program in [stage.registry, other].into_iter().cycle().take(rounds * 2) {
            for node in &mut nodes.nodes {
                replace(node, program)?;
                has_its_own_rules(node)?;
            }
        }
        // Side by side for longer than on the way.
        replace(nodes.nodes.first_mut().context("no node")?, stage.registry)?;
        thread::sleep(BETWEEN);
        nodes.nodes.iter().try_for_each(has_its_own_rules)
    })?;
    let event = Event::unnoticed(what, rounds * 2, seen)
        .must("a node is not ready", nodes.nodes.iter().all(Node::is_ready))
        .holds(nodes.log_holds().context("each log by its own program"));
    let programs = [other.to_owned(), stage.registry.to_owned()];
    nodes.nodes.iter_mut().zip(programs).for_each(|(node, program)| node.registry = program);
    Ok(event.holds(nodes.log_holds().context("each log by the other program")))
}

fn replace(node: &mut Node, program: &Path) -> Result<()> {
    thread::sleep(BETWEEN);
    node.stop()?;
    node.registry = program.to_owned();
    node.up()
}

/// What a node says of its rules is what its program says.
fn has_its_own_rules(node: &Node) -> Result<()> {
    let version: Value = serde_json::from_slice(&http::ask(&node.address, &http::get("/version"))?.body)?;
    let (own, told) = (rule_set(&node.registry)?, version.to_string());
    ensure!(told.contains(&own), "a node of the rule set {own} says {told}");
    Ok(())
}

/// The digest in the last words of `svc-registry --version`.
fn rule_set(registry: &Path) -> Result<String> {
    let told = said(std::process::Command::new(registry).arg("--version"))?;
    let digest = told.split_whitespace().find(|word| word.starts_with("sha256:"));
    Ok(digest.with_context(|| format!("no digest in {told}"))?.to_owned())
}
