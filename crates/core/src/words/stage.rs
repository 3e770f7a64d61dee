//! The stages of the lifecycle, lowest first. No evidence form exists for the last one: [`Reached`] has no value for it.

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
