//! (g) Memory of the service: idle, with many connections, and for one request.

use std::{fs, path::Path, process::Command};
use svc_core::samples;

use anyhow::{Context as _, Result, ensure};

use crate::{
    documents, journal,
    load::{self, Load},
    mode::Mode,
    programs::{Programs, Server, peak, post},
    report::{Bound, Line, Report, Table},
    statistics::Sample,
};

pub fn measure(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let start = |number: usize| {
        let data = folder.path().join(format!("data-{number}")).display().to_string();
        Server::start(programs.serve(&["--journal", "sqlite", "--data-dir", &data]), &folder.path().join("log"))
    };
    let (mut idle, mut busy, mut one) = (Sample::default(), Sample::default(), Sample::default());
    let small = documents::write(folder.path(), 0)?;
    let large = documents::acceptance_request(9_000)?;
    for round in 0..mode.rounds {
        let server = start(2 * round)?;
        idle.push(server.memory("VmRSS") / 1024.0);
        let load = Load { url: &server.url, body: &small, clients: 64, seconds: mode.seconds, rate: None };
        load.run(&folder.path().join("requests"))?;
        busy.push(server.memory("VmHWM") / 1024.0);
        let server = start(2 * round + 1)?;
        let first = documents::acceptance_request(0)?;
        ensure!(post(server.address(), &load::path(), &first)? == 200, "a small request failed");
        let before = server.memory("VmHWM");
        ensure!(post(server.address(), &load::path(), &large)? == 200, "a large request failed");
        one.push((server.memory("VmHWM") - before - 256.0) / (large.len() as f64 / 1024.0));
    }
    report.goal("P7", "MiB of the idle service", Bound::AtMost(20.0), idle);
    report.goal("P7", "MiB at most with 64 connections of small requests", Bound::AtMost(64.0), busy);
    let what = "one request beyond 256 KiB, in sizes of its body";
    report.goal("P7", what, Bound::AtMost(3.0), one);
    commands(mode, programs, report)
}

/// The most that commands take which read something large.
fn commands(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name).display().to_string();
    fs::write(file("request.json"), documents::acceptance_request(9_000)?)?;
    let mut lines = Vec::new();
    let mut line = |name: String, command: &Command| -> Result<()> {
        lines.push(Line { name, sample: Sample(vec![peak(programs, command)? / 1024.0]) });
        Ok(())
    };
    let request = programs.svc(&["app", "registry-acceptance-validate", &file("request.json")]);
    line("registry-acceptance-validate, 9,000 files".to_owned(), &request)?;
    for entries in [1, 100, 1_000] {
        let index = samples::index(entries).context("an index cannot be made")?;
        fs::write(file("index.json"), index.to_file())?;
        let validate = programs.svc(&["app", "registry-validate", &file("index.json")]);
        line(format!("registry-validate, index of {entries}"), &validate)?;
    }
    for records in mode.log_sizes {
        let data = file(&format!("journal-{records}"));
        journal::make(Path::new(&data), *records)?;
        let verify = programs.registry(&["journal", "verify", "--data-dir", &data]);
        line(format!("journal verify, {records} records"), &verify)?;
    }
    report.tables.push(Table {
        title: "(g) Memory of commands".to_owned(),
        unit: "MiB at most",
        about: "The highest mark of resident memory of a command that reads something large.",
        lines,
    });
    Ok(())
}
