//! One line a finding, for editors and for grep.

use std::fmt::Write as _;

use svc_cli::output::escape::Safe;

use super::{place::FindingPlace, remarks};
use crate::report::RunReport;

/// The findings, one a line, then a verdict.
pub(crate) fn render(report: &RunReport) -> String {
    let mut text = String::new();
    for (document, finding) in report.located() {
        let place = FindingPlace::new(document, finding);
        let position = place.range.map(|(start, _)| format!(":{start}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "{}{position}: {}[{}] {}",
            Safe(&place.file),
            finding.severity(),
            finding.rule.code,
            Safe(&remarks::message(finding))
        );
    }
    text.extend(remarks::unlisted(report.unlisted()).map(|more| format!("{more}\n")));
    for stale in &report.stale {
        let _ = writeln!(text, "{}: stale", Safe(&FindingPlace::of_file(stale).file));
    }
    let _ = writeln!(text, "valid: {}", if report.is_valid() { "yes" } else { "no" });
    let _ = writeln!(text, "{}", report.scope.in_one_line());
    text
}
