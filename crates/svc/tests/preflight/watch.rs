//! `svc app preflight --watch`: speaks again when the package has changed.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use crate::{run::program, workplace::Workplace};

/// Longer than any machine under load needs, shorter than anybody's patience.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A run that watches; it ends with the value.
struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    fn start(here: &Workplace) -> Self {
        let mut command = program(here.folder(), &["app", "preflight", "app", "--watch"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// Everything it says up to its next `watching` line.
    #[track_caller]
    fn until_watching(&self) -> String {
        let deadline = Instant::now() + TIMEOUT;
        let mut text = String::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|_| panic!("nothing came after:\n{text}"));
            text = text + &line + "\n";
            if line.starts_with("watching ") {
                return text;
            }
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_change_is_checked_and_the_bundle_follows() {
    let here = Workplace::new();
    let watcher = Watcher::start(&here);
    assert!(watcher.until_watching().contains("created   svc-registry/"));

    here.set_version("latest");
    let told = watcher.until_watching();
    assert!(told.contains("error[SVC-M012]") && told.contains("Nothing was written."), "{told}");

    here.set_version("1.3.0");
    let told = watcher.until_watching();
    assert!(told.contains("replaced  svc-registry/") && told.contains("dev.acme.weather-board 1.3.0"), "{told}");

    fs::write(here.path("app/dist/more.js"), "export const more = 1;\n").unwrap();
    let told = watcher.until_watching();
    assert!(told.contains("11 files"), "{told}");
}

#[test]
fn watching_and_checking_do_not_go_together() {
    Workplace::new().svc(&["app", "preflight", "app", "--watch", "--check"]).exits(2);
}
