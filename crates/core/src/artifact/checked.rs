//! From bytes to a checked artifact, and from a checked artifact to the next.
//!
//! [`Checked`] is the proof that a document was read strictly, every digest in it recomputed, and everything that
//! follows from its package found to follow. Its field is private: nothing outside this file makes one, and nothing is
//! derived from anything else.

use std::ops::Deref;

use super::{
    head::{AboutPackage, ArtifactKind, Parent},
    table::{ArtifactSpec, Examined, IsArtifact},
};
use crate::{
    canonical_json,
    decision::{Decision, EvaluatedPackage},
    fail_closed::DigestMatches,
    finding::{self, Finding},
    pointer::Pointer,
    rules::{artifacts, files},
    schema, shape,
    strict_json::{tree, typed},
};

/// An artifact that passed every check a single document allows.
#[derive(Clone, Debug)]
pub struct Checked<A> {
    artifact: A,
    matches: DigestMatches,
    packages: Vec<EvaluatedPackage>,
}

impl<A> Deref for Checked<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.artifact
    }
}

impl<A: IsArtifact> Checked<A> {
    /// The proof that the document's digest recomputed.
    #[must_use]
    pub fn digest_matches(&self) -> &DigestMatches {
        &self.matches
    }

    /// The packages that it speaks of, as our own rules evaluate them: the source of everything that is shown.
    #[must_use]
    pub fn packages(&self) -> &[EvaluatedPackage] {
        &self.packages
    }

    /// The packages, for an answer.
    #[must_use]
    pub fn into_packages(self) -> Vec<EvaluatedPackage> {
        self.packages
    }

    /// How a child names this artifact.
    #[must_use]
    pub fn as_parent(&self) -> Parent {
        Parent { digest: *self.matches.digest(), kind: ArtifactKind::of::<A>() }
    }

    /// The file's bytes.
    #[must_use]
    pub fn to_file(&self) -> Vec<u8> {
        canonical_json::to_pretty(&self.artifact)
    }
}

/// A checked artifact whose kind is known at run time only.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The kind's row.
    pub spec: &'static ArtifactSpec,
    /// The document digest, recomputed.
    pub digest: DigestMatches,
    /// The file in canonical layout.
    pub file: Vec<u8>,
    /// The packages that it speaks of, as our own rules evaluate them.
    pub packages: Vec<EvaluatedPackage>,
    /// Findings that do not stop it.
    pub warnings: Vec<Finding>,
}

impl Verified {
    /// A checked artifact, its type forgotten.
    #[must_use]
    pub fn of<A: IsArtifact>(checked: &Checked<A>) -> Self {
        Self {
            spec: A::SPEC,
            digest: checked.matches,
            file: checked.to_file(),
            packages: checked.packages.clone(),
            warnings: Vec::new(),
        }
    }
}

/// Reads and checks a document. All findings come back at once, with their places.
///
/// # Errors
/// The findings, when any of them is an error.
pub fn check<A: IsArtifact>(bytes: &[u8]) -> Result<Checked<A>, Vec<Finding>> {
    if bytes.len() > A::SPEC.most_bytes {
        let message = format!("the document is larger than {} bytes", A::SPEC.most_bytes);
        return Err(vec![Finding::new(&artifacts::B016, message)]);
    }
    let Ok(artifact) = typed::from_slice::<A>(bytes) else { return Err(explain::<A>(bytes)) };
    seal(artifact).map_err(|findings| locate(findings, bytes))
}

/// Checks what a type cannot: digests, bindings, the review. The only maker of [`Checked`].
fn seal<A: IsArtifact>(artifact: A) -> Result<Checked<A>, Vec<Finding>> {
    let Examined { faults: mut findings, packages } = artifact.examine();
    match DigestMatches::compare(artifact.document_digest(), &artifact.recompute_document_digest()) {
        Some(matches) if findings.is_empty() => return Ok(Checked { artifact, matches, packages }),
        Some(_) => {}
        None => findings.push(
            Finding::new(&artifacts::B003, "the document digest does not recompute")
                .at(Pointer::root().join("documentDigest")),
        ),
    }
    Err(findings)
}

/// Checks an artifact that was just built, and that it fits through the registry's door.
///
/// # Errors
/// The findings, should what was built not hold.
pub(crate) fn seal_built<A: IsArtifact>(artifact: A) -> Result<Checked<A>, Vec<Finding>> {
    let checked = seal(artifact)?;
    if checked.to_file().len() > A::SPEC.most_bytes {
        let message = format!("`{}` would be larger than {} bytes", A::SPEC.file, A::SPEC.most_bytes);
        return Err(vec![Finding::new(&files::F016, message).at(Pointer::from_text("/files"))]);
    }
    Ok(checked)
}

