//! `cargo xtask test` and `cargo xtask gates`: everything that must pass, one step after the other, each failing loudly.
//!
//! `test` is for every change: what needs nothing but Rust and Node, what fails soonest first. `gates` is for what is handed
//! on: what needs a database, a browser, other people's tools or a build of its own. A step that cannot run fails.

use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::{
    alerts, api_description, budget, deploy, exports, generate, getting, journal_database, journal_model,
    journal_readers, layers, mounts,
    process::{command, run},
    projects, readiness, receivers, sdk, suites, supply_chain, webhooks,
};

/// A task of several steps.
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
        ("layers", layers::check),
        ("generated", || generate::run(generate::Mode::Check)),
        ("tests", suites::check),
        ("typescript", sdk::check),
    ],
};

/// What must pass besides before anything is handed on.
pub(crate) const GATES: Task = Task {
    name: "gates",
    steps: &[
        ("lints", || {
            run(command("cargo", &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"]))
        }),
        ("readiness", readiness::check),
        ("lies", || suites::run_ignored(&["suite", "verify"], &["every_lie", "nothing_is_kept_that"])),
        ("getting", getting::check),
        ("mounts", mounts::check),
        ("alerts", alerts::check),
        ("deploy", deploy::check),
        ("parts", || {
            let parts = ["--package", "svc", "--locked", "--quiet"];
            run(command("cargo", &[&["test"], &parts[..], &["--no-default-features", "--test", "parts"]].concat()))?;
            run(command("cargo", &[&["test"], &parts[..], &["--features", "jemalloc", "--test", "allocator"]].concat()))
        }),
        ("chromium", sdk::check_in_chromium),
        ("receivers", receivers::check),
        ("exports", exports::check),
        ("webhooks", webhooks::check),
        ("projects", projects::check),
        ("api-description", api_description::check),
        ("postgresql", journal_database::check),
        ("model", journal_model::check),
        ("journal-readers", journal_readers::check),
        ("supply-chain", supply_chain::check),
        ("budget", budget::check),
    ],
};

impl Task {
    /// Runs all steps, or those of these names, in the task's own order.
    pub(crate) fn run(&self, only: &[&str]) -> Result<()> {
        let chosen = self.chosen(only)?;
        let start = Instant::now();
        for ((name, step), number) in chosen.iter().zip(1..) {
            let place = format!("[{number}/{}] {name}", chosen.len());
            say(&format!("{place} …"));
            let start = Instant::now();
            step().with_context(|| {
                let left: Vec<&str> = chosen.iter().skip(number).map(|(name, _)| *name).collect();
                let left = if left.is_empty() { String::new() } else { format!("; not run: {}", left.join(" ")) };
                let (task, seconds) = (self.name, start.elapsed().as_secs());
                format!("{place} failed after {seconds} s; `cargo xtask {task} {name}` runs it alone{left}")
            })?;
            say(&format!("{place}: passed in {} s", start.elapsed().as_secs()));
        }
        say(&format!("{}: {} steps passed in {} s", self.name, chosen.len(), start.elapsed().as_secs()));
        Ok(())
    }

    fn chosen(&self, only: &[&str]) -> Result<Vec<&'static Step>> {
        let names: Vec<&str> = self.steps.iter().map(|(name, _)| *name).collect();
        if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
            bail!("`{}` has no step `{unknown}`; its steps are: {}", self.name, names.join(" "));
        }
        Ok(self.steps.iter().filter(|(name, _)| only.is_empty() || only.contains(name)).collect())
    }
}

#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
fn say(text: &str) {
    println!("{text}");
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

    /// They are given on a command line.
    #[test]
    fn the_name_of_a_step_is_one_word_and_stands_in_one_task() {
        let mut names: Vec<&str> = TEST.steps.iter().chain(GATES.steps).map(|(name, _)| *name).collect();
        assert!(names.iter().all(|name| !name.contains(' ')), "{names:?}");
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let told: Vec<&str> = crate::USAGE.split_whitespace().collect();
        let untold: Vec<&&str> = names.iter().filter(|name| !told.contains(*name)).collect();
        assert!(untold.is_empty(), "the usage does not name {untold:?}");
    }
}
