//! `svc-registry journal list`: records for people, machines and spreadsheets, with who asked as far as that is kept.

use std::fmt::Write as _;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde::Serialize;
use svc_cli::{
    arguments::{choice, flag, is_set, text},
    failure::Failure,
    output::{
        escape::Safe,
        format::{self, Format},
        stream,
    },
};
use svc_core::{
    journal::{
        attribution::{Attribution, JournalEntry},
        record::Refusal,
        scalars::OperationName,
        timestamp::Timestamp,
    },
    words::{kind, problem_code::ProblemCode},
};
use svc_journal::store::log_start;
use svc_json::{canonical, digest::Digest};
use svc_proof::fault::JournalFault;

use super::{
    csv,
    location::{open, with_location},
};

/// Rows that are read together.
const ROWS_PER_READ: u64 = 2048;

/// Records that are printed unless somebody says otherwise.
const DEFAULT_LIMIT: u64 = 100;

/// What records are asked for. Texts are compared whole.
const FILTERS: &[(&str, &str, &str)] = &[
    ("package", "ID", "Of this package, where the name is still kept"),
    ("owner", "ID", "Of this owner, where the name is still kept"),
    ("token", "NAME", "Sent with this token, where the name is still kept"),
    ("request", "ID", "Of this request"),
    ("probe", "ID", "Of this run of `svc verify hosted`"),
];

/// What a text has to be, and why it is not.
type Form = fn(&str) -> Result<String, String>;

/// Those whose texts have a form: a text without it could only be a slip, which an empty list would hide.
const FORMS: &[(&str, &str, Form, &str)] = &[
    ("operation", "NAME", operation, "Of this operation, such as evaluate-signing-request"),
    ("decision", "DIGEST", digest, "Of this decision"),
    ("digest", "DIGEST", digest, "Of the document with this digest"),
    ("since", "TIME", moment, "At or after this time in UTC, such as 2026-11-15 or 2026-11-15T08:30"),
    ("until", "TIME", moment, "Before this time in UTC"),
];

fn operation(text: &str) -> Result<String, String> {
    OperationName::parse(text).map(|name| name.to_string()).ok_or_else(|| {
        let names: Vec<&str> = kind::ALL.iter().filter_map(|spec| Some(spec.endpoint?.operation)).collect();
        format!("give one of: {}", names.join(", "))
    })
}

fn digest(text: &str) -> Result<String, String> {
    let digest = Digest::parse(text).map(|digest| digest.to_string());
    digest.ok_or_else(|| "give `sha256:` and 64 digits of 0-9 and a-f".to_owned())
}

/// A time that may end after any of its parts: what it leaves out is the least there is.
fn moment(text: &str) -> Result<String, String> {
    const LEAST: &str = "0000-01-01T00:00:00.000Z";
    const PARTS: [usize; 7] = [4, 7, 10, 13, 16, 19, 23];
    let given = text.strip_suffix('Z').unwrap_or(text);
    let rest = LEAST.get(given.len()..).filter(|_| PARTS.contains(&given.len()));
    let whole = rest.map(|rest| format!("{given}{rest}")).filter(|whole| Timestamp::parse(whole).is_some());
    whole.ok_or_else(|| "give a time in UTC, such as 2026-11-15 or 2026-11-15T08:30".to_owned())
}

