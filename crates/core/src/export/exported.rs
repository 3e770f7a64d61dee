//! What every export has.

use std::collections::BTreeMap;

/// Files by their path below the folder of an export, with `/` between the parts.
pub type ExportedFiles = BTreeMap<String, Vec<u8>>;

/// What every export says of the package, where its form has a place for a remark.
pub const OUTCOME: &str = "accepted no, signed no, installable no";
