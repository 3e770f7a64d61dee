use std::fs;

use super::*;
use svc_proof::{cosignature::TimeWindow, policy::Policy, tree::MerkleTree};

use crate::log_key::LogKey;

const ORIGIN: &str = "registry.example/journal";

struct Place {
    folder: tempfile::TempDir,
    log: LogKey,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Witness::init(&key(), folder.path()).unwrap();
        Self { folder, log: LogKey::from_seed(ORIGIN, &[7; 32]).unwrap() }
    }

    fn open(&self) -> Witness {
        self.try_open().unwrap()
    }

    fn try_open(&self) -> Result<Witness, JournalFault> {
        let policy = Policy::parse(format!("log {}\nquorum none\n", self.log.public().as_str()).as_bytes()).unwrap();
        Witness::open(key(), policy.logs(), self.folder.path())
    }

    fn state(&self) -> Vec<u8> {
        fs::read(self.folder.path().join(state_name(ORIGIN))).unwrap_or_default()
    }

    /// The request for a state of the log of these records, from an older one.
    fn request(&self, records: &[&str], old: usize) -> AddCheckpoint {
        let grown = MerkleTree::empty().grow(records).unwrap();
        let checkpoint = self.log.sign_checkpoint(records.len() as u64, grown.root()).unwrap();
        let leaves: Vec<Hash> = records.iter().map(|record| svc_proof::tree::leaf_hash(record.as_bytes())).collect();
        let proof = if old == 0 || old > records.len() { Vec::new() } else { sub_proof(old, &leaves, true) };
        AddCheckpoint { old: old as u64, proof, checkpoint: checkpoint.text().as_str().to_owned() }
    }
}

fn key() -> WitnessKey {
    WitnessKey::from_seed("witness.example", &[9; 32]).unwrap()
}

/// RFC 6962, section 2.1.2, in its own words: another maker of proofs than the library that checks them.
fn sub_proof(m: usize, leaves: &[Hash], is_whole: bool) -> Vec<Hash> {
    if m == leaves.len() {
        return if is_whole { Vec::new() } else { vec![root(leaves)] };
    }
    let k = leaves.len().next_power_of_two() / 2;
    if m <= k {
        let mut proof = sub_proof(m, &leaves[..k], is_whole);
        proof.push(root(&leaves[k..]));
        proof
    } else {
        let mut proof = sub_proof(m - k, &leaves[k..], false);
        proof.push(root(&leaves[..k]));
        proof
    }
}

fn root(leaves: &[Hash]) -> Hash {
    *MerkleTree::empty().grow_by_hashes(leaves.iter().copied()).unwrap().root()
}

fn word(answer: &WitnessAnswer) -> String {
    match answer {
        WitnessAnswer::Cosigned(_) => "cosigned".to_owned(),
        WitnessAnswer::Malformed => "malformed".to_owned(),
        WitnessAnswer::UnknownLog => "unknown log".to_owned(),
        WitnessAnswer::UnknownKey => "unknown key".to_owned(),
        WitnessAnswer::OtherSize(size) => format!("other size {size}"),
        WitnessAnswer::Fork(size) => format!("fork {size}"),
        WitnessAnswer::Unproven => "unproven".to_owned(),
        WitnessAnswer::Failed(fault) => format!("failed: {fault}"),
    }
}

const A: &[&str] = &["a", "b", "c", "d", "e", "f", "g"];

#[test]
fn nothing_but_growth_is_cosigned_and_a_refusal_writes_nothing() {
    let place = Place::new();
    let witness = place.open();
    let add = |request: &AddCheckpoint| word(&witness.add(request.to_text().as_bytes(), 50));
    assert_eq!(add(&place.request(&A[..3], 1)), "other size 0");
    assert_eq!(add(&AddCheckpoint { proof: vec![Hash([1; 32])], ..place.request(&A[..3], 0) }), "unproven");
    assert!(place.state().is_empty());
    assert_eq!(add(&place.request(&A[..3], 0)), "cosigned");
    assert_eq!(add(&place.request(&A[..3], 3)), "cosigned", "the same state again, for a newer time");
    let before = place.state();
    let other = LogKey::from_seed(ORIGIN, &[8; 32]).unwrap();
    let stranger = LogKey::from_seed("other.example", &[7; 32]).unwrap();
    let signed = |key: &LogKey| {
        let text = key.sign_checkpoint(4, &Hash([0; 32])).unwrap().text().as_str().to_owned();
        AddCheckpoint { old: 3, proof: Vec::new(), checkpoint: text }
    };
    let forked = ["a", "b", "X", "d", "e"];
    for (request, said) in [
        (place.request(A, 0), "other size 3"),
        (place.request(A, 2), "other size 3"),
        (place.request(&A[..2], 2), "other size 3"),
        (place.request(&A[..2], 3), "malformed"),
        (place.request(&forked[..3], 3), "fork 3"),
        (place.request(&forked, 3), "unproven"),
        (AddCheckpoint { proof: Vec::new(), ..place.request(A, 3) }, "unproven"),
        (AddCheckpoint { proof: vec![Hash([1; 32])], ..place.request(&A[..3], 3) }, "unproven"),
        (
            AddCheckpoint {
                checkpoint: place.request(A, 3).checkpoint.replace("\n7\n", "\n8\n"),
                ..place.request(A, 3)
            },
            "unknown key",
        ),
        (AddCheckpoint { checkpoint: format!("{ORIGIN}\nnothing"), ..place.request(A, 3) }, "malformed"),
        (signed(&other), "unknown key"),
        (signed(&stranger), "unknown log"),
    ] {
        assert_eq!(add(&request), said, "{request:?}");
        assert_eq!(place.state(), before, "{said}");
    }
    assert_eq!(word(&witness.add(b"old 3\n", 50)), "malformed");
    let evidence = fs::read_to_string(place.folder.path().join(format!("{}.fork", digest(ORIGIN)))).unwrap();
    assert_eq!(evidence.matches(&format!("\u{2014} {ORIGIN} ")).count(), 2, "both signed states: {evidence}");
    assert_eq!(add(&place.request(A, 3)), "cosigned");
    assert_eq!(witness.sizes().unwrap(), [(ORIGIN.to_owned(), 7)]);
}

