//! What is looked at in an artifact about one package, beyond its shape: the digests of its parts, what follows from
//! them, and the review.
//!
//! The rules run once and every part is hashed once; faults and evaluation come from the same look.

use super::{
    canon::Canon,
    head::{AboutPackage, Facts, Report, Visibility, descriptors},
    table::{Examined, Source},
};
use crate::{
    decision::{DigestCheck, EvaluatedPackage},
    fail_closed::DigestMatches,
    finding::Finding,
    lifecycle::Reached,
    package::{Descriptor, DescriptorName, PackageArtifact},
    pointer::Pointer,
    review::{self, ReviewReport},
    rules::{artifacts, review::Package, ruleset::RulesetRef},
    strict_json::tree,
};

/// Examines an artifact about one package.
pub(crate) fn of_package<A: AboutPackage>(artifact: &A, canon: &Canon) -> Examined {
    let facts = artifact.facts();
    let mut faults = table_faults(facts.package_artifact);
    let recomputed = descriptors(facts.package_artifact, facts.report.as_report(), canon);
    faults.extend(descriptor_faults(facts.digests, &recomputed));
    if *artifact.package() != facts.package() {
        faults.push(drift("package", "the package is not the one of the embedded manifest"));
    }
    faults.extend(parent_faults(artifact));
    for name in artifact.differing(&A::body_of(&facts)) {
        faults.push(body_fault(name));
    }
    let digest = recomputed.iter().find(|descriptor| descriptor.name == DescriptorName::PackageArtifact);
    let (mismatches, standing) = review_again(&facts, canon);
    faults.extend(mismatches);
    let package = digest.zip(standing).and_then(|(digest, standing)| evaluated(&facts, digest, standing));
    Examined { faults, packages: package.into_iter().collect() }
}

/// Runs the rules again: no package with an error has an artifact, and a report says what the rules say. Gives what is
/// wrong, and where the package stands by the report that counts.
fn review_again<R: Report>(facts: &Facts<'_, R>, canon: &Canon) -> (Vec<Finding>, Option<Standing>) {
    let manifest = canon.manifest(&facts.package_artifact.manifest);
    let Ok(document) = tree::read(&manifest) else {
        return (vec![Finding::new(&artifacts::B013, "the manifest cannot be read again")], None);
    };
    let package = Package::of_manifest(&document.root)
        .with_owner(Some(&facts.owner.id))
        .with_files(Some(&facts.package_artifact.files));
    let findings = package.findings();
    // A report by other rules cannot be compared, but what these rules refuse stays refused; and what such a report
    // leaves out must not count, so the registry makes its own.
    let declared = facts.report.as_report().filter(|_| facts.ruleset == RulesetRef::own());
    let (base, mismatches, standing) = match declared {
        Some(report) => {
            let mismatches = review::mismatches(report, findings, facts.package_artifact);
            ("reviewReport", mismatches, Standing::of(facts, report))
        }
        None => {
            let own = ReviewReport::of(&package, facts.package_artifact, &findings, document.text);
            ("packageArtifact", review::refusals(&findings), Standing::of(facts, &own))
        }
    };
    let base = Pointer::root().join(base);
    let place = |finding: Finding| Finding { pointer: base.append(&finding.pointer), ..finding };
    (mismatches.into_iter().map(place).collect(), Some(standing))
}

/// Where a package stands by the report that counts.
struct Standing {
    blockers: Vec<review::Blocker>,
    stage: Reached,
}

impl Standing {
    fn of<R>(facts: &Facts<'_, R>, report: &ReviewReport) -> Self {
        Self {
            blockers: review::blockers(report, facts.visibility == Visibility::Public),
            stage: if report.blocks_author() { Reached::Blueprint } else { Reached::ReviewReport },
        }
    }
}

/// What the registry finds about the one package. Nothing when the declared digest is not the package's.
fn evaluated<R>(facts: &Facts<'_, R>, recomputed: &Descriptor, standing: Standing) -> Option<EvaluatedPackage> {
    let declared = facts.digest(DescriptorName::PackageArtifact)?;
    Some(EvaluatedPackage {
        blockers: standing.blockers,
        digest_check: DigestCheck(DigestMatches::compare(declared, &recomputed.digest)?),
        owner: facts.owner.id.clone(),
        package: facts.package(),
        stage: standing.stage,
    })
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
        Source::Artifact { parent, .. } => Some(parent.kind),
        Source::Package | Source::Submissions => None,
    };
    let named = artifact.derived_from().iter().map(|parent| parent.kind.spec().kind);
    if named.eq(expected) {
        return None;
    }
    let message = "the parents are not those that this kind is derived from";
    Some(Finding::new(&artifacts::B005, message).at(Pointer::root().join("derivedFrom")))
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
