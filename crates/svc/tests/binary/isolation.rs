//! No network and no other program, whatever an offline command is given. A command that reads a package starts this very
//! program to read its code, and nothing else.

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
    svc::{SVC, Svc, command_line, program_path},
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
        let how = "offline commands seen through /proc while they run, because strace does not run here";
        (how, runs.iter().filter_map(|run| seen_at_its_end(run)).collect())
    };
    let counts = vec![(how.to_owned(), runs.len())];
    let tried = "Every offline command runs; a socket, a connection or a second program would be a finding, but for svc \
                 itself as the reader of a package's code.";
    Record { name: "isolation", tried, counts, found }.close();
}

pub(crate) fn offline_runs(bundle: &Bundle) -> Vec<Vec<String>> {
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let index = text(&bundle.path(&svc_core::words::kind::INDEX));
    let submission = text(&bundle.path(&svc_core::words::kind::SUBMISSION));
    let (folder, package) = (text(bundle.folder()), text(&example("weather-board")));
    let manifest = text(&example("weather-board").join("svc-app.json"));
    // A folder with code and without a manifest of ours.
    let in_use = text(&example("catalog-preview"));
    let mut runs: Vec<Vec<String>> = thirteen()
        .iter()
        .map(|command| {
            vec!["svc".to_owned(), "app".to_owned(), command.name.to_owned(), text(&command.good_input(bundle))]
        })
        .collect();
    let contracts = text(&example("../contracts"));
    let others: &[&[&str]] = &[
        &["app", "validate", &index],
        &["app", "verify", &folder, "--package", &package],
        &["app", "preflight", &package, "--out-dir", "bundle"],
        &["app", "init", "new-package"],
        &["app", "init", "--dry-run", &in_use],
        &["app", "files", &package],
        &["app", "validate", &manifest],
        &["app", "inspect", &index],
        &["app", "plan", &submission],
        &["app", "diff", &submission, &submission],
        &["app", "check", &package],
        &["app", "export", &folder, "--as", "oci"],
        &["app", "publisher", &package],
        &["app", "report", &folder, "--package", &package, "--against", &folder],
        &["app", "report", &folder, "--markdown"],
        &["app", "pack", "missing.json"],
        &["lifecycle", &index],
        &["contract", "ruleset"],
        &["schema", "app-manifest"],
        &["completions", "bash"],
        &["man"],
        &["log", "check-evidence", &folder, "--public-key", &manifest],
        &["verify", "local", "--contracts", &contracts],
        &["explain", "gates"],
        &["--help"],
        &["nonsense"],
    ];
    let of_registry: &[&[&str]] = &[
        &["token", "create", "ci", "--file", "tokens.json"],
        &["token", "list", "--file", "tokens.json"],
        &["token", "revoke", "ci", "--file", "tokens.json"],
        &["events", "add", "audit", "https://127.0.0.1/", "--data-dir", "data"],
        &["events", "list", "--data-dir", "data"],
        &["witness", "init", "--state", "witness", "--name", "witness.example/w1"],
        &["completions", "bash"],
        &["man"],
    ];
    let words = |program: &str, run: &[&str]| [&[program], run].concat().into_iter().map(str::to_owned).collect();
    runs.extend(others.iter().map(|run| words("svc", run)));
    runs.extend(of_registry.iter().map(|run| words("svc-registry", run)));
    runs
}

/// The one argument that makes svc a reader of code.
const READER: &str = "read-code-for-svc";

/// Whether a command reads the files of a package, and may start readers of their code.
pub(crate) fn reads_code(arguments: &[String]) -> bool {
    let is_manifest = arguments.iter().any(|argument| argument.ends_with("svc-app.json"));
    match arguments.get(2).map(String::as_str) {
        Some("check" | "init" | "preflight" | "verify") => true,
        Some("pack" | "validate") => is_manifest,
        Some(_) | None => false,
    }
}

fn strace_works() -> bool {
    let probe = process::Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    probe.is_ok_and(|output| output.status.success())
}

