//! `svc app plan`: what stands between a submission and the next stage; with two submissions, what changed.

use std::{collections::BTreeMap, fmt::Write as _};

use clap::{ArgMatches, Command};
use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    finding::Finding,
    gates::{Evidenced, GateStatuses},
    review::{self, blocker::Blocker},
    scalar::ident::PackageRef,
    words::{gate::Gate, kind},
};
use svc_json::tree;

use super::uses;
use crate::{
    arguments,
    artifact_files::read_artifact,
    failure::Failure,
    files::read::Input,
    output::{escape::Safe, show::CommandOutput},
    report::{ReportedDocument, RunReport},
};

pub(crate) fn command() -> Command {
    Command::new("plan")
        .about("Tell what stands between a submission and the next stage; with two, what changed")
        .arg(arguments::input().num_args(1..=2).value_name("SUBMISSION"))
}

pub(crate) fn run(matches: &ArgMatches) -> Result<CommandOutput, Failure> {
    let mut report = RunReport::default();
    let mut submissions = Vec::new();
    for input in arguments::given_inputs(matches) {
        submissions.extend(read(&mut report, &input)?);
    }
    let text = match submissions.as_slice() {
        _ if !report.documents.is_empty() => String::new(),
        [one] => plan(one),
        [before, after] => difference(before, after),
        _ => String::new(),
    };
    Ok(if text.is_empty() { CommandOutput::Report(report) } else { CommandOutput::Text(report, text) })
}

fn read(report: &mut RunReport, input: &Input) -> Result<Option<Checked<Submission>>, Failure> {
    let bytes = read_artifact(input, &kind::SUBMISSION)?;
    match svc_core::read::artifact::<Submission>(&bytes) {
        Ok(submission) => Ok(Some(submission)),
        Err(findings) => {
            report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            Ok(None)
        }
    }
}

fn plan(submission: &Checked<Submission>) -> String {
    let PackageRef { id, version } = submission.basis().package();
    let mut text = format!("{id} {version}\n");
    let basis = submission.basis();
    if let Ok(manifest) = tree::of(&basis.package_artifact.manifest) {
        text.extend(uses::of_artifact(&manifest, Some(&basis.report.facts)).map(|uses| uses::in_words(&uses)));
    }
    let (author, others): (Vec<&Blocker>, Vec<&Blocker>) =
        own_blockers(submission).iter().partition(|blocker| blocker.gate.is_none());
    for blocker in author {
        let _ = writeln!(text, "\n{}  cleared by the author", blocker.code);
        for finding in own_findings(submission).filter(|finding| finding.rule.code == blocker.code.as_str()) {
            let _ = writeln!(text, "  what     {}\n  do       {}", Safe(&finding.message), Safe(&finding.help));
        }
        let _ = writeln!(text, "  blocks   {}", blocker.blocks_stage);
    }
    for blocker in others {
        let status = blocker.status.as_ref().map_or("", |status| status.as_str());
        let _ = writeln!(text, "\n{} {status}  cleared by the {}", blocker.code, blocker.owner);
        if let Some(gate) = blocker.gate {
            let _ = writeln!(text, "  needs    {}\n  missing  {}", gate.spec().evidence, gate.spec().missing);
        }
        let _ = writeln!(text, "  blocks   {}", blocker.blocks_stage);
    }
    text
}

/// What our own rules find in the way, whatever the submission declares.
fn own_blockers(submission: &Checked<Submission>) -> &[Blocker] {
    submission.packages().first().map(|package| package.blockers()).unwrap_or_default()
}

fn own_findings(submission: &Checked<Submission>) -> impl Iterator<Item = &Finding> {
    submission.packages().iter().flat_map(|package| package.findings())
}

/// What a reviewer asks first of a new version.
fn difference(before: &Checked<Submission>, after: &Checked<Submission>) -> String {
    let (old, new) = (before.basis(), after.basis());
    let (old_package, new_package) = (old.package(), new.package());
    let mut text =
        format!("{} {} -> {} {}\n", old_package.id, old_package.version, new_package.id, new_package.version);
    let permissions = |submission: &Submission| {
        let asked = submission.basis().package_artifact.manifest.permissions.iter();
        asked.map(|request| (request.permission.to_string(), request.purpose.to_string())).collect()
    };
    push_changes(&mut text, "permission", &permissions(before), &permissions(after));
    let origins = |submission: &Submission| {
        let allowed = submission.basis().package_artifact.manifest.network.allow.iter();
        allowed.map(|origin| (origin.to_string(), String::new())).collect()
    };
    push_changes(&mut text, "origin", &origins(before), &origins(after));
    let collected = |submission: &Submission| {
        let kinds = submission.basis().package_artifact.manifest.data_collection.iter();
        kinds.map(|kind| (kind.to_string(), String::new())).collect()
    };
    push_changes(&mut text, "data", &collected(before), &collected(after));
    let files = |submission: &Submission| {
        let rows = submission.basis().package_artifact.files.iter();
        rows.map(|file| (file.path.to_string(), format!("{} {} bytes", file.digest, file.size.get()))).collect()
    };
    push_changes(&mut text, "file", &files(before), &files(after));
    let blockers = |submission: &Checked<Submission>| {
        let all = own_blockers(submission).iter();
        all.map(|blocker| (blocker.code.to_string(), review::in_words(blocker).0)).collect()
    };
    push_changes(&mut text, "blocker", &blockers(before), &blockers(after));
    let gates: Vec<String> =
        Gate::ALL.iter().map(|gate| format!("{gate} {}", GateStatuses::<Evidenced>::now().word(*gate))).collect();
    let _ = writeln!(text, "gates unchanged: {}", gates.join(", "));
    text
}

fn push_changes(text: &mut String, what: &str, before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) {
    for (name, detail) in after {
        match before.get(name) {
            None => {
                let _ = writeln!(text, "+ {what} {}", Safe(&format!("{name}  {detail}")).to_string().trim_end());
            }
            Some(old) if old != detail => {
                let _ = writeln!(text, "~ {what} {}\n    was  {}\n    now  {}", Safe(name), Safe(old), Safe(detail));
            }
            Some(_) => {}
        }
    }
    for (name, detail) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
        let _ = writeln!(text, "- {what} {}", Safe(&format!("{name}  {detail}")).to_string().trim_end());
    }
}
