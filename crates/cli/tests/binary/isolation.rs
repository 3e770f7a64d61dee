//! No network and no other program, whatever a command is given.

use std::{fs, process};

use crate::{
    bundle::{Bundle, example},
    commands::thirteen,
    folder,
    svc::{SVC, Svc},
};

/// Calls that reach for the network, and calls that start a program.
const NETWORK: &str = "socket,socketpair,connect,bind,listen,accept,accept4,sendto,sendmsg,sendmmsg";
const PROGRAMS: &str = "execve,execveat,fork,vfork,clone,clone3";

#[test]
fn no_command_opens_a_socket_or_starts_a_program() {
    let bundle = Bundle::new();
    let folder = folder::empty();
    let mut runs: Vec<Vec<String>> = thirteen()
        .iter()
        .map(|command| ["app", command.name, command.good_input(&bundle).to_str().unwrap()].map(str::to_owned).to_vec())
        .collect();
    let index = bundle.path(&svc_core::artifact::index::SPEC);
    let other = [
        vec!["app", "validate", index.to_str().unwrap()],
        vec!["app", "verify", bundle.folder().to_str().unwrap(), "--package", "PACKAGE"],
        vec!["app", "pack", "missing.json"],
        vec!["lifecycle", index.to_str().unwrap()],
        vec!["contract", "ruleset"],
        vec!["explain", "gates"],
        vec!["--help"],
        vec!["nonsense"],
    ];
    let package = example("weather-board").to_str().unwrap().to_owned();
    runs.extend(other.map(|run| run.iter().map(|word| word.replace("PACKAGE", &package)).collect()));
    if !strace_works() {
        return no_symbol_for_it_is_linked();
    }
    for (number, arguments) in runs.iter().enumerate() {
        let log = folder.path().join(format!("{number}.log"));
        let mut strace = process::Command::new("strace");
        strace.args(["-f", "-qq", "-e", &format!("trace={NETWORK},{PROGRAMS}"), "-o"]).arg(&log).arg(SVC);
        Svc::of(strace, "strace svc").args(arguments).in_folder(folder.path()).run();
        let log = fs::read_to_string(&log).unwrap();
        let calls: Vec<&str> = log.lines().filter(|line| line.contains('(')).collect();
        let allowed = |line: &&&str| line.contains("execve(") || line.contains("CLONE_THREAD");
        let suspicious: Vec<&&str> = calls.iter().filter(|line| !allowed(line)).collect();
        assert!(suspicious.is_empty(), "{arguments:?}: {suspicious:?}");
        assert_eq!(calls.iter().filter(|line| line.contains("execve(")).count(), 1, "{arguments:?}: {log}");
    }
}

fn strace_works() -> bool {
    let probe = process::Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    probe.is_ok_and(|output| output.status.success())
}

/// Where `strace` is missing or not allowed: a call that is not imported cannot be made through the C library.
fn no_symbol_for_it_is_linked() {
    let binary = fs::read(SVC).unwrap();
    for name in ["socket", "connect", "getaddrinfo", "execve", "execvp", "posix_spawn", "posix_spawnp", "fork", "vfork"]
    {
        let symbol = [b"\0", name.as_bytes(), b"\0"].concat();
        assert!(!binary.windows(symbol.len()).any(|window| window == symbol), "{name} is imported");
    }
}
