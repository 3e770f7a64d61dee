//! The file table of a package, or every reason against it.

use svc_cli::files::open::Root;

use super::{
    fault::{self, TreeFault},
    hash::{self, HashedFile, Observe},
    limits::TreeLimits,
    pattern::Patterns,
    walk,
};

/// A tree without a fault.
#[derive(Debug)]
pub(crate) struct CollectedTree<F> {
    /// Every selected file, by path bytes.
    pub(crate) files: Vec<HashedFile<F>>,
    /// For each pattern, whether it selected anything.
    pub(crate) matched: Vec<bool>,
}

/// A tree that gives no package.
#[derive(Debug)]
pub(crate) struct RefusedTree<F> {
    /// All reasons, at least one: those of the whole package, then by path bytes.
    pub(crate) faults: Vec<TreeFault>,
    /// The files that have no fault, by path bytes, so that other checks can still tell all they find.
    /// Never a file table. Empty after `TooManyFiles` and `PackageTooLarge`, where the run stopped early.
    pub(crate) files: Vec<HashedFile<F>>,
    /// As in [`CollectedTree`]; all true where the run stopped before it could know.
    pub(crate) matched: Vec<bool>,
}

/// Walks the root, reads each selected file once, and gives the table or all faults of the run.
///
/// `selected` is told how many there are, before any is read. `observe` makes an observer for each file, on the thread that reads it; `|_| ()` looks at nothing.
pub(crate) fn collect<O: Observe>(
    root: &Root,
    patterns: &Patterns,
    limits: &TreeLimits,
    selected: impl FnOnce(usize),
    observe: impl Fn(&str) -> O + Sync,
) -> Result<CollectedTree<O::Facts>, RefusedTree<O::Facts>> {
    let Ok(selection) = walk::select(root, patterns, limits) else {
        return Err(stopped(TreeFault::TooManyFiles { limit: limits.files }, patterns));
    };
    selected(selection.files.len());
    let hashed = hash::hash_all(root, selection.files, limits, observe);
    let mut faults = selection.faults;
    faults.extend(hashed.faults);
    if faults.is_empty() {
        return Ok(CollectedTree { files: hashed.files, matched: selection.matched });
    }
    fault::sort(&mut faults);
    Err(RefusedTree { faults, files: hashed.files, matched: selection.matched })
}

fn stopped<F>(fault: TreeFault, patterns: &Patterns) -> RefusedTree<F> {
    RefusedTree { faults: vec![fault], files: Vec::new(), matched: vec![true; patterns.count()] }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
