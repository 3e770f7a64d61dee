//! The step `tests`: every test binary of the workspace and the examples in its documentation.
//!
//! `cargo test` runs one binary after the other, and most end with one slow test while the other cores idle. Here as many
//! binaries run side by side as there are cores. Each is started as Cargo starts it, in its crate's folder; a `cargo test`
//! for each crate would build the dependencies again, with the features that this crate alone asks for. Output is kept, and
//! shown for those that fail.

use std::{
    collections::{BTreeSet, VecDeque},
    path::PathBuf,
    process::{Command, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use crate::{
    process::{command, run, say},
    programs::Programs,
};

/// Binaries that measure memory or short times, and so share the machine with no other: the folder of their crate, and
/// their name.
const ALONE: &[(&str, &str)] = &[("svc-registry", "burden"), ("server", "suite")];

/// Binaries that take longest, and so are started first.
const FIRST: &[(&str, &str)] =
    &[("core", "suite"), ("svc", "binary"), ("svc-registry", "journal"), ("svc", "verify"), ("svc-registry", "serve")];

/// How many of the slowest are told.
const TOLD: usize = 5;

/// Runs tests that the step `tests` leaves out, of binaries by their names. The whole workspace is selected: for some of its
/// crates alone, those below are built again with other features, which takes minutes.
pub(crate) fn run_ignored(binaries: &[&str], names: &[&str]) -> Result<()> {
    // Cargo builds the program of a test's own package only, and tests run both.
    Programs::build()?;
    let mut tests = command("cargo", &["test", "--locked", "--quiet", "--workspace"]);
    for binary in binaries {
        tests.args(["--test", binary]);
    }
    tests.args(["--", "--ignored"]).args(names);
    run(tests)
}

/// Builds everything, then runs it.
pub(crate) fn check() -> Result<()> {
    let suites = built()?;
    for named in ALONE.iter().chain(FIRST) {
        ensure!(
            suites.iter().any(|suite| suite.is_in(&[*named])),
            "no binary of tests is {named:?}; correct the lists here"
        );
    }
    let (alone, mut together): (Vec<Suite>, Vec<Suite>) = suites.into_iter().partition(|suite| suite.is_in(ALONE));
    together.sort_by_key(|suite| !suite.is_in(FIRST));
    let workers = thread::available_parallelism().map_or(2, Into::into);
    let mut results = Results::default();
    results.add(side_by_side(together, workers, |suite| suite.run()));
    results.add(side_by_side(alone, 1, |suite| suite.run()));
    results.end()
}

/// A binary of tests, or the examples in the documentation of all libraries.
#[derive(Debug)]
struct Suite {
    /// The last part of its crate's folder.
    folder: String,
    name: String,
    by: Runner,
}

/// What runs a suite.
#[derive(Debug)]
enum Runner {
    Binary { executable: String, manifest: PathBuf, package: String },
    Cargo(&'static [&'static str]),
}

/// One line of what Cargo tells about a build.
#[derive(Deserialize)]
struct Message {
    reason: String,
    executable: Option<String>,
    manifest_path: Option<String>,
    package_id: Option<String>,
    profile: Option<Profile>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
}

impl Suite {
    /// The suite that a message is about, if it is about one.
    fn of(message: Message) -> Option<Self> {
        if message.reason != "compiler-artifact" || !message.profile?.test {
            return None;
        }
        let (target, executable) = (message.target?, message.executable?);
        let manifest = PathBuf::from(message.manifest_path?);
        let folder = manifest.parent()?.file_name()?.to_string_lossy().into_owned();
        let package = package_name(&message.package_id?, &folder);
        let name = if target.kind.iter().any(|kind| kind == "lib") { "lib".to_owned() } else { target.name };
        Some(Self { folder, name, by: Runner::Binary { executable, manifest, package } })
    }

    fn of_documentation() -> Self {
        let by = Runner::Cargo(&["test", "--workspace", "--doc", "--locked", "--quiet"]);
        Self { folder: "all".to_owned(), name: "documentation".to_owned(), by }
    }

    fn is_in(&self, list: &[(&str, &str)]) -> bool {
        list.iter().any(|(folder, name)| self.folder == *folder && self.name == *name)
    }

    /// Its program, with what Cargo tells a test about its crate.
    fn command(&self) -> Command {
        match &self.by {
            Runner::Cargo(arguments) => command("cargo", arguments),
            Runner::Binary { executable, manifest, package } => {
                let folder = manifest.parent().unwrap_or(manifest);
                let mut tests = command(executable, &["--quiet"]);
                tests.current_dir(folder).env("CARGO_MANIFEST_DIR", folder).env("CARGO_MANIFEST_PATH", manifest);
                tests.env("CARGO_PKG_NAME", package);
                tests
            }
        }
    }

    fn run(&self) -> Ran {
        let start = Instant::now();
        let output = self.command().stdin(Stdio::null()).output();
        let (passed, said) = match output {
            Ok(output) => {
                let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                (output.status.success(), said.concat())
            }
            Err(error) => (false, format!("{:?}: {error}", self.by)),
        };
        let ran = Ran { name: format!("{} {}", self.folder, self.name), passed, said, took: start.elapsed() };
        ran.tell();
        ran
    }
}

/// An id ends with `#name@version`, or with `#version` when the folder has the package's name.
fn package_name(id: &str, folder: &str) -> String {
    let end = id.rsplit('#').next().unwrap_or_default();
    end.split_once('@').map_or(folder, |(name, _)| name).to_owned()
}

/// Builds all test binaries and gives them.
fn built() -> Result<Vec<Suite>> {
    let arguments = ["test", "--workspace", "--locked", "--no-run", "--message-format", "json-render-diagnostics"];
    let mut build: Command = command("cargo", &arguments);
    let output = build.stderr(Stdio::inherit()).output().context("cargo test --no-run")?;
    ensure!(output.status.success(), "the tests do not build");
    let messages = String::from_utf8(output.stdout)?;
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    let mut suites: Vec<Suite> = messages.filter_map(Suite::of).collect();
    suites.push(Suite::of_documentation());
    Ok(suites)
}

/// How one binary ended.
struct Ran {
    name: String,
    passed: bool,
    said: String,
    took: Duration,
}

fn side_by_side<T: Send, R: Send>(items: Vec<T>, workers: usize, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let queue = Mutex::new(VecDeque::from(items));
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    // A statement of its own, so that the queue is free while the work goes on.
                    let next = lock(&queue).pop_front();
                    let Some(item) = next else { return };
                    let result = work(item);
                    lock(&done).push(result);
                }
            });
        }
    });
    done.into_inner().unwrap_or_default()
}

