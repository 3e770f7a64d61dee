//! What the slices of the tests and the full campaigns share: counts, seeds, threads, and the record of a run.
//!
//! `cargo xtask campaign` sets `SVC_CAMPAIGN` to a folder: then the full counts run and each campaign leaves
//! `<name>.json` there. Without it a slice runs and nothing is left. A long campaign runs in parts, of which
//! `SVC_CAMPAIGN_PART` says which: each takes its share of the counts, with random numbers of its own.

use std::{
    env, fs,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::json;

/// The first random number of every campaign comes from here, so that a finding can be made again.
pub const SEED: u64 = 0x5eed_0f5c_ca4b_a1e5;

/// A count: small in the tests, large in a campaign, and a share of that in a part of one.
pub fn count(slice: usize, full: usize) -> usize {
    let (part, of) = part();
    if report_folder().is_some() { full * (part + 1) / of - full * part / of } else { slice }
}

/// Which part of a campaign runs, from zero, and of how many: `2/10`.
fn part() -> (usize, usize) {
    let given = env::var("SVC_CAMPAIGN_PART").ok();
    let pair = given.map(|text| {
        let (part, of) = text.split_once('/').expect("SVC_CAMPAIGN_PART is part/of");
        (part.parse().expect("a number"), of.parse().expect("a number"))
    });
    pair.filter(|(part, of)| part < of).unwrap_or((0, 1))
}

fn report_folder() -> Option<PathBuf> {
    env::var_os("SVC_CAMPAIGN").map(PathBuf::from)
}

/// What a campaign did and what it found.
pub struct Record {
    pub name: &'static str,
    /// What was tried, for the result page.
    pub tried: &'static str,
    /// What was counted, in order.
    pub counts: Vec<(String, usize)>,
    /// Every case that went wrong.
    pub found: Vec<String>,
}

impl Record {
    /// Leaves the record if a campaign asked for it. Anything found ends the test.
    #[track_caller]
    pub fn close(self) {
        if let Some(folder) = report_folder() {
            let record = json!({
                "counts": self.counts,
                "found": self.found,
                "name": self.name,
                "seed": format!("{SEED:#x}"),
                "tried": self.tried,
            });
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{}.json", self.name)), record.to_string()).unwrap();
        }
        let total = self.found.len();
        let first: Vec<String> = self.found.into_iter().take(10).collect();
        assert!(first.is_empty(), "{}: {total} found, first\n{}", self.name, first.join("\n"));
    }
}

/// Does the work of all items on all cores. The results come in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let threads = thread::available_parallelism().map_or(2, Into::into);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { return };
                    *results[at].lock().unwrap() = Some(work(item));
                }
            });
        }
    });
    results.into_iter().map(|result| result.into_inner().unwrap().unwrap()).collect()
}

/// Random numbers that are the same in every run: SplitMix64.
pub struct Random(u64);

impl Random {
    /// A stream of its own for every name, and for every part of a campaign.
    pub fn new(stream: &str) -> Self {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let part = part().0 as u64;
        Self(stream.bytes().fold(SEED, mix).wrapping_add(part.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    #[expect(clippy::should_implement_trait, reason = "the numbers never end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the bound, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    /// Some of the items, in their order.
    pub fn pick<T: Clone>(&mut self, items: &[T], most: usize) -> Vec<T> {
        let mut places: Vec<usize> = (0..items.len()).collect();
        for at in (1..places.len()).rev() {
            places.swap(at, self.below(at + 1));
        }
        places.truncate(most);
        places.sort_unstable();
        places.into_iter().map(|at| items[at].clone()).collect()
    }
}
