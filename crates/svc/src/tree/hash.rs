//! Each file opened once, read once: size, SHA-256 and whatever an observer looks for come from the same bytes.
//!
//! When all are read, each is looked at once more: a writer may have been at work in a file that was read already. Times
//! have a grain, and a writer within it leaves no trace in them, so a file that was written shortly before is hashed again.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, SystemTime},
};

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use sha2::{Digest as _, Sha256};
use svc_cli::files::{
    kind::FileKind,
    open::{Root, stamp::Stamp},
};

use super::{fault::TreeFault, limits::TreeLimits};

/// Looks at a file's bytes as they pass by, in order and in chunks of any size, none for an empty file.
///
/// Its facts count only if the file is in the table: it may have seen bytes of a file that is then refused.
pub(crate) trait Observe {
    /// What it has to say in the end.
    type Facts: Send;

    fn chunk(&mut self, bytes: &[u8]);

    fn finish(self) -> Self::Facts;
}

/// Looks at nothing.
impl Observe for () {
    type Facts = ();

    fn chunk(&mut self, _: &[u8]) {}

    fn finish(self) -> Self::Facts {}
}

/// A row of the file table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HashedFile<F> {
    /// The path relative to the root, with `/`. Text as the disk has it: not yet checked to be a portable name.
    pub(crate) path: String,
    /// How many bytes were hashed.
    pub(crate) size: u64,
    pub(crate) sha256: [u8; 32],
    pub(crate) facts: F,
}

/// Every file hashed or refused, in the order given.
#[derive(Debug)]
pub(super) struct Hashed<F> {
    pub(super) files: Vec<HashedFile<F>>,
    pub(super) faults: Vec<TreeFault>,
}

/// Reads 64 KiB at a time: larger reads were not faster.
const CHUNK: usize = 64 * 1024;

/// From this many files on, starting threads pays.
const PARALLEL_FROM: usize = 8;

/// A file that was written so shortly before it was read is hashed twice.
const RECENT: Duration = Duration::from_secs(2);

/// More than the coarsest grain of a file's times, a tick of the kernel, so that a writer that waits for its turn has one.
const TIME_GRAIN: Duration = Duration::from_millis(50);

/// Hashes the files, on all cores if they are many.
pub(super) fn hash_all<O: Observe>(
    root: &Root,
    paths: Vec<String>,
    limits: &TreeLimits,
    observe: impl Fn(&str) -> O + Sync,
) -> Hashed<O::Facts> {
    let began = SystemTime::now();
    let budget = Budget::new(limits.package_bytes);
    let hash = |buffer: &mut Vec<u8>, path: String| {
        let observer = observe(&path);
        hash_one(root, path, limits, &budget, buffer, observer)
    };
    let buffer = || vec![0; CHUNK];
    let outcomes: Vec<Result<StampedFile<O::Facts>, HashRefusal>> = if paths.len() < PARALLEL_FROM {
        let mut buffer = buffer();
        paths.iter().map(|path| hash(&mut buffer, path.clone())).collect()
    } else {
        (&paths).into_par_iter().map_init(buffer, |buffer, path| hash(buffer, path.clone())).collect()
    };
    if budget.is_spent() {
        return measure_all(root, paths, limits);
    }
    if outcomes.iter().flatten().any(|(_, stamp)| stamp.is_written_within(TIME_GRAIN, SystemTime::now())) {
        thread::sleep(TIME_GRAIN);
    }
    let confirm = |buffer: &mut Vec<u8>, outcome| match outcome {
        Ok((file, stamp)) => confirm(root, file, &stamp, began, limits, buffer),
        Err(refusal) => Err(refusal),
    };
    let confirmed: Vec<Result<HashedFile<O::Facts>, HashRefusal>> = if paths.len() < PARALLEL_FROM {
        let mut buffer = buffer();
        outcomes.into_iter().map(|outcome| confirm(&mut buffer, outcome)).collect()
    } else {
        outcomes.into_par_iter().map_init(buffer, confirm).collect()
    };
    let mut hashed = Hashed { files: Vec::with_capacity(confirmed.len()), faults: Vec::new() };
    for outcome in confirmed {
        match outcome {
            Ok(file) => hashed.files.push(file),
            Err(HashRefusal::Fault(fault)) => hashed.faults.push(fault),
            Err(HashRefusal::BudgetSpent) => {}
        }
    }
    hashed
}

/// A file with what it looked like when it was read.
type StampedFile<F> = (HashedFile<F>, Stamp);

/// The second look: the file is still the one that was read, and so are its bytes where its times could not tell.
fn confirm<F>(
    root: &Root,
    file: HashedFile<F>,
    stamp: &Stamp,
    began: SystemTime,
    limits: &TreeLimits,
    buffer: &mut [u8],
) -> Result<HashedFile<F>, HashRefusal> {
    let (open, now) = open_regular(root, &file.path, limits)?;
    if now != *stamp {
        return Err(TreeFault::ChangedWhileReading { path: file.path }.into());
    }
    if !stamp.is_written_within(RECENT, began) {
        return Ok(file);
    }
    match read_whole(&open, &now, buffer, ()) {
        Ok((sha256, ())) if sha256 == file.sha256 => Ok(file),
        Ok(_) | Err(ReadFault::Changed) => Err(TreeFault::ChangedWhileReading { path: file.path }.into()),
        Err(ReadFault::Io(error)) => Err(TreeFault::Unreadable { path: file.path, error }.into()),
    }
}

