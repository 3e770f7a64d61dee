//! Streams that are cut at random, beside the log.

use std::{net::Ipv4Addr, thread, time::Duration};

use rustix::net::sockopt;

use super::{ask, log_of, start};
use crate::{
    campaign::{self, Random, Record},
    follower::{Event, Follower, connect_from, request},
};

/// One follower that is cut again and again, and comes back with what it saw last, until it has this many records.
fn cut_at_random(address: &str, source: Ipv4Addr, count: usize, random: &mut Random) -> (Vec<Vec<u8>>, usize) {
    let (mut seen, mut cuts): (Vec<Vec<u8>>, usize) = (Vec::new(), 0);
    while seen.len() < count {
        let id = seen.len().checked_sub(1).map(|last| format!("Last-Event-ID: {last}"));
        let headers: Vec<&str> = id.iter().map(String::as_str).collect();
        let query = if seen.is_empty() { "?from=0&probes=true" } else { "?probes=true" };
        let stream = connect_from(source, address, None);
        let mut follower = match Follower::over(stream, &request(query, &headers)) {
            Ok(follower) => follower,
            // Places of streams that were cut are found out with the next record that is sent.
            Err(refused) if refused.status == 429 => {
                thread::sleep(Duration::from_millis(20));
                continue;
            }
            Err(refused) => panic!("{refused:?}"),
        };
        let until = seen.len() + 1 + random.below(count / 8);
        while seen.len() < until.min(count) {
            match follower.next_event() {
                Some(Event::Record { id, data, .. }) => {
                    assert_eq!(id, seen.len() as u64, "a gap, or twice the same");
                    seen.push(data);
                }
                Some(Event::Checkpoint(_)) => {}
                None => break,
            }
        }
        // Half of them hang up in the middle of what the service sends, the others say so first.
        if random.below(2) == 0 {
            sockopt::set_socket_linger(follower.stream(), Some(Duration::ZERO)).unwrap();
        }
        cuts += 1;
    }
    (seen, cuts)
}

#[test]
fn streams_that_are_cut_at_random_equal_the_log_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path(), &[]);
    let (streams, records) = (campaign::count(24, 1000), campaign::count(200, 1000));
    let numbers: Vec<usize> = (0..streams).collect();
    let (mut followed, mut asked) = (Vec::new(), 0);
    thread::scope(|scope| {
        let asking = scope.spawn(|| {
            for _ in 0..records / 10 {
                ask(&running.address, 10);
                thread::sleep(Duration::from_millis(10));
            }
            records / 10 * 10
        });
        let address = &running.address;
        let readers: Vec<_> = numbers
            .chunks(numbers.len().div_ceil(24))
            .enumerate()
            .map(|(client, numbers)| {
                scope.spawn(move || {
                    let source = Ipv4Addr::new(127, 0, 1, u8::try_from(client + 1).unwrap());
                    let one = |number: &usize| {
                        let mut random = Random::new(&format!("streams {number}"));
                        cut_at_random(address, source, records / 10 * 10, &mut random)
                    };
                    numbers.iter().map(one).collect::<Vec<_>>()
                })
            })
            .collect();
        asked = asking.join().unwrap();
        followed.extend(readers.into_iter().flat_map(|reader| reader.join().unwrap()));
    });
    let whole = log_of(&running.address);
    assert_eq!(whole.len(), asked);
    let differs = |(number, (seen, _)): (usize, &(Vec<Vec<u8>>, usize))| {
        (*seen != whole).then(|| format!("stream {number} differs from the log"))
    };
    Record {
        name: "streams",
        tried: "Clients follow the log while it grows and hang up at random moments; what each of them has seen when it came \
                back with the last id is compared with the tiles of the log.",
        counts: vec![
            ("streams".to_owned(), followed.len()),
            ("times cut".to_owned(), followed.iter().map(|(_, cuts)| cuts).sum()),
            ("records in the log".to_owned(), whole.len()),
        ],
        found: followed.iter().enumerate().filter_map(differs).collect(),
    }
    .close();
}
