use svc_journal::log_key::LogKey;
use svc_proof::{fault::JournalFaultKind, hand_over::HandOverNotes, public_key::PublicKeys};

fn key(seed: u8) -> LogKey {
    LogKey::from_seed("registry.example/journal", &[seed; 32]).unwrap()
}

fn handed(from: u8, to: u8) -> String {
    key(from).hand_over_to(key(to).public()).unwrap().text().to_owned()
}

fn keys(seeds: &[u8]) -> PublicKeys {
    PublicKeys::parse(&seeds.iter().map(|seed| format!("{}\n", key(*seed).public().as_str())).collect::<String>())
        .unwrap()
}

#[test]
fn a_pinned_key_leads_to_the_newest_and_to_no_other() {
    let notes = HandOverNotes::parse(&[handed(1, 2), handed(2, 3)].concat()).unwrap();
    assert_eq!(notes.as_slice().len(), 2);
    assert_eq!(notes.extend(&keys(&[1])).unwrap(), keys(&[3, 2, 1]));
    assert_eq!(notes.extend(&keys(&[2])).unwrap(), keys(&[3, 2]));
    assert_eq!(notes.extend(&keys(&[9])).unwrap(), keys(&[9]), "a stranger is led nowhere");
    let gap = HandOverNotes::new(vec![handed(2, 3)]);
    assert_eq!(gap.extend(&keys(&[1])).unwrap(), keys(&[1]));
    let handed_over = |notes: &HandOverNotes| -> Vec<bool> {
        notes.changes(&keys(&[3, 2, 1])).unwrap().iter().map(|change| change.handed_over).collect()
    };
    assert_eq!((handed_over(&notes), handed_over(&gap)), (vec![true, true], vec![true, false]));
}

#[test]
fn a_key_that_was_handed_over_twice_and_a_changed_note_are_refused() {
    let twice = HandOverNotes::new(vec![handed(1, 2), handed(1, 3)]);
    assert_eq!(twice.extend(&keys(&[1])).unwrap_err().kind, JournalFaultKind::Rewound);
    let text = handed(1, 2);
    let whole = HandOverNotes::parse(&text).unwrap().extend(&keys(&[1])).unwrap();
    for at in 0..text.len() {
        let mut changed = text.as_bytes().to_vec();
        changed[at] ^= 1;
        let changed = String::from_utf8_lossy(&changed).into_owned();
        let led = HandOverNotes::parse(&changed).and_then(|notes| notes.extend(&keys(&[1])));
        assert!(led.is_err() || led == Ok(keys(&[1])), "byte {at} leads to {whole:?}");
    }
    let other = LogKey::from_seed("registry.example/other", &[2; 32]).unwrap();
    assert!(key(1).hand_over_to(other.public()).is_err());
    assert!(key(1).hand_over_to(key(1).public()).is_err());
}
