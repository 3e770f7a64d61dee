//! The registry that somebody wrote from the conformance kit alone, and the check of the kit that came with it: it is run on
//! that registry and on ours.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use svc_core::verification::Level;
use svc_testkit::{
    run::{Run, repository},
    running::Running,
};

use crate::lies::{faults, verify};

fn python(script: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.arg("-B").arg(repository("examples/third-registry").join(script)).args(arguments);
    command
}

struct ThirdRegistry {
    child: Child,
    url: String,
}

impl ThirdRegistry {
    fn start() -> Self {
        let kit = repository("conformance");
        let mut command = python("registry.py", &["--port", "0", "--kit", kit.to_str().unwrap()]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, url }
    }
}

impl Drop for ThirdRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_registry_written_from_the_kit_alone_holds_the_contract() {
    let third = ThirdRegistry::start();
    let verification = verify(&third.url);
    assert_eq!(verification.highest(), Some(Level::Contract), "{}", faults(&verification));
    let checked = Run::of(&mut python("check.py", &[])).exits(0).stdout;
    assert!(checked.ends_with("0 difference(s)\n") && checked.contains(" exchanges\n"), "{checked}");
}

#[test]
fn our_registry_answers_the_kit_as_a_stranger_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    let url = format!("http://{}", running.address);
    let checked = Run::of(&mut python("check.py", &["--url", &url])).exits(0).stdout;
    assert!(checked.ends_with("0 difference(s)\n") && checked.contains(" exchanges\n"), "{checked}");
}
