//! One shell for a page, so that what a command starts is there for the next, and gone at the end.

use std::{fs, os::unix::fs::symlink, process::Command};

use crate::{
    EXEMPT,
    page::Page,
    run::{SVC, SVC_REGISTRY, binary, copy_folder, repository},
};

/// How a command ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) printed: String,
}

/// Seconds for a page.
const TIMEOUT_SECONDS: &str = "300";

/// Runs the commands of a page in order.
pub(crate) fn run(page: &Page, variables: &[(&str, String)]) -> Vec<Ran> {
    let root = copy_of_the_repository(page);
    let out = root.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(root.path().join("page.sh"), script(page)).unwrap();
    let path = format!("{}:{}", root.path().join("bin").display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("timeout");
    shell.args([TIMEOUT_SECONDS, "bash", "--noprofile", "--norc", "page.sh"]);
    let status = shell
        .current_dir(root.path())
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env("HOME", root.path())
        .env_remove("XDG_STATE_HOME")
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .status()
        .unwrap();
    let ran = (0..page.commands.len()).map_while(|number| {
        let code = fs::read_to_string(out.join(format!("{number}.code"))).ok()?;
        let printed = fs::read_to_string(out.join(format!("{number}.out"))).ok()?;
        Some(Ran { code: code.trim().parse().ok()?, printed })
    });
    let ran: Vec<Ran> = ran.collect();
    assert!(status.success(), "the shell ended with {status} after {} commands: {:?}", ran.len(), ran.last());
    ran
}

/// Each command with its output and exit code in files of its own. Whatever still runs at the end is stopped.
fn script(page: &Page) -> String {
    let mut script = "set -o pipefail\nnotes=$PWD/out\ntrap 'kill $(jobs -p) 2> \"$notes/trap\"' EXIT\n".to_owned();
    for (number, command) in page.commands.iter().enumerate() {
        // The front page starts with cargo, for readers who have not built yet.
        let line = command.line.replace("cargo run -q -p svc --", "svc");
        let line = if EXEMPT.contains(&line.as_str()) { "true" } else { &line };
        script += &format!(
            "exec 3>&1 4>&2 >\"$notes/{number}.out\" 2>&1\n{line}\necho $? >\"$notes/{number}.code\"\nexec >&3 2>&4\n"
        );
    }
    script + "exit 0\n"
}

/// What the pages read, a `target` to write to, and `svc` on the path.
fn copy_of_the_repository(page: &Page) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for folder in ["conformance", "contracts", "deploy", "docs", "examples", "tests/seed"] {
        copy_folder(&repository(folder), &root.path().join(folder));
    }
    for file in ["deploy/nginx.conf", "deploy/svc-registry.toml"] {
        let text = fs::read_to_string(repository(file)).unwrap();
        fs::write(root.path().join(file), page.with_free_ports(&text)).unwrap();
    }
    for folder in ["bin", "target"] {
        fs::create_dir(root.path().join(folder)).unwrap();
    }
    for program in [SVC, SVC_REGISTRY] {
        symlink(binary(program), root.path().join("bin").join(program)).unwrap();
    }
    root
}
