//! What it was measured on.

use std::{fs, process::Command};

use crate::programs::Programs;

pub fn describe(programs: &Programs, mode_name: &'static str) -> Vec<(&'static str, String)> {
    let command = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&programs.root);
        command
    };
    let first = |program: &str, arguments: &[&str]| {
        let output = command(program, arguments).output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        text.lines().next().unwrap_or("unknown").trim().to_owned()
    };
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        processor.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1).map(str::to_owned));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let difference = ["diff", "--quiet", "HEAD", "--", "crates", "bench/harness", "Cargo.lock"];
    let changed = !command("git", &difference).status().is_ok_and(|status| status.success());
    let commit = first("git", &["rev-parse", "--short=12", "HEAD"]);
    vec![
        ("commit", if changed { format!("{commit} and changes") } else { commit }),
        ("mode", mode_name.to_owned()),
        ("machine", format!("{cores} cores, {}", model.unwrap_or_else(|| "unknown".to_owned()))),
        ("Rust", first("rustc", &["--version"])),
        ("Node", first("node", &["--version"])),
        ("load", first("h2load", &["--version"])),
        ("openssl", first("openssl", &["version"])),
    ]
}
