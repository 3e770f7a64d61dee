//! What the artifacts about one package have in common: all but the index.

use svc_json::digest::Digest;

use crate::{
    artifact::{
        checked::IsArtifact,
        head::{Owner, Parent, Visibility},
    },
    package::{
        artifact::PackageArtifact,
        descriptor::{Descriptor, DescriptorName},
    },
    review::report::ReviewReport,
    scalar::{ident::PackageRef, ruleset_ref::RulesetRef},
};

/// What an artifact inherits from its parent: everything but the report and the digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InheritedParts {
    /// Who submits.
    pub owner: Owner,
    /// What was packed.
    pub package_artifact: PackageArtifact,
    /// The rules it was made with.
    pub ruleset: RulesetRef,
    /// Who may see it one day.
    pub visibility: Visibility,
}

/// A report, or nothing, depending on the kind.
pub trait Report: Clone + PartialEq {
    /// The report, in the kinds that embed one.
    fn as_report(&self) -> Option<&ReviewReport>;
}

impl Report for ReviewReport {
    fn as_report(&self) -> Option<&ReviewReport> {
        Some(self)
    }
}

impl Report for () {
    fn as_report(&self) -> Option<&ReviewReport> {
        None
    }
}

/// What the members of a kind follow from.
#[derive(Debug)]
pub struct Basis<'a, R> {
    /// Who submits.
    pub owner: &'a Owner,
    /// What was packed.
    pub package_artifact: &'a PackageArtifact,
    /// The rules it was made with.
    pub ruleset: &'a RulesetRef,
    /// Who may see it one day.
    pub visibility: Visibility,
    /// The digests of the embedded parts.
    pub digests: &'a [Descriptor],
    /// The embedded report.
    pub report: &'a R,
}

impl<R> Basis<'_, R> {
    /// Which package it is, as its manifest says.
    #[must_use]
    pub fn package(&self) -> PackageRef {
        let manifest = &self.package_artifact.manifest;
        PackageRef { id: manifest.id.clone(), version: manifest.version.clone() }
    }

    /// A copy of what a child inherits.
    #[must_use]
    pub fn inherited_parts(&self) -> InheritedParts {
        InheritedParts {
            owner: self.owner.clone(),
            package_artifact: self.package_artifact.clone(),
            ruleset: self.ruleset.clone(),
            visibility: self.visibility,
        }
    }

    /// The digest of an embedded part.
    #[must_use]
    pub fn digest(&self, name: DescriptorName) -> Option<&Digest> {
        self.digests.iter().find(|descriptor| descriptor.name == name).map(|descriptor| &descriptor.digest)
    }
}

/// The descriptors of the parts that an artifact embeds, sorted by name.
#[must_use]
pub fn descriptors(package: &PackageArtifact, report: Option<&ReviewReport>) -> Vec<Descriptor> {
    let mut descriptors = vec![
        Descriptor::new(DescriptorName::Manifest, &package.manifest),
        Descriptor::new(DescriptorName::PackageArtifact, package),
    ];
    descriptors.extend(report.map(|report| Descriptor::new(DescriptorName::ReviewReport, report)));
    descriptors
}

/// An artifact about one package: everything but the index.
pub trait AboutPackage: IsArtifact {
    /// The members that this kind adds, but for the report.
    type Body: Clone;
    /// The embedded report, or nothing.
    type Report: Report;

    /// The members of this kind, as they follow from the basis.
    fn body_of(basis: &Basis<'_, Self::Report>) -> Self::Body;
    /// Puts an artifact together; body and digests follow from the parts.
    fn assemble(inherited_parts: InheritedParts, derived_from: Vec<Parent>, report: Self::Report) -> Self;
    /// The basis of this artifact.
    fn basis(&self) -> Basis<'_, Self::Report>;
    /// The package named in the head.
    fn package(&self) -> &PackageRef;
    /// The declared parents.
    fn derived_from(&self) -> &[Parent];
    /// The names of members that are not what [`AboutPackage::body_of`] gives.
    fn differing(&self, body: &Self::Body) -> Vec<&'static str>;
}
