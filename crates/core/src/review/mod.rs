//! The review: what the rules found about a package, in the form that travels in artifacts.
//!
//! [`report`] is the report, [`blockers`] follow from it, and [`recheck`] computes a declared report again: it is
//! evidence because anyone can.

pub mod blocker;
mod blockers;
mod listing;
mod recheck;
pub mod report;

pub use blockers::{blockers, in_words, own_blockers};
pub(crate) use listing::{ListingLacks, lacks_for_listing};
pub use recheck::{contradictions, mismatches, refusals};
pub(crate) use report::verdict_of;
pub use report::within;
