//! The pure, fail-closed heart of svc: bytes in, value or refusal out. No files, network, environment or clock.
//!
//! No files import each other in a circle; `cargo xtask test circles` holds that.
//!
//! | question | place |
//! |---|---|
//! | why can it not say yes? | [`closed`], [`gates`], [`artifact::checked`], [`decision`] |
//! | what is in an artifact? | [`artifact`], one file a kind, [`words::kind`] for all |
//! | how are bytes read? | [`read`], with [`explain`] for a refusal |
//! | what is checked in a package? | [`rules`], one table a family, [`review`] for the report |
//! | where does an entry stand? | [`lifecycle`] |
//! | what does the journal keep? | [`journal`] |
//! | what is generated? | [`contract`], [`schema`] |
//! | which documents is all of this tried on? | [`samples`], [`attacks`] |

pub mod artifact;
pub mod attacks;
pub mod bundle;
pub mod closed;
pub mod collection;
pub mod contract;
#[cfg(feature = "counts")]
pub mod counts;
pub mod decision;
pub mod diagnostics;
pub mod difference;
pub mod explain;
pub mod export;
pub mod finding;
pub mod findings;
pub mod fix;
pub mod gates;
pub mod journal;
pub mod lifecycle;
pub mod manifest;
pub mod open_claim;
pub mod pack;
pub mod package;
pub mod problem;
pub mod read;
pub mod review;
pub mod rules;
pub mod samples;
pub mod scalar;
pub mod schema;
pub mod verification;
pub mod words;
