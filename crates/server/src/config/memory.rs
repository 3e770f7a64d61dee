//! How much memory the service takes at most, by the arithmetic of its bounds. `--print-config` shows it, so that whoever
//! gives a service its share of a machine need not guess.

use std::fmt::Write as _;

use svc_core::words::limits;

use crate::follow::frame::{BLOCK_BYTES, WINDOW_BYTES};

const KIBIBYTE: u64 = 1024;
const MEBIBYTE: u64 = 1024 * KIBIBYTE;

/// A connection: its task, a head that comes, a piece or two of an answer.
const PLAIN_CONNECTION: u64 = 64 * KIBIBYTE;

/// What TLS keeps of a connection besides: records in both directions, and the keys.
const TLS_CONNECTION: u64 = 112 * KIBIBYTE;

/// What a small request takes besides its body.
const SMALL_EVALUATION: u64 = 256 * KIBIBYTE;

/// How often a large body is taken beside itself while it is evaluated, at most: the bound of `svc_core::read::decide`, and what
/// checking adds. The campaign `memory` measures it.
const EVALUATION_FACTOR: u64 = 3;

/// Who reads the journal: a tile or an entry bundle, as it is stored, decoded and compressed.
const JOURNAL_READ: u64 = 2 * MEBIBYTE;

/// An event stream besides its connection: its state, a piece that its reader has not read, and one that comes next.
const EVENT_STREAM: u64 = 2 * BLOCK_BYTES as u64 + 16 * KIBIBYTE;

/// Deliveries to endpoints of webhooks that are in memory at once.
pub(crate) const DELIVERIES_AT_ONCE: usize = 8;

/// A delivery: 256 records of 4 KiB as they are stored, read, and written into a body that is sent.
const DELIVERY: u64 = 4 * MEBIBYTE;

/// Lines that wait for their reader, and as many that are being written.
const LOG_LINES: u64 = 8 * MEBIBYTE;

/// The program, its documents, the journal's database with its cache, and what the allocator keeps.
const PROGRAM: u64 = 96 * MEBIBYTE;

/// What one part of the service takes at most.
struct Share {
    what: &'static str,
    count: u64,
    each: u64,
}

/// The most that the service takes, in bytes.
#[must_use]
pub fn most(has_tls: bool, threads: usize) -> u64 {
    shares(has_tls, threads).iter().map(|share| share.count * share.each).sum()
}

/// The same as text: a line for each share, and the sum.
pub(super) fn print(has_tls: bool, threads: usize) -> String {
    let mut text = String::from("# memory at most, by the limits of the service\n");
    for Share { what, count, each } in shares(has_tls, threads) {
        let _ = writeln!(text, "#   {what}: {count} * {} KiB = {} MiB", each / KIBIBYTE, count * each / MEBIBYTE);
    }
    let _ = writeln!(text, "#   sum: {} MiB, and what the system keeps for sockets", most(has_tls, threads) / MEBIBYTE);
    text
}

fn shares(has_tls: bool, threads: usize) -> [Share; 12] {
    let connection = PLAIN_CONNECTION + if has_tls { TLS_CONNECTION } else { 0 };
    let share = |what, count: usize, each| Share { what, count: count as u64, each };
    [
        share("connections", limits::CONNECTIONS, connection),
        share("bodies in flight", 1, limits::BODIES_IN_FLIGHT as u64),
        share("large bodies at work", threads, EVALUATION_FACTOR * limits::INDEX_BYTES as u64),
        share("requests at work", limits::CONCURRENT_REQUESTS, SMALL_EVALUATION),
        share("reads of the journal", limits::JOURNAL_READS + limits::PUBLIC_READS, JOURNAL_READ),
        share("event streams", limits::EVENT_STREAMS, EVENT_STREAM),
        share("newest records for them", 1, WINDOW_BYTES as u64),
        share("answers that wait for their reader", 1, limits::ANSWERS_IN_FLIGHT as u64),
        share("pages that wait for their reader", 1, limits::PAGES_IN_FLIGHT as u64),
        share("deliveries", DELIVERIES_AT_ONCE, DELIVERY),
        share("log lines", 1, LOG_LINES),
        share("program", 1, PROGRAM),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_its_lines() {
        for has_tls in [false, true] {
            let text = print(has_tls, 2);
            let of = |line: &str| line.rsplit("= ").next().unwrap().trim_end_matches(" MiB").parse::<u64>().unwrap();
            let lines: u64 = text.lines().filter(|line| line.contains(" = ")).map(of).sum();
            assert!(text.contains(&format!("sum: {lines} MiB")), "{text}");
            assert_eq!(most(has_tls, 2), lines * MEBIBYTE);
        }
        assert!(most(true, 2) > most(false, 2) && most(false, 8) > most(false, 2));
    }
}
