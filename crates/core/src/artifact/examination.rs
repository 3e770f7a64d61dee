//! What is looked at in an artifact about one package, beyond its shape: the digests of its parts, what follows from
//! them, and the review.
//!
//! The rules run once and every part is hashed once; faults and evaluation come from the same look.

use svc_json::{digest::Digest, pointer::Pointer, tree};

use crate::{
    artifact::{
        about_package::{AboutPackage, Basis, Report, descriptors},
        checked::{Examined, ReviewedPackage},
        evaluated::{ComparedRulesets, DigestCheck, EvaluatedPackage},
        head::Visibility,
    },
    closed::DigestMatches,
    finding::Finding,
    findings::Findings,
    package::{
        artifact::{FileEntry, PackageArtifact},
        descriptor::{Descriptor, DescriptorName},
    },
    review,
    rules::{package::Package, ruleset::Rules, run},
    scalar::ruleset_ref::RulesetRef,
    words::{kind::Source, limits, review_depth::ClaimedDepth, rule_code::RuleCode, stage::StageEvidence},
};

/// Examines an artifact about one package.
pub(crate) fn of_package<A: AboutPackage>(rules: &Rules, artifact: &A) -> Examined {
    let basis = artifact.basis();
    let unsorted = first_unsorted(&basis.package_artifact.files);
    let mut faults = table_faults(rules, basis.package_artifact, unsorted);
    let recomputed = descriptors(basis.package_artifact, basis.report.as_report());
    faults.extend(descriptor_faults(rules, basis.digests, &recomputed));
    if *artifact.package() != basis.package() {
        faults.push(drift(rules, "package", "the package is not the one of the embedded manifest"));
    }
    faults.extend(parent_faults(rules, artifact));
    faults.extend(ruleset_fault(rules, basis.ruleset));
    for name in artifact.differing(&A::body_of(&basis)) {
        faults.push(body_fault(rules, name));
    }
    let digest = recomputed.iter().find(|descriptor| descriptor.name == DescriptorName::PackageArtifact);
    // Rules look files up in the table, which is of no use in another order.
    let (mismatches, found) = if unsorted.is_none() { review_again(rules, &basis) } else { (Vec::new(), None) };
    faults.extend(mismatches);
    let package = digest.zip(found).and_then(|(digest, found)| reviewed(&basis, digest, &found));
    Examined { faults, rulesets: compared(rules, basis.ruleset), packages: package.into_iter().collect() }
}

/// Runs our rules again, over the manifest, the file table and the facts of the report: a report by our rules is the one
/// that they give, and one by other rules at least agrees with itself. Gives what is wrong, and what our rules found.
///
/// Nothing that is shown or answered comes from the declared report: naming other rules changes neither stage nor blockers.
fn review_again<R: Report>(rules: &Rules, basis: &Basis<'_, R>) -> (Vec<Finding>, Option<FoundByRules>) {
    let artifact = basis.package_artifact;
    let Ok(manifest) = tree::from_value(&artifact.manifest) else {
        return (vec![rules.finding(RuleCode::B013, "the manifest has no form in JSON")], None);
    };
    let declared = basis.report.as_report();
    let told = declared.map(|report| report.facts.as_slice());
    let package = Package::of_manifest(rules, &manifest).with_files(Some(&artifact.files)).with_facts(told);
    let findings = run::findings(&package);
    let is_own = rules.is_named_by(basis.ruleset);
    // No package with an error has an artifact by our rules. Of one by others it is the author's to mend, but for names
    // that would meet on somebody's disk.
    let classes = findings.classes().map(|(class, _)| class);
    let refused = classes.filter(|class| is_own || class.rule.is(RuleCode::F003));
    let mut faults = placed("packageArtifact", review::refusals(rules, refused));
    if let Some(report) = declared {
        let differences = if is_own {
            review::mismatches(report, &package, artifact, &findings)
        } else {
            review::contradictions(rules, report, artifact)
        };
        faults.extend(placed("reviewReport", differences));
    }
    let listing = review::lacks_for_listing(&package, &findings).is_none();
    (faults, Some(FoundByRules { findings, listing }))
}

/// What our own rules found about a package.
struct FoundByRules {
    findings: Findings,
    /// Whether its manifest can be shown as a listing.
    listing: bool,
}

fn placed(member: &str, findings: Vec<Finding>) -> Vec<Finding> {
    let base = Pointer::root().join(member);
    findings.into_iter().map(|finding| finding.beneath(&base)).collect()
}

/// The rules of an artifact compared with those it is checked by.
pub(crate) fn compared(rules: &Rules, declared: &RulesetRef) -> ComparedRulesets {
    let own = rules.ruleset().clone();
    ComparedRulesets { declared: declared.digest, equal: rules.is_named_by(declared), own }
}

