//! A cosigned checkpoint and a policy that another implementation made (`cosigned/make.py`), and the example of the
//! specification.

use data_encoding::BASE64;
use svc_proof::{checkpoint::Checkpoint, cosignature::TimeWindow, policy::Policy};

/// The examples are of any time.
const WINDOW: TimeWindow = TimeWindow { earliest: 1, latest: u64::MAX };

const CHECKPOINT: &str = include_str!("cosigned/checkpoint");
const POLICY: &str = include_str!("cosigned/policy");

#[test]
fn cosignatures_of_another_implementation_hold_and_every_changed_byte_does_not() {
    let policy = Policy::parse(POLICY.as_bytes()).unwrap();
    let keys = policy.log_keys("log.example/behind-the-sofa").unwrap();
    let witnessed = policy.check(CHECKPOINT, &keys, WINDOW).unwrap();
    let times: Vec<u64> = witnessed.seen().cosigned.iter().map(|by| by.cosignature.time()).collect();
    assert_eq!((witnessed.checkpoint().size(), times), (20_852_163, vec![1_679_315_147, i64::MAX as u64]));
    for at in 0..CHECKPOINT.len() {
        let mut changed = CHECKPOINT.as_bytes().to_vec();
        changed[at] ^= 1;
        let Ok(changed) = String::from_utf8(changed) else { continue };
        assert!(policy.check(&changed, &keys, WINDOW).is_err(), "byte {at}");
    }
    assert!(Checkpoint::open(CHECKPOINT, &keys).is_ok(), "who knows no witness reads the same state");
}

/// The time stands where C2SP tlog-cosignature says: in its example it is that of the text which the example signs.
#[test]
fn the_time_lies_behind_the_key_id_in_eight_bytes() {
    let line = CHECKPOINT.lines().find(|line| line.contains("w1 ")).unwrap();
    for encoded in [
        line.rsplit_once(' ').unwrap().1,
        "jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==",
    ] {
        let bytes = BASE64.decode(encoded.as_bytes()).unwrap();
        assert_eq!((bytes.len(), u64::from_be_bytes(bytes[4..12].try_into().unwrap())), (76, 1_679_315_147));
    }
}
