//! What all artifacts share: the head and its words.

use std::{borrow::Cow, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use svc_json::digest::Digest;

use crate::{
    artifact::checked::{Checked, IsArtifact},
    scalar::ident::{OwnerId, OwnerName},
    wire_enum, wire_struct,
    words::{kind::ArtifactKind, wire},
};

wire_enum! {
    /// Who may see a listing one day.
    pub enum Visibility("visibility", B015) {
        /// The owner alone.
        Private = "private",
        /// Whoever has the address.
        Unlisted = "unlisted",
        /// Everyone; adds a blocker.
        Public = "public",
    }
}

wire_struct! {
    /// Who submits a package.
    Owner "owner" {
        /// The account.
        id: OwnerId,
        /// The name for people.
        name: OwnerName,
    }
    /// A document that an artifact was derived from.
    Parent "parent" {
        /// The parent's `documentDigest`.
        digest: Digest,
        /// The parent's kind.
        kind: ArtifactKind,
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
                    wire::read_str(deserializer, A::SPEC.$fact, |text| (text == A::SPEC.$fact).then(Self::default))
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

impl Parent {
    /// How a child names its parent.
    #[must_use]
    pub fn from_checked<A: IsArtifact>(parent: &Checked<A>) -> Self {
        Self { digest: *parent.digest_matches().digest(), kind: A::SPEC.artifact }
    }
}