/// The package is too large. Which files were read until that was seen depends on the threads, so that only what
/// can be told without reading is told.
fn measure_all<F>(root: &Root, paths: Vec<String>, limits: &TreeLimits) -> Hashed<F> {
    let mut faults = vec![TreeFault::PackageTooLarge { limit: limits.package_bytes }];
    faults.extend(paths.into_iter().filter_map(|path| open_regular(root, &path, limits).err()));
    Hashed { files: Vec::new(), faults }
}

/// Why one file has no row.
enum HashRefusal {
    Fault(TreeFault),
    /// Another file has used up what the package may weigh.
    BudgetSpent,
}

impl From<TreeFault> for HashRefusal {
    fn from(fault: TreeFault) -> Self {
        Self::Fault(fault)
    }
}

/// The bytes the package may still grow by, shared by all threads.
struct Budget {
    left: AtomicU64,
    spent: AtomicBool,
}

impl Budget {
    fn new(bytes: u64) -> Self {
        Self { left: AtomicU64::new(bytes), spent: AtomicBool::new(false) }
    }

    /// Whatever the order, some file fails here exactly if all together are too large.
    fn take(&self, bytes: u64) -> Result<(), HashRefusal> {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        if taken.is_err() {
            self.spent.store(true, Ordering::Relaxed);
        }
        if self.is_spent() { Err(HashRefusal::BudgetSpent) } else { Ok(()) }
    }

    fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }
}

fn hash_one<O: Observe>(
    root: &Root,
    path: String,
    limits: &TreeLimits,
    budget: &Budget,
    buffer: &mut [u8],
    observer: O,
) -> Result<StampedFile<O::Facts>, HashRefusal> {
    if budget.is_spent() {
        return Err(HashRefusal::BudgetSpent);
    }
    let (file, before) = open_regular(root, &path, limits)?;
    budget.take(before.size)?;
    match read_whole(&file, &before, buffer, observer) {
        Ok((sha256, facts)) => Ok((HashedFile { path, size: before.size, sha256, facts }, before)),
        Err(ReadFault::Changed) => Err(TreeFault::ChangedWhileReading { path }.into()),
        Err(ReadFault::Io(error)) => Err(TreeFault::Unreadable { path, error }.into()),
    }
}

fn open_regular(root: &Root, path: &str, limits: &TreeLimits) -> Result<(File, Stamp), TreeFault> {
    let file = root.file(path).map_err(|fault| TreeFault::of_opening(path.to_owned(), fault))?;
    let stamp = Stamp::of(&file).map_err(|error| TreeFault::Unreadable { path: path.to_owned(), error })?;
    match stamp.kind {
        FileKind::Regular if stamp.size > limits.file_bytes => {
            Err(TreeFault::FileTooLarge { path: path.to_owned(), limit: limits.file_bytes })
        }
        FileKind::Regular => Ok((file, stamp)),
        // The walk saw a regular file here.
        FileKind::Folder | FileKind::Special(_) => Err(TreeFault::ChangedWhileReading { path: path.to_owned() }),
    }
}

enum ReadFault {
    Changed,
    Io(std::io::Error),
}

impl From<std::io::Error> for ReadFault {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// One read of the whole file, between two looks at its stamp.
fn read_whole<O: Observe>(
    file: &File,
    before: &Stamp,
    buffer: &mut [u8],
    observer: O,
) -> Result<([u8; 32], O::Facts), ReadFault> {
    let read = read_exactly(file, before.size, buffer, observer)?;
    if Stamp::of(file)? == *before { Ok(read) } else { Err(ReadFault::Changed) }
}

/// As many bytes as the file claims to have: one more or less, and it changed.
fn read_exactly<O: Observe>(
    mut source: impl Read,
    size: u64,
    buffer: &mut [u8],
    mut observer: O,
) -> Result<([u8; 32], O::Facts), ReadFault> {
    let mut hasher = Sha256::new();
    let mut left = size;
    loop {
        let count = match source.read(buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        if count == 0 {
            break;
        }
        left = minus(left, count).ok_or(ReadFault::Changed)?;
        let chunk = buffer.get(..count).unwrap_or_default();
        hasher.update(chunk);
        observer.chunk(chunk);
        // A short read is the end only if nothing is missing: network file systems may split reads.
        if left == 0 && count < buffer.len() {
            break;
        }
    }
    if left > 0 {
        return Err(ReadFault::Changed);
    }
    Ok((hasher.finalize().into(), observer.finish()))
}

fn minus(left: u64, count: usize) -> Option<u64> {
    left.checked_sub(u64::try_from(count).ok()?)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Gives its bytes three at a time, interrupted now and then.
    struct Dribble<'a>(&'a [u8], bool);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            let count = buffer.len().min(3);
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn short_reads_before_the_end_lose_nothing() {
        let read = |size| read_exactly(Dribble(b"0123456789", false), size, &mut [0; 8], ());
        let Ok((sha256, ())) = read(10) else { panic!("refused") };
        assert_eq!(sha256, <[u8; 32]>::from(Sha256::digest("0123456789")));
        assert!(matches!(read(11), Err(ReadFault::Changed)));
        assert!(matches!(read(8), Err(ReadFault::Changed)));
    }

    #[test]
    fn a_source_that_never_ends_is_left_at_the_size_it_claimed() {
        let endless = read_exactly(io::repeat(0), 1_000, &mut [0; 64], ());
        assert!(matches!(endless, Err(ReadFault::Changed)));
    }
}
