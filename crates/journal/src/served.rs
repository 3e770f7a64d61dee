//! What a store gives to readers of the log: tiles, and proofs of its records.

use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    tiles::TilePath,
    tlog_proof::TlogProof,
    tree::{leaf_hash, prove_at},
};

use crate::store::{LogRow, NodesOf, Store, log_start};

/// The bytes of a tile.
///
/// # Errors
/// When the log does not have it, or records in it were pruned.
pub fn tile(store: &dyn Store, tile: &TilePath, size: u64) -> Result<Vec<u8>, JournalFault> {
    if !tile.is_within(size) {
        return Err(JournalFault::new(JournalFaultKind::Missing, "the log is shorter"));
    }
    if !tile.is_entries() {
        return tile.hashes(&NodesOf(store));
    }
    let most = usize::try_from(tile.width()).unwrap_or(usize::MAX);
    let rows = store.rows(tile.start(), most)?;
    match rows.iter().find(|row| row.record.is_none()) {
        Some(gone) => Err(log_start(store)?.gone(gone.place)),
        None => bundle(&rows),
    }
}

/// The proof of a record of a store, under a signed state. It was checked on the way.
///
/// # Errors
/// When the state does not cover the record, or the store does not lead to it.
pub fn proof(store: &dyn Store, checkpoint: &Checkpoint, index: u64) -> Result<TlogProof, JournalFault> {
    let missing = || JournalFault::new(JournalFaultKind::Missing, format!("there is no record {index}"));
    if index >= checkpoint.size() {
        return Err(missing());
    }
    let row = store.rows(index, 1)?.into_iter().next().ok_or_else(missing)?;
    let leaf = match &row.record {
        Some(record) => leaf_hash(record),
        None => row.hash(0).ok_or_else(|| JournalFault::corrupt(format!("record {index} has no hash")))?,
    };
    let hashes = prove_at((checkpoint.size(), checkpoint.root()), index, leaf, &NodesOf(store))?;
    Ok(TlogProof { record: row.record, index, hashes, checkpoint: checkpoint.text().as_str().to_owned() })
}

/// Records behind their lengths.
fn bundle(rows: &[LogRow]) -> Result<Vec<u8>, JournalFault> {
    let mut bytes = Vec::new();
    for row in rows {
        let gone = || JournalFault::corrupt(format!("the bytes of record {} are gone", row.place));
        let record = row.record.as_ref().ok_or_else(gone)?;
        let length =
            u16::try_from(record.len()).map_err(|_| JournalFault::corrupt("a record is longer than 65,535 bytes"))?;
        bytes.extend(length.to_be_bytes());
        bytes.extend(record);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use svc_proof::tiles::unbundle;

    use super::*;

    #[test]
    fn a_bundle_is_read_back_and_a_torn_one_is_not() {
        let rows: Vec<LogRow> = (0..3)
            .map(|place| LogRow {
                place,
                record: Some(vec![b'x'; usize::try_from(place).unwrap()]),
                hashes: Vec::new(),
            })
            .collect();
        let bytes = bundle(&rows).unwrap();
        assert_eq!(unbundle(&bytes, 3).unwrap(), [vec![], vec![b'x'], vec![b'x', b'x']]);
        for at in 0..bytes.len() {
            assert!(unbundle(&bytes[..at], 3).is_err(), "{at}");
        }
        assert!(unbundle(&[bytes.as_slice(), &[0]].concat(), 3).is_err());
        assert!(unbundle(&bytes, 2).is_err());
    }
}
