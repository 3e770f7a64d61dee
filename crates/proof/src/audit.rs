//! A whole log, checked: every leaf, every kept hash, every signed state on the way, and that nothing but noes is in it.
//!
//! One pass, in order, with a bounded part of the log in memory. While one part is read and hashed, the records of the parts
//! before are read word for word on other threads.

use std::{
    collections::VecDeque,
    thread::{Scope, ScopedJoinHandle},
};

use svc_core::journal::{record::Refusal, timestamp::Timestamp};

use crate::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    public_key::PublicKeys,
    record_bytes::read_record,
    source::{LogEntry, LogFiles, LogSource, TileSource, checkpoint_of, start_of},
    tree::{Hash, MerkleTree},
};

/// Entries that are looked at together.
const BATCH_LEN: usize = 2048;

/// A state of the log that must be met on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditMark {
    /// What says so, for people.
    pub name: String,
    pub size: u64,
    pub root: Hash,
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditSummary {
    pub records: u64,
    /// Completed evaluations, answered no.
    pub denied: u64,
    /// Refused documents.
    pub refused: u64,
    /// Records whose bytes were pruned: their hashes are in the tree, their words are gone.
    pub pruned: u64,
    /// Records with a time well before that of the record they follow: the clock of a node was set back. Their order is
    /// the log's and does not depend on clocks.
    pub set_back: u64,
    /// Marks that were met.
    pub marks: u64,
}

impl AuditSummary {
    /// Records whose words were read: all but those that were pruned.
    #[must_use]
    pub const fn read(&self) -> u64 {
        self.denied + self.refused
    }
}

impl AuditMark {
    /// A signed state that must be met.
    #[must_use]
    pub fn new(name: &str, checkpoint: &Checkpoint) -> Self {
        Self { name: name.to_owned(), size: checkpoint.size(), root: *checkpoint.root() }
    }
}

/// Checks a log that lies in plain files, to the state that its checkpoint signs.
///
/// # Errors
/// The first thing that does not hold.
pub fn audit_files(
    files: &dyn LogFiles,
    keys: &PublicKeys,
    mut marks: Vec<AuditMark>,
    progress: &mut dyn FnMut(u64),
) -> Result<(AuditSummary, Checkpoint), JournalFault> {
    let checkpoint = checkpoint_of(files, keys)?;
    if let Some(ahead) = marks.iter().find(|mark| mark.size > checkpoint.size()) {
        let detail = format!("the log has {} records, and {} has {}", checkpoint.size(), ahead.name, ahead.size);
        return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
    }
    marks.push(AuditMark::new("the checkpoint", &checkpoint));
    let mut source = TileSource::new(files, checkpoint.size(), start_of(files, keys)?)?;
    let (seen, _) = audit(&mut source, marks, progress)?;
    Ok((seen, checkpoint))
}

/// How much of the machine is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// All of it.
    Fast,
    /// One thread for the records, beside the one that reads.
    Quiet,
}

/// Clocks of several nodes differ by less than this.
const MAX_CLOCK_SKEW_MILLIS: u64 = 1_000;

/// Reads a log to its end. The last mark is the state that the log claims now.
///
/// # Errors
/// The first thing that does not hold, with its place.
pub fn audit(
    source: &mut dyn LogSource,
    marks: Vec<AuditMark>,
    progress: &mut dyn FnMut(u64),
) -> Result<(AuditSummary, MerkleTree), JournalFault> {
    audit_from(source, MerkleTree::empty(), marks, Pace::Fast, progress)
}

/// The same from a tree on whose records were checked before.
///
/// # Errors
/// As [`audit`].
pub fn audit_from(
    source: &mut dyn LogSource,
    start: MerkleTree,
    mut marks: Vec<AuditMark>,
    pace: Pace,
    progress: &mut dyn FnMut(u64),
) -> Result<(AuditSummary, MerkleTree), JournalFault> {
    std::thread::scope(|scope| {
        let most = match pace {
            Pace::Fast => std::thread::available_parallelism().map_or(1, usize::from),
            Pace::Quiet => 1,
        };
        let mut words = Words { scope, reading: VecDeque::new(), most, last: None };
        let walked = walk(source, start, &mut marks, progress, &mut words);
        let (mut seen, tree) = match walked {
            Ok(walked) => walked,
            // No other fault hides a record that claims something else than no.
            Err(fault) => return Err(words.open_claim().unwrap_or(fault)),
        };
        while words.finish_oldest(&mut seen)? {}
        Ok((seen, tree))
    })
}

