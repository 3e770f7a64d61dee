//! What a package asks for, what its code uses and what it does not declare, side by side.

use std::fmt::Write as _;

use svc_cli::output::escape::Safe;
use svc_core::{
    package::fact::Fact,
    rules::{
        asked_and_used::{AskedAndUsed, UseRow, UseSeen},
        package::Package,
    },
};
use svc_json::tree::Node;

use svc_cli::rules::rules;
/// The table of an artifact's package: its manifest and the facts of its report. Nothing without a report.
pub(crate) fn of_artifact(manifest: &Node<'_>, facts: Option<&[Fact]>) -> Option<AskedAndUsed> {
    AskedAndUsed::from_package(&Package::of_manifest(rules(), manifest).with_facts(facts))
}

/// The table in words.
pub(crate) fn in_words(uses: &AskedAndUsed) -> String {
    let mut text = String::new();
    for (what, rows) in [("permission", &uses.permissions), ("origin", &uses.origins)] {
        if rows.is_empty() {
            continue;
        }
        let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default().clamp(10, 60);
        let _ = writeln!(text, "\n  {what:<width$}  asked for  used by");
        for row in rows {
            let mark = if row.is_undeclared() { '!' } else { ' ' };
            let name = Safe(&row.name).to_string();
            let asked = if row.asked { "yes" } else { "no" };
            let _ = writeln!(text, "{mark} {name:<width$}  {asked:<9}  {}", used_by(row));
        }
    }
    if uses.permissions.iter().chain(&uses.origins).any(UseRow::is_undeclared) {
        text.push_str("\n! used and not declared in the manifest\n");
    }
    if uses.incomplete {
        text.push_str("\nSome code was not read, or the report has no room for all that was seen: more may be used than is listed.\n");
    }
    text
}

/// Where a row is used, in words.
pub(crate) fn used_by(row: &UseRow) -> String {
    let file = row.file.as_ref().map(|file| Safe(file.as_str()).to_string()).unwrap_or_default();
    let files = if row.files > 1 { format!("{file} and {} more", row.files - 1) } else { file };
    match row.seen {
        UseSeen::Used => files,
        UseSeen::Computed => format!("{files}; the address is computed"),
        UseSeen::NotSeen => "not seen".to_owned(),
        UseSeen::NotVisible => "the host grants it; code does not show its use".to_owned(),
    }
}

/// The content security policy as browsers read it, or what holds without one.
pub(crate) fn policy(csp: Option<&Node<'_>>) -> String {
    let directives = csp.map(Node::members).unwrap_or_default();
    if directives.is_empty() {
        return "none in the manifest: `default-src 'self'` holds, with `connect-src` as in `network.allow`".to_owned();
    }
    let in_words = directives.iter().map(|directive| {
        let sources = directive.value.elements().iter().filter_map(Node::as_str);
        std::iter::once(directive.key.as_ref()).chain(sources).collect::<Vec<_>>().join(" ")
    });
    Safe(&in_words.collect::<Vec<_>>().join("; ")).to_string()
}
