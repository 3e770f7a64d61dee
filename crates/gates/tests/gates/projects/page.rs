//! `docs/real-projects.md`: a row for each project.

use std::fmt::Write as _;

use super::author::ONLY_THE_AUTHOR_KNOWS;

/// What was seen of one project.
pub(super) struct Row {
    pub(super) title: String,
    pub(super) kind: String,
    /// Whether others published it.
    pub(super) is_published: bool,
    pub(super) files: usize,
    /// The codes of the errors that the draft was left with.
    pub(super) errors: Vec<String>,
    pub(super) lines: usize,
    pub(super) warnings: usize,
    pub(super) blockers: usize,
}

/// The whole page.
pub(super) fn page(rows: &[Row]) -> String {
    let published = rows.iter().filter(|row| row.is_published).count();
    let mut page = format!(
        "# Real projects\n\n\
        What `svc init` makes of {} projects: {published} packages of the npm registry, each fetched by its version and held to its\n\
        digest, and {} that were written for this after the public documentation of their manifests.\n\
        `cargo xtask gates projects` drafts each, holds the errors that are left to the list below, applies the edits that are\n\
        committed in `tests/projects.txt`, runs the preflight to exit code 0, verifies the bundle, runs the preflight again, which changes\n\
        nothing, and compares this page. `cargo xtask projects` writes it.\n\n\
        The edits stand for those of an author. They were written by us and not by the people who made the projects, none of whom was\n\
        asked: what a project collects, and what for, is our reading of its code. No edit changes a file that a project ships.\n\n\
        Errors an author is left with: {}. Median of the lines edited: {}.\n\n\
        | project | kind | files | errors in the draft | lines edited | warnings after | blockers after |\n|---|---|---|---|---|---|---|\n",
        rows.len(),
        rows.len() - published,
        rows.iter().map(|row| row.errors.len()).sum::<usize>(),
        median(rows),
    );
    for row in rows {
        let errors = if row.errors.is_empty() { "none".to_owned() } else { row.errors.join(", ") };
        let Row { title, kind, files, lines, warnings, blockers, .. } = row;
        let _ = writeln!(page, "| {title} | {kind} | {files} | {errors} | {lines} | {warnings} | {blockers} |");
    }
    page.push_str("\n## What only the author knows\n\n| rule | why | projects |\n|---|---|---|\n");
    for (code, why) in ONLY_THE_AUTHOR_KNOWS {
        let short = code.trim_start_matches("SVC-");
        let count = rows.iter().filter(|row| row.errors.iter().any(|error| error == short)).count();
        let _ = writeln!(page, "| {code} | {why} | {count} |");
    }
    page
}

fn median(rows: &[Row]) -> usize {
    let mut lines: Vec<usize> = rows.iter().map(|row| row.lines).collect();
    lines.sort_unstable();
    lines.get(lines.len() / 2).copied().unwrap_or_default()
}
