//! One list makes a kind: the members of its struct, in the order of RFC 8785.
//!
//! Members must stand in that order, and serde's `flatten` would let unknown members through, so what all kinds share cannot
//! be a field. A list names a shared member by its name alone and gives type and text for a member of its own.

/// Declares a kind about one package: `shared,`, `own: Type,` and, for kinds that embed the report, `embeds name: Type,`.
macro_rules! define_artifact {
    (
        $(#[$meta:meta])*
        $name:ident, row $spec:ident, body $body:ident,
        $($members:tt)*
    ) => {
        $crate::artifact::define::weave! { {[$(#[$meta])* $name, $spec, $body] [] [] []} $($members)* }
    };
}

/// Takes the first member off the list until none is left: `{kind [fields] [own] [embedded]} list`.
macro_rules! weave {
    ({[$(#[$meta:meta])* $name:ident, $spec:ident, $body:ident] [$($fields:tt)*] [$($own:tt)*] [$($report:tt)*]}) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        pub struct $name {
            $($fields)*
        }

        $crate::artifact::define::implement! { $name, row $spec, body $body { $($own)* } embeds { $($report)* } }
    };
    ({$kind:tt [$($fields:tt)*] $own:tt $report:tt} [$($shared:tt)*] $($rest:tt)*) => {
        $crate::artifact::define::weave! { {$kind [$($fields)* $($shared)*] $own $report} $($rest)* }
    };
    ({$kind:tt [$($fields:tt)*] $own:tt []} $(#[$meta:meta])* embeds $name:ident: $type:ty, $($rest:tt)*) => {
        $crate::artifact::define::weave! { {$kind [$($fields)* $(#[$meta])* $name: $type,] $own [$name: $type]} $($rest)* }
    };
    ({$kind:tt [$($fields:tt)*] [$($own:tt)*] $report:tt} $(#[$meta:meta])* $name:ident: $type:ty, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            {$kind [$($fields)* $(#[$meta])* $name: $type,] [$($own)* $name: $type,] $report} $($rest)*
        }
    };
    // What all kinds share: text and type.
    ($kind:tt schema, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The schema."] #[serde(rename = "$schema")] schema: $crate::artifact::head::SchemaUrn<Self>,] $($rest)*
        }
    };
    ($kind:tt accepted, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "Never accepted."] accepted: $crate::closed::False,] $($rest)*
        }
    };
    ($kind:tt artifact_digests, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The digests of the embedded parts."] artifact_digests: Vec<$crate::package::descriptor::Descriptor>,] $($rest)*
        }
    };
    ($kind:tt derived_from, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "What it was derived from."] derived_from: Vec<$crate::artifact::head::Parent>,] $($rest)*
        }
    };
    ($kind:tt document_digest, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The digest of everything else in this document."] document_digest: svc_json::digest::Digest,] $($rest)*
        }
    };
    ($kind:tt gate_statuses, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The status of every gate."] gate_statuses: $crate::gates::GateStatuses,] $($rest)*
        }
    };
    ($kind:tt installable, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "Never installable."] installable: $crate::closed::False,] $($rest)*
        }
    };
    ($kind:tt kind, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The kind of artifact."] kind: $crate::artifact::head::Kind<Self>,] $($rest)*
        }
    };
    ($kind:tt owner, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "Who submits the package."] owner: $crate::artifact::head::Owner,] $($rest)*
        }
    };
    ($kind:tt package, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "Which package it is."] package: $crate::scalar::ident::PackageRef,] $($rest)*
        }
    };
    ($kind:tt package_artifact, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The package itself: manifest and file table."] package_artifact: $crate::package::artifact::PackageArtifact,] $($rest)*
        }
    };
    ($kind:tt ruleset, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The rules it was made with."] ruleset: $crate::scalar::ruleset_ref::RulesetRef,] $($rest)*
        }
    };
    ($kind:tt schema_version, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The version of this schema."] schema_version: $crate::words::kind::SchemaVersion,] $($rest)*
        }
    };
    ($kind:tt signed, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "Never signed."] signed: $crate::closed::False,] $($rest)*
        }
    };
    ($kind:tt status, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "The one status word of this kind."] status: $crate::artifact::head::Status<Self>,] $($rest)*
        }
    };
    ($kind:tt visibility, $($rest:tt)*) => {
        $crate::artifact::define::weave! {
            $kind [#[doc = "Who may see a listing one day."] visibility: $crate::artifact::head::Visibility,] $($rest)*
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

pub(crate) use {define_artifact, implement, report_ref, report_type, weave};