/// Nothing that a thread could leave half done stands behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Ran {
    fn tell(&self) {
        let tests: u32 = self.said.lines().filter_map(passed_tests).sum();
        let seconds = self.took.as_secs_f32();
        if self.passed {
            say(&format!("  {:<24} {tests:>4} passed  {seconds:6.1} s", self.name));
        } else {
            say(&format!("  {:<24} FAILED  {seconds:6.1} s\n{}", self.name, self.said));
        }
    }
}

/// The number in `test result: ok. 12 passed; …`.
fn passed_tests(line: &str) -> Option<u32> {
    let (before, _) = line.strip_prefix("test result: ")?.split_once(" passed;")?;
    before.split_whitespace().last()?.parse().ok()
}

#[derive(Default)]
struct Results(Vec<Ran>);

impl Results {
    fn add(&mut self, ran: Vec<Ran>) {
        self.0.extend(ran);
    }

    /// Tells the slowest, and fails when any failed.
    fn end(mut self) -> Result<()> {
        self.0.sort_by_key(|ran| std::cmp::Reverse(ran.took));
        let slowest = self.0.iter().take(TOLD).map(|ran| format!("{} {} s", ran.name, ran.took.as_secs()));
        say(&format!("  slowest: {}", slowest.collect::<Vec<_>>().join(", ")));
        let failed: BTreeSet<&str> = self.0.iter().filter(|ran| !ran.passed).map(|ran| ran.name.as_str()).collect();
        if !failed.is_empty() {
            bail!("failed: {}", failed.into_iter().collect::<Vec<_>>().join(", "));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(line: &str) -> Option<Suite> {
        Suite::of(serde_json::from_str(line).unwrap())
    }

    #[test]
    fn only_binaries_of_tests_are_run() {
        let artifact = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///x/crates/svc-registry#0.1.0","manifest_path":"/x/crates/svc-registry/Cargo.toml","target":{{"kind":["test"],"name":"burden"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        assert!(suite(r#"{"reason":"build-finished","success":true}"#).is_none());
        assert!(suite(&artifact(false, "\"/x/svc-registry\"")).is_none(), "the program itself");
        assert!(suite(&artifact(true, "null")).is_none());
        let found = suite(&artifact(true, "\"/x/burden-1\"")).unwrap();
        let command = found.command();
        assert_eq!(
            (command.get_program(), command.get_current_dir()),
            ("/x/burden-1".as_ref(), Some("/x/crates/svc-registry".as_ref()))
        );
        assert!(command.get_envs().any(|told| told == ("CARGO_PKG_NAME".as_ref(), Some("svc-registry".as_ref()))));
        assert_eq!(package_name("path+file:///x/crates/cli#svc-cli@0.1.0", "cli"), "svc-cli");
        assert!(found.is_in(ALONE), "it measures memory");
    }

    #[test]
    fn as_many_run_at_once_as_there_are_workers() {
        let running = std::sync::atomic::AtomicUsize::new(0);
        let most = side_by_side((0..6).collect(), 2, |_: u8| {
            let now = running.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
            thread::sleep(Duration::from_millis(50));
            running.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
            now
        });
        assert_eq!((most.len(), most.into_iter().max()), (6, Some(2)));
    }

    #[test]
    fn a_suite_that_fails_fails_the_step_and_is_named() {
        let ran = |name: &str, passed| Ran { name: name.into(), passed, said: String::new(), took: Duration::ZERO };
        let mut results = Results::default();
        results.add(vec![ran("core lib", true), ran("svc-registry serve", false)]);
        assert_eq!(results.end().unwrap_err().to_string(), "failed: svc-registry serve");
        assert_eq!(passed_tests("test result: ok. 12 passed; 0 failed; 1 ignored"), Some(12));
    }
}