#[test]
fn a_cosignature_is_of_the_state_that_was_sent() {
    let place = Place::new();
    let request = place.request(A, 0);
    let WitnessAnswer::Cosigned(signed) = place.open().add(request.to_text().as_bytes(), 1_700_000_000) else {
        panic!()
    };
    let policy = format!("log {}\nwitness w {}\nquorum w\n", place.log.public().as_str(), key().public());
    let policy = Policy::parse(policy.as_bytes()).unwrap();
    let note = format!("{}{}\n", request.checkpoint, signed.line());
    let witnessed = policy
        .check(&note, &PublicKeys::one(place.log.public().clone()), TimeWindow { earliest: 1, latest: u64::MAX })
        .unwrap();
    assert_eq!(witnessed.seen().oldest(), Some(1_700_000_000));
}

#[test]
fn what_was_seen_outlives_the_process_and_damage_is_never_taken_for_nothing() {
    let place = Place::new();
    let _ = place.open().add(place.request(&A[..3], 0).to_text().as_bytes(), 50);
    assert_eq!(place.open().sizes().unwrap(), [(ORIGIN.to_owned(), 3)]);
    let path = place.folder.path().join(state_name(ORIGIN));
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, changed).unwrap();
        assert_eq!(place.try_open().unwrap_err().kind, JournalFaultKind::Corrupt, "byte {at}");
    }
    for cut in [0, 1, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(place.try_open().unwrap_err().kind, JournalFaultKind::Corrupt, "cut at {cut}");
    }
    // A state that was cosigned and is gone is damage too, and so is the list of what was.
    fs::remove_file(&path).unwrap();
    assert_eq!(place.try_open().unwrap_err().kind, JournalFaultKind::Corrupt, "a lost state");
    let logs = place.folder.path().join(LOGS);
    let list = fs::read(&logs).unwrap();
    fs::remove_file(&logs).unwrap();
    assert_eq!(place.try_open().unwrap_err().kind, JournalFaultKind::Corrupt, "a lost list");
    fs::write(&logs, list).unwrap();
    fs::write(&path, &whole).unwrap();
    let held = place.open();
    assert_eq!(place.try_open().unwrap_err().kind, JournalFaultKind::Locked, "two would forget each other's states");
    fs::write(&path, b"").unwrap();
    let said = word(&held.add(place.request(A, 0).to_text().as_bytes(), 50));
    assert!(said.starts_with("failed: journal-corrupt"), "{said}");
    drop(held);
    let elsewhere = tempfile::tempdir().unwrap();
    let empty = Witness::open(key(), &[], elsewhere.path()).unwrap_err();
    assert_eq!(empty.kind, JournalFaultKind::Missing);
    Witness::init(&WitnessKey::from_seed("witness.example", &[1; 32]).unwrap(), elsewhere.path()).unwrap();
    assert_eq!(Witness::open(key(), &[], elsewhere.path()).unwrap_err().kind, JournalFaultKind::WrongKey);
    assert!(Witness::init(&key(), elsewhere.path()).is_err());
}

#[test]
fn no_state_is_signed_without_being_written_first() {
    let place = Place::new();
    let witness = place.open();
    // A folder where the new file should be written: nothing can be renamed over the state.
    fs::create_dir(place.folder.path().join(format!(".{}.new", state_name(ORIGIN)))).unwrap();
    let said = word(&witness.add(place.request(A, 0).to_text().as_bytes(), 50));
    assert!(said.starts_with("failed: journal-storage"), "{said}");
    assert!(place.state().is_empty());
}

