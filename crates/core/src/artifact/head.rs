//! What all artifacts share: the head and its words.

use std::{borrow::Cow, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::table::{ArtifactSpec, IsArtifact};
use crate::{
    digest::Digest,
    ident::{OwnerId, OwnerName, PackageId, Version},
    leaf, objects,
    package::{Descriptor, DescriptorName, PackageArtifact},
    review::ReviewReport,
    rules::{artifacts, ruleset::RulesetRef},
    words,
};

words! {
    /// Who may see a listing one day.
    pub enum Visibility("visibility", artifacts::B015) {
        /// The owner alone.
        Private = "private",
        /// Whoever has the address.
        Unlisted = "unlisted",
        /// Everyone; adds a blocker.
        Public = "public",
    }
}

words! {
    /// The version of the schemas.
    pub enum SchemaVersion("schema-version", artifacts::B002) {
        /// The only one.
        V1_0 = "1.0",
    }
}

objects! {
    /// Who submits a package.
    Owner "owner" {
        /// The account.
        id: OwnerId,
        /// The name for people.
        name: OwnerName,
    }
    /// Which package an artifact speaks of.
    PackageRef "package" {
        /// The package's id.
        id: PackageId,
        /// Its version.
        version: Version,
    }
    /// A document that an artifact was derived from.
    Parent "parent" {
        /// The parent's `documentDigest`.
        digest: Digest,
        /// The parent's kind.
        kind: ArtifactKind,
    }
}

/// The kind of some artifact of the table.
#[derive(Clone, Copy, Debug)]
pub struct ArtifactKind(&'static ArtifactSpec);

impl ArtifactKind {
    /// The kind of a type.
    #[must_use]
    pub fn of<A: IsArtifact>() -> Self {
        Self(A::SPEC)
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        super::table::find(text).map(Self)
    }

    /// The row.
    #[must_use]
    pub fn spec(self) -> &'static ArtifactSpec {
        self.0
    }
}

impl PartialEq for ArtifactKind {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind == other.0.kind
    }
}

impl Eq for ArtifactKind {}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.kind)
    }
}

impl ArtifactKind {
    fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
        write(self.0.kind)
    }
}

crate::form! {
    ArtifactKind {
        name: "artifact-kind",
        rule: artifacts::B015,
        expected: "the kind of an artifact",
        pattern: "^svc-registry-[a-z]+(-[a-z]+)*$",
        max_length: 64,
    }
}

/// A text that is the same in every artifact of a kind.
macro_rules! constants {
    ($($(#[$meta:meta])* $name:ident, $title:literal, $fact:ident;)+) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $name<A>(PhantomData<A>);

            impl<A> Default for $name<A> {
                fn default() -> Self {
                    Self(PhantomData)
                }
            }

            impl<A: IsArtifact> Serialize for $name<A> {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(A::SPEC.$fact)
                }
            }

            impl<'de, A: IsArtifact> Deserialize<'de> for $name<A> {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    leaf::read_str(deserializer, A::SPEC.$fact, |text| (text == A::SPEC.$fact).then(Self::default))
                }
            }

            impl<A: IsArtifact> JsonSchema for $name<A> {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    $title.into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({ "type": "string", "title": $title, "const": A::SPEC.$fact })
                }
            }
        )+
    };
}

constants! {
    /// The kind.
    Kind, "kind", kind;
    /// The schema's name.
    SchemaUrn, "schema-urn", schema;
    /// The one status word.
    Status, "status", status;
}

/// What one artifact hands on to the next: everything but the report and the digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
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
pub struct Facts<'a, R> {
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

impl<R> Facts<'_, R> {
    /// Which package it is, as its manifest says.
    #[must_use]
    pub fn package(&self) -> PackageRef {
        PackageRef::of(self.package_artifact)
    }

    /// A copy of what is handed on.
    #[must_use]
    pub fn subject(&self) -> Subject {
        Subject {
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

impl PackageRef {
    fn of(artifact: &PackageArtifact) -> Self {
        Self { id: artifact.manifest.id.clone(), version: artifact.manifest.version.clone() }
    }
}

/// The descriptors of the parts that an artifact embeds, sorted by name.
#[must_use]
pub fn descriptors(package: &PackageArtifact, report: Option<&ReviewReport>) -> Vec<Descriptor> {
    let mut descriptors = vec![
        Descriptor::of(DescriptorName::Manifest, &package.manifest),
        Descriptor::of(DescriptorName::PackageArtifact, package),
    ];
    descriptors.extend(report.map(|report| Descriptor::of(DescriptorName::ReviewReport, report)));
    descriptors
}

/// An artifact about one package: everything but the index.
pub trait AboutPackage: IsArtifact {
    /// The members that this kind adds, but for the report.
    type Body: Clone;
    /// The embedded report, or nothing.
    type Report: Report;

    /// The members of this kind, as they follow from the facts.
    fn body_of(facts: &Facts<'_, Self::Report>) -> Self::Body;
    /// Puts an artifact together; body and digests follow from the parts.
    fn assemble(subject: Subject, derived_from: Vec<Parent>, report: Self::Report) -> Self;
    /// The facts of this artifact.
    fn facts(&self) -> Facts<'_, Self::Report>;
    /// The package named in the head.
    fn package(&self) -> &PackageRef;
    /// The declared parents.
    fn derived_from(&self) -> &[Parent];
    /// The names of members that are not what [`AboutPackage::body_of`] gives.
    fn differing(&self, body: &Self::Body) -> Vec<&'static str>;
}
