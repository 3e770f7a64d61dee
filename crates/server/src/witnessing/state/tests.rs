use svc_journal::{log_key::LogKey, witness_key::WitnessKey};
use svc_proof::tree::Hash;

use super::*;

fn key(number: u8) -> WitnessKey {
    WitnessKey::from_seed(&format!("witness.example/{number}"), &[100 + number; 32]).unwrap()
}

/// Two of three.
fn policy() -> Policy {
    let lines: String = (0..3).map(|number| format!("witness w{number} {}\n", key(number).public())).collect();
    Policy::parse(format!("{lines}group g 2 w0 w1 w2\nquorum g\n").as_bytes()).unwrap()
}

fn state() -> WitnessState {
    WitnessState {
        target: None,
        cosigned: BTreeMap::new(),
        witnessed: None,
        waiting: None,
        is_unconfirmed: false,
        is_behind: false,
        witnesses: (0..3).map(|number| WitnessRow::new(&format!("w{number}"))).collect(),
        is_kept: true,
        wants_newer: false,
        told_lacking: false,
        is_stopping: false,
    }
}

fn checkpoint(size: u64) -> Checkpoint {
    let log = LogKey::from_seed("registry.example/journal", &[7; 32]).unwrap();
    log.sign_checkpoint(size, &Hash([u8::try_from(size % 251).unwrap(); 32])).unwrap()
}

impl WitnessState {
    fn chosen(&self) -> u64 {
        self.target.as_ref().map_or(0, |target| target.checkpoint.size())
    }

    fn witnessed_size(&self) -> u64 {
        self.witnessed.as_ref().map_or(0, |state| state.checkpoint.size())
    }

    fn cosign(&mut self, number: u8, size: u64) {
        let checkpoint = checkpoint(size);
        let cosignature = key(number).cosign(&checkpoint, 50).unwrap();
        self.add(usize::from(number), &checkpoint, cosignature);
        self.reach(size, &policy());
    }

    fn let_pass(&mut self, time: Duration) {
        let before = |moment: Instant| moment.checked_sub(time).unwrap();
        if let Some(target) = &mut self.target {
            target.chosen = before(target.chosen);
        }
        self.waiting = self.waiting.map(before);
    }
}

#[test]
fn a_log_that_grows_all_the_time_still_has_states_with_a_quorum() {
    let (mut state, policy) = (state(), policy());
    state.choose(checkpoint(0), &policy);
    assert_eq!(state.chosen(), 0, "nothing is asked of a log without records");
    state.choose(checkpoint(5), &policy);
    state.cosign(0, 5);
    // The log goes on, and the others are still asked for the same state.
    state.choose(checkpoint(6), &policy);
    assert_eq!((state.chosen(), state.witnessed_size()), (5, 0));
    state.cosign(1, 5);
    assert_eq!(state.witnessed_size(), 5);
    state.choose(checkpoint(9), &policy);
    assert_eq!(state.chosen(), 9);
    // One that comes late adds to what it saw, and takes nothing back.
    state.cosign(2, 5);
    assert_eq!((state.chosen(), state.witnessed_size()), (9, 5));
    assert_eq!(state.witnessed.as_ref().unwrap().text.matches("witness.example").count(), 3);
    state.cosign(0, 9);
    state.cosign(2, 9);
    state.cosign(1, 5);
    assert_eq!(state.witnessed_size(), 9);
    assert!(!state.is_kept, "it is still to be written down");
}

#[test]
fn a_state_without_quorum_gives_way_after_a_while_and_the_minute_goes_on() {
    let (mut state, policy) = (state(), policy());
    for size in 1..20 {
        state.choose(checkpoint(size), &policy);
        state.cosign(0, size);
        assert_eq!(state.chosen(), size);
        assert_eq!(state.lacks_quorum(), size > 6, "after {} s", 11 * (size - 1));
        state.let_pass(Duration::from_secs(11));
    }
    assert!(state.cosigned.len() <= MAX_STATES, "{}", state.cosigned.len());
    state.cosign(1, state.chosen());
    assert!(!state.lacks_quorum() && state.waiting.is_none());
    // A log that rests needs no newer quorum, but newer cosignatures.
    let (round, size) = (state.target.as_ref().unwrap().round, state.chosen());
    state.let_pass(Duration::from_secs(200));
    state.choose(checkpoint(size), &policy);
    assert_eq!(state.target.as_ref().unwrap().round, round);
    state.let_pass(Duration::from_secs(200));
    state.choose(checkpoint(size), &policy);
    assert_eq!(state.target.as_ref().unwrap().round, round + 1);
    assert!(!state.lacks_quorum() && state.waiting.is_none());
}

#[test]
fn a_witness_that_is_ahead_through_another_node_asks_for_a_newer_state() {
    let (mut state, policy) = (state(), policy());
    state.choose(checkpoint(5), &policy);
    state.choose(checkpoint(8), &policy);
    assert_eq!(state.chosen(), 5);
    state.wants_newer = true;
    state.choose(checkpoint(8), &policy);
    assert_eq!((state.chosen(), state.wants_newer), (8, false));
}

#[test]
fn one_witness_that_saw_another_log_is_an_alarm_and_a_quorum_of_them_closes() {
    let (mut state, policy) = (state(), policy());
    for (alarms, closes) in [(0, false), (1, false), (2, true), (3, true)] {
        for (at, row) in state.witnesses.iter_mut().enumerate() {
            row.alarm = at < alarms;
        }
        assert_eq!(state.is_contradicted(&policy), closes, "{alarms} of three, two of which are needed");
    }
}
