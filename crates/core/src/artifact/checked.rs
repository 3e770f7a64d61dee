//! From bytes to a checked artifact, and from a checked artifact to the next.
//!
//! [`Checked`] is the proof that a document was read strictly, every digest in it recomputed, and everything that
//! follows from its package found to follow. Its field is private: nothing outside this file makes one, and nothing is
//! derived from anything else.

use std::ops::Deref;

use super::{
    head::{AboutPackage, ArtifactKind, Facts, Parent, Report, Visibility, descriptors},
    table::{ArtifactSpec, IsArtifact},
};
use crate::{
    canonical_json,
    decision::{Decision, DigestCheck, EvaluatedPackage},
    fail_closed::DigestMatches,
    finding::{self, Finding},
    lifecycle::Reached,
    package::{Descriptor, DescriptorName, PackageArtifact},
    pointer::Pointer,
    review,
    rules::{artifacts, files, review::Package, ruleset::RulesetRef},
    schema, shape,
    strict_json::{tree, typed},
};

/// An artifact that passed every check a single document allows.
#[derive(Clone, Debug)]
pub struct Checked<A> {
    artifact: A,
    matches: DigestMatches,
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
    /// Findings that do not stop it.
    pub warnings: Vec<Finding>,
}

impl Verified {
    /// A checked artifact, its type forgotten.
    #[must_use]
    pub fn of<A: IsArtifact>(checked: &Checked<A>) -> Self {
        Self { spec: A::SPEC, digest: checked.matches, file: checked.to_file(), warnings: Vec::new() }
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
    let mut findings = artifact.faults();
    match DigestMatches::compare(artifact.document_digest(), &artifact.recompute_document_digest()) {
        Some(matches) if findings.is_empty() => return Ok(Checked { artifact, matches }),
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
    if checked.ruleset() != RulesetRef::own() {
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
    Decision::deny(&checked).ok_or_else(|| vec![Finding::new(&artifacts::B001, "no endpoint takes this kind")])
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
        let posture = shape::explain(&document.root, &(kind.json_schema)(), &shape::ARTIFACT);
        findings.extend(posture.into_iter().filter(shape::is_open_claim));
    } else {
        findings.extend(shape::explain(&document.root, &json_schema::<A>(), &shape::ARTIFACT));
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

fn locate(mut findings: Vec<Finding>, bytes: &[u8]) -> Vec<Finding> {
    if let Ok(document) = tree::read(bytes) {
        findings.iter_mut().for_each(|finding| finding.locate(&document.root));
    }
    findings
}

/// What is wrong with an artifact about one package, beyond its shape.
pub(crate) fn package_faults<A: AboutPackage>(artifact: &A) -> Vec<Finding> {
    let facts = artifact.facts();
    let mut findings = table_faults(facts.package_artifact);
    let recomputed = descriptors(facts.package_artifact, facts.report.as_report());
    findings.extend(descriptor_faults(facts.digests, &recomputed));
    if *artifact.package() != facts.package() {
        findings.push(drift("package", "the package is not the one of the embedded manifest"));
    }
    findings.extend(parent_faults(artifact));
    for name in artifact.differing(&A::body_of(&facts)) {
        findings.push(body_fault(name));
    }
    findings.extend(rule_faults(&facts));
    findings
}

/// A member of the body that does not follow from the rest. Blockers are the review's word.
fn body_fault(name: &str) -> Finding {
    let rule = if name == "blockers" { &artifacts::B013 } else { &artifacts::B010 };
    Finding::new(rule, "the member is not what follows from the package").at(Pointer::root().join(camel_case(name)))
}

fn drift(member: &str, message: &str) -> Finding {
    Finding::new(&artifacts::B010, message).at(Pointer::root().join(member))
}

/// The file table is sorted by the bytes of its paths, each path once, and each media type is the path's.
fn table_faults(package: &PackageArtifact) -> Vec<Finding> {
    let files = Pointer::from_text("/packageArtifact/files");
    let mut findings = Vec::new();
    let unsorted = package.files.windows(2).position(|pair| match pair {
        [left, right] => left.path.as_str() >= right.path.as_str(),
        _ => false,
    });
    if let Some(index) = unsorted {
        let message = "files are sorted by the bytes of their paths, each path once";
        findings.push(Finding::new(&artifacts::B015, message).at(files.join(index + 1).join("path")));
    }
    for (index, _) in package.files.iter().enumerate().filter(|(_, file)| !file.media_type_fits()) {
        let message = "the media type is not the one that the path gives";
        findings.push(Finding::new(&artifacts::B010, message).at(files.join(index).join("mediaType")));
    }
    findings
}

fn descriptor_faults(declared: &[Descriptor], recomputed: &[Descriptor]) -> Vec<Finding> {
    let digests = Pointer::root().join("artifactDigests");
    let names = |descriptors: &[Descriptor]| -> Vec<DescriptorName> {
        descriptors.iter().map(|descriptor| descriptor.name).collect()
    };
    if names(declared) != names(recomputed) {
        let message = "the descriptors are not those of the embedded parts, in order of name";
        return vec![Finding::new(&artifacts::B015, message).at(digests)];
    }
    let mut findings = Vec::new();
    for (index, (declared, recomputed)) in declared.iter().zip(recomputed).enumerate() {
        let place = digests.join(index);
        if DigestMatches::compare(&declared.digest, &recomputed.digest).is_none() {
            let message = format!("the digest of the {} does not recompute", declared.name);
            findings.push(Finding::new(&artifacts::B003, message).at(place.join("digest")));
        }
        if declared.size != recomputed.size {
            let message = format!("the size of the {} does not recompute", declared.name);
            findings.push(Finding::new(&artifacts::B003, message).at(place.join("size")));
        }
        if declared.media_type != recomputed.media_type {
            findings.push(Finding::new(&artifacts::B010, "another media type").at(place.join("mediaType")));
        }
    }
    findings
}

/// A child names exactly one parent, of the kind it is derived from; the submission names none.
fn parent_faults<A: AboutPackage>(artifact: &A) -> Option<Finding> {
    let expected = match A::SPEC.source {
        super::table::Source::Artifact { parent, .. } => Some(parent.kind),
        super::table::Source::Package | super::table::Source::Submissions => None,
    };
    let named = artifact.derived_from().iter().map(|parent| parent.kind.spec().kind);
    if named.eq(expected) {
        return None;
    }
    let message = "the parents are not those that this kind is derived from";
    Some(Finding::new(&artifacts::B005, message).at(Pointer::root().join("derivedFrom")))
}

/// What the registry finds about the one package: its digest, its blockers by the registry's own rules, its stage.
///
/// Nothing when the declared digest is not the package's, which a checked artifact excludes.
pub(crate) fn evaluate<A: AboutPackage>(artifact: &A) -> Option<EvaluatedPackage> {
    let facts = artifact.facts();
    let declared = facts.digest(DescriptorName::PackageArtifact)?;
    let recomputed = Descriptor::of(DescriptorName::PackageArtifact, facts.package_artifact);
    let digest_check = DigestCheck(DigestMatches::compare(declared, &recomputed.digest)?);
    let manifest = canonical_json::to_bytes(&facts.package_artifact.manifest);
    let document = tree::read(&manifest).ok()?;
    let package = as_package(&facts, &document.root);
    let report = review::ReviewReport::of(&package, facts.package_artifact, &package.findings(), document.text);
    // A report by other rules was not checked against these; what it leaves out must not count.
    let declared_report = facts.report.as_report().filter(|_| facts.ruleset == RulesetRef::own());
    let report = declared_report.unwrap_or(&report);
    Some(EvaluatedPackage {
        blockers: review::blockers(report, facts.visibility == Visibility::Public),
        digest_check,
        package: facts.package(),
        stage: if report.blocks_author() { Reached::Blueprint } else { Reached::ReviewReport },
    })
}

/// Runs the rules again: no package with an error has an artifact, and a report says what the rules say.
fn rule_faults<R: Report>(facts: &Facts<'_, R>) -> Vec<Finding> {
    let manifest = canonical_json::to_bytes(&facts.package_artifact.manifest);
    let Ok(document) = tree::read(&manifest) else {
        return vec![Finding::new(&artifacts::B013, "the manifest cannot be read again")];
    };
    let package = as_package(facts, &document.root);
    // A report by other rules cannot be compared, but what these rules refuse stays refused.
    let (base, mismatches) = match facts.report.as_report().filter(|_| facts.ruleset == RulesetRef::own()) {
        Some(report) => ("reviewReport", review::mismatches(report, &package, facts.package_artifact)),
        None => ("packageArtifact", review::refusals(&package.findings())),
    };
    let base = Pointer::root().join(base);
    mismatches.into_iter().map(|finding| Finding { pointer: base.append(&finding.pointer), ..finding }).collect()
}

/// What the rules can see of a package inside an artifact.
fn as_package<'a, R>(facts: &Facts<'a, R>, manifest: &'a tree::Node<'a>) -> Package<'a> {
    let files = Some(facts.package_artifact.files.as_slice());
    Package { manifest, owner: Some(&facts.owner.id), files, folder: None }
}

/// The wire's spelling of a field's name.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut spelled, part| {
        let mut characters = part.chars();
        spelled.extend(characters.next().map(|initial| initial.to_ascii_uppercase()));
        spelled.push_str(characters.as_str());
        spelled
    })
}
