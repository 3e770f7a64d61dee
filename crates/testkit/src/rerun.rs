//! For tests that need another user or a file system of their own: they run themselves again in a child process,
//! so that nothing is left behind, whatever becomes of them. Where that is not possible they say so and pass.

use std::{
    env,
    io::{self, Write as _},
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Command, Output},
};

const TMPFS: &str = "SVC_TEST_TMPFS";

/// The exit code of the shell below, if it could not mount.
const NO_MOUNT: i32 = 77;

/// Root ignores permission bits, so the test named `name` runs again as `nobody`. `false` if the user is no root
/// anyway, and the caller goes on.
pub fn as_nobody(name: &str) -> bool {
    if !rustix::process::getuid().is_root() {
        return false;
    }
    let this = env::current_exe().unwrap();
    let mut child = Command::new(this);
    child.args(["--exact", name, "--nocapture"]).uid(65534).gid(65534).current_dir("/");
    match child.output() {
        Ok(output) => assert_passed(name, &output),
        Err(error) => skipped(name, &format!("`nobody` cannot run it: {error}")),
    }
    true
}

/// A fresh tmpfs, mounted with `options` in a namespace that ends with the test. `None` where the test named `name`
/// has been run in one, and the caller returns.
pub fn in_tmpfs(name: &str, options: &str) -> Option<PathBuf> {
    const SCRIPT: &str =
        r#"mount -t tmpfs -o "$1" tmpfs "$SVC_TEST_TMPFS" || exit 77; exec "$2" --exact "$3" --nocapture"#;
    if let Some(mounted) = env::var_os(TMPFS) {
        return Some(mounted.into());
    }
    let dir = tempfile::tempdir().unwrap();
    let this = env::current_exe().unwrap();
    let mut child = Command::new("unshare");
    if !rustix::process::getuid().is_root() {
        child.args(["--user", "--map-root-user"]);
    }
    child.args(["--mount", "sh", "-c", SCRIPT, "sh", options]).arg(this).arg(name).env(TMPFS, dir.path());
    match child.output() {
        Ok(output) if output.status.code() != Some(NO_MOUNT) && ran(&output) => assert_passed(name, &output),
        Ok(output) => skipped(name, &String::from_utf8_lossy(&output.stderr)),
        Err(error) => skipped(name, &format!("`unshare` cannot run: {error}")),
    }
    None
}

fn ran(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stdout).contains("running ")
}

fn assert_passed(name: &str, output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{name} in its own process: {text}{errors}");
}

fn skipped(name: &str, why: &str) {
    let _ = writeln!(io::stderr(), "{name} skipped: {why}");
}
