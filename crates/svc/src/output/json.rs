//! Reports for machines: `svc.diagnostics/v1`.

use std::borrow::Cow;

use svc_core::{
    diagnostics::{
        ArtifactResult, BrokenEdge, DiagnosticFinding, DiagnosticRange, Diagnostics, PackageResult, SettingsFile,
        StepLine,
    },
    finding::Finding,
};
use svc_json::{digest::Digest, fault::Span, printable};

use super::{fingerprints, place::FindingPlace};
use crate::report::{ArtifactLine, PackageLine, PreflightStep, ReportedDocument, RunReport, UsedSettings};

/// The report as one document.
pub(crate) fn render(report: &RunReport) -> Vec<u8> {
    printable::pretty(&Diagnostics {
        artifacts: report.artifacts.iter().map(artifact).collect(),
        broken_edge: report.broken_edge.map(|edge| BrokenEdge { child: edge.child.file, parent: edge.parent.file }),
        findings: findings(report),
        gate_statuses: report.gates(),
        missing_gates: report.gates().missing(),
        packages: report.packages.iter().map(package).collect(),
        settings: report.settings.iter().map(settings).collect(),
        stale: report.stale.iter().map(String::as_str).collect(),
        steps: report.steps.iter().map(step).collect(),
        unlisted: report.unlisted().map(|(_, count)| count).sum(),
        ..Diagnostics::empty(report.exit_code().code(), report.is_valid(), report.scope.to_report())
    })
}

fn artifact(line: &ArtifactLine) -> ArtifactResult<'_> {
    ArtifactResult { action: line.action.word(), digest: line.digest.as_deref(), file: &line.label, kind: line.kind }
}

fn settings(used: &UsedSettings) -> SettingsFile<'_> {
    SettingsFile { file: &used.label, ignored: used.ignored.clone() }
}

fn step(step: &PreflightStep) -> StepLine<'_> {
    StepLine { name: step.name, order: step.order, result: step.result.word() }
}

fn package(line: &PackageLine) -> PackageResult<'_> {
    PackageResult {
        bytes: line.bytes,
        digest: &line.digest,
        files: line.files,
        id: &line.id,
        next_stage: line.next_stage,
        reviewed: line.reviewed,
        stage: line.stage,
        version: &line.version,
    }
}

fn findings(report: &RunReport) -> Vec<DiagnosticFinding<'_>> {
    let located = report.located();
    let named = located.iter().zip(fingerprints::unique(&located));
    named.map(|((document, finding), fingerprint)| diagnostic(document, finding, fingerprint)).collect()
}

fn diagnostic<'a>(document: &'a ReportedDocument, finding: &'a Finding, fingerprint: Digest) -> DiagnosticFinding<'a> {
    let text = document.text();
    let range =
        |span: Span| text.map(|text| DiagnosticRange::between(text.position(span.start), text.position(span.end)));
    let point = finding.position.map(|position| DiagnosticRange::between(position, position));
    DiagnosticFinding {
        code: &finding.rule.code,
        exception: finding.exception,
        file: Cow::Owned(FindingPlace::typed(document, finding).file),
        files: (finding.files > 1).then_some(finding.files),
        fingerprint,
        fix: text.and_then(|text| finding.replacement(text.text())).map(Cow::Owned),
        help: &finding.help,
        message: &finding.message,
        pointer: finding.pointer.as_str(),
        range: finding.span.and_then(range).or(point),
        related: finding.related.and_then(range),
        severity: finding.severity(),
    }
}
