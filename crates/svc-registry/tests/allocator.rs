//! The allocator of a released service, asked for the options in force.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::process::Command;

#[test]
fn the_allocator_is_set_up_by_the_program_itself() {
    let mut svc = Command::new(env!("CARGO_BIN_EXE_svc-registry"));
    // Tells jemalloc to print what it was set to when the program ends.
    let output = svc.args(["man"]).env("_RJEM_MALLOC_CONF", "stats_print:true").output().unwrap();
    assert!(output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    for option in [
        "opt.percpu_arena: \"percpu\"",
        "opt.dirty_decay_ms: 500 ",
        "opt.muzzy_decay_ms: 0 ",
        "opt.oversize_threshold: 262144",
    ] {
        assert!(told.contains(option), "no {option} in:\n{told}");
    }
    let built_in = told.lines().find(|line| line.contains("config.malloc_conf:")).unwrap();
    assert!(!built_in.contains("decay"), "the environment of the build set it up: {built_in}");
}
