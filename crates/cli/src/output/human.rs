//! Reports for people: every finding with a caret under its source, then what was done and where the package stands.

use std::{fmt::Write as _, ops::Range};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use svc_core::{
    finding::Finding,
    words::{gate::Gate, severity::Severity},
};
use svc_json::{fault::Span, position::Position};

use super::escape::Safe;
use crate::{
    failure::Failure,
    report::{ReportedDocument, RunReport},
};

/// Findings shown one by one; the rest is counted.
const MAX_SHOWN: usize = 200;

/// Characters shown on each side of a place in a very long line.
const CONTEXT_CHARACTERS: usize = 60;

/// The findings, for standard error.
pub(crate) fn findings(report: &RunReport, colored: bool) -> String {
    let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
    let all = report.documents.iter().flat_map(|document| document.findings.iter().map(move |one| (document, one)));
    let mut text = String::new();
    for (document, finding) in all.take(MAX_SHOWN) {
        let _ = writeln!(text, "{}\n", renderer.render(&[group(document, finding)]));
    }
    let total = report.findings().count();
    if total > MAX_SHOWN {
        let _ = writeln!(text, "… and {} more findings\n", total - MAX_SHOWN);
    }
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
    if let Some(package) = &report.package {
        let _ = writeln!(
            text,
            "\nPackage   {} {}  {} files, {} bytes",
            package.id, package.version, package.files, package.bytes
        );
        let _ = writeln!(text, "Artifact  {}", package.digest);
        let (stage, next) = (package.stage.spec().label, package.next_stage.spec().label);
        let _ = writeln!(text, "Stage     {stage}  (next: {next})");
    }
    if let Some(edge) = report.broken_edge {
        let _ = writeln!(
            text,
            "Broken    {} -> {}: the first edge of the chain that does not hold",
            edge.parent.file, edge.child.file
        );
    }
    if !report.artifacts.is_empty() || !report.documents.is_empty() {
        let _ = writeln!(text, "Valid     {}", if report.is_valid() { "yes" } else { "no" });
        let _ = writeln!(text, "Outcome   accepted no, signed no, installable no  (always: svc explain outcome)");
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

/// A stop, for standard error.
pub(crate) fn failure(failure: &Failure) -> String {
    let mut text = format!("error: {}\n", Safe(&failure.message));
    if let Some(help) = &failure.help {
        let _ = writeln!(text, "  = help: {}", Safe(help));
    }
    text
}

fn gates(report: &RunReport) -> String {
    let words: Vec<String> = Gate::ALL.iter().map(|gate| format!("{gate} {}", report.gates().word(*gate))).collect();
    words.join(", ")
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

fn group<'a>(document: &'a ReportedDocument, finding: &'a Finding) -> Group<'a> {
    let level = match finding.severity() {
        Severity::Error => Level::ERROR,
        Severity::Blocker => Level::WARNING.with_name("blocker"),
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(Safe(&finding.message).to_string()).id(finding.rule.code);
    let path = Safe(finding.file.as_deref().unwrap_or(&document.label)).to_string();
    let text = std::str::from_utf8(&document.bytes).ok();
    let mut group = match text.zip(finding.span) {
        Some((text, span)) => {
            let first = finding
                .related
                .map(|related| excerpt(text, related, "first here", AnnotationKind::Context).path(path.clone()));
            let group = title.element(excerpt(text, span, "", AnnotationKind::Primary).path(path));
            first.into_iter().fold(group, Group::element)
        }
        None => title.element(match finding.position {
            Some(position) => Origin::path(path).line(position.line).char_column(position.column),
            None => Origin::path(path),
        }),
    };
    let help = Safe(&finding.help).to_string();
    let pointer = finding.pointer.as_str();
    if !pointer.is_empty() {
        group = group.element(Level::NOTE.message(format!("at {}", Safe(pointer))));
    }
    group.element(Level::HELP.message(help))
}

/// The line of a place, cut to what can be read, with foreign characters spelled out.
fn excerpt<'a>(text: &str, span: Span, label: &'static str, kind: AnnotationKind) -> Snippet<'a, Annotation<'a>> {
    let (line, marked) = shown_line(text, span);
    Snippet::source(line).line_start(Position::of(text, span.start).line).annotation(kind.span(marked).label(label))
}

fn shown_line(text: &str, span: Span) -> (String, Range<usize>) {
    let start = align(text, span.start);
    let line_start = text.get(..start).and_then(|head| head.rfind('\n')).map_or(0, |newline| newline + 1);
    let line_end = text.get(start..).and_then(|tail| tail.find('\n')).map_or(text.len(), |length| start + length);
    let end = align(text, span.end.clamp(start, line_end));
    let before: Vec<char> = text.get(line_start..start).unwrap_or_default().chars().collect();
    let marked: String = text.get(start..end).unwrap_or_default().chars().take(2 * CONTEXT_CHARACTERS).collect();
    let after: String =
        text.get(start + marked.len()..line_end).unwrap_or_default().chars().take(CONTEXT_CHARACTERS).collect();
    let cut = before.len().saturating_sub(CONTEXT_CHARACTERS);
    let mut line = String::from(if cut > 0 { "…" } else { "" });
    before.iter().skip(cut).for_each(|character| push_safe(&mut line, *character));
    let from = line.len();
    marked.chars().for_each(|character| push_safe(&mut line, character));
    let to = line.len();
    after.chars().for_each(|character| push_safe(&mut line, character));
    (line, from..to)
}

fn push_safe(line: &mut String, character: char) {
    match character {
        '\t' => line.push(' '),
        '\r' => {}
        _ => {
            let _ = write!(line, "{}", Safe(character.encode_utf8(&mut [0; 4])));
        }
    }
}

/// The nearest character boundary at or before an offset.
fn align(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
