//! The report as Markdown, for a pull request.

use std::fmt::Write as _;

use super::{
    changes::some_of_each,
    model::{
        Difference, FileList, FindingList, FindingRow, OnDisk, PackageStatus, ReportModel, StageState, UseLine,
        UseStatus, Uses,
    },
    text::{counted, grouped},
};
use crate::output::markdown::{block, code};

/// The most rows of each list: a comment on a pull request takes 65,536 characters.
const MOST_FINDINGS: usize = 30;
const MOST_FILES: usize = 20;
const MOST_CHANGES_OF_A_KIND: usize = 10;
const MOST_USES: usize = 20;

pub(crate) fn render(model: &ReportModel) -> Vec<u8> {
    let mut text = String::new();
    head(&mut text, model);
    status(&mut text, &model.standing);
    uses(&mut text, &model.uses);
    if let Some(difference) = &model.difference {
        changes(&mut text, difference);
    }
    findings(&mut text, &model.findings);
    files(&mut text, &model.files);
    chain(&mut text, model);
    text.push_str("\n### Not looked at\n\n");
    for sentence in &model.not_looked_at {
        let _ = writeln!(text, "- {sentence}");
    }
    let _ = writeln!(text, "\nMade by {}. This is evidence and no decision.", model.made_by);
    text.into_bytes()
}

fn head(text: &mut String, model: &ReportModel) {
    let listing = &model.listing;
    let _ = writeln!(text, "## {} {}\n", code(&listing.name), code(&listing.version));
    let _ = writeln!(text, "**Closed: accepted no, signed no, installable no.** {}\n", missing(&model.standing));
    let _ = writeln!(text, "{}\n", model.files.on_disk);
    let _ = writeln!(text, "{}\n", code(&listing.summary));
    let _ = writeln!(text, "| | |\n|---|---|\n| Package | {} |", code(&listing.id));
    let _ = writeln!(text, "| Publisher | {}, declared and unverified |", code(&listing.publisher));
    let _ = writeln!(text, "| Owner | {} |\n| Visibility | {} |", code(&listing.owner), listing.visibility);
    let _ = writeln!(text, "| Licence | {} |", code(&listing.license));
    let _ = writeln!(text, "| Artifact | `{}` |", model.standing.digest);
    for address in &listing.addresses {
        let _ = writeln!(text, "| {} | {} |", capital(address.what), code(&address.url));
    }
}

fn missing(standing: &PackageStatus) -> String {
    let gates: Vec<&str> = standing.gates.iter().filter(|gate| !gate.evidenced).map(|gate| gate.gate).collect();
    format!("Missing gates: {}.", gates.join(", "))
}

fn status(text: &mut String, standing: &PackageStatus) {
    let _ = writeln!(text, "\n### Where it stands\n");
    let stages: Vec<String> = standing
        .stages
        .iter()
        .map(|stage| match stage.state {
            StageState::Reached => format!("**{}**", stage.label),
            StageState::NotReached => format!("{} (not reached)", stage.label),
            StageState::OutOfReach => format!("{} (out of reach)", stage.label),
        })
        .collect();
    let _ = writeln!(text, "{}\n\nReview: {}\n\nReviewed {}\n", stages.join(" → "), standing.review, standing.reviewed);
    text.push_str("| Gate | Word | Missing | Cleared by |\n|---|---|---|---|\n");
    for gate in &standing.gates {
        let _ = writeln!(text, "| {} | {} | {} | {} |", gate.gate, gate.word, gate.missing, gate.cleared_by);
    }
    let own: Vec<&str> =
        standing.blockers.iter().filter(|one| one.owner == "author").map(|one| one.code.as_str()).collect();
    if !own.is_empty() {
        let _ = writeln!(text, "\nFor the author to clear: {}", own.join(", "));
    }
}

