//! `svc app registry` and every `svc app registry-…` that makes an artifact: one for each row of the artifact table.

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{read::Input, write::Output},
    scope::Scope,
};
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    artifact::{
        any::AnyChecked,
        index::{self, Conflict, Index, ScopeType},
        submission::Submission,
    },
    read,
    scalar::ident::OwnerId,
    words::{
        kind::{self, ArtifactSpec, Source},
        limits,
    },
};
use svc_json::pointer::Pointer;

use crate::{
    artifact_files::{deliver, read_artifact, refuse_same_file},
    package_arguments,
    report::{ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

struct MakeOptions {
    inputs: Vec<Input>,
    out: Output,
    scope: Option<index::Scope>,
}

pub(crate) fn command(spec: &'static ArtifactSpec) -> Command {
    let command = Command::new(spec.make.name).about(spec.make.about).arg(package_arguments::out(spec));
    match spec.source {
        Source::Submissions => command.arg(arguments::inputs()).arg(
            Arg::new("scope")
                .long("scope")
                .value_name("user:ID|space:ID")
                .help("The collection of the entries, as user:ID or space:ID [default: the collection of each owner]"),
        ),
        Source::Artifact { .. } | Source::Package => command.arg(arguments::input()),
    }
}

/// Runs the command that makes an artifact of this kind.
pub(crate) fn run(spec: &'static ArtifactSpec, matches: &ArgMatches) -> Result<RunReport, Failure> {
    let options = &MakeOptions {
        inputs: package_arguments::given_artifacts(matches, read_from(spec))?,
        out: package_arguments::given_out(matches, spec),
        scope: arguments::text(matches, "scope").map(scope).transpose()?,
    };
    refuse_same_file(&options.out, &options.inputs)?;
    let mut report = RunReport { writes: true, payload: options.out.empty_payload(), ..RunReport::default() };
    let made = match spec.source {
        Source::Submissions => make_index(options, &mut report)?,
        Source::Artifact { parent } => derived(options, spec, parent, &mut report)?,
        Source::Package => None,
    };
    if let Some(artifact) = made {
        deliver(&mut report, &options.out, &artifact)?;
    }
    Ok(report)
}

/// The kind that an artifact is made from.
fn read_from(spec: &'static ArtifactSpec) -> &'static ArtifactSpec {
    match spec.source {
        Source::Artifact { parent } => parent,
        Source::Submissions | Source::Package => &kind::SUBMISSION,
    }
}

fn scope(text: &str) -> Result<index::Scope, Failure> {
    let parsed = text
        .split_once(':')
        .and_then(|(kind, id)| Some(index::Scope { r#type: ScopeType::parse(kind)?, id: OwnerId::parse(id)? }));
    parsed.ok_or_else(|| {
        Failure::usage("`--scope` must be `user:ID` or `space:ID`", "give one of the two forms, such as `user:acme`")
    })
}

fn derived(
    options: &MakeOptions,
    spec: &ArtifactSpec,
    parent: &ArtifactSpec,
    report: &mut RunReport,
) -> Result<Option<AnyChecked>, Failure> {
    let Some(input) = options.inputs.first() else { return Ok(None) };
    let bytes = read_artifact(input, parent)?;
    let parent = read::any(rules(), parent.artifact, &bytes);
    report.scope =
        parent.as_ref().map_or_else(|_| Scope::of_broken_artifact(), |one| Scope::of_artifact(one.packages()));
    match parent.and_then(|parent| parent.derive(spec.artifact)) {
        Ok(artifact) => Ok(Some(artifact)),
        Err(findings) => {
            report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            Ok(None)
        }
    }
}

fn make_index(options: &MakeOptions, report: &mut RunReport) -> Result<Option<AnyChecked>, Failure> {
    if options.inputs.len() > limits::INDEX_ENTRIES {
        let message = format!("an index must have at most {} submissions", limits::INDEX_ENTRIES);
        return Err(Failure::usage(message, "make several indexes, each of a part of them"));
    }
    let mut submissions = Vec::new();
    let mut files = Vec::new();
    for input in &options.inputs {
        let bytes = read_artifact(input, &kind::SUBMISSION)?;
        match read::artifact::<Submission>(rules(), &bytes) {
            Ok(submission) => {
                report.scope.add(Scope::of_artifact(submission.packages()).with_rules_of(submission.has_own_rules()));
                submissions.push(submission);
                files.push((input.label(), bytes));
            }
            Err(findings) => {
                report.scope.add(Scope::of_broken_artifact());
                report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            }
        }
    }
    if !report.documents.is_empty() {
        return Ok(None);
    }
    if let Some(conflict) = Index::first_conflict(&submissions, options.scope.as_ref()) {
        report.documents.extend(refused(&conflict, files));
        return Ok(None);
    }
    match Index::from_submissions(rules(), &submissions, options.scope.as_ref()) {
        Ok(index) => Ok(Some(index.into())),
        Err(findings) => {
            let label = kind::INDEX.file.to_owned();
            report.documents.push(ReportedDocument::new(label, Vec::new(), findings));
            Ok(None)
        }
    }
}

/// The second of two submissions that one collection cannot list both, with what is wrong with it.
fn refused(conflict: &Conflict, mut files: Vec<(String, Vec<u8>)>) -> Option<ReportedDocument> {
    let Conflict { first, second, package, scope } = conflict;
    let collection = format!("{}:{}", scope.r#type, scope.id);
    let (label, bytes) = files.get_mut(*second).map(std::mem::take)?;
    let (other, _) = files.get(*first)?;
    let message = format!("`{other}` puts {} {} into the collection {collection} too", package.id, package.version);
    let finding = rules().finding(RuleCode::B008, message).at(Pointer::root().join("package")).help(
        "Give one submission for each version in a collection. Without `--scope`, each is in the collection of its owner.",
    );
    Some(ReportedDocument::new(label, bytes, vec![finding]))
}