/// What our own rules come to for the one package. Nothing when the declared digest is not the package's.
fn reviewed<R: Report>(
    basis: &Basis<'_, R>,
    recomputed: &Descriptor,
    FoundByRules { findings, listing }: &FoundByRules,
) -> Option<ReviewedPackage> {
    let listing = *listing;
    let declared = basis.digest(DescriptorName::PackageArtifact)?;
    Some(ReviewedPackage {
        evaluated: EvaluatedPackage {
            blockers: review::own_blockers(findings, basis.visibility == Visibility::Public),
            digest_check: DigestCheck(DigestMatches::compare(declared, &recomputed.digest)?),
            owner: basis.owner.id.clone(),
            package: basis.package(),
            reviewed: match basis.report.as_report() {
                Some(_) => ClaimedDepth::AsClaimed,
                None => ClaimedDepth::WithoutFacts,
            },
            stage: StageEvidence { listing, report: basis.report.as_report().is_some(), entry: false },
        },
        findings: review::within(findings, limits::REPORT_FINDINGS),
        verdict: review::verdict_of(findings),
    })
}

/// A member of the body that does not follow from the rest. Blockers are the review's word.
fn body_fault(rules: &Rules, name: &str) -> Finding {
    let code = if name == "blockers" { RuleCode::B013 } else { RuleCode::B010 };
    rules.finding(code, "the member is not what follows from the package").at(Pointer::root().join(camel_case(name)))
}

/// The digest names the rules; with another version beside it, the two do not belong together.
pub(crate) fn ruleset_fault(rules: &Rules, ruleset: &RulesetRef) -> Option<Finding> {
    if !rules.is_named_by(ruleset) || ruleset.version == rules.ruleset().version {
        return None;
    }
    let message = "the version is not the one of the rule set that the digest names";
    Some(rules.finding(RuleCode::B010, message).at(Pointer::from_text("/ruleset/version")))
}

fn drift(rules: &Rules, member: &str, message: &str) -> Finding {
    rules.finding(RuleCode::B010, message).at(Pointer::root().join(member))
}

/// The file table is sorted by the bytes of its paths, each path once; each media type is the path's, and what is empty has
/// the digest of nothing.
fn table_faults(rules: &Rules, package: &PackageArtifact, unsorted: Option<usize>) -> Findings {
    let files = Pointer::from_text("/packageArtifact/files");
    let mut findings = Findings::default();
    if let Some(index) = unsorted {
        let message = "files are sorted by the bytes of their paths, each path once";
        findings.push(rules.finding(RuleCode::B015, message).at(files.join(index).join("path")));
    }
    for (index, _) in package.files.iter().enumerate().filter(|(_, file)| !file.media_type_fits()) {
        findings.report(rules.row(RuleCode::B010), || {
            let message = "the media type is not the one that the path gives";
            rules.finding(RuleCode::B010, message).at(files.join(index).join("mediaType"))
        });
    }
    let nothing = Digest::of(b"");
    let is_impossible = |file: &FileEntry| (file.size.get() == 0) != (file.digest == nothing);
    for (index, _) in package.files.iter().enumerate().filter(|(_, file)| is_impossible(file)) {
        findings.report(rules.row(RuleCode::B010), || {
            let message = "a file of size 0 has the digest of nothing, and no other file has it";
            rules.finding(RuleCode::B010, message).at(files.join(index).join("digest"))
        });
    }
    findings
}

/// The first row of a table that does not come behind the one before it.
fn first_unsorted(files: &[FileEntry]) -> Option<usize> {
    let is_behind = |pair: &[FileEntry; 2]| pair[0].path.as_str() < pair[1].path.as_str();
    files.array_windows().position(|pair| !is_behind(pair)).map(|before| before + 1)
}

fn descriptor_faults(rules: &Rules, declared: &[Descriptor], recomputed: &[Descriptor]) -> Vec<Finding> {
    let digests = Pointer::root().join("artifactDigests");
    let names = |descriptors: &[Descriptor]| -> Vec<DescriptorName> {
        descriptors.iter().map(|descriptor| descriptor.name).collect()
    };
    if names(declared) != names(recomputed) {
        let message = "the descriptors are not those of the embedded parts, in order of name";
        return vec![rules.finding(RuleCode::B015, message).at(digests)];
    }
    let mut findings = Vec::new();
    for (index, (declared, recomputed)) in declared.iter().zip(recomputed).enumerate() {
        let place = digests.join(index);
        if DigestMatches::compare(&declared.digest, &recomputed.digest).is_none() {
            let message = format!("the digest of the {} does not recompute", declared.name);
            findings.push(rules.finding(RuleCode::B003, message).at(place.join("digest")));
        }
        if declared.size != recomputed.size {
            let message = format!("the size of the {} does not recompute", declared.name);
            findings.push(rules.finding(RuleCode::B003, message).at(place.join("size")));
        }
        if declared.media_type != recomputed.media_type {
            findings.push(rules.finding(RuleCode::B010, "another media type").at(place.join("mediaType")));
        }
    }
    findings
}

/// A child names exactly one parent, of the kind it is derived from; the submission names none.
fn parent_faults<A: AboutPackage>(rules: &Rules, artifact: &A) -> Option<Finding> {
    let expected = match A::SPEC.source {
        Source::Artifact { parent, .. } => Some(parent.kind),
        Source::Package | Source::Submissions => None,
    };
    let named = artifact.derived_from().iter().map(|parent| parent.kind.spec().kind);
    if named.eq(expected) {
        return None;
    }
    let message = "the parents are not those that this kind is derived from";
    Some(rules.finding(RuleCode::B005, message).at(Pointer::root().join("derivedFrom")))
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
