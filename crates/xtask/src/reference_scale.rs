//! `docs/reference/scale.md`: what a log of ten million records takes, as it was measured, and one of a thousand million on paper.

use std::{fmt::Write as _, fs};

use anyhow::{Context as _, Result};
use serde_json::Value;

use svc_gates::process::root;

/// What `cargo xtask bench long-log` measured.
pub(crate) const MEASURED: &str = "bench/long-log.json";

/// The log on paper.
const PAPER: f64 = 1e9;

/// How something grows with the log.
#[derive(Clone, Copy)]
enum Growth {
    /// It does not.
    None,
    /// As the records do.
    Records,
}

struct Row {
    what: &'static str,
    /// The line of the benchmark.
    line: &'static str,
    growth: Growth,
    in_words: fn(f64) -> String,
}

const ROWS: [Row; 11] = [
    row("database on SQLite", "bytes a record in the database", Growth::Records, bytes),
    row("exported or copied files", "bytes a record in the export", Growth::Records, bytes),
    row("ready after a start", "ready with the long log: seconds", Growth::None, seconds),
    row("answers put on record in a second, of 64 clients", "records a second, the long log", Growth::None, count),
    row(
        "`svc-registry journal prove` of one record",
        "`svc-registry journal prove`, the long log: seconds",
        Growth::None,
        seconds,
    ),
    row(
        "`svc-registry journal verify` of all of it",
        "`svc-registry journal verify` of the long log: seconds",
        Growth::Records,
        seconds,
    ),
    row(
        "reading and hashing all of it, which nobody can avoid",
        "reading and hashing the long log: seconds",
        Growth::Records,
        seconds,
    ),
    row("the first export", "the first export: seconds", Growth::Records, seconds),
    row(
        "the next export, a thousand records later",
        "the next export, a thousand records later: seconds",
        Growth::None,
        seconds,
    ),
    row("pruning half of it", "pruning half of it: seconds", Growth::Records, seconds),
    row(
        "the check in the background, at half a core",
        "the check in the background after that: seconds",
        Growth::Records,
        seconds,
    ),
];

const fn row(what: &'static str, line: &'static str, growth: Growth, in_words: fn(f64) -> String) -> Row {
    Row { what, line, growth, in_words }
}

pub(crate) fn page() -> Result<String> {
    let report: Value = serde_json::from_slice(&fs::read(root().join(MEASURED))?)?;
    let tables = report.get("tables").and_then(Value::as_array).context("no tables")?;
    let table = tables.iter().find(|table| table["title"].as_str().is_some_and(|title| title.starts_with("(i)")));
    let table = table.context("the long log was not measured")?;
    let records = table["title"].as_str().and_then(|title| title.split(' ').find_map(|word| word.parse::<f64>().ok()));
    let records = records.context("the title does not say how many records")?;
    let mut page = format!(
        "# How a log grows\n\nMeasured by `cargo xtask bench long-log` on {}, commit {}, with SQLite; \
         all numbers are in `{MEASURED}`. The last column is computed from the one before, and nobody has run it.\n\n\
         | | {} records, measured | {} records, on paper |\n|---|---|---|\n",
        described(&report, "machine")?,
        described(&report, "commit")?,
        count(records),
        count(PAPER),
    );
    for row in &ROWS {
        let value = median(table, row.line)?;
        let here = if row.line.starts_with("bytes") { value * records } else { value };
        let there = match row.growth {
            Growth::None => here,
            Growth::Records => here * PAPER / records,
        };
        let _ = writeln!(page, "| {} | {} | {} |", row.what, (row.in_words)(here), (row.in_words)(there));
    }
    let a_year = PAPER / (365.25 * 86_400.0);
    let _ = write!(
        page,
        "\nA log of {} records is what {} answers a second make in a year. What that takes:\n\n\
         - **Disk.** SQLite holds it in one file. Keep as much room again for an export, and put records that nobody may ask for \
         any more out of it with `svc-registry journal prune`: their hashes stay, which is 32 to 64 bytes a record, and every receipt stays \
         good. The file keeps its size after pruning; new records use the room.\n\
         - **Start.** The end of the log is read, and the tree above it: the same for every log. All of it is checked in the \
         background from then on; the service answers meanwhile, and its receipts are as good. Each start begins \
         that check anew: let `svc-registry journal verify` look at a copy of the log on another machine as well.\n\
         - **Receipts.** A path has one hash for each time that the log doubles: {} hashes at {} records, {} on paper.\n\
         - **Readers.** Whoever follows the log from the beginning reads all of it once, and then what is new. A copy by \
         `svc log mirror` behind any web server takes that load from the registry: full tiles never change.\n\
         - **Tiles.** {} files of records and {} of hashes on paper. A file system that is slow with many small files in a folder \
         is no hindrance: a folder has at most a thousand.\n",
        count(PAPER),
        count(a_year),
        records.log2().ceil(),
        count(records),
        PAPER.log2().ceil(),
        count((PAPER / 256.0).ceil()),
        count(tiles_of_hashes(PAPER)),
    );
    Ok(page)
}

/// Tiles of all levels, of 256 hashes each.
fn tiles_of_hashes(records: f64) -> f64 {
    let level = (records / 256.0).ceil();
    if level <= 1.0 { 1.0 } else { level + tiles_of_hashes(level) }
}

fn described(report: &Value, name: &str) -> Result<String> {
    let pairs = report["machine"].as_array().context("no machine")?;
    let pair = pairs.iter().find(|pair| pair[0] == name);
    pair.and_then(|pair| pair[1].as_str())
        .map(str::to_owned)
        .with_context(|| format!("the report says nothing of {name}"))
}

fn median(table: &Value, name: &str) -> Result<f64> {
    let lines = table["lines"].as_array().context("no lines")?;
    let line = lines.iter().find(|line| line["name"] == name).with_context(|| format!("`{name}` was not measured"))?;
    let mut values: Vec<f64> = line["sample"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().with_context(|| format!("`{name}` has no values"))
}

fn bytes(value: f64) -> String {
    if value >= 1e11 { format!("{:.2} TB", value / 1e12) } else { format!("{:.1} GB", value / 1e9) }
}

fn seconds(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2} s"),
        value if value < 600.0 => format!("{value:.0} s"),
        value if value < 36_000.0 => format!("{:.1} h", value / 3600.0),
        value => format!("{:.0} h", value / 3600.0),
    }
}

/// With blanks between thousands.
fn count(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
