//! For tests: root ignores permission bits, so a test about them runs itself again as `nobody`.

/// Whether the test named `name` has been run by another user here. If not, the caller is no root and goes on.
#[cfg(unix)]
pub(crate) fn reran(name: &str) -> bool {
    use std::{io::Write as _, os::unix::process::CommandExt as _, process::Command};

    if !rustix::process::getuid().is_root() {
        return false;
    }
    let outcome = std::env::current_exe().and_then(|this| {
        Command::new(this).args(["--exact", name, "--nocapture"]).uid(65534).gid(65534).current_dir("/").output()
    });
    match outcome {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "as nobody: {text}{}", String::from_utf8_lossy(&output.stderr));
            assert!(text.contains("1 passed"), "no test is named {name}");
        }
        Err(error) => {
            let _ =
                writeln!(std::io::stderr(), "skipped, root ignores permission bits and `nobody` cannot run: {error}");
        }
    }
    true
}
