//! SARIF 2.1.0. Missing gates are properties of the run and never results: nobody can fix them in the code.

use std::{borrow::Cow, sync::Arc};

use serde::Serialize;
use svc_cli::{failure::Failure, output::escape::Safe, scope::Scope};
use svc_core::{
    closed::ClosedOutcome,
    diagnostics::{ReportedGates, RunScope},
    fix::Edit,
    words::{gate::Gate, rule::Rule, rule_code::RuleCode, severity::Severity},
};
use svc_json::{
    digest::Digest,
    position::{NumberedText, Position},
};

use super::{
    excerpt::{self, Excerpt},
    fingerprints,
    place::FindingPlace,
    remarks,
};
use crate::report::{Located, RunReport};
use svc_cli::rules::rules;

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
    scope: RunScope<'static>,
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
    help: Help,
    id: &'static str,
    properties: RuleProperties,
    short_description: Message<'static>,
}

#[derive(Serialize)]
struct Help {
    markdown: String,
    text: &'static str,
}

#[derive(Serialize)]
struct RuleProperties {
    #[serde(rename = "security-severity", skip_serializing_if = "Option::is_none")]
    security_severity: Option<&'static str>,
    tags: Vec<&'static str>,
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
    rule_id: Cow<'static, str>,
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
    context_region: Option<Region>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    end_column: usize,
    end_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<OwnMessage>,
    start_column: usize,
    start_line: usize,
}

impl Region {
    fn between(start: Position, end: Position) -> Self {
        Self {
            end_column: end.column,
            end_line: end.line,
            snippet: None,
            start_column: start.column,
            start_line: start.line,
        }
    }

    fn with_snippet(self, text: &str) -> Self {
        Self { snippet: Some(OwnMessage { text: text.to_owned() }), ..self }
    }
}

/// The report as SARIF.
pub(crate) fn render(report: &RunReport) -> Vec<u8> {
    let located = report.located();
    let named = located.iter().zip(fingerprints::unique(&located)).zip(excerpt::excerpts(&located));
    let results =
        named.map(|((one, fingerprint), excerpt)| result(report, *one, &fingerprint, excerpt.as_ref())).collect();
    let stale: Vec<String> = report
        .stale
        .iter()
        .map(|file| format!("{}: stale, run svc app preflight again", Safe(&FindingPlace::of_file(file).file)))
        .collect();
    let unlisted = remarks::unlisted(report.unlisted());
    let notifications = stale.iter().map(|text| ("error", text)).chain(unlisted.iter().map(|text| ("note", text)));
    let successful = Invocation {
        execution_successful: true,
        exit_code: report.exit_code().code(),
        tool_execution_notifications: notifications
            .map(|(level, text)| Notification { level, message: Message { text } })
            .collect(),
    };
    log(results, successful, report.gates(), &report.scope)
}

/// A run that could not start.
pub(crate) fn render_failure(failure: &Failure) -> Vec<u8> {
    let help = failure.help.as_ref().map(|help| format!("\nhelp: {}", Safe(help))).unwrap_or_default();
    let text = format!("{}{help}", Safe(&failure.message));
    let notification = Notification { level: "error", message: Message { text: &text } };
    log(
        Vec::new(),
        Invocation {
            execution_successful: false,
            exit_code: failure.exit.code(),
            tool_execution_notifications: vec![notification],
        },
        ReportedGates::Unevidenced,
        &Scope::default(),
    )
}

fn log(results: Vec<SarifResult>, invocation: Invocation<'_>, gates: ReportedGates, scope: &Scope) -> Vec<u8> {
    svc_json::printable::pretty(&SarifLog {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        runs: [Run {
            column_kind: "unicodeCodePoints",
            invocations: [invocation],
            properties: Properties {
                gate_statuses: gates,
                missing_gates: gates.missing(),
                outcome: ClosedOutcome::default(),
                scope: scope.to_report(),
            },
            results,
            tool: Tool {
                driver: Driver {
                    name: "svc",
                    rules: rules().all().map(descriptor).collect(),
                    version: env!("CARGO_PKG_VERSION"),
                },
            },
        }],
        version: "2.1.0",
    })
}

