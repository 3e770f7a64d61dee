//! What a batch adds to the log: records at their places, their rows, and the tree with them.

use svc_core::journal::{
    record::{Count, Draft, Record},
    timestamp::Timestamp,
};

use crate::{
    fault::Fault,
    store::{Extension, Head, Row},
    tree::{Grown, Hash, leaf_hash},
};

/// A record and the hash of its bytes.
pub(crate) struct Leaf {
    pub(crate) record: Record,
    pub(crate) hash: Hash,
}

/// The rows that put these drafts behind a head.
pub(crate) fn extension(
    head: &Head,
    drafts: Vec<Draft>,
    now: Timestamp,
) -> Result<(Extension, Vec<Leaf>, Grown), Fault> {
    let (mut leaves, mut records) = (Vec::with_capacity(drafts.len()), Vec::with_capacity(drafts.len()));
    for (draft, place) in drafts.into_iter().zip(head.tree.size()..) {
        let place = Count::new(place).ok_or_else(|| Fault::corrupt("the log is longer than JSON can count"))?;
        let record = draft.place(place, now);
        let bytes = record.to_bytes();
        leaves.push(Leaf { record, hash: leaf_hash(&bytes) });
        records.push(bytes);
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
