//! `svc app files`: which files go into a package, and why others do not.

use std::{fmt::Write as _, path::PathBuf};

use clap::{ArgMatches, Command};
use serde::Serialize;
use svc_cli::{
    failure::Failure,
    files::folder_swap,
    output::{escape::Safe, format::Format},
    scope::Scope,
};
use svc_core::{
    diagnostics::RunScope,
    findings::Findings,
    pack::{self, Draft},
    words::severity::Severity,
};
use svc_json::printable;

use super::pack::read_manifest;
use crate::{
    named::BUNDLE_FOLDER,
    output::show::CommandOutput,
    package, package_arguments,
    report::{ReportedDocument, RunReport},
    tree::{
        ignore_file::IGNORE_FILE,
        pattern::Ignored,
        walk::{Fate, ListedPath},
    },
};
use svc_cli::rules::rules;

pub(crate) fn command() -> Command {
    Command::new("files")
        .about("Tell which files go into a package, and why others do not")
        .arg(package_arguments::package())
}

/// Runs the command. No file is read but the manifest and `.svcignore`.
pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let manifest = package_arguments::given_manifest(matches);
    let mut report = RunReport { scope: Scope::of_file_list(), ..RunReport::default() };
    let (source, bytes) = read_manifest(&manifest)?;
    let left_out = folder_swap::with_leftovers(&PathBuf::from(BUNDLE_FOLDER));
    let told = pack::read_manifest(rules(), &bytes).and_then(|draft| {
        require_patterns(&draft)?;
        let patterns: Vec<String> = draft.patterns().into_iter().map(|(_, pattern)| pattern).collect();
        Ok((package::list_paths(&source, &draft, &left_out)?, patterns))
    });
    match told {
        Ok((told, patterns)) => {
            let rows: Vec<PathRow> = told.iter().map(|path| PathRow::new(path, &patterns)).collect();
            let text = if format == Format::Json { in_json(&rows, &report.scope) } else { in_words(&rows) };
            Ok(CommandOutput::Text(report, text))
        }
        Err(findings) => {
            report.documents.push(ReportedDocument::package(manifest.label(), bytes, findings, source));
            Ok(CommandOutput::Report(report))
        }
    }
}

/// Refuses `files` that are no list of patterns: without them no answer about a path means anything.
fn require_patterns(draft: &Draft<'_>) -> Result<(), Findings> {
    let has_patterns = !draft.patterns().is_empty();
    let mut faults = draft.shape_findings().clone();
    faults.retain(|finding| {
        let is_about_files = finding.pointer.as_str().split('/').nth(1) == Some("files");
        finding.severity() == Severity::Error && (is_about_files || !has_patterns)
    });
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// A path, whether it goes in, and by what.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PathRow {
    /// The line of `.svcignore` that leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    packed: bool,
    path: String,
    /// The pattern that takes it in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// Why it does not go in, or the pattern by which it does.
    why: String,
}

impl PathRow {
    fn new(listed: &ListedPath, patterns: &[String]) -> Self {
        let out = |why: String| Self { line: None, packed: false, path: listed.path.clone(), pattern: None, why };
        match &listed.fate {
            Fate::Taken(index) => {
                let pattern = patterns.get(*index).cloned().unwrap_or_default();
                let why = format!("taken by `{pattern}`");
                Self { packed: true, pattern: Some(pattern), ..out(why) }
            }
            Fate::NoPattern => out("no pattern takes it".to_owned()),
            Fate::Ignored(Ignored::ByLine(line)) => {
                Self { line: Some(*line), ..out(format!("left out by {IGNORE_FILE}, line {line}")) }
            }
            Fate::Ignored(Ignored::ByDefault(row)) => {
                out(format!("{}: goes in only if `files` has its whole path", row.what))
            }
            Fate::Own => out("read by svc itself, and no file of the package".to_owned()),
            Fate::LeftOut => out("written by svc".to_owned()),
            Fate::Refused(fault) => out(format!("refused: {}", fault.message())),
        }
    }
}

fn in_words(rows: &[PathRow]) -> String {
    let width = rows.iter().map(|row| row.path.chars().count()).max().unwrap_or_default().min(60);
    let mut text = String::new();
    for row in rows {
        let (mark, path) = (if row.packed { "in " } else { "out" }, Safe(&row.path).to_string());
        let _ = writeln!(text, "{mark}  {path:<width$}  {}", Safe(&row.why));
    }
    let packed = rows.iter().filter(|row| row.packed).count();
    let _ = writeln!(text, "\n{packed} go in, {} do not", rows.len() - packed);
    text
}

#[derive(Serialize)]
struct PathList<'r> {
    files: &'r [PathRow],
    scope: RunScope<'r>,
}

fn in_json(rows: &[PathRow], scope: &Scope) -> String {
    String::from_utf8_lossy(&printable::pretty(&PathList { files: rows, scope: scope.to_report() })).into_owned()
}
