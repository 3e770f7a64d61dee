//! Reports for people: every finding with a caret under its source, then what was done and where the package stands.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use svc_cli::output::escape::Safe;
use svc_core::{
    diagnostics::ReportedGates,
    finding::Finding,
    review::report::fitting,
    words::{gate::Gate, review_depth::ReviewDepth, severity::Severity},
};

use super::{
    author_tasks,
    excerpt::{self, Excerpt},
    place::FindingPlace,
    remarks,
};
use crate::report::{ReportedDocument, RunReport};

/// Findings shown one by one, of each rule some; the rest is counted.
const MAX_SHOWN: usize = 200;

/// The findings, for standard error.
pub(crate) fn findings(report: &RunReport, colored: bool) -> String {
    let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
    let all = report.located();
    let total = all.len();
    let shown = fitting(all.clone(), MAX_SHOWN, |(_, finding)| &finding.rule.code);
    let mut text = String::new();
    for ((document, finding), excerpt) in shown.iter().zip(excerpt::excerpts(&shown)) {
        let _ = writeln!(text, "{}\n", renderer.render(&[group(document, finding, excerpt.as_ref())]));
    }
    if total > shown.len() {
        let of = remarks::left_out(all.iter().map(|(_, one)| *one), shown.iter().map(|(_, one)| *one));
        let _ = writeln!(text, "… and {} more findings: {of}; `--format concise` lists them\n", total - shown.len());
    }
    text.extend(remarks::unlisted(report.unlisted()).map(|more| format!("… {more}\n\n")));
    if total > 0 {
        text.push_str(&counts(report));
    }
    text
}

/// What was done and where the package stands.
pub(crate) fn result(report: &RunReport) -> String {
    let mut text = steps(report);
    for stale in &report.stale {
        let _ = writeln!(text, "stale     {}", Safe(stale));
    }
    for line in &report.artifacts {
        let digest = line.digest.as_deref().unwrap_or_default();
        let _ = writeln!(text, "{}", format!("{:<9} {}  {digest}", line.action.word(), Safe(&line.label)).trim_end());
    }
    for (at, settings) in report.settings.iter().enumerate() {
        let _ = writeln!(text, "{}Settings  {}", if at == 0 { "\n" } else { "" }, Safe(&settings.in_words()));
    }
    for package in &report.packages {
        let _ = writeln!(
            text,
            "\nPackage   {} {}  {} files, {} bytes",
            package.id, package.version, package.files, package.bytes
        );
        let _ = writeln!(text, "Artifact  {}", package.digest);
        let (stage, next) = (package.stage.spec().label, package.next_stage.spec().label);
        let _ = writeln!(text, "Stage     {stage}  (next: {next})");
        let _ = writeln!(text, "Reviewed  {}: {}", package.reviewed, report.scope.meaning(package.reviewed));
    }
    if let Some(edge) = report.broken_edge {
        let _ = writeln!(
            text,
            "Broken    {} -> {}: the first edge of the chain that does not hold",
            edge.parent.file, edge.child.file
        );
    }
    if !report.artifacts.is_empty() || !report.documents.is_empty() {
        if let Some(reviewed) = report.reviewed().filter(|_| report.packages.is_empty()) {
            let _ = writeln!(text, "Reviewed  {reviewed}: {}", report.scope.meaning(reviewed));
        }
        let _ = writeln!(text, "Valid     {}", if report.is_valid() { "yes" } else { "no" });
        text.push_str(&report.scope.in_lines());
        let _ = writeln!(text, "Outcome   accepted no, signed no, installable no  (always: svc explain outcome)");
        text.extend(author_tasks(report).map(|yours| format!("Yours     {yours}\n")));
        let _ = writeln!(text, "Gates     {}", gates(report));
    }
    if let Some(next) = &report.next {
        let _ = writeln!(text, "Next      {next}");
    }
    text
}

