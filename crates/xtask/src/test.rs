//! `cargo xtask test` and `cargo xtask gates`: everything that must pass, one step after the other, each failing loudly.
//!
//! `test` is for every change: what needs nothing but Rust and Node, what fails soonest first. `gates` is for what is handed
//! on: what needs a database, a browser, other people's tools or a build of its own. A step that cannot run fails.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Instant,
};

use anyhow::{Context as _, Result, bail};

use crate::{
    alerts, api_description, budget, debian, deploy, exports, generate, getting, imports, journal_database,
    journal_model, journal_readers, mounts,
    process::{command, run, say},
    projects, readiness, receivers, sdk, suites, supply_chain, webhooks,
};

/// A task: stages one after the other, each with steps in one lane, or in several that run side by side.
pub(crate) struct Task {
    name: &'static str,
    stages: &'static [Stage],
}

type Stage = &'static [Lane];
type Lane = &'static [Step];
type Step = (&'static str, fn() -> Result<()>);

/// What every change must pass.
pub(crate) const TEST: Task = Task {
    name: "test",
    stages: &[&[&[
        ("format", || run(command("cargo", &["fmt", "--all", "--check"]))),
        ("circles", imports::check),
        ("generated", || generate::run(generate::Mode::Check)),
        ("tests", suites::check),
        ("typescript", sdk::check),
    ]]],
};

/// What must pass besides before anything is handed on: first what builds and keeps every core busy, then what leaves one free.
/// What shares files is in one lane: the databases and nginx in the first, what npm puts in in the second.
pub(crate) const GATES: Task = Task {
    name: "gates",
    stages: &[
        &[&[
            ("packages", debian::check),
            ("lints", || {
                run(command(
                    "cargo",
                    &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"],
                ))
            }),
            ("getting", getting::check),
            ("allocator", || {
                // Of the whole workspace: for one crate, those below would be built again with fewer features.
                let jemalloc = ["--workspace", "--features", "svc-registry/jemalloc", "--test", "allocator"];
                run(command("cargo", &[&["test", "--locked", "--quiet"], &jemalloc[..]].concat()))
            }),
            ("supply-chain", supply_chain::check),
            ("budget", budget::check),
        ]],
        &[
            &[
                ("readiness", readiness::check),
                ("mounts", mounts::check),
                ("alerts", alerts::check),
                ("deploy", deploy::check),
                ("postgresql", journal_database::check),
                ("journal-readers", journal_readers::check),
            ],
            &[
                ("chromium", sdk::check_in_chromium),
                ("receivers", receivers::check),
                ("exports", exports::check),
                ("webhooks", webhooks::check),
                ("projects", projects::check),
                ("api-description", api_description::check),
                ("model", journal_model::check),
            ],
        ],
        &[&[("lies", || suites::run_ignored(&["suite", "verify"], &["every_lie", "nothing_is_kept_that"]))]],
    ],
};

impl Task {
    /// Runs all steps, or those of these names, in the task's own order.
    pub(crate) fn run(&self, only: &[&str]) -> Result<()> {
        let progress = Progress::of(self, only)?;
        for stage in self.stages {
            let lanes: Vec<Vec<Step>> = stage.iter().map(|lane| progress.chosen_in(lane)).collect();
            let failed: Vec<anyhow::Error> = thread::scope(|scope| {
                let lanes: Vec<_> = lanes
                    .iter()
                    .map(|lane| scope.spawn(|| lane.iter().try_for_each(|step| progress.run(*step))))
                    .collect();
                let ended = lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|_| bail!("a step panicked")));
                ended.filter_map(Result::err).collect()
            });
            if let Some(failure) = failed.into_iter().reduce(|first, other| first.context(other)) {
                return Err(failure);
            }
        }
        say(&format!(
            "{}: {} steps passed in {} s",
            self.name,
            progress.chosen.len(),
            progress.start.elapsed().as_secs()
        ));
        Ok(())
    }

    fn steps(&self) -> impl Iterator<Item = &'static str> {
        self.stages.iter().flat_map(|stage| stage.iter()).flat_map(|lane| lane.iter()).map(|(name, _)| *name)
    }
}

/// How far a task has come.
struct Progress {
    task: &'static str,
    chosen: Vec<&'static str>,
    begun: Mutex<Vec<&'static str>>,
    /// Once a step failed, no other is begun.
    has_failed: AtomicBool,
    start: Instant,
}

impl Progress {
    fn of(task: &Task, only: &[&str]) -> Result<Self> {
        let names: Vec<&str> = task.steps().collect();
        if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
            bail!("`{}` has no step `{unknown}`; its steps are: {}", task.name, names.join(" "));
        }
        let chosen = task.steps().filter(|name| only.is_empty() || only.contains(name)).collect();
        let (begun, has_failed) = (Mutex::default(), AtomicBool::new(false));
        Ok(Self { task: task.name, chosen, begun, has_failed, start: Instant::now() })
    }

    fn chosen_in(&self, lane: Lane) -> Vec<Step> {
        lane.iter().filter(|(name, _)| self.chosen.contains(name)).copied().collect()
    }

    fn run(&self, (name, step): Step) -> Result<()> {
        if self.has_failed.load(Ordering::SeqCst) {
            return Ok(());
        }
        let number = {
            let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            begun.push(name);
            begun.len()
        };
        let place = format!("[{number}/{}] {name}", self.chosen.len());
        say(&format!("{place} …"));
        let start = Instant::now();
        let ended = step();
        let seconds = start.elapsed().as_secs();
        if ended.is_err() {
            self.has_failed.store(true, Ordering::SeqCst);
        }
        ended.with_context(|| {
            let task = self.task;
            format!("{place} failed after {seconds} s; `cargo xtask {task} {name}` runs it alone{}", self.not_run())
        })?;
        say(&format!("{place}: passed in {seconds} s"));
        Ok(())
    }

    fn not_run(&self) -> String {
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let left: Vec<&str> = self.chosen.iter().filter(|name| !begun.contains(name)).copied().collect();
        if left.is_empty() { String::new() } else { format!("; not run: {}", left.join(" ")) }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::ensure;

    use super::*;

    const TWO: Task = Task { name: "two", stages: &[&[&[("good", || Ok(()))]], &[&[("bad", || bail!("no"))]]] };

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

    #[test]
    fn lanes_run_side_by_side_and_what_fails_in_one_is_not_lost() {
        static MET: Mutex<u8> = Mutex::new(0);
        fn meet() -> Result<()> {
            *MET.lock().unwrap() += 1;
            let start = Instant::now();
            while *MET.lock().unwrap() < 2 {
                ensure!(start.elapsed().as_secs() < 20, "the other lane did not run");
                thread::yield_now();
            }
            Ok(())
        }
        fn last() -> Result<()> {
            bail!("never begun")
        }
        let task = Task {
            name: "lanes",
            stages: &[&[&[("one", meet)], &[("two", meet), ("bad", || bail!("no"))]], &[&[("last", last)]]],
        };
        let failure = task.run(&[]).unwrap_err().to_string();
        assert!(failure.contains("bad failed") && failure.ends_with("not run: last"), "{failure}");
    }

    /// They are given on a command line.
    #[test]
    fn the_name_of_a_step_is_one_word_and_stands_in_one_task() {
        let mut names: Vec<&str> = TEST.steps().chain(GATES.steps()).collect();
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
