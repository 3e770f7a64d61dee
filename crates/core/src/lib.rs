//! The pure, fail-closed heart of svc: bytes in, value or refusal out. No files, network, environment or clock.
//!
//! | question | place |
//! |---|---|
//! | why can it not say yes? | [`fail_closed`], [`gate`], [`artifact::checked`] |
//! | what is in an artifact? | [`artifact`], one file a kind, [`artifact::table`] for all |
//! | how is JSON read? | [`strict_json`], then [`shape`] to explain a refusal |
//! | what is hashed? | [`canonical_json`], [`digest`] |
//! | what is checked in a package? | [`rules`], one table a family, [`review`] for the report |
//! | where does an entry stand? | [`lifecycle`] |
//! | what does the journal keep? | [`journal`] |
//! | what is generated? | [`contract`], [`readiness`], [`schema`] |

pub mod adversary;
pub mod artifact;
pub mod bundle;
pub mod contract;
pub mod decision;
pub mod diagnostics;
pub mod exit_code;
pub mod fail_closed;
pub mod finding;
mod forms;
pub mod gate;
pub mod ident;
pub mod journal;
#[doc(hidden)]
pub mod leaf;
pub mod lifecycle;
pub mod limits;
pub mod manifest;
pub mod media_type;
pub mod pack;
pub mod package;
pub mod path;
pub mod problem;
pub mod readiness;
pub mod review;
pub mod rules;
pub mod sample;
pub mod scan;
pub mod schema;
pub mod shape;
pub mod suggest;
pub mod url;
pub mod verification;

pub use svc_json::{canonical as canonical_json, digest, pointer};

/// The strict readers.
pub mod strict_json {
    pub use svc_json::{characters, fault, typed};

    /// The explaining reader.
    pub mod tree {
        pub use svc_json::{position::Position, tree::*};
    }
}