fn uses(text: &mut String, uses: &Uses) {
    text.push_str("\n### What it asks for, and what its code does\n\n");
    text.push_str("| | Name | Risk | Standing | Purpose | Used by |\n|---|---|---|---|---|---|\n");
    let permissions = uses.permissions.iter().map(|line| ("permission", line));
    let all: Vec<(&'static str, &UseLine)> =
        permissions.chain(uses.origins.iter().map(|line| ("host", line))).collect();
    let listed = some_of_each(all.clone(), MOST_USES, |(what, _)| *what);
    for (what, line) in &listed {
        let purpose = line.purpose.as_deref().map(code).unwrap_or_default();
        let (name, risk, by) = (code(&line.name), line.risk.unwrap_or(""), code(&line.used_by));
        let _ = writeln!(text, "| {what} | {name} | {risk} | {} | {purpose} | {by} |", emphasised(line));
    }
    if all.is_empty() {
        text.push_str("| nothing | | | | | |\n");
    }
    more(text, all.len(), listed.len(), "`svc app inspect` lists all");
    if let Some(left_out) = &uses.left_out {
        let _ = writeln!(text, "\n{left_out}");
    }
    let _ =
        writeln!(text, "\nData that it says it collects: {}\n\nPolicy: {}", uses.data.join(", "), code(&uses.policy));
    if uses.incomplete {
        text.push_str("\nSome code was not read, or the report has no room for all that was seen: more may be used than is listed.\n");
    }
}

fn emphasised(line: &UseLine) -> String {
    match line.standing {
        UseStatus::UsedNotDeclared | UseStatus::Computed => {
            format!("**{}**", line.words)
        }
        UseStatus::Declared | UseStatus::DeclaredNotUsed | UseStatus::DeclaredNotVisible => line.words.to_owned(),
    }
}

fn changes(text: &mut String, difference: &Difference) {
    let _ = writeln!(text, "\n### What changed since {}\n", code(&difference.since));
    if difference.other_package {
        text.push_str("That is another package.\n\n");
    }
    let listed = some_of_each(difference.changes.iter().collect(), MOST_CHANGES_OF_A_KIND, |change| change.what);
    for change in &listed {
        let _ = write!(text, "- {} {} {}", change.how, change.what, code(&change.name));
        for (word, value) in [("was", &change.was), ("now", &change.now)] {
            if let Some(value) = value {
                let _ = write!(text, ", {word} {}", code(value));
            }
        }
        text.push('\n');
    }
    if difference.changes.is_empty() {
        text.push_str("Nothing that a bundle tells.\n");
    }
    more(text, difference.changes.len(), listed.len(), "`svc app plan` lists all");
    if let Some(left_out) = &difference.left_out {
        let _ = writeln!(text, "\n{left_out}");
    }
}

fn findings(text: &mut String, findings: &FindingList) {
    let _ = writeln!(text, "\n### Findings: {}\n", findings.counts);
    for row in findings.rows.iter().take(MOST_FINDINGS) {
        finding(text, row);
    }
    more(text, findings.rows.len(), MOST_FINDINGS, "the page lists more");
    for sentence in findings.left_out.iter().chain(&findings.lines) {
        let _ = writeln!(text, "\n{sentence}");
    }
}

fn finding(text: &mut String, row: &FindingRow) {
    let _ = writeln!(
        text,
        "- **{}** {} at {}: {}\n\n  {}\n",
        row.severity,
        row.code,
        code(&row.place),
        code(&row.message),
        code(&row.help)
    );
    if let Some(excerpt) = &row.excerpt {
        let line = format!("{} | {}{}{}", excerpt.line, excerpt.before, excerpt.marked, excerpt.after);
        let _ = writeln!(text, "{}", block(&line, "  "));
    }
}

fn files(text: &mut String, files: &FileList) {
    let (count, bytes) = (counted(files.count, "file", "files"), grouped(files.bytes));
    let _ = writeln!(text, "\n### Files: {count}, {bytes} bytes\n");
    text.push_str("| File | Bytes | In the folder |\n|---|---:|---|\n");
    for row in files.rows.iter().take(MOST_FILES) {
        let state = match row.on_disk {
            OnDisk::NotLookedAt => "not looked at",
            OnDisk::Same => "the same",
            OnDisk::Differs => "**differs**",
            OnDisk::Missing => "**missing**",
        };
        let _ = writeln!(text, "| {} | {} | {state} |", code(&row.path), grouped(row.bytes));
    }
    more(text, files.count, MOST_FILES, "the bundle lists all");
}

fn chain(text: &mut String, model: &ReportModel) {
    text.push_str("\n### Hash chain\n\n| Artifact | Derived from | Status | Digest |\n|---|---|---|---|\n");
    for link in &model.chain {
        let parent = link.parent.and_then(|parent| model.chain.get(parent)).map_or("the package", |parent| parent.name);
        let _ = writeln!(text, "| {} | {parent} | {} | `{}` |", link.name, link.status, link.digest);
    }
}

fn more(text: &mut String, all: usize, most: usize, where_to: &str) {
    if all > most {
        let _ = writeln!(text, "\nand {} more; {where_to}", grouped((all - most) as u64));
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
