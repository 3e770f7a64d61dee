//! `svc journal list`: records for people, machines and spreadsheets, with who asked as far as that is kept.

use std::fmt::Write as _;

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_core::{
    journal::{
        attribution::{Attribution, JournalEntry},
        record::Refusal,
    },
    words::problem_code::ProblemCode,
};
use svc_journal::fault::JournalFault;
use svc_json::canonical;

use super::{
    csv,
    location::{open, with_location},
};
use crate::{
    arguments::{choice, flag, is_set, text},
    failure::Failure,
    output::{escape::Safe, format::Format, stream},
};

/// Rows that are read together.
const ROWS_PER_READ: usize = 2048;

/// What records are asked for. Texts are compared whole, moments by their beginnings.
const FILTERS: &[(&str, &str, &str)] = &[
    ("package", "ID", "Of this package, where the name is still kept"),
    ("owner", "ID", "Of this owner, where the name is still kept"),
    ("token", "NAME", "Sent with this token, where the name is still kept"),
    ("operation", "NAME", "Of this operation, such as evaluate-signing-request"),
    ("decision", "DIGEST", "Of this decision"),
    ("digest", "DIGEST", "Of the document with this digest"),
    ("request", "ID", "Of this request"),
    ("probe", "ID", "Of this run of `svc verify hosted`"),
    ("since", "TIME", "At or after this time in UTC, such as 2026-11-15 or 2026-11-15T08:30"),
    ("until", "TIME", "Before this time in UTC"),
];

pub(super) fn command() -> Command {
    let filters = FILTERS.iter().map(|(name, value, help)| Arg::new(*name).long(*name).value_name(*value).help(*help));
    let number = |name: &'static str| Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64));
    let list = Command::new("list")
        .about("List records, oldest first; `--format json` prints one line for each, and nothing when there are none")
        .args(filters)
        .arg(choice("outcome", Refusal::WORDS).help("With this outcome"))
        .arg(choice("problem", ProblemCode::WORDS).help("With this problem"))
        .arg(number("after").help("After the record with this number"))
        .arg(number("limit").help("How many to print at most [default: 100]"))
        .arg(number("tail").help("Only among the last N records of the log"))
        .arg(flag("probes", "List the records of probes too: requests of `svc verify hosted`"))
        .arg(flag("csv", "Print CSV for a spreadsheet"))
        .after_help(
            "Package, owner and token stand in brackets: they are kept beside the log, no part of the proof, and - when they \
             were deleted (`svc journal forget`) or nobody was named. Names that are damaged are said to be, and the \
             list goes on. Records of probes are left out, and standard error tells how many, unless --probes or --probe is \
             given.\n\n\
             Examples\n  svc journal list --package dev.acme.weather-board\n  svc journal list --outcome refused --csv",
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
    let leave_out_probes = !is_set(arguments, "probes") && text(arguments, "probe").is_none();
    let mut probes = 0_u64;
    let mut out = if is_set(arguments, "csv") { csv::heading() } else { String::new() };
    while left > 0 && from < size {
        let rows = reading.store.rows(from, ROWS_PER_READ).map_err(failed)?;
        if rows.is_empty() {
            break;
        }
        let end = from + rows.len() as u64;
        let mut attributions = reading.store.attributions(from..end).map_err(failed)?;
        from = end;
        for row in rows.iter().filter(|row| row.record.is_some()) {
            let attribution = attributions.remove(&row.place);
            let entry = JournalEntry { attribution, record: row.read().map_err(failed)? };
            if left == 0 || !is_wanted(&entry, arguments) {
                continue;
            }
            if leave_out_probes && entry.record.probe().is_some() {
                probes += 1;
                continue;
            }
            out.push_str(&write(&entry));
            left -= 1;
        }
    }
    if probes > 0 {
        stream::status(&format!("left out: {probes} {}; --probes lists them too\n", records_of_probes(probes)));
    }
    Ok(out)
}

fn records_of_probes(count: u64) -> &'static str {
    if count == 1 { "record of a probe" } else { "records of probes" }
}

fn writer(arguments: &ArgMatches, format: Format) -> fn(&JournalEntry) -> String {
    if is_set(arguments, "csv") {
        return csv::line;
    }
    match format {
        Format::Json => |entry| String::from_utf8_lossy(&canonical::to_bytes(entry)).into_owned() + "\n",
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => for_people,
    }
}

/// Sequence, moment, which no; in brackets what stands beside the record.
fn for_people(JournalEntry { attribution, record }: &JournalEntry) -> String {
    let mut line = format!(
        "{:>8}  {}  {:<7}  {}",
        record.sequence(),
        record.time(),
        record.outcome().as_str(),
        record.operation()
    );
    if let Some(problem) = record.problem() {
        let _ = write!(line, "  {problem}");
    }
    if record.probe().is_some() {
        line.push_str("  probe");
    }
    let attribution = attribution.as_ref();
    if attribution.is_some_and(Attribution::is_unreadable) {
        return line + "  [who asked is kept, and cannot be read]\n";
    }
    let package = attribution.and_then(Attribution::package);
    let package = package.map(|package| format!("{}@{}", package.id, package.version));
    let owner = attribution.and_then(Attribution::owner).map(ToString::to_string);
    let token = attribution.and_then(Attribution::token).map(ToString::to_string);
    let [package, owner, token] = [package, owner, token].map(|name| name.unwrap_or_else(|| "-".to_owned()));
    let _ = writeln!(line, "  [{} of {} by {}]", Safe(&package), Safe(&owner), Safe(&token));
    line
}

fn is_wanted(JournalEntry { attribution, record }: &JournalEntry, arguments: &ArgMatches) -> bool {
    let artifact = record.artifact().and_then(|artifact| artifact.digest);
    let outcome = record.outcome().to_string();
    let time = record.time().to_string();
    let attribution = attribution.as_ref();
    let is =
        |name: &str, value: Option<String>| text(arguments, name).is_none_or(|wanted| value.as_deref() == Some(wanted));
    is("package", attribution.and_then(Attribution::package).map(|package| package.id.to_string()))
        && is("owner", attribution.and_then(Attribution::owner).map(ToString::to_string))
        && is("token", attribution.and_then(Attribution::token).map(ToString::to_string))
        && is("operation", Some(record.operation().to_string()))
        && is("decision", record.decision_id().map(ToString::to_string))
        && (is("digest", artifact.map(|digest| digest.to_string()))
            || is("digest", record.body_digest().map(ToString::to_string)))
        && is("request", Some(record.request_id().to_string()))
        && is("probe", record.probe().map(ToString::to_string))
        && is("outcome", Some(outcome))
        && is("problem", record.problem().map(|code| code.to_string()))
        && text(arguments, "since").is_none_or(|since| time.as_str() >= since)
        && text(arguments, "until").is_none_or(|until| time.as_str() < until)
}
