//! The stages of the lifecycle, lowest first. No evidence form exists for the last one: [`Reached`] has no value for it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::wire_enum;

/// What a stage is called and means.
#[derive(Clone, Copy, Debug)]
pub struct StageSpec {
    /// The name for people.
    pub label: &'static str,
    pub meaning: &'static str,
}

macro_rules! stages {
    (
        reachable { $($variant:ident = $id:literal, $label:literal, $meaning:literal;)+ }
        unreachable { $last:ident = $last_id:literal, $last_label:literal, $last_meaning:literal; }
    ) => {
        wire_enum! {
            /// A stage of the catalog.
            pub enum Stage("stage", B015) {
                $(#[doc = $meaning] $variant = $id,)+
                #[doc = $last_meaning]
                $last = $last_id,
            }
        }

        wire_enum! {
            /// A stage that an entry can reach.
            pub enum Reached("reached-stage", B006) {
                $(#[doc = $meaning] $variant = $id,)+
            }
        }

        impl From<Reached> for Stage {
            fn from(reached: Reached) -> Self {
                match reached { $(Reached::$variant => Self::$variant,)+ }
            }
        }

        impl Stage {
            #[must_use]
            pub const fn spec(self) -> StageSpec {
                match self {
                    $(Self::$variant => StageSpec { label: $label, meaning: $meaning },)+
                    Self::$last => StageSpec { label: $last_label, meaning: $last_meaning },
                }
            }
        }
    };
}

stages! {
    reachable {
        Blueprint = "blueprint", "Blueprint", "Draft app source.";
        ShowcasePreview = "showcase-preview", "Showcase preview", "Discoverable metadata; preview only.";
        ReviewReport = "review-report", "Review report", "Validation evidence and remaining blockers.";
        CollectionEntry = "collection-entry", "Collection entry", "Listing scoped to a user or to a space.";
    }
    unreachable {
        SignedPackage = "signed-package", "Signed package", "Installable only when host policy allows it.";
    }
}

impl Stage {
    /// The stage above; the last one is above itself.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL.iter().copied().find(|next| *next > self).unwrap_or(Self::SignedPackage)
    }
}

/// Which evidence of a package was checked and is there. On the wire it is the stage that follows from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageEvidence {
    /// A manifest with its listing members that breaks no rule that needs the manifest alone.
    pub listing: bool,
    /// A report that the rules give again.
    pub report: bool,
    /// A place in a collection that no blocker keeps it out of.
    pub entry: bool,
}

impl StageEvidence {
    /// The one function from evidence to a stage: a stage needs its own evidence and that of every stage below it.
    #[must_use]
    pub const fn stage(self) -> Reached {
        match self {
            Self { listing: false, report: _, entry: _ } => Reached::Blueprint,
            Self { listing: true, report: false, entry: _ } => Reached::ShowcasePreview,
            Self { listing: true, report: true, entry: false } => Reached::ReviewReport,
            Self { listing: true, report: true, entry: true } => Reached::CollectionEntry,
        }
    }
}

impl Serialize for StageEvidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stage().serialize(serializer)
    }
}

impl JsonSchema for StageEvidence {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Reached::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Reached>()
    }
}
