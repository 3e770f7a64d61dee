//! From a fault while a served log was read to evidence against it, out of what was heard.

use crate::{
    checkpoint::Checkpoint,
    evidence::{EvidenceKind, LogEvidence},
    fault::{JournalFault, JournalFaultKind},
    growth,
    hand_over::HandOverNotes,
    public_key::PublicKeys,
    record_bytes::is_open,
    source::LogFiles,
    spans::SpanHashes,
    tiles::{self, TilePath},
    tlog_proof::TlogProof,
    tree::leaf_hash,
};

/// What was heard of a log until the fault.
pub struct Suspicion<'h> {
    /// The files as they were heard; what was not heard is asked for.
    pub files: &'h dyn LogFiles,
    pub keys: &'h PublicKeys,
    pub hand_overs: &'h HandOverNotes,
    /// The signed states that the log must have grown from.
    pub known: &'h [Checkpoint],
    /// The state that was served.
    pub served: Option<&'h [u8]>,
    /// The bundles of records that were heard, the newest last: path and bytes.
    pub bundles: &'h [(String, Vec<u8>)],
    /// The file that was heard last.
    pub last: Option<&'h [u8]>,
}

impl Suspicion<'_> {
    /// The evidence that a fault amounts to; none when it tells nothing about the log.
    #[must_use]
    pub fn evidence(&self, fault: &JournalFault) -> Option<LogEvidence> {
        let found = match fault.kind {
            JournalFaultKind::OpenClaim => self.open_claim(),
            JournalFaultKind::Corrupt | JournalFaultKind::Rewound | JournalFaultKind::Missing => self.states(),
            JournalFaultKind::WrongKey => self.unsigned(),
            JournalFaultKind::Busy
            | JournalFaultKind::Drift
            | JournalFaultKind::Full
            | JournalFaultKind::Locked
            | JournalFaultKind::Storage
            | JournalFaultKind::Unreachable
            | JournalFaultKind::Unremembered
            | JournalFaultKind::UnreleasedForm
            | JournalFaultKind::Unusable
            | JournalFaultKind::WrongPrimary => None,
        };
        found.map(|found| LogEvidence { hand_overs: self.hand_overs.clone(), ..found })
    }

    /// What two signed states show, the strongest first; else that a file is not the log's.
    fn states(&self) -> Option<LogEvidence> {
        if self.hand_overs.extend(self.keys).is_err_and(|fault| fault.kind == JournalFaultKind::Rewound) {
            return Some(LogEvidence::of(EvidenceKind::LogForkedKeys));
        }
        let second = self.served?;
        let Some(served) = self.opened() else { return self.unsigned() };
        let mut found: Vec<LogEvidence> = self.known.iter().filter_map(|known| self.compare(known, &served)).collect();
        found.sort_by_key(|evidence| evidence.kind as u8);
        let damaged = LogEvidence { file: self.last.map(<[u8]>::to_vec), ..LogEvidence::of(EvidenceKind::LogDamaged) };
        let strongest = found.into_iter().next().unwrap_or(damaged);
        Some(LogEvidence { second: Some(second.to_vec()), ..strongest })
    }

    fn compare(&self, known: &Checkpoint, served: &Checkpoint) -> Option<LogEvidence> {
        let (small, large) = if known.size() < served.size() { (known, served) } else { (served, known) };
        let (kind, hashes): (EvidenceKind, Option<SpanHashes>) = if small.size() == large.size() {
            if small.root() == large.root() {
                return None;
            }
            (EvidenceKind::LogForkedStates, None)
        } else {
            let hashes = growth::spans(self.files, small.size(), large).ok();
            let roots = hashes.as_ref().and_then(|hashes| hashes.roots(small.size(), large.size()));
            match roots {
                Some((before, all)) if all == *large.root() && before != *small.root() => {
                    (EvidenceKind::LogForkedHistory, hashes)
                }
                Some(_) | None if served.size() < known.size() => (EvidenceKind::LogShrank, None),
                Some((_, all)) if all == *large.root() => return None,
                Some(_) | None => (EvidenceKind::LogUnproven, None),
            }
        };
        Some(LogEvidence { first: Some(known.text().as_str().to_owned()), hashes, ..LogEvidence::of(kind) })
    }

    /// A record that claims something else than no, with the path to the signed state where the log leads there.
    fn open_claim(&self) -> Option<LogEvidence> {
        let (place, record) = self.bundles.iter().rev().find_map(|(path, bytes)| open_record(path, bytes))?;
        let path = self.opened().and_then(|state| {
            let hashes = growth::path(self.files, place, leaf_hash(&record), &state).ok()?;
            let checkpoint = state.text().as_str().to_owned();
            Some(TlogProof { record: Some(record.clone()), index: place, hashes, checkpoint }.to_text())
        });
        Some(LogEvidence {
            second: self.served.map(<[u8]>::to_vec),
            proof: path,
            file: Some(record),
            ..LogEvidence::of(EvidenceKind::LogOpenClaim)
        })
    }

    /// A state that nobody signed says something only where the log was known before.
    fn unsigned(&self) -> Option<LogEvidence> {
        let (known, second) = (self.known.first()?, self.served?);
        Some(LogEvidence {
            first: Some(known.text().as_str().to_owned()),
            second: Some(second.to_vec()),
            ..LogEvidence::of(EvidenceKind::LogUnsigned)
        })
        .filter(|_| self.opened().is_none())
    }

    fn opened(&self) -> Option<Checkpoint> {
        let text = std::str::from_utf8(self.served?).ok()?;
        Checkpoint::open(text, self.keys).ok()
    }
}

fn open_record(path: &str, bundle: &[u8]) -> Option<(u64, Vec<u8>)> {
    let tile = TilePath::parse(path).filter(TilePath::is_entries)?;
    let records = tiles::unbundle(bundle, tile.width()).ok()?;
    (tile.start()..).zip(records).find(|(_, record)| is_open(record))
}
