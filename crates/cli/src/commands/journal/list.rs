//! `svc journal list`: records for people, machines and spreadsheets.

use std::fmt::Write as _;

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_core::{
    journal::record::{Record, Refusal},
    words::problem_code::ProblemCode,
};
use svc_journal::fault::JournalFault;

use super::{
    csv,
    location::{open, with_location},
};
use crate::{
    arguments::{choice, flag, is_set, text},
    failure::Failure,
    output::{escape::Safe, format::Format},
};

/// Rows that are read together.
const ROWS_PER_READ: usize = 2048;

/// What records are asked for. Texts are compared whole, moments by their beginnings.
const FILTERS: &[(&str, &str, &str)] = &[
    ("package", "ID", "Of this package"),
    ("owner", "ID", "Of this owner"),
    ("operation", "NAME", "Of this operation"),
    ("token", "NAME", "Asked with this token"),
    ("decision", "DIGEST", "Of this decision"),
    ("digest", "DIGEST", "Of the document with this digest"),
    ("request", "ID", "Of this request"),
    ("since", "TIME", "Not before this moment in UTC, as 2026-11-15 or 2026-11-15T08:30"),
    ("until", "TIME", "Before this moment"),
];

pub(super) fn command() -> Command {
    let filters = FILTERS.iter().map(|(name, value, help)| Arg::new(*name).long(*name).value_name(*value).help(*help));
    let number = |name: &'static str| Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64));
    let list = Command::new("list")
        .about("List records, oldest first; `--format json` prints one a line")
        .args(filters)
        .arg(choice("outcome", Refusal::WORDS).help("With this outcome"))
        .arg(choice("problem", ProblemCode::WORDS).help("With this problem"))
        .arg(number("after").help("Behind this record"))
        .arg(number("limit").help("At most so many [default: 100]"))
        .arg(number("tail").help("Among the last so many records of the log"))
        .arg(flag("csv", "Print CSV for a spreadsheet"))
        .after_help(
            "Examples\n  svc journal list --package dev.acme.weather-board\n  svc journal list --outcome refused --csv",
        );
    with_location(list)
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let reading = open(arguments)?;
    let failed = |fault: JournalFault| Failure::journal(&fault);
    let size = reading.store.head().map_err(failed)?.tree.size();
    let number = |name: &str| arguments.get_one::<u64>(name).copied();
    let tail = number("tail").map_or(0, |tail| size.saturating_sub(tail));
    let mut from = number("after").map_or(0, |after| after.saturating_add(1)).max(tail);
    let mut left = number("limit").unwrap_or(100);
    let write = writer(arguments, format);
    let mut out = if is_set(arguments, "csv") { csv::heading() } else { String::new() };
    while left > 0 && from < size {
        let rows = reading.store.rows(from, ROWS_PER_READ).map_err(failed)?;
        if rows.is_empty() {
            break;
        }
        from += rows.len() as u64;
        for row in rows.iter().filter(|row| row.record.is_some()) {
            let record = row.read().map_err(failed)?;
            if left > 0 && is_wanted(&record, arguments) {
                out.push_str(&write(&record));
                left -= 1;
            }
        }
    }
    Ok(out)
}

fn writer(arguments: &ArgMatches, format: Format) -> fn(&Record) -> String {
    if is_set(arguments, "csv") {
        return csv::line;
    }
    match format {
        Format::Json => |record| String::from_utf8_lossy(&record.to_bytes()).into_owned() + "\n",
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => for_people,
    }
}

/// Sequence, moment, which no, of what.
fn for_people(record: &Record) -> String {
    let mut line = format!(
        "{:>8}  {}  {:<7}  {}",
        record.sequence(),
        record.time(),
        record.outcome().as_str(),
        record.operation()
    );
    if let Some(package) = record.package() {
        let _ = write!(line, "  {}@{}", Safe(package.id.as_str()), Safe(package.version.as_str()));
    }
    if let Some(owner) = record.owner() {
        let _ = write!(line, "  of {}", Safe(owner.as_str()));
    }
    if let Some(problem) = record.problem() {
        let _ = write!(line, "  {problem}");
    }
    if let Some(token) = record.token() {
        let _ = write!(line, "  by {}", Safe(token.as_str()));
    }
    line + "\n"
}

fn is_wanted(record: &Record, arguments: &ArgMatches) -> bool {
    let artifact = record.artifact().and_then(|artifact| artifact.digest);
    let outcome = record.outcome().to_string();
    let time = record.time().to_string();
    let is =
        |name: &str, value: Option<String>| text(arguments, name).is_none_or(|wanted| value.as_deref() == Some(wanted));
    is("package", record.package().map(|package| package.id.to_string()))
        && is("owner", record.owner().map(ToString::to_string))
        && is("operation", Some(record.operation().to_string()))
        && is("token", record.token().map(ToString::to_string))
        && is("decision", record.decision_id().map(ToString::to_string))
        && (is("digest", artifact.map(|digest| digest.to_string()))
            || is("digest", record.body_digest().map(ToString::to_string)))
        && is("request", Some(record.request_id().to_string()))
        && is("outcome", Some(outcome))
        && is("problem", record.problem().map(|code| code.to_string()))
        && text(arguments, "since").is_none_or(|since| time.as_str() >= since)
        && text(arguments, "until").is_none_or(|until| time.as_str() < until)
}
