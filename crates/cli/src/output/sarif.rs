//! SARIF 2.1.0. Missing gates are properties of the run and never results: nobody can fix them in the code.

use std::collections::BTreeMap;

use serde::Serialize;
use svc_core::{
    closed::ClosedOutcome,
    diagnostics::ReportedGates,
    finding::Finding,
    rules::ruleset,
    words::{gate::Gate, rule::Rule, severity::Severity},
};

use super::{escape::Safe, place::FindingPlace};
use crate::{
    failure::Failure,
    report::{ReportedDocument, RunReport},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLog<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    runs: [Run<'a>; 1],
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    column_kind: &'static str,
    invocations: [Invocation<'a>; 1],
    properties: Properties,
    results: Vec<SarifResult>,
    tool: Tool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'a> {
    execution_successful: bool,
    exit_code: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification<'a>>,
}

#[derive(Serialize)]
struct Notification<'a> {
    level: &'static str,
    message: Message<'a>,
}

#[derive(Serialize)]
struct Message<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct OwnMessage {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    gate_statuses: ReportedGates,
    missing_gates: Vec<Gate>,
    outcome: ClosedOutcome,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    rules: Vec<ReportingDescriptor>,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportingDescriptor {
    default_configuration: Configuration,
    full_description: Message<'static>,
    help: Message<'static>,
    id: &'static str,
    short_description: Message<'static>,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
    level: &'static str,
    locations: [SarifLocation; 1],
    message: OwnMessage,
    partial_fingerprints: Fingerprints,
    rule_id: &'static str,
    rule_index: usize,
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "svcFingerprint/v1")]
    svc: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    artifact_changes: [ArtifactChange; 1],
    description: OwnMessage,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: ArtifactLocation,
    replacements: [Replacement; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: OwnMessage,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    end_column: usize,
    end_line: usize,
    start_column: usize,
    start_line: usize,
}

/// The report as SARIF.
pub(crate) fn render(report: &RunReport) -> Vec<u8> {
    let mut results: Vec<SarifResult> = report.located().map(|(document, finding)| result(document, finding)).collect();
    number_fingerprints(&mut results);
    let stale: Vec<String> = report
        .stale
        .iter()
        .map(|file| format!("{}: stale, run svc app preflight again", Safe(&FindingPlace::of_file(file).file)))
        .collect();
    let successful = Invocation {
        execution_successful: true,
        exit_code: report.exit_code().code(),
        tool_execution_notifications: stale
            .iter()
            .map(|text| Notification { level: "error", message: Message { text } })
            .collect(),
    };
    log(results, successful, report.gates())
}

/// A run that could not start.
pub(crate) fn render_failure(failure: &Failure) -> Vec<u8> {
    let text = Safe(&failure.message).to_string();
    let notification = Notification { level: "error", message: Message { text: &text } };
    log(
        Vec::new(),
        Invocation {
            execution_successful: false,
            exit_code: failure.exit.code(),
            tool_execution_notifications: vec![notification],
        },
        ReportedGates::Unevidenced,
    )
}

fn log(results: Vec<SarifResult>, invocation: Invocation<'_>, gates: ReportedGates) -> Vec<u8> {
    svc_json::printable::pretty(&SarifLog {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        runs: [Run {
            column_kind: "unicodeCodePoints",
            invocations: [invocation],
            properties: Properties {
                gate_statuses: gates,
                missing_gates: gates.missing(),
                outcome: ClosedOutcome::default(),
            },
            results,
            tool: Tool {
                driver: Driver {
                    name: "svc",
                    rules: ruleset::all().map(descriptor).collect(),
                    version: env!("CARGO_PKG_VERSION"),
                },
            },
        }],
        version: "2.1.0",
    })
}

fn descriptor(rule: &'static Rule) -> ReportingDescriptor {
    ReportingDescriptor {
        default_configuration: Configuration { level: level(rule.severity) },
        full_description: Message { text: rule.why },
        help: Message { text: rule.fix },
        id: rule.code,
        short_description: Message { text: rule.title },
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Blocker | Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn result(document: &ReportedDocument, finding: &Finding) -> SarifResult {
    let place = FindingPlace::of(document, finding);
    let region = place.range.map(|(start, end)| Region {
        end_column: end.column,
        end_line: end.line,
        start_column: start.column,
        start_line: start.line,
    });
    let location = || ArtifactLocation { uri: uri(&place.file) };
    SarifResult {
        fixes: region
            .clone()
            .zip(finding.fix.clone())
            .map(|(region, text)| fix(location(), region, text))
            .into_iter()
            .collect(),
        level: level(finding.severity()),
        locations: [SarifLocation { physical_location: PhysicalLocation { artifact_location: location(), region } }],
        message: OwnMessage { text: format!("{} ({})", Safe(&finding.message), Safe(&finding.help)) },
        partial_fingerprints: Fingerprints { svc: finding.fingerprint().to_string() },
        rule_id: finding.rule.code,
        rule_index: ruleset::all().position(|rule| rule == finding.rule).unwrap_or_default(),
    }
}

/// The same finding twice in one file would be one for those who go by fingerprints: each gets its number.
fn number_fingerprints(results: &mut [SarifResult]) {
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for result in results {
        let [SarifLocation { physical_location }] = &result.locations;
        let print = &mut result.partial_fingerprints.svc;
        let number = seen.entry((physical_location.artifact_location.uri.clone(), print.clone())).or_default();
        *number += 1;
        *print = format!("{print}:{number}");
    }
}

fn fix(artifact_location: ArtifactLocation, deleted_region: Region, text: String) -> Fix {
    Fix {
        description: OwnMessage { text: format!("Replace with {text}") },
        artifact_changes: [ArtifactChange {
            artifact_location,
            replacements: [Replacement { deleted_region, inserted_content: OwnMessage { text } }],
        }],
    }
}

/// A relative URI: what is not plain in a path is escaped byte by byte.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
