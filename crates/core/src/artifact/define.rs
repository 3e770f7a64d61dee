//! Weaves the head and the members of a kind into one struct.
//!
//! Members must stand in RFC 8785 order, and serde's `flatten` would let unknown members through, so the head cannot be
//! a field. [`define_artifact!`] writes the members of a kind between those of the head, at the places the order gives
//! them. Order matters in the struct alone: all else goes by one list of the kind's own members.

/// Declares a kind about one package.
macro_rules! define_artifact {
    (
        $(#[$meta:meta])*
        $name:ident, row $spec:ident, body $body:ident,
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
            accepted: $crate::closed::False,
            #[doc = "The digests of the embedded parts."]
            artifact_digests: Vec<$crate::package::descriptor::Descriptor>,
            $($($(#[$am])* $a: $at,)*)?
            #[doc = "What it was derived from."]
            derived_from: Vec<$crate::artifact::head::Parent>,
            #[doc = "The digest of everything else in this document."]
            document_digest: svc_json::digest::Digest,
            $($($(#[$dm])* $d: $dt,)*)?
            #[doc = "The status of every gate."]
            gate_statuses: $crate::gates::GateStatuses,
            #[doc = "Never installable."]
            installable: $crate::closed::False,
            #[doc = "The kind of artifact."]
            kind: $crate::artifact::head::Kind<$name>,
            $($($(#[$km])* $k: $kt,)*)?
            #[doc = "Who submits the package."]
            owner: $crate::artifact::head::Owner,
            #[doc = "Which package it is."]
            package: $crate::scalar::ident::PackageRef,
            #[doc = "The package itself: manifest and file table."]
            package_artifact: $crate::package::artifact::PackageArtifact,
            $($($(#[$pm])* $p: $pt,)*)?
            $($(#[$em])* $e: $et,)?
            #[doc = "The rules it was made with."]
            ruleset: $crate::scalar::ruleset_ref::RulesetRef,
            #[doc = "The version of this schema."]
            schema_version: $crate::words::kind::SchemaVersion,
            #[doc = "Never signed."]
            signed: $crate::closed::False,
            $($($(#[$sm])* $s: $st,)*)?
            #[doc = "The one status word of this kind."]
            status: $crate::artifact::head::Status<$name>,
            $($($(#[$tm])* $t: $tt,)*)?
            #[doc = "Who may see a listing one day."]
            visibility: $crate::artifact::head::Visibility,
        }

        $crate::artifact::define::implement! {
            $name, row $spec, body $body {
                $($($a: $at,)*)? $($($d: $dt,)*)? $($($k: $kt,)*)? $($($p: $pt,)*)? $($($s: $st,)*)? $($($t: $tt,)*)?
            }
            embeds { $($e: $et)? }
        }
    };
}

/// What the members of a kind follow from, and what its digest covers.
macro_rules! implement {
    ($name:ident, row $spec:ident, body $body:ident { $($own:ident: $type:ty,)* } embeds { $($report:ident: $report_type:ty)? }) => {
        /// The members that this kind adds.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $body {
            $(#[doc = "As in the artifact."] pub $own: $type,)*
        }

        impl $crate::artifact::checked::IsArtifact for $name {
            const SPEC: &'static $crate::words::kind::ArtifactSpec = &$crate::words::kind::$spec;

            fn document_digest(&self) -> &svc_json::digest::Digest {
                &self.document_digest
            }

            fn recompute_document_digest(&self) -> svc_json::digest::Digest {
                // Everything but the digest itself and the parts that have digests of their own.
                svc_json::canonical::digest_without(self, &["documentDigest", "packageArtifact", "reviewReport"]).0
            }

            fn examine(&self, rules: &$crate::rules::ruleset::Rules) -> $crate::artifact::checked::Examined {
                $crate::artifact::examination::of_package(rules, self)
            }
        }

        impl $crate::artifact::about_package::AboutPackage for $name {
            type Body = $body;
            type Report = $crate::artifact::define::report_type!($($report_type)?);

            fn body_of(basis: &$crate::artifact::about_package::Basis<'_, Self::Report>) -> $body {
                body_of(basis)
            }

            fn assemble(
                inherited_parts: $crate::artifact::about_package::InheritedParts,
                derived_from: Vec<$crate::artifact::head::Parent>,
                report: Self::Report,
            ) -> Self {
                use $crate::artifact::about_package::Report as _;
                let package = &inherited_parts.package_artifact;
                let digests = $crate::artifact::about_package::descriptors(package, report.as_report());
                let basis = $crate::artifact::about_package::Basis {
                    owner: &inherited_parts.owner,
                    package_artifact: &inherited_parts.package_artifact,
                    ruleset: &inherited_parts.ruleset,
                    visibility: inherited_parts.visibility,
                    digests: &digests,
                    report: &report,
                };
                let body = body_of(&basis);
                let package = basis.package();
                let mut artifact = Self {
                    schema: Default::default(),
                    accepted: $crate::closed::False,
                    artifact_digests: digests,
                    $($own: body.$own,)*
                    derived_from,
                    document_digest: svc_json::digest::Digest::of(b""),
                    gate_statuses: $crate::gates::GateStatuses::now(),
                    installable: $crate::closed::False,
                    kind: Default::default(),
                    package,
                    owner: inherited_parts.owner,
                    package_artifact: inherited_parts.package_artifact,
                    $($report: report,)?
                    ruleset: inherited_parts.ruleset,
                    schema_version: $crate::words::kind::SchemaVersion::V1_0,
                    signed: $crate::closed::False,
                    status: Default::default(),
                    visibility: inherited_parts.visibility,
                };
                artifact.document_digest =
                    $crate::artifact::checked::IsArtifact::recompute_document_digest(&artifact);
                artifact
            }

            fn basis(&self) -> $crate::artifact::about_package::Basis<'_, Self::Report> {
                $crate::artifact::about_package::Basis {
                    owner: &self.owner,
                    package_artifact: &self.package_artifact,
                    ruleset: &self.ruleset,
                    visibility: self.visibility,
                    digests: &self.artifact_digests,
                    report: $crate::artifact::define::report_ref!($(self.$report)?),
                }
            }

            fn package(&self) -> &$crate::scalar::ident::PackageRef {
                &self.package
            }

            fn derived_from(&self) -> &[$crate::artifact::head::Parent] {
                &self.derived_from
            }

            fn differing(&self, body: &$body) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$own != body.$own { names.push(stringify!($own)); })*
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

pub(crate) use {define_artifact, implement, report_ref, report_type};
