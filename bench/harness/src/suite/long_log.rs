//! (i) A log after years: ten million records, beside one of ten thousand.
//!
//! What must not grow with the log is measured as a ratio of the two; what must is beside reading and hashing its rows.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};

use crate::{
    journal::{self, place},
    mode::Mode,
    programs::{Programs, Server, timed},
    report::{Bound, Line, Report, Table},
    statistics::Sample,
};

/// The log that the long one is beside.
const SHORT: u64 = 10_000;

/// Records that come on top before the second export.
const LATER: u64 = 1_000;

const CLIENTS: usize = 64;

/// A log, and where it is.
struct Log {
    folder: PathBuf,
    records: u64,
}

pub fn measure(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    // Beside the built things: the system's folder for temporary files may be memory.
    let folder = tempfile::tempdir_in(std::env::current_exe()?.parent().context("no folder")?)?;
    let made = |name: &str, records: u64| -> Result<Log> {
        let folder = folder.path().join(name);
        journal::make(&folder.join("data"), records)?;
        Ok(Log { folder, records })
    };
    let short = made("short", SHORT)?;
    let start = Instant::now();
    let long = made("long", mode.long_log)?;
    let mut lines = vec![line("making it: records a second", mode.long_log as f64 / start.elapsed().as_secs_f64())];
    lines.push(line("bytes a record in the database", long.bytes_a_record()?));
    starts(mode, programs, report, &mut lines, [&short, &long])?;
    receipts(mode, report, &mut lines, [&short, &long])?;
    proofs(mode, programs, report, &mut lines, [&short, &long])?;
    verification(report, programs, &mut lines, &long)?;
    life(report, programs, &mut lines, &long)?;
    report.tables.push(Table {
        title: format!("(i) A log of {} records", mode.long_log),
        unit: "value",
        about: "On SQLite; what is measured of the short log, one of ten thousand records, stands beside it.",
        lines,
    });
    Ok(())
}

fn line(name: impl Into<String>, value: f64) -> Line {
    Line { name: name.into(), sample: Sample(vec![value]) }
}

impl Log {
    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    fn bytes_a_record(&self) -> Result<f64> {
        Ok(size_of(&self.folder.join("data"))? as f64 / self.records as f64)
    }
}

/// From the start of the process until it answers that it is ready. The whole log is checked behind that.
fn starts(mode: &Mode, programs: &Programs, report: &mut Report, lines: &mut Vec<Line>, logs: [&Log; 2]) -> Result<()> {
    let mut samples = [Sample::default(), Sample::default()];
    for _ in 0..mode.rounds {
        for (log, sample) in logs.iter().zip(&mut samples) {
            let start = Instant::now();
            let serve = programs.serve(&["--journal", "sqlite", "--data-dir", &log.data()]);
            let server = Server::start(serve, &log.folder.join("log"))?;
            ensure!(is_ready(&server)?, "the service is not ready");
            sample.push(start.elapsed().as_secs_f64());
        }
    }
    let [short, long] = samples;
    let what = format!("ready with a log of {} records: seconds", logs[1].records);
    report.goal("P13", what, Bound::AtMost(1.0), long.clone());
    lines.push(Line { name: "ready with the short log: seconds".to_owned(), sample: short });
    lines.push(Line { name: "ready with the long log: seconds".to_owned(), sample: long });
    Ok(())
}