pub(super) fn command() -> Command {
    let filters = FILTERS.iter().map(|(name, value, help)| Arg::new(*name).long(*name).value_name(*value).help(*help));
    let forms = FORMS.iter().map(|(name, value, form, help)| {
        Arg::new(*name).long(*name).value_name(*value).value_parser(*form).help(*help)
    });
    let number = |name: &'static str| {
        Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64)).allow_negative_numbers(true)
    };
    let list = Command::new("list")
        .about("List records, newest first; `--format json` prints one line for each, and nothing when there are none")
        .args(filters)
        .args(forms)
        .arg(choice("outcome", Refusal::WORDS).help("With this outcome"))
        .arg(choice("problem", ProblemCode::WORDS).help("With this problem"))
        .arg(number("after").help("After the record with this number"))
        .arg(number("limit").help("How many to print at most [default: 100]"))
        .arg(flag("all", "Print all of them").conflicts_with("limit"))
        .arg(number("tail").help("Only among the last N records of the log"))
        .arg(flag("probes", "List the records of probes too: requests of `svc verify hosted`"))
        .arg(flag("csv", "Print CSV for a spreadsheet")).arg(format::of_result_argument().conflicts_with("csv"))
        .after_help(
            "Package, owner and token stand in brackets: they are kept beside the log, no part of the proof, and - when they \
             were deleted (`svc-registry journal forget`) or nobody was named. Names that are damaged are said to be, and the \
             list goes on. Records of probes are left out, and standard error tells how many, unless --probes or --probe is \
             given. A last line says how many were found when not all were printed; in JSON it is an object with `leftOut`, and for CSV it goes to standard error.\n\n\
             Examples\n  svc-registry journal list --package dev.acme.weather-board\n  svc-registry journal list --outcome refused --csv",
        );
    with_location(list)
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let reading = open(arguments)?;
    let failed = |fault: JournalFault| Failure::journal(&fault);
    let size = reading.store.head().map_err(failed)?.tree.size();
    let start = log_start(reading.store.as_ref()).map_err(failed)?;
    let number = |name: &str| arguments.get_one::<u64>(name).copied();
    let tail = number("tail").map_or(0, |tail| size.saturating_sub(tail));
    let from = number("after").map_or(0, |after| after.saturating_add(1)).max(tail).max(start.index());
    let most = if is_set(arguments, "all") { u64::MAX } else { number("limit").unwrap_or(DEFAULT_LIMIT) };
    let write = writer(arguments, format);
    let leave_out_probes = !is_set(arguments, "probes") && text(arguments, "probe").is_none();
    let (mut probes, mut shown, mut found) = (0_u64, 0_u64, 0_u64);
    let mut out = if is_set(arguments, "csv") { csv::heading() } else { String::new() };
    let mut end = size;
    while end > from {
        let begin = end.saturating_sub(ROWS_PER_READ).max(from);
        let rows = reading.store.rows(begin, usize::try_from(end - begin).unwrap_or_default()).map_err(failed)?;
        let mut attributions = reading.store.attributions(begin..end).map_err(failed)?;
        for row in rows.iter().rev() {
            let attribution = attributions.remove(&row.place);
            let entry = JournalEntry { attribution, record: row.read(&start).map_err(failed)? };
            if !is_wanted(&entry, arguments) {
                continue;
            }
            if leave_out_probes && entry.record.probe().is_some() {
                probes += 1;
                continue;
            }
            found += 1;
            if shown < most {
                out.push_str(&write(&entry));
                shown += 1;
            }
        }
        end = begin;
    }
    if probes > 0 {
        stream::status(&format!("left out: {probes} {}; --probes lists them too\n", records_of_probes(probes)));
    }
    if start.index() > 0 {
        stream::status(&format!("left out: what was pruned; the log begins at {}\n", start.index()));
    }
    if shown < found {
        let left_out = LeftOut { of: found, shown };
        if is_set(arguments, "csv") {
            stream::status(&left_out.in_words());
        } else {
            out.push_str(&left_out.last_line(format));
        }
    }
    Ok(out)
}

/// That there is more than was printed.
#[derive(Serialize)]
struct LeftOut {
    of: u64,
    shown: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LastLine<'l> {
    left_out: &'l LeftOut,
}

impl LeftOut {
    fn in_words(&self) -> String {
        format!("{} of {} shown; --all shows the rest\n", self.shown, self.of)
    }

    fn last_line(&self, format: Format) -> String {
        match format {
            Format::Json => {
                String::from_utf8_lossy(&canonical::to_bytes(&LastLine { left_out: self })).into_owned() + "\n"
            }
            Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => self.in_words(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_may_end_after_any_part_and_must_exist() {
        for (given, whole) in [
            ("2026", "2026-01-01T00:00:00.000Z"),
            ("2026-11-15", "2026-11-15T00:00:00.000Z"),
            ("2026-11-15T08:30", "2026-11-15T08:30:00.000Z"),
            ("2026-11-15T08:30:05Z", "2026-11-15T08:30:05.000Z"),
            ("2026-11-15T08:30:05.123Z", "2026-11-15T08:30:05.123Z"),
        ] {
            assert_eq!(moment(given).as_deref(), Ok(whole));
        }
        for given in
            ["", "garbage", "2026-1", "2026-13-45", "2026-02-30", "tomorrow", "2026-11-15T8", "2026-11-15 08:30", "Z"]
        {
            assert!(moment(given).is_err(), "{given}");
        }
    }
}
