//! What only the author's machine can tell of a package.

use std::collections::{BTreeMap, BTreeSet};

use crate::package::scan::FileFacts;

/// What the walk over the author's folder saw beside the file table.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// For each pattern of the manifest's `files`, whether it matched anything.
    pub matched: Vec<bool>,
    /// Files that are there, but have a finding in place of a row in the table.
    pub faulty: BTreeSet<String>,
    /// What the bytes of each file told.
    pub facts: BTreeMap<String, FileFacts>,
}