/// A kind that is derived from one other.
pub trait Derived: AboutPackage {
    /// The parent's kind.
    type Parent: AboutPackage;

    /// The report that the child embeds, taken from its parent.
    fn report_from(parent: &Checked<Self::Parent>) -> Self::Report;
}

/// Derives a child from its checked parent.
///
/// # Errors
/// When the child would not hold: it would be larger than the registry reads.
pub fn derive<C: Derived>(parent: &Checked<C::Parent>) -> Result<Checked<C>, Vec<Finding>> {
    seal_built(C::assemble(parent.facts().subject(), vec![parent.as_parent()], C::report_from(parent)))
}

/// [`check`] for tables.
///
/// # Errors
/// As [`check`].
pub fn verify<A: IsArtifact>(bytes: &[u8]) -> Result<Verified, Vec<Finding>> {
    let checked = check::<A>(bytes)?;
    let mut verified = Verified::of(&checked);
    if verified.file != bytes {
        let message = "the meaning is right, but the layout is not the one svc writes";
        verified.warnings.push(Finding::new(&artifacts::B009, message));
    }
    if !checked.ruleset().is_own() {
        let message = "made with another rule set; its review report was not compared with the rules of this build";
        verified.warnings.push(Finding::new(&artifacts::B017, message).at(Pointer::root().join("ruleset")));
    }
    Ok(verified)
}

/// The registry's answer to a document: no, or why there is none.
///
/// # Errors
/// As [`check`]; a kind without an endpoint is the wrong kind everywhere.
pub fn decide<A: IsArtifact>(bytes: &[u8]) -> Result<Decision, Vec<Finding>> {
    let checked = check::<A>(bytes)?;
    Decision::deny(checked).ok_or_else(|| vec![Finding::new(&artifacts::B001, "no endpoint takes this kind")])
}

/// [`derive`] for tables: the parent's bytes are checked first.
///
/// # Errors
/// As [`check`] for the parent, as [`derive`] for the child.
pub fn derive_from_bytes<C: Derived>(parent: &[u8]) -> Result<Verified, Vec<Finding>> {
    Ok(Verified::of(&derive::<C>(&check::<C::Parent>(parent)?)?))
}

/// The schema of a kind.
#[must_use]
pub fn json_schema<A: IsArtifact>() -> serde_json::Value {
    schema::of::<A>(A::SPEC.schema, A::SPEC.kind)
}

/// Tells everything about a document that the typed read refused.
fn explain<A: IsArtifact>(bytes: &[u8]) -> Vec<Finding> {
    let document = match tree::read(bytes) {
        Ok(document) => document,
        Err(faults) => return faults.iter().map(Finding::of_fault).collect(),
    };
    let mut findings: Vec<Finding> = document.faults.iter().map(Finding::of_fault).collect();
    if document.root.get("kind").is_none() && document.root.get("manifestVersion").is_some() {
        findings.push(Finding::new(&artifacts::B001, format!("this is a package manifest, not a `{}`", A::SPEC.kind)));
        return findings;
    }
    let other_kind = document.root.get("kind").and_then(|kind| kind.as_str()).filter(|kind| *kind != A::SPEC.kind);
    if let Some(kind) = other_kind.and_then(super::table::find) {
        let message = format!("this is a `{}`, not a `{}`", kind.kind, A::SPEC.kind);
        findings.push(Finding::new(&artifacts::B001, message).at(Pointer::root().join("kind")));
        // The wrong door does not hide an open claim: the document is still held against its own kind's posture.
        let posture = shape_findings(&document.root, kind);
        findings.extend(posture.into_iter().filter(shape::is_open_claim));
    } else {
        findings.extend(shape_findings(&document.root, A::SPEC));
    }
    if !findings.iter().any(shape::is_open_claim) {
        findings.extend(shape::open_flags(&document.root));
    }
    if !finding::has_errors(&findings) {
        // The typed read refused and decides; a reason that cannot be told is still a no.
        findings.push(Finding::new(&artifacts::B015, "the document does not have the form of its kind"));
    }
    findings.iter_mut().for_each(|finding| finding.locate(&document.root));
    findings
}

fn shape_findings(root: &tree::Node<'_>, spec: &ArtifactSpec) -> Vec<Finding> {
    spec.form().map_or_else(Vec::new, |form| shape::explain(root, form, &shape::ARTIFACT))
}

fn locate(mut findings: Vec<Finding>, bytes: &[u8]) -> Vec<Finding> {
    if let Ok(document) = tree::read(bytes) {
        findings.iter_mut().for_each(|finding| finding.locate(&document.root));
    }
    findings
}
