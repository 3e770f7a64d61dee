//! `svc app inspect`: an artifact in words for people, with its place in the chain.

mod at;
mod contents;

use std::borrow::Cow;
use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use serde::Serialize;
use svc_cli::{
    arguments,
    failure::Failure,
    files::document::read_document,
    output::{escape::Safe, format::Format},
    scope::Scope,
};
use svc_core::{
    artifact::{checked::ReviewedPackage, evaluated::EvaluatedPackage},
    closed::False,
    diagnostics::RunScope,
    findings::Findings,
    package::fact::Fact,
    read::Verified,
    review,
    rules::asked_and_used::AskedAndUsed,
    scalar::{ident::PackageRef, subject::Subject},
    words::{
        gate::Gate,
        kind::{self, ArtifactSpec},
        review_depth::{ClaimedDepth, ReviewDepth},
        severity::Severity,
        stage::Stage,
        verdict::Verdict,
    },
};
use svc_json::{
    digest::Digest,
    printable,
    tree::{self, Node},
};

use self::at::{tree_at, word};
use crate::{
    artifact_files::unknown_kind,
    output::{remarks, show::CommandOutput, uses},
    package_arguments,
    report::{ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

pub(crate) fn command() -> Command {
    Command::new("inspect").about("Show an artifact in words, with its place in the chain").arg(arguments::input())
}

/// Runs the command. A document that does not hold is not shown: its words could not be relied on.
pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let mut report = RunReport::default();
    let Some(input) = package_arguments::given_artifacts(matches, &kind::SUBMISSION)?.into_iter().next() else {
        return Ok(CommandOutput::Report(report));
    };
    let bytes = read_document(&input, kind::INDEX.most_bytes as u64);
    let bytes = bytes.map_err(|error| Failure::reading(&input.label(), &error))?;
    let shown = if format == Format::Json { in_json(&bytes) } else { inspect(&bytes) };
    match shown {
        Ok((text, scope)) => Ok(CommandOutput::Text(RunReport { scope, ..report }, text)),
        Err(findings) => {
            report.scope = Scope::of_broken_artifact();
            report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            Ok(CommandOutput::Report(report))
        }
    }
}

fn inspect(bytes: &[u8]) -> Result<(String, Scope), Findings> {
    let document = tree::read(bytes).map_err(|faults| svc_core::rules::syntax::findings(rules(), &faults))?;
    let (spec, verified) = checked(&document.root, bytes)?;
    let mut text =
        format!("Kind      {}\nFor       {}\nDigest    {}\n", spec.kind, spec.evidences, verified.checked.digest());
    for parent in document.root.get("derivedFrom").map(Node::elements).unwrap_or_default() {
        let _ = writeln!(text, "From      {}  {}", word(parent, "/digest"), word(parent, "/kind"));
    }
    let entries = document.root.get("entries").map(Node::elements).unwrap_or_default();
    if entries.is_empty() {
        describe_package(&mut text, bytes, &document.root, verified.checked.packages().first());
    }
    for (entry, package) in entries.iter().zip(verified.checked.packages()) {
        let _ = writeln!(text, "\nEntry     {}:{}", word(entry, "/scope/type"), word(entry, "/scope/id"));
        if let Some(submission) = entry.get("submission") {
            describe_package(&mut text, bytes, submission, Some(package));
        }
    }
    text.push_str(&contents::describe(&document.root));
    let _ = writeln!(text, "\nStatus    {}\nOutcome   accepted no, signed no, installable no", spec.status);
    let basis = format!(" ({})", ReviewDepth::AsClaimed.hash_basis());
    for gate in Gate::ALL {
        let basis = if gate.can_be_evidenced() { basis.as_str() } else { "" };
        let said = word(&document.root, &format!("/gateStatuses/{gate}"));
        let _ = writeln!(text, "Gate      {:<24} {said}{basis}", gate.as_str());
    }
    Ok((text, Scope::of_artifact(verified.checked.packages())))
}

/// Head, parts and files are the document's, which were checked; review and blockers are what our own rules give.
fn describe_package(text: &mut String, bytes: &[u8], root: &Node<'_>, evaluated: Option<&ReviewedPackage>) {
    let _ = writeln!(text, "Package   {} {}", word(root, "/package/id"), word(root, "/package/version"));
    let _ = writeln!(text, "Owner     {} ({})", word(root, "/owner/id"), word(root, "/owner/name"));
    let _ = writeln!(text, "Visible   {}", word(root, "/visibility"));
    for descriptor in root.get("artifactDigests").map(Node::elements).unwrap_or_default() {
        let _ = writeln!(text, "Part      {:<17} {}", word(descriptor, "/name"), word(descriptor, "/digest"));
    }
    let files = tree_at(root, "/packageArtifact/files").map(Node::elements).unwrap_or_default();
    let _ = writeln!(text, "Files     {}", files.len());
    if let Some(entry) = tree_at(root, "/packageArtifact/manifest/entry") {
        let _ = writeln!(text, "Policy    {}", uses::policy(entry.get("csp")));
    }
    let Some(evaluated) = evaluated else { return };
    let _ = writeln!(text, "Stage     {}", Stage::from(evaluated.stage()).spec().label);
    let reviewed = ReviewDepth::from(evaluated.reviewed());
    match verdict(evaluated) {
        Some(verdict) => writeln!(text, "Review    {verdict}, {reviewed}"),
        None => writeln!(text, "Review    not in this artifact: inspect the submission or the review evidence"),
    }
    .ok();
    let _ = writeln!(text, "Reviewed  {reviewed}: {}", reviewed.meaning());
    for finding in evaluated.findings() {
        let (severity, code) = (finding.severity(), &finding.rule.code);
        let (place, message) = (Safe(finding.pointer.as_str()), Safe(&finding.message));
        let _ = writeln!(text, "Finding   {severity} {code} {place}: {message}");
    }
    text.extend(remarks::unlisted(evaluated.findings().unlisted()).map(|more| format!("Finding   {more}\n")));
    for blocker in evaluated.blockers() {
        let (what, _) = review::in_words(rules(), blocker);
        let _ = writeln!(text, "Blocker   {} ({}): {what}", blocker.code, blocker.owner);
    }
    text.extend(asked_and_used(bytes, root).map(|uses| uses::in_words(&uses)));
}

/// What the rules say of a package, where the artifact has the facts to say it of.
fn verdict(package: &ReviewedPackage) -> Option<Verdict> {
    (package.reviewed() == ClaimedDepth::AsClaimed).then(|| package.verdict())
}

/// What the package of a checked artifact asks for and uses, where the artifact has a report.
fn asked_and_used(bytes: &[u8], root: &Node<'_>) -> Option<AskedAndUsed> {
    let facts = tree_at(root, "/reviewReport/facts")?;
    let facts: Vec<Fact> = serde_json::from_slice(bytes.get(facts.span.start..facts.span.end)?).ok()?;
    uses::of_artifact(tree_at(root, "/packageArtifact/manifest")?, Some(&facts))
}

type Spec = &'static ArtifactSpec;

fn checked(root: &Node<'_>, bytes: &[u8]) -> Result<(Spec, Verified), Findings> {
    let kind = root.get("kind").and_then(Node::as_str).unwrap_or_default();
    let spec = kind::find(kind).ok_or_else(unknown_kind)?;
    Ok((spec, svc_core::read::verify(rules(), spec.artifact, bytes)?))
}

/// What our own rules say of an artifact, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Inspected<'a> {
    accepted: False,
    digest: &'a Digest,
    installable: False,
    kind: &'static str,
    packages: Vec<InspectedPackage<'a>>,
    ruleset_equal: bool,
    scope: RunScope<'a>,
    signed: False,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InspectedPackage<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_and_used: Option<AskedAndUsed>,
    #[serde(flatten)]
    evaluated: &'a EvaluatedPackage,
    findings: Vec<InspectedFinding<'a>>,
    package: &'a PackageRef,
    /// How many findings are counted and not listed, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    unlisted: Option<usize>,
    /// Absent when the artifact carries no report.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
}

