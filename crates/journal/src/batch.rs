//! What a batch adds to the log: records at their places, their rows, and the tree with them.

use svc_core::{
    canonical_json::written::Written,
    journal::{record::Draft, timestamp::Timestamp},
};

use crate::{
    fault::Fault,
    receipt::{Leaf, counted},
    store::{Extension, Head, Row},
    tree::{Grown, leaf_hash},
};

/// The rows that put these drafts behind a head.
pub(crate) fn extend(
    head: &Head,
    drafts: Vec<Draft>,
    now: Timestamp,
) -> Result<(Extension, Vec<Leaf<Written>>, Grown), Fault> {
    let (mut leaves, mut records) = (Vec::with_capacity(drafts.len()), Vec::with_capacity(drafts.len()));
    for (draft, place) in drafts.into_iter().zip(head.tree.size()..) {
        let place = counted(place)?;
        let record = draft.place(place, now);
        records.push(record.as_bytes().to_vec());
        leaves.push(Leaf { place, hash: leaf_hash(record.as_bytes()), record });
    }
    let grown = head.tree.grow_by_hashes(leaves.iter().map(|leaf| leaf.hash))?;
    let mut rows = Vec::with_capacity(records.len());
    for (record, place) in records.into_iter().zip(grown.start()..) {
        let hashes = grown.completed_by(place).ok_or_else(|| Fault::corrupt("a new node is missing"))?;
        rows.push(Row { place, record: Some(record), hashes });
    }
    let head = Head { tree: grown.tree().clone(), root: *grown.root() };
    Ok((Extension { rows, head }, leaves, grown))
}
