//! The records of the log as people and other tools are given them: pages of JSON, and the proof of one record. Both must say
//! what the receipts proved and the checkpoint signs.

use serde::Deserialize;
use serde_json::Value;
use svc_core::{
    journal::record::Record,
    verification::{FaultCode, Level},
};
use svc_json::canonical;
use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    growth,
    public_key::PublicKeys,
    source::LogFiles as _,
    tlog_proof::TlogProof,
    tree::{Hash, leaf_hash},
};

use super::{LogWatch, Served};
use crate::check::{CheckFault, cut};

#[derive(Deserialize)]
struct Page {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    record: Value,
}

impl LogWatch {
    /// Reads the pages with the first and the last known record.
    pub(super) fn pages(&self, files: &Served<'_>, state: &Checkpoint) -> Option<CheckFault> {
        self.places(state).into_iter().find_map(|place| self.page(files, state, place).err())
    }

    /// Reads their proofs.
    pub(super) fn proofs(&self, files: &Served<'_>, state: &Checkpoint, keys: &PublicKeys) -> Option<CheckFault> {
        self.places(state).into_iter().find_map(|place| self.proof(files, (state, keys), place).err())
    }

    /// The first and the last record that a receipt proved, or else that there are.
    fn places(&self, state: &Checkpoint) -> Vec<u64> {
        let proven = || self.records.keys().copied().filter(|place| *place < state.size());
        let last = state.size().checked_sub(1);
        let mut places: Vec<u64> = proven()
            .next()
            .into_iter()
            .chain(proven().next_back())
            .chain(last.filter(|_| self.records.is_empty()))
            .collect();
        places.dedup();
        places
    }

    fn page(&self, files: &Served<'_>, state: &Checkpoint, place: u64) -> Result<(), CheckFault> {
        let path = match place.checked_sub(1) {
            Some(before) => format!("entries?after={before}&limit=2"),
            None => "entries?limit=2".to_owned(),
        };
        let bytes = files.get(&path).map_err(|fault| unread(files, &fault))?;
        let page: Page = serde_json::from_slice(&bytes)
            .map_err(|error| rewritten(format!("/journal/{path} is no page of records: {error}")))?;
        let records: Vec<Vec<u8>> = page.entries.iter().map(|entry| canonical::to_bytes(&entry.record)).collect();
        let mut listed: Vec<(u64, Hash)> = Vec::new();
        for (record, at) in records.iter().zip(place..) {
            if Record::parse(record).is_none_or(|record| record.sequence() != at) {
                return Err(rewritten(format!("/journal/{path} has something else than the record {at} of a no")));
            }
            listed.push((at, leaf_hash(record)));
        }
        let first = listed.first().map(|(_, leaf)| *leaf);
        if first.is_none() || self.records.get(&place).is_some_and(|leaf| first != Some(*leaf)) {
            return Err(rewritten(format!("/journal/{path} has another record {place} than its receipt proves")));
        }
        listed.retain(|(at, _)| *at < state.size());
        let served = growth::check_entries(files, state.size(), &listed);
        served.map_err(|fault| files.fault(FaultCode::LogRewritten, &fault))
    }

    fn proof(
        &self,
        files: &Served<'_>,
        (state, keys): (&Checkpoint, &PublicKeys),
        place: u64,
    ) -> Result<(), CheckFault> {
        let path = format!("proof/{place}");
        let bytes = files.get(&path).map_err(|fault| unread(files, &fault))?;
        let proof = TlogProof::parse(&bytes).filter(|proof| proof.index == place);
        let proof = proof.ok_or_else(|| rewritten(format!("/journal/{path} is no proof of record {place}")))?;
        let record = proof.record.as_deref();
        let record = record.ok_or_else(|| rewritten(format!("/journal/{path} leaves out the record")))?;
        let proven = proof.check(record, keys).map_err(|reason| {
            rewritten(format!("/journal/{path} proves nothing: {} ({})", reason.reason(), reason.code()))
        })?;
        if self.records.get(&place).is_some_and(|leaf| *leaf != leaf_hash(record)) {
            return Err(rewritten(format!("/journal/{path} proves another record {place} than its receipt does")));
        }
        let shown = &proven.checkpoint;
        let (earlier, later) = if shown.size() <= state.size() { (shown, state) } else { (state, shown) };
        let grown = growth::check(files, (earlier.size(), earlier.root()), later);
        grown.map_err(|fault| files.fault(FaultCode::LogRewritten, &fault))
    }
}

/// What is not offered, or not to this reader, is no lie: pages need a scope that the files of the log may not need.
fn unread(files: &Served<'_>, fault: &JournalFault) -> CheckFault {
    let seen = files.fault(FaultCode::LogRewritten, fault);
    if fault.kind == JournalFaultKind::Missing {
        return CheckFault::new(FaultCode::WrongStatus, cut(&fault.to_string())).at(Level::Build);
    }
    if seen.code == FaultCode::NoEntry { seen.at(Level::Build) } else { seen }
}

fn rewritten(message: String) -> CheckFault {
    CheckFault::new(FaultCode::LogRewritten, message)
}
