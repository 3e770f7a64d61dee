//! The bundle: seven files, one hash chain.
//!
//! Every file is checked by itself first. Then each edge of the chain is walked in the order of the commands: the child
//! is derived again from its parent and must come out the same, byte for byte.

use std::collections::BTreeMap;

use crate::{
    artifact::{
        checked::{self, Checked, Verified},
        head::AboutPackage,
        index::Index,
        submission::Submission,
        table::{self, ArtifactSpec, Source},
    },
    finding::Finding,
    pointer::Pointer,
    rules::artifacts,
    strict_json::tree,
};

/// The bytes of a bundle's files, by file name.
pub type Files = BTreeMap<&'static str, Vec<u8>>;

/// A bundle whose every file and every edge was checked.
#[derive(Debug)]
pub struct VerifiedBundle {
    /// The submission at the root of the chain.
    pub submission: Checked<Submission>,
    /// All seven, in the order of the commands.
    pub artifacts: Vec<Verified>,
}

/// What is wrong with a bundle.
#[derive(Debug)]
pub struct BrokenBundle {
    /// Findings by file, in the order of the commands.
    pub findings: Vec<(&'static ArtifactSpec, Vec<Finding>)>,
    /// The first edge that does not hold, when every file holds by itself.
    pub edge: Option<Edge>,
}

/// A step from one artifact to the next.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The parent.
    pub parent: &'static ArtifactSpec,
    /// The child.
    pub child: &'static ArtifactSpec,
}

/// Checks a whole bundle.
///
/// # Errors
/// The findings of every file, or the first broken edge.
pub fn verify(files: &Files) -> Result<VerifiedBundle, BrokenBundle> {
    let (artifacts, findings) = verify_each(files);
    if !findings.is_empty() {
        return Err(BrokenBundle { findings, edge: None });
    }
    for child in table::ALL {
        if let Some((edge, finding)) = broken_edge(child, files) {
            return Err(BrokenBundle { findings: vec![(child, vec![finding])], edge: Some(edge) });
        }
    }
    let submission = bytes_of(files, &crate::artifact::submission::SPEC);
    match checked::check::<Submission>(submission) {
        Ok(submission) => Ok(VerifiedBundle { submission, artifacts }),
        Err(findings) => {
            Err(BrokenBundle { findings: vec![(&crate::artifact::submission::SPEC, findings)], edge: None })
        }
    }
}

type EachFinding = (&'static ArtifactSpec, Vec<Finding>);

fn verify_each(files: &Files) -> (Vec<Verified>, Vec<EachFinding>) {
    let mut artifacts = Vec::new();
    let mut findings = Vec::new();
    for spec in table::ALL {
        let result = match files.get(spec.file) {
            Some(bytes) => (spec.verify)(bytes),
            None => Err(vec![Finding::new(&artifacts::B011, format!("`{}` is missing", spec.file))]),
        };
        match result {
            Ok(artifact) => artifacts.push(artifact),
            Err(faults) => findings.push((*spec, faults)),
        }
    }
    (artifacts, findings)
}

fn bytes_of<'f>(files: &'f Files, spec: &ArtifactSpec) -> &'f [u8] {
    files.get(spec.file).map(Vec::as_slice).unwrap_or_default()
}

/// What is wrong between a document and its parent, when each holds by itself.
#[must_use]
pub fn edge_fault(child: &'static ArtifactSpec, child_bytes: &[u8], parent_bytes: &[u8]) -> Option<Finding> {
    match child.source {
        Source::Package => None,
        Source::Submissions => index_edge(child_bytes, parent_bytes),
        Source::Artifact { derive, .. } => derived_edge(child_bytes, parent_bytes, derive),
    }
}

