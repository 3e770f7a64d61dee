//! `svc app inspect`: an artifact in words for people, with its place in the chain.

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use svc_core::{
    artifact::checked::ReviewedPackage,
    review,
    words::{gate::Gate, kind},
};
use svc_json::tree::{self, Node};

use crate::{
    arguments,
    artifact_files::unknown_kind,
    failure::Failure,
    files::document::read_document,
    output::{escape::Safe, show::CommandOutput},
    report::{ReportedDocument, RunReport},
};

pub(crate) fn command() -> Command {
    Command::new("inspect").about("Show an artifact in words, with its place in the chain").arg(arguments::input())
}

/// Runs the command. A document that does not hold is not shown: its words could not be relied on.
pub(crate) fn run(matches: &ArgMatches) -> Result<CommandOutput, Failure> {
    let mut report = RunReport::default();
    let Some(input) = arguments::given_inputs(matches).into_iter().next() else {
        return Ok(CommandOutput::Report(report));
    };
    let bytes = read_document(&input, kind::INDEX.most_bytes as u64);
    let bytes = bytes.map_err(|error| Failure::reading(&input.label(), &error))?;
    let shown = inspect(&bytes);
    match shown {
        Ok(text) => Ok(CommandOutput::Text(report, text)),
        Err(findings) => {
            report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            Ok(CommandOutput::Report(report))
        }
    }
}

fn inspect(bytes: &[u8]) -> Result<String, Vec<svc_core::finding::Finding>> {
    let document =
        tree::read(bytes).map_err(|faults| faults.iter().map(svc_core::rules::syntax::finding).collect::<Vec<_>>())?;
    let kind = document.root.get("kind").and_then(Node::as_str).unwrap_or_default();
    let spec = kind::find(kind).ok_or_else(|| vec![unknown_kind()])?;
    let verified = svc_core::read::verify(spec.artifact, bytes)?;
    let mut text = format!("Kind      {}\nDigest    {}\n", spec.kind, verified.checked.digest());
    for parent in document.root.get("derivedFrom").map(Node::elements).unwrap_or_default() {
        let _ = writeln!(text, "From      {}  {}", word(parent, "/digest"), word(parent, "/kind"));
    }
    let entries = document.root.get("entries").map(Node::elements).unwrap_or_default();
    if entries.is_empty() {
        describe_package(&mut text, &document.root, verified.checked.packages().first());
    }
    for (entry, package) in entries.iter().zip(verified.checked.packages()) {
        let _ = writeln!(text, "\nEntry     {}:{}", word(entry, "/scope/type"), word(entry, "/scope/id"));
        if let Some(submission) = entry.get("submission") {
            describe_package(&mut text, submission, Some(package));
        }
    }
    let _ = writeln!(text, "\nStatus    {}\nOutcome   accepted no, signed no, installable no", spec.status);
    for gate in Gate::ALL {
        let _ = writeln!(
            text,
            "Gate      {:<24} {}",
            gate.as_str(),
            word(&document.root, &format!("/gateStatuses/{gate}"))
        );
    }
    Ok(text)
}

/// Head, parts and files are the document's, which were checked; review and blockers are what our own rules give.
fn describe_package(text: &mut String, root: &Node<'_>, evaluated: Option<&ReviewedPackage>) {
    let _ = writeln!(text, "Package   {} {}", word(root, "/package/id"), word(root, "/package/version"));
    let _ = writeln!(text, "Owner     {} ({})", word(root, "/owner/id"), word(root, "/owner/name"));
    let _ = writeln!(text, "Visible   {}", word(root, "/visibility"));
    for descriptor in root.get("artifactDigests").map(Node::elements).unwrap_or_default() {
        let _ = writeln!(text, "Part      {:<17} {}", word(descriptor, "/name"), word(descriptor, "/digest"));
    }
    let files = tree_at(root, "/packageArtifact/files").map(Node::elements).unwrap_or_default();
    let _ = writeln!(text, "Files     {}", files.len());
    let Some(evaluated) = evaluated else { return };
    if root.get("reviewReport").is_some() {
        let _ = writeln!(text, "Review    {}", evaluated.verdict());
        for finding in evaluated.findings() {
            let (severity, code) = (finding.severity(), finding.rule.code);
            let (place, message) = (Safe(finding.pointer.as_str()), Safe(&finding.message));
            let _ = writeln!(text, "Finding   {severity} {code} {place}: {message}");
        }
    }
    if root.get("blockers").is_some() {
        for blocker in evaluated.blockers() {
            let (what, _) = review::in_words(blocker);
            let _ = writeln!(text, "Blocker   {} ({}): {what}", blocker.code, blocker.owner);
        }
    }
}

fn tree_at<'n, 'a>(node: &'n Node<'a>, pointer: &str) -> Option<&'n Node<'a>> {
    node.at(&svc_json::pointer::Pointer::from_text(pointer))
}

fn word(node: &Node<'_>, pointer: &str) -> String {
    tree_at(node, pointer).and_then(Node::as_str).map(|text| Safe(text).to_string()).unwrap_or_default()
}
