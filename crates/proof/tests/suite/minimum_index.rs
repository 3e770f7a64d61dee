use crate::thief::sign_anything;
use svc_journal::log_key::LogKey;
use svc_proof::{
    checkpoint::Checkpoint, hand_over::KeyHandOver, minimum_index::MinimumIndex, public_key::PublicKeys,
    tree::MerkleTree,
};

fn key() -> LogKey {
    LogKey::from_seed("registry.example/journal", &[7; 32]).unwrap()
}

#[test]
fn only_a_signed_border_of_tiles_is_one() {
    let key = key();
    let keys = PublicKeys::one(key.public().clone());
    for line in ["0", "1", "255", "0256", "+256", "256 ", " 256", "-256", "", "256\n256", "9007199254740992", "x"] {
        let text = format!("registry.example/journal/minimum-index\n{line}\n");
        let signed = sign_anything(&key, text.as_bytes());
        assert!(MinimumIndex::open(&signed, &keys).is_err(), "{line:?}");
    }
    for origin in ["registry.example/other", "registry.example", "registry.example/journal/minimum-index", ""] {
        let signed = sign_anything(&key, format!("{origin}/minimum-index\n256\n").as_bytes());
        assert!(MinimumIndex::open(&signed, &keys).is_err(), "{origin:?}");
    }
    let signed = key.sign_minimum_index(512).unwrap();
    assert_eq!(MinimumIndex::open(signed.text(), &keys).unwrap(), signed);
    for at in 0..signed.text().len() {
        let mut changed = signed.text().as_bytes().to_vec();
        changed[at] ^= 1;
        let changed = String::from_utf8_lossy(&changed).into_owned();
        assert!(MinimumIndex::open(&changed, &keys).is_err(), "byte {at}");
    }
    assert!(key.sign_minimum_index(100).is_err() && key.sign_minimum_index(0).is_err());
}

/// Each kind is read by its own reader alone, also under a name that ends like another kind's first line.
#[test]
fn no_text_of_one_kind_is_read_as_another() {
    let key = key();
    let keys = PublicKeys::one(key.public().clone());
    let root = MerkleTree::empty().root().unwrap();
    let next = LogKey::from_seed(key.origin(), &[8; 32]).unwrap();
    let texts = [
        key.sign_checkpoint(256, &root).unwrap().text().as_str().to_owned(),
        key.sign_minimum_index(256).unwrap().text().to_owned(),
        key.hand_over_to(next.public()).unwrap().text().to_owned(),
    ];
    for (at, text) in texts.iter().enumerate() {
        let read = [
            Checkpoint::open(text, &keys).is_ok(),
            MinimumIndex::open(text, &keys).is_ok(),
            KeyHandOver::open(text, &keys).is_ok(),
        ];
        let own: Vec<bool> = (0..3).map(|kind| kind == at).collect();
        assert_eq!(read.as_slice(), own, "{text}");
    }
    for name in ["registry.example/journal/minimum-index", "registry.example/journal/next-key", "/next-key"] {
        assert!(LogKey::from_seed(name, &[7; 32]).is_err(), "{name} is a name that a log could be mistaken by");
    }
}
