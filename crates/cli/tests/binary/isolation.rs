//! No network and no other program, whatever an offline command is given.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
    process, thread,
    time::{Duration, Instant},
};

use crate::{
    bundle::{Bundle, example},
    campaign::Record,
    commands::thirteen,
    folder,
    svc::{SVC, Svc, svc},
};

/// Calls that reach for the network, and calls that start a program.
const NETWORK: &str = "socket,socketpair,connect,bind,listen,accept,accept4,sendto,sendmsg,sendmmsg";
const PROGRAMS: &str = "execve,execveat,fork,vfork,clone,clone3";

#[test]
fn no_command_opens_a_socket_or_starts_a_program() {
    let bundle = Bundle::new();
    let runs = offline_runs(&bundle);
    let (how, found) = if strace_works() {
        ("offline commands under strace", runs.iter().filter_map(|run| traced(run)).collect())
    } else {
        let how = "offline commands seen through /proc at their end, because strace does not run here";
        (how, runs.iter().filter_map(|run| seen_at_its_end(run)).collect())
    };
    let counts = vec![(how.to_owned(), runs.len())];
    let tried = "Every offline command runs; a socket, a connection or a second program would be a finding.";
    Record { name: "isolation", tried, counts, found }.close();
}

pub(crate) fn offline_runs(bundle: &Bundle) -> Vec<Vec<String>> {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let index = text(&bundle.path(&svc_core::words::kind::INDEX));
    let submission = text(&bundle.path(&svc_core::words::kind::SUBMISSION));
    let (folder, package) = (text(bundle.folder()), text(&example("weather-board")));
    let mut runs: Vec<Vec<String>> = thirteen()
        .iter()
        .map(|command| vec!["app".to_owned(), command.name.to_owned(), text(&command.good_input(bundle))])
        .collect();
    #[cfg(feature = "server")]
    let contracts = text(&example("../contracts"));
    let others: &[&[&str]] = &[
        &["app", "validate", &index],
        &["app", "verify", &folder, "--package", &package],
        &["app", "preflight", &package, "--out-dir", "bundle"],
        &["app", "init", "new-package"],
        &["app", "inspect", &index],
        &["app", "plan", &submission],
        &["app", "publisher", &package],
        &["app", "pack", "missing.json"],
        &["lifecycle", &index],
        &["contract", "ruleset"],
        &["schema", "app-manifest"],
        &["completions", "bash"],
        &["man"],
        #[cfg(feature = "server")]
        &["token", "create", "ci", "--file", "tokens.json"],
        #[cfg(feature = "server")]
        &["token", "list", "--file", "tokens.json"],
        #[cfg(feature = "server")]
        &["token", "revoke", "ci", "--file", "tokens.json"],
        #[cfg(feature = "server")]
        &["verify", "local", "--contracts", &contracts],
        &["explain", "gates"],
        &["--help"],
        &["nonsense"],
    ];
    runs.extend(others.iter().map(|run| run.iter().map(|word| (*word).to_owned()).collect()));
    runs
}

fn strace_works() -> bool {
    let probe = process::Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    probe.is_ok_and(|output| output.status.success())
}

/// What `strace` saw, unless it was one program, its own threads and no network.
fn traced(arguments: &[String]) -> Option<String> {
    let folder = folder::empty();
    let log = folder.path().join("strace.log");
    let mut strace = process::Command::new("strace");
    strace.args(["-f", "-qq", "-e", &format!("trace={NETWORK},{PROGRAMS}"), "-o"]).arg(&log).arg(SVC);
    Svc::of(strace, "strace svc").args(arguments).in_folder(folder.path()).run();
    let log = fs::read_to_string(&log).unwrap();
    // `???( <detached ...>` is strace's word for a thread that ended before its call was known. A call that it names is one.
    let is_call = |line: &&str| line.contains('(') && !line.ends_with("???( <detached ...>");
    let calls: Vec<&str> = log.lines().filter(is_call).collect();
    let programs = calls.iter().filter(|line| line.contains("execve(")).count();
    let is_allowed = |line: &&&str| line.contains("execve(") || line.contains("CLONE_THREAD");
    let others: Vec<&&str> = calls.iter().filter(|line| !is_allowed(line)).collect();
    (programs != 1 || !others.is_empty()).then(|| format!("{arguments:?}: {programs} programs, {others:?}"))
}

/// What a run holds when it waits to print its result into a full pipe, unless it is neither a socket nor a child.
fn seen_at_its_end(arguments: &[String]) -> Option<String> {
    let folder = folder::empty();
    let (reader, mut writer) = io::pipe().unwrap();
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
    while writer.write(&[0; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::empty()).unwrap();
    let mut child = svc(arguments).in_folder(folder.path()).start(writer);
    let process = Path::new("/proc").join(child.id().to_string());
    let deadline = Instant::now() + Duration::from_secs(5);
    let mut held = Vec::new();
    while child.try_wait().unwrap().is_none() && Instant::now() < deadline {
        let links = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        let sockets = links.filter_map(|link| fs::read_link(link.path()).ok()).filter(|to| to.starts_with("socket:"));
        held.extend(sockets.map(|to| to.display().to_string()));
        let tasks = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        held.extend(children.filter(|children| !children.trim().is_empty()));
        let waits = fs::read_to_string(process.join("wchan")).is_ok_and(|place| place.contains("pipe"));
        if waits || !held.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    child.wait().unwrap();
    drop(reader);
    (!held.is_empty()).then(|| format!("{arguments:?}: {held:?}"))
}

#[test]
fn the_look_through_proc_sees_nothing_either() {
    let bundle = Bundle::new();
    let found: Vec<String> = offline_runs(&bundle).iter().filter_map(|run| seen_at_its_end(run)).collect();
    assert!(found.is_empty(), "{found:?}");
}
