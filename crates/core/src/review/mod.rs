//! The review: what the rules found about a package, in the form that travels in artifacts.
//!
//! [`report`] is the report, [`blockers`] follow from it, and [`recheck`] computes a declared report again: it is
//! evidence because anyone can.

mod blockers;
mod recheck;
mod report;

pub use blockers::{Blocker, BlockerCode, blockers};
pub use recheck::{mismatches, refusals};
pub use report::{
    Capabilities, CheckLine, CheckResult, Counts, Inventory, JsonPointer, Place, Prose, Range, RatedPermission,
    ReportFinding, ReviewReport, RuleCode, Verdict,
};
