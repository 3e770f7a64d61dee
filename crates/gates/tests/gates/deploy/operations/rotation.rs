//! The log of a node is rotated while it writes: by a reader of its standard error, by a new name, and by logrotate.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result};
use serde_json::Value;
use svc_core::words::problem_code::BASE_PATH;

use super::event::{Event, Stage, address};
use crate::deploy::{
    load,
    nodes::{Log, Node},
};
use svc_gates::{debian, nginx::Site, process::run};

/// Between two rotations.
const BETWEEN: Duration = Duration::from_secs(1);

/// Lines that a reader of standard error puts into one file.
const LINES: usize = 100;

pub(crate) fn without_loss(stage: &Stage<'_>) -> Result<Vec<Event>> {
    let read = |folder: &Path| Log::Split(LINES, folder.join("read."));
    let file = |folder: &Path| Log::File(folder.join("serve.log"));
    let nothing = |_: &Path, _: usize| Ok(());
    let by_reader = rotated(stage, "by-reader", read, &nothing)?;
    let by_name = rotated(stage, "by-name", file, &rename)?;
    let logrotate = debian::require("logrotate", || {
        let administrators = PathBuf::from("/usr/sbin/logrotate");
        debian::on_path("logrotate").or_else(|| administrators.is_file().then(|| administrators.clone()))
    })?;
    let copied = rotated(stage, "copied", file, &|folder, _| copy_and_truncate(&logrotate, folder))?;
    Ok(vec![
        by_reader.event("rotations of the log by a reader of standard error", Loses::Nothing),
        by_name.event("rotations of the log by a new name", Loses::Nothing),
        copied.event("rotations of the log by logrotate's `copytruncate`", Loses::BetweenCopyAndCut),
    ])
}

/// What a way of rotating loses by itself.
#[derive(PartialEq, Eq)]
enum Loses {
    Nothing,
    /// What is written after the copy was made and before the file is cut: it is in neither.
    BetweenCopyAndCut,
}

/// What is in all files of a log together.
struct Rotated {
    times: usize,
    files: usize,
    seen: load::Seen,
    lines: usize,
    torn: usize,
    closes: Result<()>,
}

impl Rotated {
    fn event(self, what: &str, loses: Loses) -> Event {
        let lost = self.seen.answered.saturating_sub(self.lines);
        let twice = self.lines.saturating_sub(self.seen.answered);
        Event::unnoticed(what, self.times, self.seen)
            .note("lines lost", lost)
            .must("a line is torn", self.torn == 0)
            .must("there are more lines than requests", twice == 0)
            .must("lines are lost", lost == 0 || loses == Loses::BetweenCopyAndCut)
            .must("nothing was rotated", self.files > 1)
            .holds(self.closes)
    }
}

fn rotated(
    stage: &Stage<'_>,
    name: &str,
    log: impl Fn(&Path) -> Log,
    rotate: &dyn Fn(&Path, usize) -> Result<()>,
) -> Result<Rotated> {
    let logs = stage.folder.join(name).join("logs");
    let mut node = Node::alone(stage.registry, &stage.folder.join(name).join("data"), &logs)?;
    node.log = log(&logs);
    node.up()?;
    let proxy = stage.nginx.start(&Site::shipped()?.plain()?, &[&node.address])?;
    let (seen, ()) = load::under_load(address(&proxy)?, &load::requests()?, || {
        for at in 0..stage.times {
            thread::sleep(BETWEEN);
            rotate(&logs, at)?;
        }
        thread::sleep(BETWEEN);
        Ok(())
    })?;
    node.stop()?;
    let (mut lines, mut torn, mut files) = (0, 0, 0);
    for file in fs::read_dir(&logs)? {
        let path = file?.path();
        if path.extension().is_some_and(|end| end == "conf" || end == "state") {
            continue;
        }
        files += 1;
        let text = fs::read(&path)?;
        torn += usize::from(!text.is_empty() && !text.ends_with(b"\n"));
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<Value>(line) {
                Ok(line) => lines += usize::from(is_of_a_client(&line)),
                Err(_) => torn += 1,
            }
        }
    }
    // A reader rotates by itself, and what is renamed again and again stays one file.
    let times = stage.times.max(files - 1);
    Ok(Rotated { times, files, seen, lines, torn, closes: node.log_holds() })
}

fn is_of_a_client(line: &Value) -> bool {
    let path = line.get("path").and_then(Value::as_str).unwrap_or_default();
    line.get("status").is_some() && path.starts_with(BASE_PATH)
}

/// The service goes on in the file that it has, whatever its name.
fn rename(folder: &Path, at: usize) -> Result<()> {
    let newest = if at == 0 { "serve.log".to_owned() } else { format!("serve.log.{at}") };
    fs::rename(folder.join(newest), folder.join(format!("serve.log.{}", at + 1)))?;
    Ok(fs::write(folder.join("serve.log"), "")?)
}

fn copy_and_truncate(logrotate: &Path, folder: &Path) -> Result<()> {
    let settings = folder.join("logrotate.conf");
    let log = folder.join("serve.log");
    fs::write(&settings, format!("\"{}\" {{\n  copytruncate\n  rotate 100\n}}\n", log.display()))?;
    let mut rotate = Command::new(logrotate);
    rotate.arg("--force").arg("--state").arg(folder.join("logrotate.state")).arg(&settings);
    run(rotate).context("logrotate")
}
