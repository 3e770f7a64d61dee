//! The words of manifests and reports: permissions, categories, data, severities, artifacts, depths of a review.

use std::fmt::Write as _;

use svc_core::{
    manifest::vocabulary::{CATEGORIES, DataCollection, Permission},
    words::{
        kind::{self, ArtifactSpec},
        review_depth::ReviewDepth,
        severity::Severity,
    },
};

/// The lists that are explained whole.
pub(super) const LISTS: [&str; 6] = ["permissions", "categories", "data", "severities", "artifacts", "reviewed"];

const PERMISSION: &str = "It stands in `permissions` of the manifest, with a purpose that people can read. The review holds it against the code.";

/// What a word means, if it is one of these.
pub(super) fn explain(topic: &str) -> Option<String> {
    if let Some(permission) = Permission::parse(topic) {
        return Some(format!("permission {permission}: {} risk\n\n{PERMISSION}\n", permission.risk()));
    }
    if let Some(severity) = Severity::parse(topic) {
        return Some(format!("{}\n", line_of(severity)));
    }
    if let Some(depth) = ReviewDepth::parse(topic) {
        return Some(line_of_depth(depth));
    }
    if let Some(spec) = artifact(topic) {
        return Some(explain_artifact(spec));
    }
    if CATEGORIES.contains(&topic) && topic != "data" {
        return Some(format!("category {topic}\n\n{}", list_of_categories()));
    }
    if let Some(data) = DataCollection::parse(topic) {
        return Some(format!("data {data}: a word of `dataCollection` in the manifest\n\n{}", list_of_data()));
    }
    match topic {
        "permissions" => Some(list_of_permissions()),
        "categories" => Some(list_of_categories()),
        "data" | "dataCollection" => Some(list_of_data()),
        "severities" | "severity" => Some(Severity::ALL.iter().map(|severity| line_of(*severity) + "\n").collect()),
        "artifacts" => Some(kind::ALL.iter().map(|spec| format!("{:<42} {}\n", spec.file, spec.evidences)).collect()),
        "reviewed" => Some(ReviewDepth::ALL.iter().map(|depth| line_of_depth(*depth)).collect()),
        _ => None,
    }
}

/// What a statement about a package is based on.
fn line_of_depth(depth: ReviewDepth) -> String {
    format!("reviewed {depth}: {}\n", depth.meaning())
}

/// Every word that has an explanation here.
pub(super) fn words() -> Vec<&'static str> {
    let mut words = LISTS.to_vec();
    words.extend(Permission::WORDS);
    words.extend(CATEGORIES);
    words.extend(DataCollection::WORDS);
    words.extend(Severity::WORDS);
    words.extend(ReviewDepth::WORDS);
    words.extend(kind::ALL.iter().flat_map(|spec| [spec.name, spec.kind, spec.file]));
    words
}

fn artifact(topic: &str) -> Option<&'static ArtifactSpec> {
    kind::ALL.iter().copied().find(|spec| [spec.name, spec.kind, spec.file].contains(&topic))
}

fn explain_artifact(spec: &ArtifactSpec) -> String {
    let mut text = format!("{}: {}\n\n{}\n\n", spec.name, spec.file, spec.evidences);
    let _ = writeln!(text, "Made by   svc app {}", spec.make.name);
    if let Some(check) = spec.check {
        let _ = writeln!(text, "Checked   svc app {}", check.name);
    }
    if let Some(endpoint) = spec.endpoint {
        let _ = writeln!(text, "Sent to   POST /api/sdk/registry{}", endpoint.path);
    }
    let _ = writeln!(text, "Status    {}", spec.status);
    text
}

fn list_of_permissions() -> String {
    let mut text = format!("permissions: what a package may ask for\n\n{PERMISSION}\n\n");
    for permission in Permission::ALL {
        let _ = writeln!(text, "  {:<22} {} risk", permission.as_str(), permission.risk());
    }
    text
}

fn list_of_categories() -> String {
    let mut text = "categories: where a listing would stand, three at most\n\n".to_owned();
    for category in CATEGORIES {
        let _ = writeln!(text, "  {category}");
    }
    text
}

fn list_of_data() -> String {
    let mut text =
        "data: what a package says that it collects, in `dataCollection`; `none` stands alone\n\n".to_owned();
    for data in DataCollection::ALL {
        let _ = writeln!(text, "  {data}");
    }
    text
}

fn line_of(severity: Severity) -> String {
    let meaning = match severity {
        Severity::Error => "nothing is written until it is corrected; exit code 1 or worse",
        Severity::Blocker => "the bundle is written, and the package gets no further until its author has acted",
        Severity::Warning => "worth correcting; nothing stops",
        Severity::Note => "worth knowing; nothing stops",
    };
    format!("{severity}: {meaning}")
}