fn broken_edge(child: &'static ArtifactSpec, files: &Files) -> Option<(Edge, Finding)> {
    let parent = match child.source {
        Source::Package => return None,
        Source::Submissions => &crate::artifact::submission::SPEC,
        Source::Artifact { parent, .. } => parent,
    };
    let finding = edge_fault(child, bytes_of(files, child), bytes_of(files, parent))?;
    Some((Edge { parent, child }, finding))
}

/// The index holds the bundle's submission, to the letter.
fn index_edge(index: &[u8], submission: &[u8]) -> Option<Finding> {
    let (Ok(index), Ok(submission)) = (checked::check::<Index>(index), checked::check::<Submission>(submission)) else {
        return Some(Finding::new(&artifacts::B005, "the index or the submission does not hold"));
    };
    let own = index.entries().iter().position(|entry| entry.submission == *submission);
    if own.is_some() {
        return None;
    }
    let same_package = index.entries().iter().position(|entry| entry.submission.package() == submission.package());
    let entries = Pointer::root().join("entries");
    Some(match same_package {
        Some(position) => Finding::new(&artifacts::B010, "the index holds another submission of this package")
            .at(entries.join(position).join("submission")),
        None => Finding::new(&artifacts::B005, "the index does not hold the bundle's submission").at(entries),
    })
}

/// The child is what its parent gives.
fn derived_edge(child: &[u8], parent: &[u8], derive: fn(&[u8]) -> Result<Verified, Vec<Finding>>) -> Option<Finding> {
    let Ok(derived) = derive(parent) else {
        return Some(Finding::new(&artifacts::B005, "nothing can be derived from the parent"));
    };
    let (Ok(expected), Ok(found)) = (tree::read(&derived.file), tree::read(child)) else {
        return Some(Finding::new(&artifacts::B005, "the child cannot be read"));
    };
    let member = first_difference(&expected.root, &found.root)?;
    let rule = if member == "derivedFrom" { &artifacts::B005 } else { &artifacts::B010 };
    let message = format!("`{member}` is not what the parent gives");
    let mut finding = Finding::new(rule, message).at(Pointer::root().join(member));
    finding.locate(&found.root);
    Some(finding)
}

/// The first member that differs, the named parent first: another parent explains every other difference.
fn first_difference(expected: &tree::Node<'_>, found: &tree::Node<'_>) -> Option<String> {
    let differs = |name: &str| match (expected.get(name), found.get(name)) {
        (Some(expected), Some(found)) => !same_meaning(expected, found),
        _ => true,
    };
    if differs("derivedFrom") {
        return Some("derivedFrom".to_owned());
    }
    let names = expected.members().iter().map(|member| member.key.to_string());
    let mut differing = names.filter(|name| differs(name));
    // The digest of the document differs whenever anything does; name the cause before the effect.
    let first = differing.next()?;
    if first == "documentDigest" { Some(differing.next().unwrap_or(first)) } else { Some(first) }
}

fn same_meaning(left: &tree::Node<'_>, right: &tree::Node<'_>) -> bool {
    match (&left.value, &right.value) {
        (tree::Value::Object(_), tree::Value::Object(_)) => {
            left.members().len() == right.members().len()
                && left
                    .members()
                    .iter()
                    .all(|member| right.get(&member.key).is_some_and(|other| same_meaning(&member.value, other)))
        }
        (tree::Value::Array(left), tree::Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_meaning(left, right))
        }
        (left, right) => left == right,
    }
}

/// The whole bundle that follows from a submission, by file name.
///
/// # Errors
/// When an artifact would be larger than the registry reads.
pub fn assemble(submission: &Checked<Submission>) -> Result<Files, Vec<Finding>> {
    let mut files = Files::new();
    for spec in table::ALL {
        let file = match spec.source {
            Source::Package => submission.to_file(),
            Source::Submissions => Index::of(std::slice::from_ref(submission), None)?.to_file(),
            Source::Artifact { parent, derive } => derive(bytes_of(&files, parent))?.file,
        };
        files.insert(spec.file, file);
    }
    Ok(files)
}
