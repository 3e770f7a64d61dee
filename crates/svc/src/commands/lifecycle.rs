//! `svc lifecycle`: where an entry stands, and the catalog of stages.

use std::{ffi::OsString, fmt::Write as _};

use clap::{ArgMatches, Command};
use serde::Serialize;
use svc_cli::{
    arguments,
    failure::Failure,
    files::{document::read_document, read::Input},
    output::{format::Format, stream},
    scope::{Scope, Why},
};
use svc_core::{
    artifact::checked::ReviewedPackage,
    contract::contracts,
    diagnostics::{RunScope, ScopePart},
    findings::Findings,
    lifecycle::{self, Resolution, Resolvable, Resolved, SDK_DISTRIBUTION_LIFECYCLE_CATALOG},
    manifest,
    scalar::ident::PackageRef,
    words::{kind, review_depth::ReviewDepth},
};
use svc_json::{printable, tree};

use crate::{
    artifact_files,
    named::Named,
    output::{author_tasks, show::CommandOutput},
    report::{ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

pub(crate) fn command() -> Command {
    Command::new("lifecycle")
        .about("Tell the stage of a document, or list the stages")
        .arg(arguments::path("entry", "FILE|DIR").help("The document, a folder that holds it, or - for standard input"))
}

pub(crate) fn run(arguments: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let Some(entry) = arguments.get_one::<OsString>("entry") else {
        return Ok(CommandOutput::Text(RunReport::default(), catalog(format)));
    };
    // The index tells more than the submission: an entry may stand higher than its package alone.
    let input = match Named::resolve(Input::from_argument(entry.clone()))? {
        Named::Package { folder, bundle: None } => Input::Path(folder.join(manifest::FILE_NAME)),
        other @ (Named::Document(_) | Named::Package { .. } | Named::Bundle(_)) => other.artifact(&kind::INDEX)?,
    };
    let bytes = read_document(&input, kind::INDEX.most_bytes as u64);
    let bytes = bytes.map_err(|error| Failure::reading(&input.label(), &error))?;
    let mut report = RunReport::default();
    let text = match resolve(&bytes) {
        Ok((stages, scope)) => {
            report.scope = scope;
            let mut findings = Findings::default();
            stages.iter().for_each(|one| findings.append(one.resolved.findings.clone()));
            if !findings.is_empty() {
                report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            }
            render(&stages, &report.scope, format)
        }
        Err(findings) => {
            report.scope = Scope::of_broken_artifact();
            report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            String::new()
        }
    };
    if format == Format::Human && !text.is_empty() {
        // Standard output has the words that the SDK has too, byte for byte.
        stream::status(&std::mem::take(&mut report.scope).in_lines());
    }
    Ok(if text.is_empty() { CommandOutput::Report(report) } else { CommandOutput::Text(report, text) })
}

fn catalog(format: Format) -> String {
    if format == Format::Json {
        let catalog = contracts::find("lifecycle").map(|contract| (contract.render)(rules())).unwrap_or_default();
        return String::from_utf8_lossy(&catalog).into_owned();
    }
    let mut text = String::new();
    for stage in SDK_DISTRIBUTION_LIFECYCLE_CATALOG {
        let spec = stage.spec();
        let _ = writeln!(text, "{:<17} {:<17} {}", stage.as_str(), spec.label, spec.meaning);
    }
    text
}

/// The stage of a package, and what is left for its author, where that was looked at.
struct PackageStage {
    resolved: Resolved,
    package: Option<(PackageRef, String)>,
}

fn resolve(bytes: &[u8]) -> Result<(Vec<PackageStage>, Scope), Findings> {
    let document = tree::read(bytes).map_err(|faults| svc_core::rules::syntax::findings(rules(), &faults))?;
    if !document.faults.is_empty() {
        return Err(svc_core::rules::syntax::findings(rules(), &document.faults));
    }
    let root = &document.root;
    let spec = match Resolvable::from_root(root) {
        Resolvable::Artifact(kind) => kind::find(kind).ok_or_else(artifact_files::unknown_kind)?,
        Resolvable::Entry | Resolvable::Manifest => {
            let mut resolved = lifecycle::resolve_stage(rules(), bytes);
            resolved.findings.listed_mut().iter_mut().for_each(|finding| finding.locate(root));
            let mut scope = Scope::of_entry(resolved.resolution.reviewed);
            let places = ["/manifestVersion", "/submission/packageArtifact/manifest"];
            if places.iter().all(|place| root.at_text(place).is_none()) {
                scope.skip(ScopePart::Manifest, Why::NoManifest);
            }
            return Ok((vec![PackageStage { resolved, package: None }], scope));
        }
    };
    // What claims to be an artifact has a stage only when it holds.
    let verified = svc_core::read::verify(rules(), spec.artifact, bytes)?;
    if spec.kind != kind::SUBMISSION.kind && spec.kind != kind::INDEX.kind {
        return Err(lifecycle::resolve_stage(rules(), bytes).findings);
    }
    let stage = |package: &ReviewedPackage| PackageStage {
        resolved: lifecycle::resolve_checked(package),
        package: Some((
            package.package().clone(),
            author_tasks::in_words(package.findings().classes().map(|(class, _)| class)),
        )),
    };
    let packages = verified.checked.packages();
    Ok((packages.iter().map(stage).collect(), Scope::of_artifact(packages)))
}

fn render(stages: &[PackageStage], scope: &Scope, format: Format) -> String {
    match format {
        Format::Json => {
            let resolutions: Vec<&Resolution> = stages.iter().map(|one| &one.resolved.resolution).collect();
            let resolved = ResolvedEntries { resolutions, scope: scope.to_report() };
            String::from_utf8_lossy(&printable::pretty(&resolved)).into_owned()
        }
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            stages.iter().map(describe).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Where every package of a document stands, for programs.
#[derive(Serialize)]
struct ResolvedEntries<'a> {
    resolutions: Vec<&'a Resolution>,
    scope: RunScope<'a>,
}

fn describe(PackageStage { resolved, package }: &PackageStage) -> String {
    let resolution = &resolved.resolution;
    let mut text = String::new();
    if let Some((PackageRef { id, version }, _)) = package {
        let _ = writeln!(text, "Package   {id} {version}");
    }
    let _ = writeln!(text, "Stage     {}  {}", resolution.label, resolution.meaning);
    let reviewed = ReviewDepth::from(resolution.reviewed);
    let _ = writeln!(text, "Reviewed  {reviewed}: {}", reviewed.meaning());
    if let Some(verdict) = resolution.verdict {
        let _ = writeln!(text, "Verdict   {}", verdict.as_str());
    }
    let _ = writeln!(text, "Next      {}", resolution.next_stage.spec().label);
    if let Some((_, yours)) = package {
        let _ = writeln!(text, "Yours     {yours}");
    }
    for step in &resolution.next_steps {
        let _ = writeln!(text, "Do        {step}");
    }
    let gates: Vec<&str> = resolution.missing_gates.iter().map(|gate| gate.as_str()).collect();
    let _ = writeln!(text, "Gates     missing: {}", gates.join(", "));
    let _ = writeln!(text, "Outcome   installable no");
    text
}
