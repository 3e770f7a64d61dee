//! Malformed bodies by the thousand: random bytes, and good documents cut, joined, flipped and stuffed.
//!
//! A test runs a slice of the campaign. The same seed gives the same bodies, and a failure names the seed of its body.

use crate::{
    campaign::{self, Record},
    in_process::{post, registry},
    kit::{ENDPOINTS, assert_closed, parsed, valid},
    wire::{Client, Server, request},
};

/// SplitMix64: small, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap()
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

/// Pieces that readers of JSON stumble over.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b",",
    b":",
    b"\\",
    b"\0",
    b"true",
    b"null",
    b"-0",
    b"1e400",
    b"1.0",
    b"9007199254740993",
    b"\\ud800",
    b"\\u0000",
    b"\xff",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"//",
    b"/*",
    b"\"accepted\":true,",
    b"\"installable\":true,",
    b"\"__proto__\":{},",
    b"{\"\":",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

fn mutated(good: &[u8], seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed);
    if dice.below(16) == 0 {
        return dice.bytes(2000);
    }
    let mut body = good.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(body.len());
        let to = (at + dice.below(64)).min(body.len());
        match dice.below(7) {
            0 => body.truncate(at),
            1 => drop(body.drain(at..to)),
            2 => {
                let piece = body[at..to].to_vec();
                let place = dice.below(body.len());
                body.splice(place..place, piece);
            }
            3 => {
                let piece = PIECES[dice.below(PIECES.len())];
                body.splice(at..at, piece.iter().copied());
            }
            4 => {
                let piece = PIECES[dice.below(PIECES.len())];
                body.splice(at..to, piece.iter().copied());
            }
            5 => {
                let noise = dice.bytes(16);
                body.splice(at..to, noise);
            }
            _ => {
                if let Some(byte) = body.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
        }
    }
    body
}

#[test]
fn no_malformed_body_gets_more_than_a_closed_refusal() {
    let registry = registry();
    let each = campaign::count(1500, 17_000);
    let (mut refused, mut found) = (0, Vec::new());
    for (kind, path) in ENDPOINTS {
        let good = valid(kind);
        let evaluated = parsed(&post(&registry, path, &good).body)["decisionId"].clone();
        let seeds: Vec<u64> = (0..each as u64).map(|at| campaign::SEED.wrapping_add(at)).collect();
        let judged = campaign::in_parallel(&seeds, |seed| {
            let answer = post(&registry, path, &mutated(&good, *seed));
            let place = format!("{kind}, seed {seed:#x}");
            let value = assert_closed(answer.status, &answer.body, &place);
            match answer.status {
                // White space moved: still the same document, and the same decision.
                200 if value["decisionId"] == evaluated => Ok(false),
                200 => Err(format!("{place}: a changed document was evaluated")),
                400 | 422 => Ok(true),
                other => Err(format!("{place}: status {other}")),
            }
        });
        for verdict in judged {
            match verdict {
                Ok(was_refused) => refused += usize::from(was_refused),
                Err(finding) => found.push(finding),
            }
        }
    }
    if !registry.health.is_ready() {
        found.push("the guard had to step in".to_owned());
    }
    assert!(refused > each, "{refused}");
    Record {
        name: "bodies",
        tried: "Good documents are cut, joined, flipped and stuffed, or replaced by noise, and posted to the six endpoints.",
        counts: vec![("bodies".to_owned(), 6 * each), ("refused".to_owned(), refused)],
        found,
    }
    .close();
}

#[test]
fn no_malformed_body_on_the_wire_ends_the_service() {
    let server = Server::plain();
    for (kind, path) in ENDPOINTS {
        let good = valid(kind);
        let mut client = Client::connect(server.address);
        for seed in 0..campaign::count(150, 2000) as u64 {
            let body = mutated(&good, seed ^ 0x5eed_0000);
            let place = format!("{kind}, seed {seed}");
            let reply = client.send(&request("POST", path, &[], &body)).reply().unwrap_or_else(|| panic!("{place}"));
            assert!(matches!(reply.status, 200 | 400 | 422), "{place}: {}", reply.status);
            assert_closed(reply.status, &reply.body, &place);
        }
    }
}
