//! How much of a package was seen by whoever states a verdict or a stage about it.
//!
//! A registry is sent documents and never files, so what it answers and records has a type of its own, which has no word
//! for having read them.

use crate::wire_enum;

wire_enum! {
    /// What a statement about a package is based on, in answers and records. There is no word for having read files.
    pub enum ClaimedDepth("claimed-depth", B006) {
        /// The document carries no report: rules on facts did not run, and no file was seen.
        WithoutFacts = "without-facts",
        /// Recomputed from the manifest, the file table and the facts of the report; no file was seen.
        AsClaimed = "as-claimed",
    }
}

wire_enum! {
    /// What a statement about a package is based on, least first.
    pub enum ReviewDepth("review-depth", B015) {
        /// The document carries no report: rules on facts did not run, and no file was seen.
        WithoutFacts = "without-facts",
        /// Recomputed from the manifest, the file table and the facts of the report; no file was seen.
        AsClaimed = "as-claimed",
        /// The files of the package were hashed and read in this run.
        Read = "read",
    }
}

impl From<ClaimedDepth> for ReviewDepth {
    fn from(depth: ClaimedDepth) -> Self {
        match depth {
            ClaimedDepth::WithoutFacts => Self::WithoutFacts,
            ClaimedDepth::AsClaimed => Self::AsClaimed,
        }
    }
}

impl ReviewDepth {
    /// What it means, for people.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::WithoutFacts => "the document carries no report, and package files were not reviewed",
            Self::AsClaimed => "recomputed from the report, not from package files",
            Self::Read => "the package files were hashed and reviewed in this run",
        }
    }

    /// What is shown of the artifact hash at this depth, for people.
    #[must_use]
    pub const fn hash_basis(self) -> &'static str {
        match self {
            Self::WithoutFacts | Self::AsClaimed => "digests recomputed, not from package files",
            Self::Read => "digests recomputed from the package files",
        }
    }
}