/// The steps of a preflight, each on a line of its own.
fn steps(report: &RunReport) -> String {
    let width = report.steps.iter().map(|step| step.name.len()).max().unwrap_or_default();
    let lines = report.steps.iter().map(|step| {
        format!("{:>2}/{} {:<width$}  {}\n", step.order, report.steps.len(), step.name, step.result.word())
    });
    lines.collect()
}

/// After a whole preflight, what is left for the author.
fn author_tasks(report: &RunReport) -> Option<String> {
    if report.packages.is_empty() || report.steps.is_empty() || !report.is_valid() {
        return None;
    }
    let classes = report.documents.iter().flat_map(|document| document.findings.classes());
    Some(author_tasks::in_words(classes.map(|(class, _)| class)))
}

/// The word of every gate. Evidence is said with what it is: digests, and perhaps no file.
fn gates(report: &RunReport) -> String {
    let basis = match (report.gates(), report.reviewed()) {
        (ReportedGates::Evidenced, depth) => depth.unwrap_or(ReviewDepth::AsClaimed).hash_basis(),
        (ReportedGates::Unevidenced, _) => "",
    };
    let word = |gate: &Gate| match report.gates().word(*gate) {
        word if gate.can_be_evidenced() && !basis.is_empty() => format!("{gate} {word} ({basis})"),
        word => format!("{gate} {word}"),
    };
    Gate::ALL.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn counts(report: &RunReport) -> String {
    let of = |severity, one: &str| match report.count(severity) {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {one}s")),
    };
    let parts = [
        of(Severity::Error, "error"),
        of(Severity::Blocker, "author blocker"),
        of(Severity::Warning, "warning"),
        of(Severity::Note, "note"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let written = if report.writes && !report.is_valid() { ". Nothing was written." } else { "" };
    format!("{}{written}\n", parts.join(", "))
}

fn group<'a>(document: &ReportedDocument, finding: &'a Finding, excerpt: Option<&Excerpt>) -> Group<'a> {
    let level = match finding.severity() {
        Severity::Error => Level::ERROR,
        Severity::Blocker => Level::WARNING.with_name("blocker"),
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(Safe(&finding.message).to_string()).id(finding.rule.code.as_ref());
    let place = FindingPlace::typed(document, finding);
    let path = Safe(&place.file).to_string();
    let mut group = match excerpt {
        Some(excerpt) => {
            let group = marked(Group::with_title(title), excerpt, "", AnnotationKind::Primary, path.clone());
            match excerpt::related(document, finding) {
                Some(first) => marked(group, &first, "first here", AnnotationKind::Context, path),
                None => group,
            }
        }
        None => title.element(match place.range {
            Some((start, _)) => Origin::path(path).line(start.line).char_column(start.column),
            None => Origin::path(path),
        }),
    };
    for remark in remarks::in_files(finding).into_iter().chain(remarks::exception(finding)) {
        group = group.element(Level::NOTE.message(remark));
    }
    // A file has its path; its row in the table is nothing that people look up.
    let pointer = finding.pointer.as_str();
    if !pointer.is_empty() && finding.file.is_none() {
        group = group.element(Level::NOTE.message(format!("at {}", Safe(pointer))));
    }
    group.element(Level::HELP.message(Safe(&finding.help).to_string()))
}

/// The group with an excerpt. Where the line was cut, the place is told by itself: it is not that of the excerpt.
fn marked<'a>(
    group: Group<'a>,
    excerpt: &Excerpt,
    label: &'static str,
    kind: AnnotationKind,
    path: String,
) -> Group<'a> {
    let (start, _) = excerpt.range;
    let snippet = Snippet::source(excerpt.line.clone())
        .line_start(start.line)
        .annotation(kind.span(excerpt.marked.clone()).label(label));
    if excerpt.is_cut_before || excerpt.line.get(..excerpt.marked.start).is_some_and(|lead| lead.contains('\\')) {
        return group.element(Origin::path(path).line(start.line).char_column(start.column)).element(snippet);
    }
    group.element(snippet.path(path))
}
