//! Who may follow, and how many: nobody keeps others out, and whoever has to leave loses nothing.

use std::{
    iter,
    net::Ipv4Addr,
    thread,
    time::{Duration, Instant},
};

use rustix::net::sockopt;
use svc_core::words::limits;

use super::{ENTRIES, ask, assert_refused, get, log_of, page, refusal, start};
use crate::{
    follower::{Event, Follower, connect_from, header, request},
    metrics::metric,
};

#[test]
fn a_reader_that_does_not_read_is_cut_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start(folder.path(), &[]);
    let admin = running.admin_address();
    ask(&running.address, 900);
    let blocked = connect_from(Ipv4Addr::LOCALHOST, &running.address, Some(4096));
    let mut blocked = Follower::over(blocked, &request("?from=0&probes=true", &[])).unwrap();
    let first = blocked.records(1);
    let begun = Instant::now();
    while metric(&admin, "svc_event_streams_cut_total") == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "a reader that does not read is waited for");
        // Others are answered meanwhile; then the log is quiet, and only comments would be sent.
        if begun.elapsed() < Duration::from_secs(4) {
            ask(&running.address, 2);
        }
        thread::sleep(Duration::from_millis(200));
    }
    assert!(begun.elapsed() >= Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!(metric(&admin, "svc_event_streams_open"), 0);
    assert!(running.log().contains("its reader did not read"));
    let mut seen = first;
    while let Some(event) = blocked.next_event() {
        if let Event::Record { id, data, .. } = event {
            seen.push((id, data));
        }
    }
    assert!(!blocked.has_ended() && seen.len() < 900, "{} records", seen.len());
    let whole = log_of(&running.address);
    let last = format!("Last-Event-ID: {}", seen.last().unwrap().0);
    let mut back = Follower::open(&running.address, "?probes=true", &[&last]).unwrap();
    seen.extend(back.records(whole.len() - seen.len()));
    assert!(seen.iter().map(|(id, _)| *id).eq(0..whole.len() as u64));
    assert!(seen.iter().map(|(_, data)| data).eq(&whole));
}

#[test]
fn one_client_follows_as_often_as_it_may_and_leaves_the_rest_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), &[]);
    ask(&running.address, 1);
    let mut open: Vec<_> = (0..64).map(|_| Follower::open(&running.address, "?from=0", &[]).unwrap()).collect();
    let refused = refusal(&running.address, "?from=0", &[]);
    assert_refused(refused.status, &refused.body, (429, "rate-limited"));
    assert_eq!(header(&refused.head, "retry-after"), Some("5"));
    // Whoever waits for a page needs a place too, and who does not wait does not.
    let (status, _, body) = get(&running.address, &format!("{ENTRIES}?after=0&wait=15"), "");
    assert_refused(status, &body, (429, "rate-limited"));
    assert_eq!(page(&running.address, "")["size"], 1);
    let other = connect_from(Ipv4Addr::new(127, 0, 0, 2), &running.address, None);
    let mut other = Follower::over(other, &request("?from=0", &[])).unwrap();
    assert_eq!(other.checkpoint().0, [0]);
    ask(&running.address, 1);
    open.iter_mut().for_each(|follower| assert_eq!(follower.records(2)[1].0, 1));
}

/// On a quiet log, where nothing is sent that would come back.
#[test]
fn whoever_hangs_up_gives_its_place_back_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start(folder.path(), &[]);
    let admin = running.admin_address();
    ask(&running.address, 1);
    for is_reset in [false, true] {
        let open: Vec<_> = (0..64).map(|_| Follower::open(&running.address, "?from=0", &[]).unwrap()).collect();
        if is_reset {
            open.iter().for_each(|one| sockopt::set_socket_linger(one.stream(), Some(Duration::ZERO)).unwrap());
        }
        drop(open);
        let begun = Instant::now();
        while metric(&admin, "svc_event_streams_open") > 0 {
            assert!(begun.elapsed() < Duration::from_secs(5), "places are kept for those who left");
            thread::sleep(Duration::from_millis(20));
        }
    }
    assert_eq!(running.log().matches("its client left").count(), 128, "{}", running.log());
}

/// As many as the node takes, from forty addresses: who comes next takes the place of somebody who has more, and is told
/// that none is left otherwise. Requests have places of their own.
#[test]
fn a_node_with_all_places_taken_says_so_and_goes_on_answering() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start(folder.path(), &["--rate", "1000000/1000000"]);
    let admin = running.admin_address();
    ask(&running.address, 1);
    let of_each = limits::EVENT_STREAMS / 40;
    let from = |last: u8| {
        let stream = connect_from(Ipv4Addr::new(127, 0, 3, last), &running.address, None);
        Follower::over(stream, &request("?from=0", &[]))
    };
    let mut open: Vec<Vec<_>> = (1..=40).map(|last| (0..of_each).map(|_| from(last).unwrap()).collect()).collect();
    assert_eq!(metric(&admin, "svc_event_streams_open"), limits::EVENT_STREAMS);
    let refused = from(1).err().expect("nobody has more than this one");
    assert_refused(refused.status, &refused.body, (503, "overloaded"));
    assert!(header(&refused.head, "retry-after").is_some(), "{}", refused.head);
    // Whoever has none gets one, and somebody of those with most leaves.
    assert_eq!(from(99).unwrap().checkpoint().0, [0]);
    ask(&running.address, 1);
    let gone = open.iter_mut().flatten().filter_map(|follower| {
        let ended = iter::from_fn(|| follower.next_event()).find(|event| matches!(event, Event::Record { id: 1, .. }));
        ended.is_none().then(|| follower.has_ended())
    });
    assert_eq!(gone.collect::<Vec<bool>>(), [true], "one stream ended, and by its own end");
}
