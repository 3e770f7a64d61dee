//! Evidence that is genuine, and what only looks like it.

use svc_journal::log_key::LogKey;
use svc_proof::{
    checkpoint::Checkpoint,
    evidence::{EvidenceKind, EvidenceWeight, LogEvidence},
    hand_over::HandOverNotes,
    public_key::PublicKeys,
    spans::SpanHashes,
    tlog_proof::TlogProof,
    tree::{Hash, MerkleTree, leaf_hash, prove_at},
};
use tlog_tiles::tlog::{self, HashReader};

struct Log {
    nodes: Vec<Hash>,
    records: Vec<Vec<u8>>,
}

impl HashReader for Log {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog::Error> {
        Ok(indexes.iter().map(|index| self.nodes[usize::try_from(*index).unwrap()]).collect())
    }
}

impl Log {
    /// A log whose records are others from a place on.
    fn forked_at(place: u64, size: u64) -> Self {
        let record = |at: u64| format!("{} {at}", if at < place { "shared" } else { "other" }).into_bytes();
        Self::of((0..size).map(record).collect())
    }

    fn of(records: Vec<Vec<u8>>) -> Self {
        let mut log = Self { nodes: Vec::new(), records };
        for (place, record) in (0..).zip(log.records.clone()) {
            let more = tlog::stored_hashes_for_record_hash(place, leaf_hash(&record), &log).unwrap();
            log.nodes.extend(more);
        }
        log
    }

    fn state(&self, key: &LogKey, size: u64) -> Checkpoint {
        let leaves = self.records.iter().take(usize::try_from(size).unwrap()).map(|record| leaf_hash(record));
        let tree = MerkleTree::empty().grow_by_hashes(leaves).unwrap().tree().clone();
        key.sign_checkpoint(size, &tree.root().unwrap()).unwrap()
    }

    fn spans(&self, place: u64, size: u64) -> Option<SpanHashes> {
        Some(SpanHashes::read(place, size, self).unwrap())
    }
}

fn key(seed: u8) -> LogKey {
    LogKey::from_seed("registry.example/journal", &[seed; 32]).unwrap()
}

fn keys() -> PublicKeys {
    PublicKeys::one(key(7).public().clone())
}

fn text(state: &Checkpoint) -> String {
    state.text().as_str().to_owned()
}

fn about(kind: EvidenceKind, first: &Checkpoint, second: &Checkpoint) -> LogEvidence {
    LogEvidence { first: Some(text(first)), second: Some(text(second).into_bytes()), ..LogEvidence::of(kind) }
}

#[test]
fn no_honest_log_can_be_accused() {
    let (key, log) = (key(7), Log::forked_at(100, 100));
    for (small, large) in [(0, 1), (1, 2), (3, 7), (4, 8), (8, 9), (63, 64), (64, 100), (99, 100)] {
        let (first, second) = (log.state(&key, small), log.state(&key, large));
        let hashes = log.spans(small, large);
        for kind in EvidenceKind::ALL {
            for (first, second) in [(&first, &second), (&second, &first), (&first, &first)] {
                let evidence = LogEvidence { hashes: hashes.clone(), ..about(*kind, first, second) };
                let weighed = evidence.weigh(&keys());
                assert!(weighed.as_ref().is_ok_and(|weight| *weight == EvidenceWeight::Claimed) || weighed.is_err());
            }
        }
    }
}

#[test]
fn a_fork_is_proven_by_signatures_and_hashes_alone() {
    let key = key(7);
    for (place, small, large) in [(0, 1, 1), (0, 1, 2), (2, 3, 7), (0, 4, 8), (7, 8, 9), (63, 64, 64), (10, 64, 100)] {
        let (honest, other) = (Log::forked_at(1000, small), Log::forked_at(place, large));
        let (first, second) = (honest.state(&key, small), other.state(&key, large));
        let kind = if small == large { EvidenceKind::LogForkedStates } else { EvidenceKind::LogForkedHistory };
        let evidence = LogEvidence { hashes: other.spans(small, large), ..about(kind, &first, &second) };
        assert_eq!(evidence.weigh(&keys()), Ok(EvidenceWeight::Proven), "{small} {large}");
        let turned = LogEvidence { hashes: other.spans(small, large), ..about(kind, &second, &first) };
        assert_eq!(turned.weigh(&keys()), Ok(EvidenceWeight::Proven), "in any order");
        for at in 0..text(&second).len() {
            let mut changed = evidence.clone();
            if let Some(byte) = changed.second.as_mut().and_then(|bytes| bytes.get_mut(at)) {
                *byte ^= 1;
            }
            assert!(changed.weigh(&keys()).is_err(), "byte {at}");
        }
        let stranger = PublicKeys::one(self::key(8).public().clone());
        assert!(evidence.weigh(&stranger).is_err(), "somebody else's key");
        if kind == EvidenceKind::LogForkedHistory {
            let mut made_up = evidence.clone();
            made_up.hashes.as_mut().unwrap().before[0] = Hash([0; 32]);
            assert!(made_up.weigh(&keys()).is_err(), "hashes that lead nowhere");
            assert!(LogEvidence { hashes: None, ..evidence }.weigh(&keys()).is_err());
        }
    }
}

