//! A log that somebody else serves, read from where the last reading stopped.
//!
//! What is remembered is the newest signed state that was seen, and the right edge of the tree as far as its records were
//! read. The next reading proves growth from that state, reads what is new, and meets every state on the way. It remembers
//! after each part whose records were all found to be noes, so that a reading that breaks off loses little.

use data_encoding::BASE64;

use crate::{
    audit::{self, AuditMark, AuditSummary, Pace},
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    growth,
    public_key::PublicKeys,
    source::{LogEntry, LogFiles, LogSource, TileSource, checkpoint_of, start_of},
    tree::{GrownTree, Hash, MerkleTree},
};

const FIRST_LINE: &str = "svc-journal-state@v1";

/// Records of a part, after which it is remembered how far a reading is.
const PART_LEN: u64 = 65_536;

/// How far a log was read, and what was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadLog {
    /// The newest signed state.
    pub checkpoint: Checkpoint,
    /// The tree of the records that were read: all of that state, or fewer.
    pub tree: MerkleTree,
    pub seen: AuditSummary,
}

impl ReadLog {
    #[must_use]
    pub fn to_text(&self) -> String {
        let AuditSummary { records, denied, refused, pruned, set_back, marks: _ } = self.seen;
        let edge = self.tree.edge();
        let hashes: String = edge.chunks(32).map(|hash| format!("{}\n", BASE64.encode(hash))).collect();
        let checkpoint = self.checkpoint.text().as_str();
        format!("{FIRST_LINE}\nread {records} {denied} {refused} {pruned} {set_back}\n{hashes}\n{checkpoint}")
    }

    /// Reads what was remembered.
    ///
    /// # Errors
    /// When it was changed, or is of another log.
    pub fn parse(text: &str, keys: &PublicKeys) -> Result<Self, JournalFault> {
        let damaged = || JournalFault::corrupt("what was remembered of the log is damaged");
        let (head, checkpoint) = text.split_once("\n\n").ok_or_else(damaged)?;
        let checkpoint = Checkpoint::open(checkpoint, keys)?;
        let mut lines = head.split('\n');
        lines.next().filter(|line| *line == FIRST_LINE).ok_or_else(damaged)?;
        let counts = lines.next().and_then(|line| line.strip_prefix("read ")).ok_or_else(damaged)?;
        let counts: Option<Vec<u64>> = counts.split(' ').map(|count| count.parse().ok()).collect();
        let [records, denied, refused, pruned, set_back] = counts.as_deref().unwrap_or_default() else {
            return Err(damaged());
        };
        let seen = AuditSummary {
            records: *records,
            denied: *denied,
            refused: *refused,
            pruned: *pruned,
            set_back: *set_back,
            marks: 0,
        };
        let hashes: Option<Vec<Hash>> = lines
            .map(|line| Some(Hash(<[u8; 32]>::try_from(BASE64.decode(line.as_bytes()).ok()?.as_slice()).ok()?)))
            .collect();
        let tree = hashes.and_then(|edge| MerkleTree::of_edge(seen.records, edge)).ok_or_else(damaged)?;
        let fits = match tree.size().cmp(&checkpoint.size()) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => tree.root()? == *checkpoint.root(),
            std::cmp::Ordering::Greater => false,
        };
        if fits { Ok(Self { checkpoint, tree, seen }) } else { Err(damaged()) }
    }
}

/// Reads a log on to the state that it signs now. `keep` is told how far it is after each part.
///
/// # Errors
/// The first thing that does not hold; what was kept before stays true.
pub fn follow(
    files: &dyn LogFiles,
    keys: &PublicKeys,
    known: Option<ReadLog>,
    mut marks: Vec<AuditMark>,
    keep: &mut dyn FnMut(&ReadLog) -> Result<(), JournalFault>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<ReadLog, JournalFault> {
    let checkpoint = checkpoint_of(files, keys)?;
    let size = checkpoint.size();
    marks.extend(known.iter().map(|known| AuditMark::new("the state that is remembered", &known.checkpoint)));
    if let Some(ahead) = marks.iter().find(|mark| mark.size > size) {
        let detail = format!("the log has {size} records, and {} has {}", ahead.name, ahead.size);
        return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
    }
    // Before anything is read at length, and for states whose records are not read again.
    for mark in &marks {
        growth::check(files, (mark.size, &mark.root), &checkpoint)?;
    }
    let (tree, seen) = known.map_or((MerkleTree::empty(), AuditSummary::default()), |known| (known.tree, known.seen));
    marks.push(AuditMark::new("the checkpoint", &checkpoint));
    let met = marks.extract_if(.., |mark| mark.size < tree.size()).count() as u64;
    let mut source = TileSource::resumed(files, size, start_of(files, keys)?, &tree)?;
    let mut read = ReadLog { checkpoint, tree, seen: AuditSummary { marks: met, ..seen } };
    while !marks.is_empty() {
        let from = read.tree.size();
        let until = (from / PART_LEN + 1).saturating_mul(PART_LEN).min(size);
        let due: Vec<AuditMark> = marks.extract_if(.., |mark| mark.size <= until).collect();
        let (were_due, mut part) = (!due.is_empty(), Part { inner: &mut source, until });
        let audited = audit::audit_from(&mut part, read.tree.clone(), due, Pace::Fast, &mut |at| progress(at, size));
        let (seen, tree) = audited?;
        if tree.size() == from && !were_due {
            return Err(JournalFault::corrupt("the log ends before its checkpoint"));
        }
        read.tree = tree;
        add(&mut read.seen, &seen);
        keep(&read)?;
    }
    Ok(read)
}

fn add(all: &mut AuditSummary, part: &AuditSummary) {
    all.records += part.records;
    all.denied += part.denied;
    all.refused += part.refused;
    all.pruned += part.pruned;
    all.set_back += part.set_back;
    all.marks += part.marks;
}

/// A part of a source.
struct Part<'s, 'f> {
    inner: &'s mut TileSource<'f>,
    until: u64,
}

impl LogSource for Part<'_, '_> {
    fn next(&mut self, from: u64, most: usize) -> Result<Vec<LogEntry>, JournalFault> {
        let left = usize::try_from(self.until.saturating_sub(from)).unwrap_or(most).min(most);
        if left == 0 { Ok(Vec::new()) } else { self.inner.next(from, left) }
    }

    fn confirm(&mut self, grown: &GrownTree) -> Result<(), JournalFault> {
        self.inner.confirm(grown)
    }
}
