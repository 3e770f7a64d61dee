//! What a package asks for, what its code uses and what it does not declare, side by side.

use std::fmt::Write as _;

use svc_core::{
    package::fact::Fact,
    rules::{
        asked_and_used::{AskedAndUsed, UseRow, UseSeen},
        package::Package,
    },
};
use svc_json::tree::Node;

use crate::output::escape::Safe;

/// The table of an artifact's package: its manifest and the facts of its report. Nothing without a report.
pub(super) fn of_artifact(manifest: &Node<'_>, facts: Option<&[Fact]>) -> Option<AskedAndUsed> {
    AskedAndUsed::of(&Package::of_manifest(manifest).with_facts(facts))
}

/// The table in words.
pub(super) fn in_words(uses: &AskedAndUsed) -> String {
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
        text.push_str("\nSome code was not read, so more may be used than stands here.\n");
    }
    text
}

fn used_by(row: &UseRow) -> String {
    let file = row.file.as_ref().map(|file| Safe(file.as_str()).to_string()).unwrap_or_default();
    let files = if row.files > 1 { format!("{file} and {} more", row.files - 1) } else { file };
    match row.seen {
        UseSeen::Used => files,
        UseSeen::Computed => format!("{files}; the address is computed"),
        UseSeen::NotSeen => "not seen".to_owned(),
        UseSeen::NotVisible => "the host grants it; code does not show its use".to_owned(),
    }
}
