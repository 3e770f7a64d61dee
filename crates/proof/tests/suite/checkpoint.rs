use crate::thief::sign_anything;
use data_encoding::BASE64;
use svc_journal::log_key::LogKey;
use svc_proof::{
    checkpoint::{Checkpoint, CheckpointError},
    public_key::PublicKeys,
    tree::MerkleTree,
};

fn signed() -> (LogKey, Checkpoint) {
    let key = LogKey::from_seed("svc-journal-test", &[7; 32]).unwrap();
    let root = *MerkleTree::empty().grow(&["one", "two"]).unwrap().root();
    let checkpoint = key.sign_checkpoint(2, &root).unwrap();
    (key, checkpoint)
}

#[test]
fn every_changed_byte_is_refused() {
    let (key, checkpoint) = signed();
    let keys = PublicKeys::one(key.public().clone());
    let text = checkpoint.text().as_str();
    assert_eq!(Checkpoint::open(text, &keys), Ok(checkpoint.clone()));
    for at in 0..text.len() {
        for bit in 0..8 {
            let mut changed = text.as_bytes().to_vec();
            changed[at] ^= 1 << bit;
            let Ok(changed) = String::from_utf8(changed) else { continue };
            assert!(Checkpoint::open(&changed, &keys).is_err(), "byte {at}, bit {bit}");
        }
        assert!(!text.is_char_boundary(at) || Checkpoint::open(&text[..at], &keys).is_err(), "cut at {at}");
    }
}

#[test]
fn a_second_signature_of_the_key_must_hold_too() {
    let (key, checkpoint) = signed();
    let keys = PublicKeys::one(key.public().clone());
    let text = checkpoint.text().as_str();
    let line = text.lines().last().unwrap();
    let other = key.sign_checkpoint(3, checkpoint.root()).unwrap();
    let bad = other.text().as_str().lines().last().unwrap().to_owned();
    let stranger = LogKey::from_seed("svc-journal-test", &[8; 32]).unwrap();
    let unknown = stranger.sign_checkpoint(3, checkpoint.root()).unwrap();
    let unknown = unknown.text().as_str().lines().last().unwrap().to_owned();
    let head = text.strip_suffix(&format!("{line}\n")).unwrap();
    let open = |lines: &[&str]| {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Checkpoint::open(&format!("{head}{lines}"), &keys).map(|found| found.size())
    };
    for lines in [[line, &bad], [&bad, line]] {
        assert_eq!(open(&lines), Err(CheckpointError::BadSignature), "{lines:?}");
    }
    assert_eq!(open(&[line, "no signature"]), Err(CheckpointError::Malformed));
    assert_eq!(open(&[&bad, "no signature"]), Err(CheckpointError::Malformed), "the form comes first");
    assert_eq!((open(&[line, line]), open(&[&unknown, line])), (Ok(2), Ok(2)));
    assert_eq!(open(&[&unknown]), Err(CheckpointError::UnknownKey));
}

#[test]
fn a_size_that_json_cannot_count_is_none() {
    let (key, checkpoint) = signed();
    let keys = PublicKeys::one(key.public().clone());
    for (size, opens) in [((1 << 53) - 1, true), (1 << 53, false), (u64::MAX, false)] {
        let root = BASE64.encode(&checkpoint.root().0);
        let text = sign_anything(&key, format!("svc-journal-test\n{size}\n{root}\n").as_bytes());
        assert_eq!(key.sign_checkpoint(size, checkpoint.root()).is_ok(), opens, "{size}");
        assert_eq!(Checkpoint::open(&text, &keys).is_ok(), opens, "{size}");
    }
}

#[test]
fn another_key_and_another_log_are_told_apart() {
    let (key, checkpoint) = signed();
    let text = checkpoint.text().as_str();
    let stranger = LogKey::from_seed("svc-journal-test", &[8; 32]).unwrap();
    let other = LogKey::from_seed("svc-journal-other", &[7; 32]).unwrap();
    let open = |key: &LogKey| Checkpoint::open(text, &PublicKeys::one(key.public().clone()));
    assert_eq!(open(&stranger), Err(CheckpointError::UnknownKey));
    assert_eq!(open(&other), Err(CheckpointError::UnknownKey));
    let rotated = PublicKeys::one(key.public().clone()).with_newer(stranger.public().clone()).unwrap();
    assert_eq!(Checkpoint::open(text, &rotated), Ok(checkpoint));
}

#[test]
fn a_signed_note_that_is_no_checkpoint_of_the_log_is_refused() {
    let (key, _) = signed();
    let keys = PublicKeys::one(key.public().clone());
    for text in ["svc-journal-test\n", "svc-journal-else\n2\nAAAA\n", "svc-journal-test\n02\nAAAA\n", "hello\n"] {
        assert!(Checkpoint::open(&sign_anything(&key, text.as_bytes()), &keys).is_err(), "{text}");
    }
}
