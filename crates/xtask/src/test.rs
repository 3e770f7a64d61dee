//! `cargo xtask test` and `cargo xtask gates`: everything that must pass, one step after the other, each failing loudly.
//!
//! `test` is for every change: what needs nothing but Rust, Node and Python, what fails soonest first. `gates` is for what is
//! handed on: what needs a database, a browser or other programs of others. A gate is an ignored test of the workspace. A step
//! that cannot run fails.

use std::{fmt::Write as _, fs, path::PathBuf, time::Instant};

use anyhow::{Context as _, Result, bail};
use svc_gates::{
    debian,
    process::{command, run, say, target},
};

use crate::{budget, circles, generate, sdk, suites};

/// A task: steps one after the other.
pub(crate) struct Task {
    name: &'static str,
    steps: &'static [Step],
}

type Step = (&'static str, fn() -> Result<()>);

/// What every change must pass.
pub(crate) const TEST: Task = Task {
    name: "test",
    steps: &[
        ("format", || run(command("cargo", &["fmt", "--all", "--check"]))),
        ("circles", circles::check),
        ("lints", || {
            let lints = ["clippy", "--workspace", "--all-targets", "--locked", "--profile", "test", "--quiet", "--"];
            run(command("cargo", &[&lints[..], &["--deny", "warnings"]].concat()))
        }),
        ("generated", || generate::run(generate::Mode::Check)),
        ("tests", suites::check),
        ("typescript", sdk::check),
    ],
};

/// What must pass besides before anything is handed on.
pub(crate) const GATES: Task = Task {
    name: "gates",
    steps: &[
        ("packages", debian::check),
        ("ignored", || suites::gates(&[])),
        ("allocator", || {
            // Of the whole workspace: for one crate, those below would be built again with fewer features.
            let jemalloc = ["--workspace", "--features", "svc-registry/jemalloc", "--test", "allocator"];
            run(command("cargo", &[&["test", "--locked", "--quiet"], &jemalloc[..]].concat()))
        }),
        ("budget", budget::check),
    ],
};

impl Task {
    /// Runs all steps, or those of these names.
    pub(crate) fn run(&self, only: &[&str]) -> Result<()> {
        if let Some(unknown) = only.iter().find(|name| !self.steps.iter().any(|(step, _)| step == *name)) {
            let names: Vec<&str> = self.steps.iter().map(|(name, _)| *name).collect();
            bail!("`{}` has no step `{unknown}`; its steps are: {}", self.name, names.join(" "));
        }
        let chosen = self.steps.iter().filter(|(name, _)| only.is_empty() || only.contains(name));
        let chosen: Vec<&Step> = chosen.collect();
        let (begun, mut times) = (Instant::now(), String::new());
        for ((name, step), number) in chosen.iter().zip(1..) {
            let place = format!("[{number}/{}] {name}", chosen.len());
            say(&format!("{place} …"));
            let start = Instant::now();
            let ended = step();
            let seconds = start.elapsed().as_secs();
            let task = self.name;
            ended.with_context(|| {
                format!("{place} failed after {seconds} s; `cargo xtask {task} {name}` runs it alone")
            })?;
            say(&format!("{place}: passed in {seconds} s"));
            writeln!(times, "{seconds:>8} s         {task} {name}")?;
            fs::write(times_file(task)?, &times)?;
        }
        say(&format!("{}: {} steps passed in {} s", self.name, chosen.len(), begun.elapsed().as_secs()));
        Ok(())
    }

    /// Runs gates by their names, or by a part of them.
    pub(crate) fn run_gates(names: &[&str]) -> Result<()> {
        let is_step = |name: &&str| GATES.steps.iter().any(|(step, _)| step == name);
        if names.iter().all(is_step) { GATES.run(names) } else { suites::gates(names) }
    }
}

/// How long the steps took, each time they last ran.
pub(crate) fn last_times() -> String {
    let times = [&TEST, &GATES].map(|task| times_file(task.name).and_then(|file| Ok(fs::read_to_string(file)?)));
    times.map(Result::unwrap_or_default).concat().trim_end().to_owned()
}

fn times_file(task: &str) -> Result<PathBuf> {
    let folder = target().join("xtask");
    fs::create_dir_all(&folder)?;
    Ok(folder.join(format!("times-{task}.txt")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Task = Task { name: "two", steps: &[("good", || Ok(())), ("bad", || bail!("no"))] };

    #[test]
    fn a_step_that_does_not_exist_is_refused_with_those_that_do() {
        let refusal = TWO.run(&["good", "best"]).unwrap_err().to_string();
        assert_eq!(refusal, "`two` has no step `best`; its steps are: good bad");
    }

    #[test]
    fn a_failed_step_is_named_with_the_way_to_run_it_alone() {
        let failure = TWO.run(&[]).unwrap_err().to_string();
        assert!(failure.starts_with("[2/2] bad failed after 0 s; `cargo xtask two bad`"), "{failure}");
        assert!(TWO.run(&["good"]).is_ok());
    }
}