impl<'a> InspectedPackage<'a> {
    pub(super) fn new(package: &'a ReviewedPackage, asked_and_used: Option<AskedAndUsed>) -> Self {
        let findings = package.findings().iter().map(|finding| InspectedFinding {
            code: finding.rule.code.clone(),
            file: finding.file.as_deref(),
            message: &finding.message,
            pointer: finding.pointer.as_str(),
            severity: finding.severity(),
            subject: finding.subject.as_ref().map(Subject::as_str),
        });
        let unlisted = Some(package.findings().left_out()).filter(|count| *count > 0);
        Self {
            asked_and_used,
            evaluated: package,
            findings: findings.collect(),
            package: package.package(),
            unlisted,
            verdict: verdict(package),
        }
    }
}

#[derive(Serialize)]
struct InspectedFinding<'a> {
    code: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    message: &'a str,
    pointer: &'a str,
    severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
}

fn in_json(bytes: &[u8]) -> Result<(String, Scope), Findings> {
    let document = tree::read(bytes).map_err(|faults| svc_core::rules::syntax::findings(rules(), &faults))?;
    let (spec, verified) = checked(&document.root, bytes)?;
    let entries = document.root.get("entries").map(Node::elements).unwrap_or_default();
    let submissions = entries.iter().filter_map(|entry| entry.get("submission"));
    let alone = entries.is_empty().then_some(&document.root);
    let packages = verified.checked.packages().iter().zip(alone.into_iter().chain(submissions));
    let scope = Scope::of_artifact(verified.checked.packages()).with_rules_of(verified.checked.has_own_rules());
    let inspected = Inspected {
        accepted: False,
        digest: verified.checked.digest(),
        installable: False,
        kind: spec.kind,
        packages: packages.map(|(package, root)| InspectedPackage::new(package, asked_and_used(bytes, root))).collect(),
        ruleset_equal: verified.checked.has_own_rules(),
        scope: scope.to_report(),
        signed: False,
    };
    Ok((String::from_utf8_lossy(&printable::pretty(&inspected)).into_owned(), scope))
}
