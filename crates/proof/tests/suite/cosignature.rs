use data_encoding::BASE64;
use ed25519_dalek::{Signer as _, SigningKey};
use svc_journal::{log_key::LogKey, witness_key::WitnessKey};
use svc_proof::{
    checkpoint::Checkpoint,
    cosignature::{Cosignature, CosignatureLine},
    signed_text::SignedText,
    tree::Hash,
};

const LAST_TIME: u64 = i64::MAX as u64;

fn seen() -> (WitnessKey, Checkpoint) {
    let log = LogKey::from_seed("log.example", &[7; 32]).unwrap();
    let checkpoint = log.sign_checkpoint(2, &Hash([3; 32])).unwrap();
    (WitnessKey::from_seed("witness.example/w1", &[9; 32]).unwrap(), checkpoint)
}

#[test]
fn every_changed_byte_is_refused_or_somebody_elses() {
    let (key, checkpoint) = seen();
    let one = key.cosign(&checkpoint, 1_700_000_000).unwrap();
    assert_eq!(Cosignature::read(one.line(), key.public(), &checkpoint), CosignatureLine::Good(one.clone()));
    let line = one.line();
    for at in 0..line.len() {
        for bit in 0..8 {
            let mut changed = line.as_bytes().to_vec();
            changed[at] ^= 1 << bit;
            let Ok(changed) = String::from_utf8(changed) else { continue };
            let read = Cosignature::read(&changed, key.public(), &checkpoint);
            assert!(!matches!(read, CosignatureLine::Good(_)), "byte {at}, bit {bit}");
        }
    }
    for end in ["\n", " ", "\r", "="] {
        let read = Cosignature::read(&format!("{line}{end}"), key.public(), &checkpoint);
        assert!(!matches!(read, CosignatureLine::Good(_)), "{end:?}");
    }
}

#[test]
fn times_that_are_none_are_never_signed_and_never_read() {
    let (key, checkpoint) = seen();
    let stolen = SigningKey::from_bytes(&[9; 32]);
    for (time, is_one) in [(0, false), (1, true), (LAST_TIME, true), (LAST_TIME + 1, false), (u64::MAX, false)] {
        assert_eq!(key.cosign(&checkpoint, time).is_ok(), is_one, "{time}");
        let text = SignedText::Cosignature { time, checkpoint: checkpoint.body() };
        let bytes = [&key.public().id()[..], &time.to_be_bytes(), &stolen.sign(&text.of_witness().unwrap()).to_bytes()]
            .concat();
        let line = format!("\u{2014} witness.example/w1 {}", BASE64.encode(&bytes));
        let read = Cosignature::read(&line, key.public(), &checkpoint);
        assert_eq!(matches!(read, CosignatureLine::Good(_)), is_one, "{time}");
        assert_eq!(read == CosignatureLine::Bad, !is_one, "{time}");
    }
}

#[test]
fn a_cosignature_of_another_state_another_time_or_another_key_of_that_id_is_bad() {
    let (key, checkpoint) = seen();
    let log = LogKey::from_seed("log.example", &[7; 32]).unwrap();
    let bare = |key: &WitnessKey| {
        let line = key.cosign(&checkpoint, 5).unwrap().line().to_owned();
        BASE64.decode(line.rsplit_once(' ').unwrap().1.as_bytes()).unwrap()
    };
    let read = |bytes: &[u8], checkpoint: &Checkpoint| {
        let line = format!("\u{2014} witness.example/w1 {}", BASE64.encode(bytes));
        Cosignature::read(&line, key.public(), checkpoint)
    };
    let bytes = bare(&key);
    for other in [log.sign_checkpoint(3, &Hash([3; 32])), log.sign_checkpoint(2, &Hash([4; 32]))] {
        assert_eq!(read(&bytes, &other.unwrap()), CosignatureLine::Bad);
    }
    let mut later = bytes.clone();
    later[11] += 1;
    assert_eq!(read(&later, &checkpoint), CosignatureLine::Bad);
    // The id is 32 bits: somebody finds a key that has the same. The name and the id say whose line it means to be.
    let mut collision = bare(&WitnessKey::from_seed("witness.example/w1", &[8; 32]).unwrap());
    assert_eq!(read(&collision, &checkpoint), CosignatureLine::Foreign);
    collision[..4].copy_from_slice(&key.public().id());
    assert_eq!(read(&collision, &checkpoint), CosignatureLine::Bad);
    for cut in [0, 3, 4, 11, 12, 75] {
        let verdict = if cut < 4 { CosignatureLine::Foreign } else { CosignatureLine::Bad };
        assert_eq!(read(&bytes[..cut], &checkpoint), verdict, "{cut}");
    }
}
