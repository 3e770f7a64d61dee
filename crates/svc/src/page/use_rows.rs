//! What the package asks for beside what its code was seen to do, row by row.

use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    manifest::{
        model::Manifest,
        vocabulary::{DataCollection, Permission},
    },
    rules::asked_and_used::{AskedAndUsed, UseRow, UseSeen},
};
use svc_json::{pointer::Pointer, tree};

use super::{
    model::{UseLine, UseStatus, Uses},
    text::{counted, shown},
};
use crate::output::uses;

pub(super) fn build(submission: &Checked<Submission>) -> Uses {
    let basis = submission.basis();
    let manifest = &basis.package_artifact.manifest;
    let node = tree::from_value(manifest).ok();
    let table = node.as_ref().and_then(|node| uses::of_artifact(node, Some(&basis.report.facts)));
    let AskedAndUsed { incomplete, origins, permissions } =
        table.unwrap_or(AskedAndUsed { incomplete: true, origins: Vec::new(), permissions: Vec::new() });
    let csp = node.as_ref().and_then(|node| node.at(&Pointer::from_text("/entry/csp")));
    Uses {
        data: DataCollection::ALL
            .iter()
            .filter(|kind| manifest.data_collection.contains(kind))
            .map(|kind| kind.as_str())
            .collect(),
        incomplete,
        left_out: left_out(permissions.len(), origins.len()),
        network_purpose: manifest.network.purpose.as_ref().map(|purpose| shown(purpose.as_str())),
        origins: shown_lines(&origins, |row| line(row, None, None)),
        permissions: shown_lines(&permissions, |row| permission_line(row, manifest)),
        policy: shown(&uses::policy(csp)),
    }
}

/// The most rows of each table.
const MOST_ROWS: usize = 100;

/// As many rows as there is room for: what is used and not declared first, then what nobody knows, then the rest in its order.
fn shown_lines(rows: &[UseRow], line: impl Fn(&UseRow) -> UseLine) -> Vec<UseLine> {
    let mut ordered: Vec<&UseRow> = rows.iter().collect();
    ordered.sort_by_key(|row| match use_status(row).0 {
        UseStatus::UsedNotDeclared => 0,
        UseStatus::Computed => 1,
        UseStatus::Declared | UseStatus::DeclaredNotUsed | UseStatus::DeclaredNotVisible => 2,
    });
    ordered.into_iter().take(MOST_ROWS).map(line).collect()
}

fn left_out(permissions: usize, origins: usize) -> Option<String> {
    let more = |count: usize| count.saturating_sub(MOST_ROWS);
    let (permissions, origins) = (more(permissions), more(origins));
    (permissions + origins > 0).then(|| {
        let permissions = counted(permissions, "more permission", "more permissions");
        format!("{permissions} and {}: `svc app inspect` lists all", counted(origins, "more host", "more hosts"))
    })
}

fn permission_line(row: &UseRow, manifest: &Manifest) -> UseLine {
    let request = manifest.permissions.iter().find(|request| request.permission.as_str() == row.name);
    // A power without its permission is named by those that would cover it.
    let covering = row.name.split([' ', '(']).filter_map(Permission::parse);
    let risk = covering.map(Permission::risk).max().map(|risk| risk.as_str());
    line(row, request.map(|request| shown(request.purpose.as_str())), risk)
}

fn line(row: &UseRow, purpose: Option<String>, risk: Option<&'static str>) -> UseLine {
    let (standing, words) = use_status(row);
    UseLine { name: shown(&row.name), purpose, risk, standing, used_by: uses::used_by(row), words }
}

fn use_status(row: &UseRow) -> (UseStatus, &'static str) {
    match (row.asked, row.seen) {
        (_, UseSeen::Computed) => (UseStatus::Computed, "computed, so not known"),
        (true, UseSeen::Used) => (UseStatus::Declared, "declared"),
        (true, UseSeen::NotSeen) => (UseStatus::DeclaredNotUsed, "declared, not used"),
        (true, UseSeen::NotVisible) => (UseStatus::DeclaredNotVisible, "declared"),
        (false, UseSeen::Used | UseSeen::NotSeen | UseSeen::NotVisible) => {
            (UseStatus::UsedNotDeclared, "used, not declared")
        }
    }
}
