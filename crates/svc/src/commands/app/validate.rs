//! `svc app validate`: checks manifests and artifacts, told apart by what they say they are, never by file name.

mod fix;

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{document::DocumentSource, read::Input},
    scope::Scope,
};
use svc_core::{explain::open_flags::open_flags, findings::Findings, pack, words::kind};
use svc_json::survey;

use super::registry_validate;
use crate::{
    artifact_files::unknown_kind,
    named::Named,
    output::show::CommandOutput,
    package, package_arguments,
    report::{ArtifactLine, Deny, Judged, ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

pub(crate) fn command() -> Command {
    Command::new("validate")
        .about("Check manifests and artifacts of any kind")
        .arg(arguments::inputs())
        .args(package_arguments::deny())
        .arg(arguments::flag("fix", "Correct the mistakes that have exactly one correction"))
        .arg(arguments::flag("dry-run", "With --fix: show the changes and write nothing"))
}

pub(crate) fn run(matches: &ArgMatches) -> Result<CommandOutput, Failure> {
    let mut inputs = Vec::new();
    for input in arguments::given_inputs(matches) {
        inputs.extend(Named::resolve(input)?.documents());
    }
    if arguments::is_set(matches, "dry-run") && !arguments::is_set(matches, "fix") {
        return Err(Failure::usage("`--dry-run` needs `--fix`", "give --fix --dry-run, or leave --dry-run out"));
    }
    let is_fix = arguments::is_set(matches, "fix");
    if is_fix && inputs.contains(&Input::Stdin) {
        let message = "`--fix` needs a file that it can write, and the document is standard input";
        return Err(Failure::usage(message, "give the file, or leave --fix out"));
    }
    let report = look_at_all(&inputs, package_arguments::given_deny(matches)?)?;
    if !is_fix {
        return Ok(CommandOutput::Report(report));
    }
    let changes = fix::plan(&inputs, &report);
    if arguments::is_set(matches, "dry-run") {
        return Ok(CommandOutput::Text(report, fix::describe(&changes)));
    }
    let told = fix::apply(&changes)?;
    let report = look_at_all(&inputs, package_arguments::given_deny(matches)?)?;
    svc_cli::output::stream::status(&told);
    Ok(CommandOutput::Report(report))
}

fn look_at_all(inputs: &[Input], deny: Deny) -> Result<RunReport, Failure> {
    let mut report = RunReport { deny, ..RunReport::default() };
    for input in inputs {
        let source = DocumentSource::open(input);
        let read = source.and_then(|source| source.read(kind::INDEX.most_bytes as u64).map(|bytes| (source, bytes)));
        let (source, bytes) = read.map_err(|error| Failure::reading(&input.label(), &error))?;
        look_at(&mut report, input, source, bytes);
    }
    registry_validate::require_judged(&report)?;
    Ok(report)
}

fn look_at(report: &mut RunReport, input: &Input, source: DocumentSource, bytes: Vec<u8>) {
    let label = input.label();
    let (kind, claims) = match survey::read(&bytes, &["/kind"]) {
        Ok(survey) => {
            let is_named = survey.places.iter().any(|place| place.is_whole);
            let kind = is_named.then(|| survey.text_at(0).unwrap_or_default().into_owned());
            (kind, open_flags(rules(), survey.text))
        }
        Err(faults) => {
            let findings: Findings = svc_core::rules::syntax::findings(rules(), &faults);
            report.scope.add(Scope::of_broken_artifact());
            return report.documents.push(ReportedDocument::new(label, bytes, findings));
        }
    };
    match kind.as_deref().map(kind::find) {
        Some(Some(spec)) => registry_validate::look_at(report, spec, label, bytes),
        Some(None) => {
            report.scope.add(Scope::of_broken_artifact());
            // Whatever it is, it may not claim to be open.
            let mut findings = Findings::from(unknown_kind());
            findings.append(claims);
            report.documents.push(ReportedDocument::new(label, bytes, findings));
        }
        None => {
            let (findings, scope) = manifest_findings(&source, &bytes);
            report.scope.add(scope);
            report.judged = Judged::Files;
            if !findings.has_errors() {
                report.artifacts.push(ArtifactLine::manifest(label.clone()));
            }
            report.documents.push(ReportedDocument::package(label, bytes, findings, source));
        }
    }
}

/// What is found in a manifest and the files beside it, and whether those were read.
fn manifest_findings(source: &DocumentSource, bytes: &[u8]) -> (Findings, Scope) {
    match pack::read_manifest(rules(), bytes) {
        Ok(draft) => {
            let walked = package::walk(source, &draft, &[]);
            let mut scope = Scope::of_package(&walked);
            if package::leaves_out(source, &draft, &[]) {
                scope.note_left_out();
            }
            let findings = draft.review(walked).findings;
            scope.note_unread(&findings);
            (findings, scope)
        }
        Err(findings) => (findings, Scope::of_broken_manifest()),
    }
}
