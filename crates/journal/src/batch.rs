//! What a batch adds to the log: records at their places, their rows, and the tree with them; beside it who asked.

use svc_core::journal::{draft::EntryDraft, timestamp::Timestamp};
use svc_proof::{
    fault::JournalFault,
    receipt::{RecordLeaf, counted},
    tree::{GrownTree, leaf_hash},
};

use crate::{
    attribution::AttributionRow,
    store::{Extension, Head, LogRow},
};

/// The rows that put these drafts behind a head.
pub(crate) fn extend(
    head: &Head,
    drafts: Vec<EntryDraft>,
    now: Timestamp,
) -> Result<(Extension, Vec<RecordLeaf>, GrownTree), JournalFault> {
    let (mut leaves, mut records) = (Vec::with_capacity(drafts.len()), Vec::with_capacity(drafts.len()));
    let mut attributions = Vec::with_capacity(drafts.len());
    for (draft, place) in drafts.into_iter().zip(head.tree.size()..) {
        attributions.extend(draft.attribution.map(|attribution| AttributionRow { place, time: now, attribution }));
        let place = counted(place)?;
        let record = draft.record.place(place, now);
        let bytes = record.to_bytes();
        leaves.push(RecordLeaf { place, hash: leaf_hash(&bytes), record });
        records.push(bytes);
    }
    let grown = head.tree.grow_by_hashes(leaves.iter().map(|leaf| leaf.hash))?;
    let mut rows = Vec::with_capacity(records.len());
    for (record, place) in records.into_iter().zip(grown.start()..) {
        let hashes =
            grown.completed_by(place).ok_or_else(|| JournalFault::corrupt("a new node of the tree is missing"))?;
        rows.push(LogRow { place, record: Some(record), hashes });
    }
    let head = Head { tree: grown.tree().clone(), root: *grown.root() };
    Ok((Extension { rows, attributions, head }, leaves, grown))
}