#[test]
fn a_yes_is_proven_by_its_path() {
    let (key, yes) = (key(7), br#"{"accepted":true,"outcome":"accepted"}"#.to_vec());
    let mut records = Log::forked_at(9, 9).records;
    records[4] = yes.clone();
    let log = Log::of(records);
    let state = log.state(&key, 9);
    let hashes = prove_at((9, state.root()), 4, leaf_hash(&yes), &log).unwrap();
    let proof = TlogProof { record: Some(yes.clone()), index: 4, hashes, checkpoint: text(&state) };
    let of =
        |proof: &TlogProof| LogEvidence { proof: Some(proof.to_text()), ..LogEvidence::of(EvidenceKind::LogOpenClaim) };
    assert_eq!(of(&proof).weigh(&keys()), Ok(EvidenceWeight::Proven));
    for wrong in [
        TlogProof { index: 5, ..proof.clone() },
        TlogProof { record: Some(br#"{"accepted":true}"#.to_vec()), ..proof.clone() },
        TlogProof { record: Some(br#"{"accepted":false}"#.to_vec()), ..proof.clone() },
        TlogProof { record: None, ..proof.clone() },
        TlogProof { hashes: Vec::new(), ..proof },
    ] {
        assert!(of(&wrong).weigh(&keys()).is_err(), "{wrong:?}");
    }
    let unproven = LogEvidence {
        second: Some(text(&state).into_bytes()),
        file: Some(yes),
        ..LogEvidence::of(EvidenceKind::LogOpenClaim)
    };
    assert_eq!(unproven.weigh(&keys()), Ok(EvidenceWeight::Claimed), "without a path it is a word");
}

#[test]
fn a_key_that_was_handed_over_twice_is_proven_and_once_is_not() {
    let note = |to: u8| key(7).hand_over_to(key(to).public()).unwrap().text().to_owned();
    let of = |notes: Vec<String>| LogEvidence {
        hand_overs: HandOverNotes::new(notes),
        ..LogEvidence::of(EvidenceKind::LogForkedKeys)
    };
    assert_eq!(of(vec![note(8), note(9)]).weigh(&keys()), Ok(EvidenceWeight::Proven));
    assert!(of(vec![note(8)]).weigh(&keys()).is_err());
    assert!(of(vec![note(8), note(8)]).weigh(&keys()).is_err());
    assert!(of(Vec::new()).weigh(&keys()).is_err());
}

#[test]
fn states_of_a_newer_key_count_where_it_was_handed_over() {
    let (old, new) = (key(7), key(8));
    let (first, second) = (Log::forked_at(1000, 5).state(&old, 5), Log::forked_at(2, 5).state(&new, 5));
    let evidence = about(EvidenceKind::LogForkedStates, &first, &second);
    assert!(evidence.weigh(&keys()).is_err(), "a stranger's key");
    let note = old.hand_over_to(new.public()).unwrap();
    let handed = LogEvidence { hand_overs: HandOverNotes::new(vec![note.text().to_owned()]), ..evidence };
    assert_eq!(handed.weigh(&keys()), Ok(EvidenceWeight::Proven));
}

#[test]
fn every_kind_has_a_code_of_its_own_and_the_words_that_are_written() {
    let codes: std::collections::BTreeSet<&str> = EvidenceKind::ALL.iter().map(|kind| kind.code()).collect();
    assert_eq!(codes.len(), EvidenceKind::ALL.len());
    for kind in EvidenceKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap().as_str(), Some(kind.code()));
    }
}
