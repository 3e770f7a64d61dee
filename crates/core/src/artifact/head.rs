//! What all artifacts share: the head, its words, and the macro that weaves it into each kind.
//!
//! Members must stand in RFC 8785 order, and serde's `flatten` would let unknown members through, so the head cannot be
//! a field. [`artifact!`] writes the members of a kind between those of the head, at the places the order gives them.

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

/// Declares a kind about one package: the struct, its hashed view and its body.
macro_rules! artifact {
    (
        $(#[$meta:meta])*
        $name:ident, body $body:ident,
        $(after_artifact_digests { $($(#[$am:meta])* $a:ident: $at:ty,)* })?
        $(after_document_digest { $($(#[$dm:meta])* $d:ident: $dt:ty,)* })?
        $(after_kind { $($(#[$km:meta])* $k:ident: $kt:ty,)* })?
        $(after_package_artifact { $($(#[$pm:meta])* $p:ident: $pt:ty,)* })?
        $(embeds { $(#[$em:meta])* $e:ident: $et:ty, })?
        $(after_signed { $($(#[$sm:meta])* $s:ident: $st:ty,)* })?
        $(after_status { $($(#[$tm:meta])* $t:ident: $tt:ty,)* })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        pub struct $name {
            #[doc = "The schema."]
            #[serde(rename = "$schema")]
            schema: $crate::artifact::head::SchemaUrn<$name>,
            #[doc = "Never accepted."]
            accepted: $crate::fail_closed::False,
            #[doc = "The digests of the embedded parts."]
            artifact_digests: Vec<$crate::package::Descriptor>,
            $($($(#[$am])* $a: $at,)*)?
            #[doc = "What it was derived from."]
            derived_from: Vec<$crate::artifact::head::Parent>,
            #[doc = "The digest of everything else in this document."]
            document_digest: $crate::digest::Digest,
            $($($(#[$dm])* $d: $dt,)*)?
            #[doc = "The status of every gate."]
            gate_statuses: $crate::gate::GateStatuses,
            #[doc = "Never installable."]
            installable: $crate::fail_closed::False,
            #[doc = "The kind of artifact."]
            kind: $crate::artifact::head::Kind<$name>,
            $($($(#[$km])* $k: $kt,)*)?
            #[doc = "Who submits the package."]
            owner: $crate::artifact::head::Owner,
            #[doc = "Which package it is."]
            package: $crate::artifact::head::PackageRef,
            #[doc = "The package itself: manifest and file table."]
            package_artifact: $crate::package::PackageArtifact,
            $($($(#[$pm])* $p: $pt,)*)?
            $($(#[$em])* $e: $et,)?
            #[doc = "The rules it was made with."]
            ruleset: $crate::rules::ruleset::RulesetRef,
            #[doc = "The version of this schema."]
            schema_version: $crate::artifact::head::SchemaVersion,
            #[doc = "Never signed."]
            signed: $crate::fail_closed::False,
            $($($(#[$sm])* $s: $st,)*)?
            #[doc = "The one status word of this kind."]
            status: $crate::artifact::head::Status<$name>,
            $($($(#[$tm])* $t: $tt,)*)?
            #[doc = "Who may see a listing one day."]
            visibility: $crate::artifact::head::Visibility,
        }

        /// The members that this kind adds.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $body {
            $($(#[doc = "As in the artifact."] pub $a: $at,)*)?
            $($(#[doc = "As in the artifact."] pub $d: $dt,)*)?
            $($(#[doc = "As in the artifact."] pub $k: $kt,)*)?
            $($(#[doc = "As in the artifact."] pub $p: $pt,)*)?
            $($(#[doc = "As in the artifact."] pub $s: $st,)*)?
            $($(#[doc = "As in the artifact."] pub $t: $tt,)*)?
        }

        impl $name {
            /// Everything but the digest itself and the parts that have digests of their own.
            fn digest_of_view(&self) -> $crate::digest::Digest {
                #[derive(serde::Serialize)]
                #[serde(rename_all = "camelCase")]
                struct View<'a> {
                    #[serde(rename = "$schema")]
                    schema: &'a $crate::artifact::head::SchemaUrn<$name>,
                    accepted: $crate::fail_closed::False,
                    artifact_digests: &'a [$crate::package::Descriptor],
                    $($($a: &'a $at,)*)?
                    derived_from: &'a [$crate::artifact::head::Parent],
                    $($($d: &'a $dt,)*)?
                    gate_statuses: $crate::gate::GateStatuses,
                    installable: $crate::fail_closed::False,
                    kind: &'a $crate::artifact::head::Kind<$name>,
                    $($($k: &'a $kt,)*)?
                    owner: &'a $crate::artifact::head::Owner,
                    package: &'a $crate::artifact::head::PackageRef,
                    $($($p: &'a $pt,)*)?
                    ruleset: &'a $crate::rules::ruleset::RulesetRef,
                    schema_version: $crate::artifact::head::SchemaVersion,
                    signed: $crate::fail_closed::False,
                    $($($s: &'a $st,)*)?
                    status: &'a $crate::artifact::head::Status<$name>,
                    $($($t: &'a $tt,)*)?
                    visibility: $crate::artifact::head::Visibility,
                }
                $crate::canonical_json::digest(&View {
                    schema: &self.schema,
                    accepted: self.accepted,
                    artifact_digests: &self.artifact_digests,
                    $($($a: &self.$a,)*)?
                    derived_from: &self.derived_from,
                    $($($d: &self.$d,)*)?
                    gate_statuses: self.gate_statuses,
                    installable: self.installable,
                    kind: &self.kind,
                    $($($k: &self.$k,)*)?
                    owner: &self.owner,
                    package: &self.package,
                    $($($p: &self.$p,)*)?
                    ruleset: &self.ruleset,
                    schema_version: self.schema_version,
                    signed: self.signed,
                    $($($s: &self.$s,)*)?
                    status: &self.status,
                    $($($t: &self.$t,)*)?
                    visibility: self.visibility,
                })
                .0
            }
        }

        impl $crate::artifact::table::IsArtifact for $name {
            const SPEC: &'static $crate::artifact::table::ArtifactSpec = &SPEC;

            fn document_digest(&self) -> &$crate::digest::Digest {
                &self.document_digest
            }

            fn recompute_document_digest(&self) -> $crate::digest::Digest {
                self.digest_of_view()
            }

            fn ruleset(&self) -> &$crate::rules::ruleset::RulesetRef {
                &self.ruleset
            }

            fn evaluated(&self) -> Vec<$crate::decision::EvaluatedPackage> {
                $crate::artifact::checked::evaluate(self).into_iter().collect()
            }

            fn faults(&self) -> Vec<$crate::finding::Finding> {
                $crate::artifact::checked::package_faults(self)
            }
        }

        impl $crate::artifact::head::AboutPackage for $name {
            type Body = $body;
            type Report = $crate::artifact::head::report_type!($($et)?);

            fn body_of(facts: &$crate::artifact::head::Facts<'_, Self::Report>) -> $body {
                body_of(facts)
            }

            fn assemble(
                subject: $crate::artifact::head::Subject,
                derived_from: Vec<$crate::artifact::head::Parent>,
                report: Self::Report,
            ) -> Self {
                use $crate::artifact::head::Report as _;
                let digests = $crate::artifact::head::descriptors(&subject.package_artifact, report.as_report());
                let facts = $crate::artifact::head::Facts {
                    owner: &subject.owner,
                    package_artifact: &subject.package_artifact,
                    ruleset: &subject.ruleset,
                    visibility: subject.visibility,
                    digests: &digests,
                    report: &report,
                };
                let body = body_of(&facts);
                let package = facts.package();
                let mut artifact = Self {
                    schema: Default::default(),
                    accepted: $crate::fail_closed::False,
                    artifact_digests: digests,
                    $($($a: body.$a,)*)?
                    derived_from,
                    document_digest: $crate::digest::Digest::of(b""),
                    $($($d: body.$d,)*)?
                    gate_statuses: $crate::gate::GateStatuses::now(),
                    installable: $crate::fail_closed::False,
                    kind: Default::default(),
                    $($($k: body.$k,)*)?
                    package,
                    owner: subject.owner,
                    package_artifact: subject.package_artifact,
                    $($($p: body.$p,)*)?
                    $($e: report,)?
                    ruleset: subject.ruleset,
                    schema_version: $crate::artifact::head::SchemaVersion::V1_0,
                    signed: $crate::fail_closed::False,
                    $($($s: body.$s,)*)?
                    status: Default::default(),
                    $($($t: body.$t,)*)?
                    visibility: subject.visibility,
                };
                artifact.document_digest = artifact.digest_of_view();
                artifact
            }

            fn facts(&self) -> $crate::artifact::head::Facts<'_, Self::Report> {
                $crate::artifact::head::Facts {
                    owner: &self.owner,
                    package_artifact: &self.package_artifact,
                    ruleset: &self.ruleset,
                    visibility: self.visibility,
                    digests: &self.artifact_digests,
                    report: $crate::artifact::head::report_ref!($(self.$e)?),
                }
            }

            fn package(&self) -> &$crate::artifact::head::PackageRef {
                &self.package
            }

            fn derived_from(&self) -> &[$crate::artifact::head::Parent] {
                &self.derived_from
            }

            fn differing(&self, body: &$body) -> Vec<&'static str> {
                let mut names = Vec::new();
                $($(if self.$a != body.$a { names.push(stringify!($a)); })*)?
                $($(if self.$d != body.$d { names.push(stringify!($d)); })*)?
                $($(if self.$k != body.$k { names.push(stringify!($k)); })*)?
                $($(if self.$p != body.$p { names.push(stringify!($p)); })*)?
                $($(if self.$s != body.$s { names.push(stringify!($s)); })*)?
                $($(if self.$t != body.$t { names.push(stringify!($t)); })*)?
                names
            }
        }
    };
}

macro_rules! report_type {
    () => {
        ()
    };
    ($report:ty) => {
        $report
    };
}

macro_rules! report_ref {
    () => { &() };
    ($($report:tt)+) => { &$($report)+ };
}

pub(crate) use {artifact, report_ref, report_type};