/// What `strace` saw, unless it was one program, its own threads, its readers where it reads a package, and no network.
fn traced(words: &[String]) -> Option<String> {
    let folder = folder::empty();
    let log = folder.path().join("strace.log");
    let mut strace = process::Command::new("strace");
    strace
        .args(["-f", "-qq", "-e", &format!("trace={NETWORK},{PROGRAMS}"), "-o"])
        .arg(&log)
        .arg(program_path(&words[0]));
    Svc::from_command(strace, "strace").args(&words[1..]).in_folder(folder.path()).run();
    let log = fs::read_to_string(&log).unwrap();
    // `???( <detached ...>` is strace's word for a thread that ended before its call was known. A call that it names is one.
    let is_call = |line: &&str| line.contains('(') && !line.ends_with("???( <detached ...>");
    let calls: Vec<&str> = log.lines().filter(is_call).collect();
    let is_reader = |line: &&&str| {
        let reader = format!("execve(\"/proc/self/exe\", [\"/proc/self/exe\", \"{READER}\"], ");
        line.contains(&reader) && line.contains("/* 0 vars */")
    };
    let readers = calls.iter().filter(is_reader).count();
    let programs = calls.iter().filter(|line| line.contains("execve(")).count() - readers;
    // How a reader is started: by a process that waits for it to run, once for each.
    let is_start = |line: &&&str| line.contains("CLONE_VFORK") || line.contains(" vfork(");
    let starts = calls.iter().filter(is_start).count();
    let is_allowed = |line: &&&str| line.contains("execve(") || line.contains("CLONE_THREAD") || is_start(line);
    let others: Vec<&&str> = calls.iter().filter(|line| !is_allowed(line)).collect();
    let has_its_readers = starts == readers && (readers == 0 || reads_code(words));
    let holds = programs == 1 && others.is_empty() && has_its_readers;
    (!holds).then(|| format!("{words:?}: {programs} programs, {readers} readers, {starts} starts, {others:?}"))
}

/// What a run holds until it waits to print its result into a full pipe, unless it is neither a socket nor a child other than
/// a reader of code.
fn seen_at_its_end(words: &[String]) -> Option<String> {
    let folder = folder::empty();
    let (reader, mut writer) = io::pipe().unwrap();
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
    while writer.write(&[0; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::empty()).unwrap();
    let mut child = command_line(words).in_folder(folder.path()).start(writer);
    let process = Path::new("/proc").join(child.id().to_string());
    let deadline = Instant::now() + Duration::from_secs(5);
    let mut held = Vec::new();
    while child.try_wait().unwrap().is_none() && Instant::now() < deadline {
        let links = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        let sockets = links.filter_map(|link| fs::read_link(link.path()).ok()).filter(|to| to.starts_with("socket:"));
        held.extend(sockets.map(|to| to.display().to_string()));
        let tasks = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        let children = children.flat_map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        held.extend(children.filter_map(|child| not_a_reader(&child, words)));
        let waits = fs::read_to_string(process.join("wchan")).is_ok_and(|place| place.contains("pipe"));
        if waits || !held.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    child.wait().unwrap();
    drop(reader);
    (!held.is_empty()).then(|| format!("{words:?}: {held:?}"))
}

/// A child, unless it is this program as a reader, without an environment or a socket.
fn not_a_reader(child: &str, arguments: &[String]) -> Option<String> {
    let process = Path::new("/proc").join(child);
    let read = |name: &str| fs::read(process.join(name));
    // It may have ended since, and between its start and its first step it is still what started it.
    let (Ok(line), Ok(environment)) = (read("cmdline"), read("environ")) else { return None };
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).filter(|word| !word.is_empty()).collect();
    let is_svc = fs::read_link(process.join("exe")).ok()? == fs::canonicalize(SVC).unwrap();
    let is_reader = matches!(words.as_slice(), [_, word] if *word == READER.as_bytes()) && environment.is_empty();
    let is_starting = words.len() == arguments.len();
    let holds = is_svc && (line.is_empty() || is_reader || is_starting) && reads_code(arguments);
    (!holds).then(|| format!("child {child}: {}", String::from_utf8_lossy(&line)))
}

#[test]
fn the_look_through_proc_sees_nothing_either() {
    let bundle = Bundle::new();
    let found: Vec<String> = offline_runs(&bundle).iter().filter_map(|run| seen_at_its_end(run)).collect();
    assert!(found.is_empty(), "{found:?}");
}