fn walk(
    source: &mut dyn LogSource,
    start: MerkleTree,
    marks: &mut Vec<AuditMark>,
    progress: &mut dyn FnMut(u64),
    words: &mut Words<'_, '_>,
) -> Result<(AuditSummary, MerkleTree), JournalFault> {
    marks.sort_by_key(|mark| mark.size);
    let end = marks.last().map_or(u64::MAX, |mark| mark.size);
    let mut marks = std::mem::take(marks).into_iter().peekable();
    let (mut seen, mut tree) = (AuditSummary::default(), start);
    loop {
        while let Some(mark) = marks.next_if(|mark| mark.size <= tree.size()) {
            meet(&mark, &tree)?;
            seen.marks += 1;
        }
        let until = marks.peek().map_or(end, |mark| mark.size);
        let most = usize::try_from(until.saturating_sub(tree.size())).unwrap_or(BATCH_LEN).min(BATCH_LEN);
        let entries = if most == 0 { Vec::new() } else { source.next(tree.size(), most)? };
        if entries.is_empty() {
            break;
        }
        let grown = tree.grow_by_hashes(entries.iter().map(|entry| entry.leaf))?;
        words.read(entries, tree.size(), &mut seen)?;
        source.confirm(&grown)?;
        tree = grown.tree().clone();
        progress(tree.size());
    }
    match marks.next() {
        None => Ok((seen, tree)),
        Some(mark) => {
            let detail = format!("the log has {} records, and {} has {}", tree.size(), mark.name, mark.size);
            Err(JournalFault::new(JournalFaultKind::Rewound, detail))
        }
    }
}

/// The other threads: each reads one part of the log.
struct Words<'s, 'e> {
    scope: &'s Scope<'s, 'e>,
    reading: VecDeque<ScopedJoinHandle<'s, Result<Part, JournalFault>>>,
    /// How many parts are read at a time.
    most: usize,
    /// The time of the last record of the parts that were added up.
    last: Option<Timestamp>,
}

impl Words<'_, '_> {
    /// Hands over a part. When enough are being read, the oldest is waited for and added up first.
    fn read(&mut self, entries: Vec<LogEntry>, start: u64, seen: &mut AuditSummary) -> Result<(), JournalFault> {
        if self.reading.len() >= self.most {
            self.finish_oldest(seen)?;
        }
        self.reading.push_back(self.scope.spawn(move || {
            let mut part = Part::default();
            for (entry, place) in entries.iter().zip(start..) {
                part.count(entry, place)?;
            }
            Ok(part)
        }));
        Ok(())
    }

    /// The first open claim in the parts that are being read.
    fn open_claim(&mut self) -> Option<JournalFault> {
        let mut ended = self.reading.drain(..).filter_map(|reading| reading.join().ok()?.err());
        ended.find(|fault| fault.kind == JournalFaultKind::OpenClaim)
    }

    /// Adds up the oldest part, if there is one.
    fn finish_oldest(&mut self, seen: &mut AuditSummary) -> Result<bool, JournalFault> {
        let Some(reading) = self.reading.pop_front() else { return Ok(false) };
        let part = reading.join().map_err(|_| JournalFault::corrupt("a record could not be read"))??;
        seen.records += part.seen.records;
        seen.denied += part.seen.denied;
        seen.refused += part.seen.refused;
        seen.pruned += part.seen.pruned;
        seen.set_back += part.seen.set_back + u64::from(is_set_back(self.last, part.first));
        self.last = part.last.or(self.last);
        Ok(true)
    }
}

/// What one part held, and the times at its ends.
#[derive(Debug, Default)]
struct Part {
    seen: AuditSummary,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

impl Part {
    fn count(&mut self, entry: &LogEntry, place: u64) -> Result<(), JournalFault> {
        self.seen.records += 1;
        let Some(bytes) = &entry.record else {
            self.seen.pruned += 1;
            return Ok(());
        };
        let record = read_record(bytes, place)?;
        match record.outcome() {
            Refusal::Denied => self.seen.denied += 1,
            Refusal::Refused => self.seen.refused += 1,
        }
        self.seen.set_back += u64::from(is_set_back(self.last, Some(record.time())));
        self.first.get_or_insert(record.time());
        self.last = Some(record.time());
        Ok(())
    }
}

fn is_set_back(before: Option<Timestamp>, after: Option<Timestamp>) -> bool {
    before.zip(after).is_some_and(|(before, after)| after.millis() + MAX_CLOCK_SKEW_MILLIS < before.millis())
}

fn meet(mark: &AuditMark, tree: &MerkleTree) -> Result<(), JournalFault> {
    if mark.size == tree.size() && mark.root == tree.root()? {
        return Ok(());
    }
    let detail = format!("the first {} records are not those of {}", mark.size, mark.name);
    Err(JournalFault::new(JournalFaultKind::Rewound, detail))
}