fn descriptor(rule: &'static Arc<Rule>) -> ReportingDescriptor {
    ReportingDescriptor {
        default_configuration: Configuration { level: level(rule.severity) },
        full_description: Message { text: &rule.why },
        help: Help { markdown: markdown(rule), text: &rule.fix },
        id: &rule.code,
        properties: properties(rule),
        short_description: Message { text: &rule.title },
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Blocker | Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Rules about security beside those about permissions.
const SECURITY: &[RuleCode] = &[
    RuleCode::F002,
    RuleCode::F003,
    RuleCode::F006,
    RuleCode::F008,
    RuleCode::F013,
    RuleCode::F014,
    RuleCode::F019,
    RuleCode::F020,
    RuleCode::B003,
    RuleCode::B005,
    RuleCode::B006,
];

fn properties(rule: &Rule) -> RuleProperties {
    let families = rules().families().filter(|family| family.rules.iter().any(|own| **own == *rule));
    let mut tags: Vec<&str> = families.map(|family| family.name).collect();
    let is_security = tags.contains(&"permissions") || SECURITY.iter().any(|code| rule.is(*code));
    tags.extend(is_security.then_some("security"));
    RuleProperties { security_severity: is_security.then(|| security_severity(rule.severity)), tags }
}

/// From 0.1 to 10, as services sort by it.
const fn security_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "8.0",
        Severity::Blocker => "6.0",
        Severity::Warning => "4.0",
        Severity::Note => "1.0",
    }
}

/// Why, the way out and both examples.
fn markdown(rule: &Rule) -> String {
    let [fires, passes] = [rule.fires, rule.passes].map(|example| example.text().replace("```", "` ` `"));
    format!(
        "{}\n\n**What to do:** {}\n\nIt finds:\n\n```text\n{fires}\n```\n\nIt lets pass:\n\n```text\n{passes}\n```\n",
        rule.why, rule.fix
    )
}

fn result(
    report: &RunReport,
    (document, finding): Located<'_>,
    fingerprint: &Digest,
    excerpt: Option<&Excerpt>,
) -> SarifResult {
    let place = FindingPlace::new(document, finding);
    let region = place.range.map(|(start, end)| match excerpt {
        // A place in a file of the package is a point until its text is at hand.
        Some(excerpt) if start == end => between(excerpt.range).with_snippet(excerpt.marked_text()),
        Some(excerpt) => Region::between(start, end).with_snippet(excerpt.marked_text()),
        None => Region::between(start, end),
    });
    let context_region = excerpt.map(|excerpt| between(excerpt.shown).with_snippet(excerpt.shown_text()));
    let source = document.text();
    let edit = source.and_then(|source| Some((source, finding.edit(source.text())?)));
    let location = || ArtifactLocation { uri: uri(&place.file) };
    SarifResult {
        fixes: edit.map(|(source, edit)| fix(location(), source, edit)).into_iter().collect(),
        // What fails the run is an error, also where only the one who runs it says so.
        level: if report.denies(finding) { "error" } else { level(finding.severity()) },
        locations: [SarifLocation {
            physical_location: PhysicalLocation { artifact_location: location(), context_region, region },
        }],
        message: OwnMessage { text: format!("{} ({})", Safe(&remarks::message(finding)), Safe(&finding.help)) },
        partial_fingerprints: Fingerprints { svc: fingerprint.to_string() },
        rule_id: finding.rule.code.clone(),
        rule_index: rules().all().position(|rule| *rule == finding.rule).unwrap_or_default(),
    }
}

fn between((start, end): (Position, Position)) -> Region {
    Region::between(start, end)
}

fn fix(artifact_location: ArtifactLocation, source: &NumberedText, Edit { span, text }: Edit) -> Fix {
    let deleted_region = Region::between(source.position(span.start), source.position(span.end));
    let description = match (span.start == span.end, text.trim_start_matches([',', ' ', '\n', '\r', '\t'])) {
        (true, added) => format!("Add {added}"),
        (false, "") => "Remove it".to_owned(),
        (false, _) => format!("Replace with {text}"),
    };
    Fix {
        description: OwnMessage { text: description },
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