fn is_ready(server: &Server) -> Result<bool> {
    let deadline = Instant::now() + Duration::from_secs(10);
    while Instant::now() < deadline {
        if crate::programs::get(server.address(), "/readyz")? == 200 {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(false)
}

/// Records a second of both logs in turn, while the long one is still checked and after.
fn receipts(mode: &Mode, report: &mut Report, lines: &mut Vec<Line>, logs: [&Log; 2]) -> Result<()> {
    let open = |log: &Log| Ok::<_, anyhow::Error>(Arc::new(place(&log.folder).write()?));
    let [short, long] = [open(logs[0])?, open(logs[1])?];
    let mut rounds = |name: &str| -> Result<Sample> {
        let mut samples = [Sample::default(), Sample::default()];
        for _ in 0..mode.rounds {
            for (log, sample) in [&short, &long].into_iter().zip(&mut samples) {
                sample.push(journal::rate(log, CLIENTS, 500)?);
            }
        }
        let [short, long] = samples;
        let over = long.over(&short);
        lines.push(Line { name: format!("records a second, the short log{name}"), sample: short });
        lines.push(Line { name: format!("records a second, the long log{name}"), sample: long });
        Ok(over)
    };
    let checking = rounds(" (while the whole long log is checked)")?;
    let start = Instant::now();
    while !long.audited().is_done() {
        std::thread::sleep(Duration::from_millis(100));
    }
    let took = start.elapsed().as_secs_f64();
    let checked = rounds("")?;
    lines.push(line("the check in the background after that: seconds", took));
    report.goal("P13", "receipts a second, the long log over the short", Bound::AtLeast(0.9), checked);
    report.goal("P13", "the same while the long log is checked in the background", Bound::AtLeast(0.5), checking);
    Ok(())
}

/// The command that proves a record, for records from all over the log.
fn proofs(mode: &Mode, programs: &Programs, report: &mut Report, lines: &mut Vec<Line>, logs: [&Log; 2]) -> Result<()> {
    let mut samples = [Sample::default(), Sample::default()];
    for round in 0..mode.rounds as u64 * 4 {
        for (log, sample) in logs.iter().zip(&mut samples) {
            let record = (log.records / 7).wrapping_mul(round) % log.records;
            sample.push(timed(programs.registry(&[
                "journal",
                "prove",
                &record.to_string(),
                "--data-dir",
                &log.data(),
            ]))?);
        }
    }
    let [short, long] = samples;
    report.goal("P13", "proving a record, the long log over the short", Bound::AtMost(1.5), long.over(&short));
    lines.push(Line { name: "`svc-registry journal prove`, the long log: seconds".to_owned(), sample: long });
    Ok(())
}

/// The command that checks a whole log, beside reading and hashing the same rows.
fn verification(report: &mut Report, programs: &Programs, lines: &mut Vec<Line>, log: &Log) -> Result<()> {
    let store = place(&log.folder).read()?.store;
    let bare = Sample(vec![journal::seconds(|| journal::read_and_hash(store.as_ref()))?]);
    drop(store);
    let whole = Sample(vec![timed(programs.registry(&["journal", "verify", "--data-dir", &log.data()]))?]);
    let what = "`svc-registry journal verify` of the long log over reading and hashing it";
    report.goal("P13", what, Bound::AtMost(3.0), whole.over(&bare));
    lines.push(Line { name: "reading and hashing the long log: seconds".to_owned(), sample: bare });
    lines.push(Line { name: "`svc-registry journal verify` of the long log: seconds".to_owned(), sample: whole });
    Ok(())
}

/// What an operator does with it over the years: export, export again, prune, export again.
fn life(report: &mut Report, programs: &Programs, lines: &mut Vec<Line>, log: &Log) -> Result<()> {
    let out = log.folder.join("export");
    let export =
        || timed(programs.registry(&["journal", "export", "--data-dir", &log.data(), &out.display().to_string()]));
    let first = Sample(vec![export()?]);
    let bytes = size_of(&out)? as f64 / log.records as f64;
    journal::grow(&place(&log.folder), LATER)?;
    let again = Sample(vec![export()?]);
    let what = "the next export of the long log over the first, a thousand records later";
    report.goal("P13", what, Bound::AtMost(0.1), again.over(&first));
    let before = (log.records / 2).to_string();
    let pruned = timed(programs.registry(&["journal", "prune", "--data-dir", &log.data(), "--before", &before]))?;
    let after_pruning = export()?;
    let left = log.bytes_a_record()?;
    lines.push(Line { name: "the first export: seconds".to_owned(), sample: first });
    lines.push(line("bytes a record in the export", bytes));
    lines.push(Line { name: "the next export, a thousand records later: seconds".to_owned(), sample: again });
    lines.push(line("pruning half of it: seconds", pruned));
    lines.push(line("the export after pruning: seconds", after_pruning));
    lines.push(line("bytes a record in the database after pruning half", left));
    Ok(())
}

/// Bytes of all files below a folder.
fn size_of(folder: &Path) -> Result<u64> {
    fs::read_dir(folder)?.try_fold(0, |sum, entry| {
        let entry = entry?;
        let found = entry.metadata()?;
        Ok(sum + if found.is_dir() { size_of(&entry.path())? } else { found.len() })
    })
}
