//! Records as CSV (RFC 4180) that no spreadsheet takes for formulas. The last columns stand beside the record: their heading
//! says that nothing proves them.

use std::fmt::Write as _;

use svc_core::journal::attribution::{Attribution, JournalEntry};

const COLUMNS: [&str; 15] = [
    "sequence",
    "time",
    "outcome",
    "operation",
    "artifactKind",
    "artifactDigest",
    "problem",
    "decisionId",
    "missingGates",
    "requestId",
    "probe",
    "packageId (not proven)",
    "packageVersion (not proven)",
    "owner (not proven)",
    "token (not proven)",
];

pub(super) fn heading() -> String {
    format!("{}\r\n", COLUMNS.join(","))
}

pub(super) fn line(JournalEntry { attribution, record }: &JournalEntry) -> String {
    let text = |value: Option<String>| value.unwrap_or_default();
    // No name has parentheses.
    let unreadable = attribution.as_ref().filter(|it| it.is_unreadable()).map(|_| "(unreadable)".to_owned());
    let name = |value: Option<String>| value.or_else(|| unreadable.clone()).unwrap_or_default();
    let artifact = record.artifact();
    let attribution = attribution.as_ref();
    let package = attribution.and_then(Attribution::package);
    let gates: Vec<&str> = record.missing_gates().iter().map(|gate| gate.as_str()).collect();
    let cells: [String; COLUMNS.len()] = [
        record.sequence().to_string(),
        record.time().to_string(),
        record.outcome().to_string(),
        record.operation().to_string(),
        text(artifact.and_then(|artifact| artifact.kind).map(|kind| kind.to_string())),
        text(artifact.and_then(|artifact| artifact.digest).map(|digest| digest.to_string())),
        text(record.problem().map(|code| code.to_string())),
        text(record.decision_id().map(ToString::to_string)),
        gates.join(" "),
        record.request_id().to_string(),
        text(record.probe().map(ToString::to_string)),
        name(package.map(|package| package.id.to_string())),
        name(package.map(|package| package.version.to_string())),
        name(attribution.and_then(Attribution::owner).map(ToString::to_string)),
        name(attribution.and_then(Attribution::token).map(ToString::to_string)),
    ];
    let mut line = String::new();
    for (at, value) in cells.iter().enumerate() {
        let _ = write!(line, "{}{}", if at > 0 { "," } else { "" }, cell(value));
    }
    line + "\r\n"
}

/// A cell that starts like a formula gets an apostrophe, which spreadsheets take for "this is text".
fn cell(value: &str) -> String {
    let formula = value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '|', '%']);
    let value = if formula { format!("'{value}") } else { value.to_owned() };
    if formula || value.contains([',', '"', '\n', '\r', ';']) {
        return format!("\"{}\"", value.replace('"', "\"\""));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for value in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "|x", "%x", "=HYPERLINK(\"x\")"] {
            let cell = cell(value);
            assert!(cell.starts_with("\"'") && cell.ends_with('"'), "{cell}");
        }
        assert_eq!(cell("a\"b,c"), "\"a\"\"b,c\"");
        assert_eq!(cell("dev.acme.board"), "dev.acme.board");
        assert_eq!(heading().matches(',').count(), COLUMNS.len() - 1);
    }
}