#[test]
fn of_many_at_once_no_two_states_of_one_size_are_signed_and_none_goes_back() {
    let place = Place::new();
    let witness = place.open();
    let forks: [Vec<String>; 4] = std::array::from_fn(|fork| {
        (0..20).map(|at| if at < 3 { at.to_string() } else { format!("{at} of {fork}") }).collect()
    });
    let mut signed: Vec<(u64, Hash)> = std::thread::scope(|scope| {
        let threads: Vec<_> = forks
            .iter()
            .map(|fork| {
                let (place, witness) = (&place, &witness);
                scope.spawn(move || {
                    let records: Vec<&str> = fork.iter().map(String::as_str).collect();
                    let mut signed = Vec::new();
                    for _ in 0..40 {
                        let old = usize::try_from(witness.sizes().unwrap()[0].1).unwrap();
                        for size in [old.max(1), old + 1, 20].into_iter().filter(|size| *size <= 20) {
                            let request = place.request(&records[..size], old);
                            let answer = witness.add(request.to_text().as_bytes(), 50);
                            if matches!(answer, WitnessAnswer::Cosigned(_)) {
                                let leaves: Vec<Hash> = records[..size]
                                    .iter()
                                    .map(|it| svc_proof::tree::leaf_hash(it.as_bytes()))
                                    .collect();
                                signed.push((size as u64, root(&leaves)));
                            }
                        }
                    }
                    signed
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    signed.sort_by_key(|(size, root)| (*size, root.0));
    signed.dedup();
    assert!(!signed.is_empty());
    for pair in signed.windows(2) {
        assert_ne!(pair[0].0, pair[1].0, "two roots of one size were signed");
    }
}

#[test]
fn notes_of_a_known_key_are_followed_and_remembered_and_no_others() {
    let mut place = Place::new();
    let (old, next) = (place.log, LogKey::from_seed(ORIGIN, &[8; 32]).unwrap());
    place.log = LogKey::from_seed(ORIGIN, &[7; 32]).unwrap();
    let note = |from: &LogKey, to: u8| {
        let to = LogKey::from_seed(ORIGIN, &[to; 32]).unwrap();
        from.hand_over_to(to.public()).unwrap().text().to_owned()
    };
    let stranger = LogKey::from_seed(ORIGIN, &[5; 32]).unwrap();
    let elsewhere = LogKey::from_seed("registry.example/other", &[7; 32]).unwrap();
    let other_log = LogKey::from_seed("registry.example/other", &[8; 32]).unwrap();
    let other_note = elsewhere.hand_over_to(other_log.public()).unwrap().text().to_owned();
    let first = place.request(&["a"], 0);
    let by_next = Place { folder: tempfile::tempdir().unwrap(), log: LogKey::from_seed(ORIGIN, &[8; 32]).unwrap() };
    let second = by_next.request(&["a", "b"], 1);
    let witness = place.open();
    assert_eq!(word(&witness.add(first.to_text().as_bytes(), 1)), "cosigned");
    assert!(matches!(witness.add(second.to_text().as_bytes(), 1), WitnessAnswer::UnknownKey));
    let files = || fs::read_dir(place.folder.path()).unwrap().count();
    let before = files();
    assert!(matches!(witness.follow(note(&stranger, 8).as_bytes()), FollowAnswer::UnknownKey));
    assert!(matches!(witness.follow(other_note.as_bytes()), FollowAnswer::UnknownLog));
    assert!(matches!(witness.follow((note(&old, 8) + &note(&old, 9)).as_bytes()), FollowAnswer::Fork));
    for none in ["", "x", "registry.example/journal/next-key\n", first.checkpoint.as_str()] {
        let said = witness.follow(none.as_bytes());
        assert!(matches!(said, FollowAnswer::Malformed | FollowAnswer::UnknownKey), "{none:?}: {said:?}");
    }
    assert_eq!(files(), before, "what is not followed leaves nothing");
    assert!(matches!(witness.add(second.to_text().as_bytes(), 1), WitnessAnswer::UnknownKey));
    let notes = note(&stranger, 6) + &note(&old, 8);
    assert!(matches!(witness.follow(notes.as_bytes()), FollowAnswer::Followed));
    assert!(matches!(witness.follow(note(&old, 9).as_bytes()), FollowAnswer::Fork), "a second next key");
    drop(witness);
    let kept = fs::read_to_string(place.folder.path().join(notes_name(ORIGIN))).unwrap();
    assert_eq!(kept, note(&old, 8), "only what a known key signed is kept");
    let witness = place.open();
    assert_eq!(word(&witness.add(second.to_text().as_bytes(), 1)), "cosigned");
    assert!(matches!(witness.follow(note(&next, 9).as_bytes()), FollowAnswer::Followed));
}
