//! Whether a log is one order of everything that was answered, whoever answered and whoever was killed meanwhile.
//!
//! The check knows nothing of the journal's code: it is given what clients saw, with their clocks, and the log as it was
//! read in the end. That each receipt leads to a state of the log is the caller's part.
//!
//! | what must hold | the disorder otherwise |
//! |---|---|
//! | an answer is in the log, at the place that its receipt names | [`Disorder::Lost`] |
//! | a place was given to one answer, and a request has one place | [`Disorder::Doubled`] |
//! | what was answered before another was asked has the smaller place | [`Disorder::Swapped`] |

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::Duration,
};

use svc_json::digest::Digest;

/// What one client saw of one answer.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Which service answered.
    pub node: usize,
    /// When the request was about to be sent, on the clock that all clients share.
    pub asked: Duration,
    /// When the whole answer was there.
    pub received: Duration,
    /// The place that the receipt names.
    pub index: u64,
    /// The digest of the record that the receipt holds.
    pub record: Digest,
}

/// One record of the log, in its order.
#[derive(Clone, Debug)]
pub struct Logged {
    /// The digest of its bytes.
    pub record: Digest,
    /// The request that it is about. No two requests have one name.
    pub request: String,
}

/// What does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disorder {
    /// An answer is not where its receipt says.
    Lost { index: u64 },
    /// Two answers have one place, or one request has two; the second of them.
    Doubled { index: u64 },
    /// The later one was asked for when the earlier one had been received, and stands before it.
    Swapped { earlier: u64, later: u64 },
}

/// Everything that does not hold, sorted.
pub fn disorders(answers: &[Answered], log: &[Logged]) -> Vec<Disorder> {
    let mut found = lost(answers, log);
    found.extend(doubled(answers, log));
    found.extend(swapped(answers));
    found.sort_unstable();
    found
}

fn lost(answers: &[Answered], log: &[Logged]) -> Vec<Disorder> {
    let stands = |answer: &Answered| {
        let place = usize::try_from(answer.index).ok()?;
        log.get(place).filter(|logged| logged.record == answer.record)
    };
    let missing = answers.iter().filter(|answer| stands(answer).is_none());
    missing.map(|answer| Disorder::Lost { index: answer.index }).collect()
}

fn doubled(answers: &[Answered], log: &[Logged]) -> Vec<Disorder> {
    let mut found = Vec::new();
    let mut places = BTreeMap::new();
    for answer in answers {
        if places.insert(answer.index, ()).is_some() {
            found.push(Disorder::Doubled { index: answer.index });
        }
    }
    let mut requests = BTreeMap::new();
    for (logged, index) in log.iter().zip(0..) {
        match requests.entry(logged.request.as_str()) {
            Entry::Vacant(free) => drop(free.insert(index)),
            Entry::Occupied(_) => found.push(Disorder::Doubled { index }),
        }
    }
    found
}

