//! Reports for machines: `svc.diagnostics/v1`.

use serde::Serialize;
use svc_core::{
    canonical_json,
    fail_closed::ClosedOutcome,
    finding::Finding,
    gate::{Evidenced, Gate, GateStatuses, HashStanding as _},
    strict_json::tree::Position,
};

use crate::{
    failure::Failure,
    report::{ArtifactLine, Document, PackageLine, Report},
};

const SCHEMA: &str = "svc.diagnostics/v1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Diagnostics<'a> {
    artifacts: Vec<Artifact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    broken_edge: Option<BrokenEdge>,
    exit_code: u8,
    findings: Vec<JsonFinding<'a>>,
    gate_statuses: GateStatuses,
    missing_gates: Vec<Gate>,
    outcome: ClosedOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<Package<'a>>,
    schema: &'static str,
    valid: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact<'a> {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<&'a str>,
    file: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
struct BrokenEdge {
    child: &'static str,
    parent: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Package<'a> {
    bytes: u64,
    digest: &'a str,
    files: usize,
    id: &'a str,
    next_stage: svc_core::lifecycle::Stage,
    stage: svc_core::lifecycle::Stage,
    version: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonFinding<'a> {
    code: &'static str,
    file: &'a str,
    fingerprint: String,
    help: &'a str,
    message: &'a str,
    pointer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    related: Option<Range>,
    severity: &'static str,
}

#[derive(Serialize)]
struct Range {
    end: Place,
    start: Place,
}

#[derive(Serialize)]
struct Place {
    column: usize,
    line: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stopped<'a> {
    exit_code: u8,
    findings: [(); 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    message: &'a str,
    outcome: ClosedOutcome,
    schema: &'static str,
    valid: bool,
}

/// The report as one document.
pub(crate) fn render(report: &Report) -> Vec<u8> {
    canonical_json::to_pretty(&Diagnostics {
        artifacts: report.artifacts.iter().map(artifact).collect(),
        broken_edge: report.broken_edge.map(|edge| BrokenEdge { child: edge.child.file, parent: edge.parent.file }),
        exit_code: report.exit_code().code(),
        findings: report.documents.iter().flat_map(findings).collect(),
        gate_statuses: GateStatuses::now(),
        missing_gates: Evidenced::missing(),
        outcome: ClosedOutcome::default(),
        package: report.package.as_ref().map(package),
        schema: SCHEMA,
        valid: report.is_valid(),
    })
}

/// A run that could not start.
pub(crate) fn render_failure(failure: &Failure) -> Vec<u8> {
    canonical_json::to_pretty(&Stopped {
        exit_code: failure.exit.code(),
        findings: [],
        help: failure.help.as_deref(),
        message: &failure.message,
        outcome: ClosedOutcome::default(),
        schema: SCHEMA,
        valid: false,
    })
}

fn artifact(line: &ArtifactLine) -> Artifact<'_> {
    Artifact { action: line.action.word(), digest: line.digest.as_deref(), file: &line.label, kind: line.kind }
}

fn package(line: &PackageLine) -> Package<'_> {
    Package {
        bytes: line.bytes,
        digest: &line.digest,
        files: line.files,
        id: &line.id,
        next_stage: line.next_stage,
        stage: line.stage,
        version: &line.version,
    }
}

fn findings(document: &Document) -> impl Iterator<Item = JsonFinding<'_>> {
    let text = std::str::from_utf8(&document.bytes).ok();
    document.findings.iter().map(move |finding| json_finding(finding, document, text))
}

fn json_finding<'a>(finding: &'a Finding, document: &'a Document, text: Option<&str>) -> JsonFinding<'a> {
    let range = |span: svc_core::strict_json::fault::Span| {
        text.map(|text| Range { end: place(text, span.end), start: place(text, span.start) })
    };
    JsonFinding {
        code: finding.rule.code,
        file: finding.file.as_deref().unwrap_or(&document.label),
        fingerprint: finding.fingerprint().to_string(),
        help: &finding.help,
        message: &finding.message,
        pointer: finding.pointer.as_str(),
        range: finding.span.and_then(range).or_else(|| finding.position.map(point)),
        related: finding.related.and_then(range),
        severity: finding.severity().as_str(),
    }
}

fn point(Position { line, column }: Position) -> Range {
    Range { end: Place { column, line }, start: Place { column, line } }
}

fn place(text: &str, offset: usize) -> Place {
    let Position { line, column } = Position::of(text, offset);
    Place { column, line }
}
