//! Errors that a draft may be left with: what nobody but its author knows.

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// The codes, and why no program can know it. Every one of them must be left in some project.
pub(super) const ONLY_THE_AUTHOR_KNOWS: &[(&str, &str)] = &[
    ("SVC-F001", "the page to show, of a project that ships none"),
    ("SVC-M018", "the licence, where none is stated or what is stated is no SPDX expression"),
    ("SVC-P010", "what is collected about people"),
];

/// Where the list of `svc init` begins.
const LIST: &str = "\nOnly you know\n";

/// The codes of the errors in a report on a draft. Each must be the author's to mend, and must have been told.
pub(super) fn errors_left(report: &Value, told: &str) -> Result<Vec<String>> {
    let (_, list) = told.split_once(LIST).context("`svc init` told no list of what only the author knows")?;
    let mut codes = Vec::new();
    for finding in of_severity(report, "error")? {
        let text = |member: &str| finding.get(member).and_then(Value::as_str).unwrap_or_default();
        let (code, pointer) = (text("code"), text("pointer"));
        let is_the_authors = ONLY_THE_AUTHOR_KNOWS.iter().any(|(known, _)| *known == code);
        ensure!(is_the_authors, "{code} is left in the draft, and is not what only its author knows: {finding}");
        let row = format!("  {pointer}  ");
        ensure!(list.lines().any(|line| line.starts_with(&row)), "{code} at {pointer} was not told:\n{told}");
        codes.push(code.trim_start_matches("SVC-").to_owned());
    }
    codes.sort();
    Ok(codes)
}

/// The findings of a report that weigh so much.
pub(super) fn of_severity<'r>(report: &'r Value, severity: &str) -> Result<Vec<&'r Value>> {
    let findings = report.get("findings").and_then(Value::as_array).context("a report without findings")?;
    let is_of = |finding: &&Value| finding.get("severity").and_then(Value::as_str) == Some(severity);
    Ok(findings.iter().filter(is_of).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_that_is_not_the_authors_or_was_not_told_is_refused() {
        let report = |code: &str| json!({ "findings": [{ "severity": "error", "code": code, "pointer": "/entry" }] });
        let told = "created\n\nOnly you know\n  /entry  Add it.\n";
        assert_eq!(errors_left(&report("SVC-F001"), told).unwrap(), ["F001"]);
        let refusal = |code: &str, told: &str| errors_left(&report(code), told).unwrap_err().to_string();
        assert!(refusal("SVC-F008", told).contains("not what only its author knows"));
        assert!(refusal("SVC-F001", "\nOnly you know\n  /entry/renderer  Add it.\n").contains("was not told"));
        assert!(refusal("SVC-F001", "  /entry  Add it.\n").contains("told no list"));
        assert!(errors_left(&json!({}), told).is_err());
    }
}
