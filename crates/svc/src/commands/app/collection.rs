//! A folder with the bundles of several packages and one index over all of them, as a preflight of several writes it.

use std::path::{Path, PathBuf};

use svc_cli::{failure::Failure, files::read::Input};
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, index::Index},
    bundle::{Bundle, Files},
    collection,
    diagnostics::ScopePart,
    finding::Finding,
    findings::Findings,
    read,
    words::kind,
};

use super::bundle_folder::{LookedAt, has_others, look_at};
use crate::{
    artifact_files::read_artifact,
    named::folders_in,
    report::{Action, ArtifactLine, ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

/// The bundles of a collection, each with its files, when all of it holds.
pub(super) type LookedAtBundles = Vec<(PathBuf, Files)>;

/// Checks every bundle of the folder, and the index over all of them.
pub(super) fn look_at_all(folder: &Path) -> Result<(RunReport, LookedAtBundles), Failure> {
    let mut whole = RunReport::default();
    let mut bundles: Vec<Bundle> = Vec::new();
    let mut looked_at = LookedAtBundles::new();
    for path in folders_in(folder) {
        let LookedAt { report, bundle, files } = look_at(&path)?;
        whole.documents.extend(report.documents);
        whole.artifacts.extend(report.artifacts);
        whole.packages.extend(report.packages);
        whole.scope.add(report.scope);
        whole.broken_edge = whole.broken_edge.or(report.broken_edge);
        if let Some(bundle) = bundle {
            let findings: Findings = misnamed(&path, &bundle).into_iter().collect();
            whole.documents.push(ReportedDocument::new(path.to_string_lossy().into_owned(), Vec::new(), findings));
            bundles.push(bundle);
            looked_at.push((path, files));
        }
    }
    look_at_index(&mut whole, folder, &bundles)?;
    whole.scope.check(ScopePart::CollectionIndex);
    let names: Vec<String> =
        folders_in(folder).iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
    let own: Vec<&str> = names.iter().map(String::as_str).chain([kind::INDEX.file]).collect();
    if has_others(folder, &own)? {
        whole.scope.note_other_files();
    }
    if !whole.is_valid() {
        whole.packages.clear();
        looked_at.clear();
    }
    Ok((whole, looked_at))
}

fn look_at_index(report: &mut RunReport, folder: &Path, bundles: &[Bundle]) -> Result<(), Failure> {
    let input = Input::Path(folder.join(kind::INDEX.file));
    let bytes = read_artifact(&input, &kind::INDEX)?;
    let index: Result<Checked<Index>, Findings> = read::artifact(rules(), &bytes);
    let findings = match index {
        Ok(index) => {
            let digest = index.digest_matches().digest();
            report.artifacts.push(ArtifactLine::new(Action::Checked, input.label(), &kind::INDEX, digest));
            let mut findings = collection::faults(&index, bundles);
            findings.extend(read::warnings(rules(), &index.to_file(), index.has_own_rules(), &bytes));
            findings
        }
        Err(findings) => findings,
    };
    report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
    Ok(())
}

/// A bundle lies in a folder that bears its package's id, so that none can stand for another.
fn misnamed(path: &Path, bundle: &Bundle) -> Option<Finding> {
    let id = &bundle.submission.package().id;
    let is_named = path.file_name().is_some_and(|name| name.to_str() == Some(id.as_str()));
    let help = "Give the folder the id of its package as its name, or make the bundles again with `svc app preflight`.";
    let finding = || rules().finding(RuleCode::B010, format!("the folder holds the bundle of `{id}`")).help(help);
    (!is_named).then(finding)
}