/// One pass over the answers as they were asked for, behind one over the answers as they were received: the largest place
/// among all that were received before must be the smaller one.
fn swapped(answers: &[Answered]) -> Vec<Disorder> {
    let mut by_asking: Vec<&Answered> = answers.iter().collect();
    let mut by_receiving = by_asking.clone();
    by_asking.sort_by_key(|answer| answer.asked);
    by_receiving.sort_by_key(|answer| answer.received);
    let mut received = by_receiving.into_iter().peekable();
    let mut largest: Option<u64> = None;
    let mut found = Vec::new();
    for later in by_asking {
        while let Some(earlier) = received.next_if(|earlier| earlier.received < later.asked) {
            largest = largest.max(Some(earlier.index));
        }
        if let Some(earlier) = largest.filter(|earlier| *earlier >= later.index) {
            found.push(Disorder::Swapped { earlier, later: later.index });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Random;

    const CLIENTS: usize = 6;

    /// A log of two nodes and six clients, each of which asks again once it was answered. Some records nobody was told of.
    fn history(records: usize) -> (Vec<Answered>, Vec<Logged>) {
        let mut random = Random::new("order");
        let mut free = [0; CLIENTS];
        let mut now = 0;
        let (mut answers, mut log) = (Vec::new(), Vec::new());
        for index in 0..records {
            let client = random.below(CLIENTS);
            let asked = free[client];
            now = asked.max(now) + 1 + random.below(3) as u64;
            let received = now + 1 + random.below(40) as u64;
            free[client] = received + 1;
            let record = Digest::of(index.to_string().as_bytes());
            log.push(Logged { record, request: format!("r{index}") });
            if random.below(10) > 0 {
                let [asked, received] = [asked, received].map(Duration::from_micros);
                answers.push(Answered { node: client % 2, asked, received, index: index as u64, record });
            }
        }
        (answers, log)
    }

    #[test]
    fn a_log_in_order_has_no_disorder() {
        let (answers, log) = history(2000);
        assert!(answers.len() > 1500 && answers.len() < 2000);
        assert_eq!(disorders(&answers, &log), []);
        let before = |one: &Answered, other: &Answered| one.received < other.asked;
        let ordered = answers.iter().zip(answers.iter().skip(20)).filter(|(one, other)| before(one, other)).count();
        assert!(ordered > 500, "hardly any of these answers has to stand before another: {ordered}");
    }

    #[test]
    fn a_lost_answer_is_found_at_the_end_and_in_the_middle() {
        let (answers, mut log) = history(500);
        let last = answers.last().unwrap().index;
        log.truncate(usize::try_from(last).unwrap());
        assert_eq!(disorders(&answers, &log), [Disorder::Lost { index: last }]);
        let (answers, mut log) = history(500);
        let at = answers[100].index;
        log[usize::try_from(at).unwrap()].record = Digest::of(b"another record");
        assert_eq!(disorders(&answers, &log), [Disorder::Lost { index: at }]);
    }

    #[test]
    fn a_place_of_two_answers_and_a_request_of_two_places_are_found() {
        let (mut answers, log) = history(500);
        let again = answers[7].clone();
        let index = again.index;
        answers.push(again);
        assert_eq!(disorders(&answers, &log), [Disorder::Doubled { index }]);
        // A batch that was tried again although it had been committed.
        let (answers, mut log) = history(500);
        log.push(Logged { record: Digest::of(b"again"), request: log[31].request.clone() });
        assert_eq!(disorders(&answers, &log), [Disorder::Doubled { index: 500 }]);
    }

    /// Records and receipts agree, and only the clocks tell.
    #[test]
    fn two_answers_that_changed_places_are_found() {
        let (answers, log) = history(500);
        let mut pairs = 0;
        for one in 0..answers.len() {
            let Some(other) = (one..answers.len()).find(|other| answers[*other].asked > answers[one].received) else {
                continue;
            };
            let (mut answers, mut log) = (answers.clone(), log.clone());
            let [first, second] = [one, other].map(|at| usize::try_from(answers[at].index).unwrap());
            log.swap(first, second);
            (answers[one].index, answers[other].index) = (answers[other].index, answers[one].index);
            let found = disorders(&answers, &log);
            let swapped = Disorder::Swapped { earlier: second as u64, later: first as u64 };
            assert!(found.contains(&swapped), "{one} and {other}: {found:?}");
            assert!(found.iter().all(|disorder| matches!(disorder, Disorder::Swapped { .. })), "{found:?}");
            pairs += 1;
        }
        assert!(pairs > 300, "{pairs}");
    }

    /// Whoever asked before the other was answered may stand on either side.
    #[test]
    fn answers_that_overlap_may_stand_either_way() {
        let answer = |asked: u64, received: u64, index: u64| Answered {
            node: 0,
            asked: Duration::from_micros(asked),
            received: Duration::from_micros(received),
            index,
            record: Digest::of(index.to_string().as_bytes()),
        };
        assert_eq!(swapped(&[answer(0, 9, 1), answer(9, 12, 0)]), []);
        assert_eq!(swapped(&[answer(0, 9, 1), answer(10, 12, 0)]), [Disorder::Swapped { earlier: 1, later: 0 }]);
    }
}
