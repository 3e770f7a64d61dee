//! The newest signed state: what this process has appended, or what other nodes have made of the log since.
//!
//! Whoever reads a shared log is given the state of the database, not the one that this node signed last. A node signs what
//! is committed and replicated, so that the state which any node gave before is never ahead of the database, nor of a standby
//! that commits wait for: a reader that goes from node to node never sees the log shrink.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    tree::{Hash, check_growth},
};
use tlog_tiles::tlog::HashReader;
use tokio::sync::watch;

use crate::{
    folder::LockedFolder,
    log_key::LogKey,
    signed_memory::SignedMemory,
    store::{NodesOf, Store},
};

#[derive(Debug)]
pub(crate) struct Newest {
    key: LogKey,
    latest: Mutex<Checkpoint>,
    /// When that was signed.
    signed: Mutex<Instant>,
    /// Its size, for whoever waits until the log has grown.
    size: watch::Sender<u64>,
    /// Where it is remembered before anyone is given it.
    memory: Mutex<SignedMemory>,
}

impl Newest {
    /// Begins with a state that is durable, and signs and keeps it.
    ///
    /// # Errors
    /// When the key does not sign, or the folder cannot be written.
    pub(crate) fn begin(key: LogKey, size: u64, root: &Hash, folder: &LockedFolder) -> Result<Self, JournalFault> {
        let latest = key.sign_checkpoint(size, root)?;
        folder.keep_checkpoint(&latest)?;
        let memory = Mutex::new(folder.remember_signed(&latest)?);
        let (latest, signed) = (Mutex::new(latest), Mutex::new(Instant::now()));
        Ok(Self { key, latest, signed, size: watch::Sender::new(size), memory })
    }

    /// Tells its size, each time that it has grown.
    pub(crate) fn growth(&self) -> watch::Receiver<u64> {
        self.size.subscribe()
    }

    /// The newest that was signed here.
    pub(crate) fn get(&self) -> Checkpoint {
        self.lock().clone()
    }

    /// How long ago it was signed.
    pub(crate) fn age(&self) -> Duration {
        self.signed.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// Signs a state that is durable and has grown from a state that was known. Another thread may have signed since, after a
    /// failover even a state of another history: then the two must be one, and else nothing may be signed any more.
    ///
    /// # Errors
    /// When the key does not sign, or the state and the newest one are not of one log.
    pub(crate) fn sign(
        &self,
        known: &Checkpoint,
        (size, root): (u64, &Hash),
        nodes: &impl HashReader,
    ) -> Result<Checkpoint, JournalFault> {
        let mut related = known.clone();
        loop {
            {
                let mut latest = self.lock();
                if *latest == related {
                    let signed = self.key.sign_checkpoint(size, root)?;
                    if latest.size() < signed.size() {
                        self.remember(&signed)?;
                        latest.clone_from(&signed);
                        self.size.send_replace(size);
                        *self.signed.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                    }
                    return Ok(signed);
                }
                related.clone_from(&latest);
            }
            let (one, other) = ((related.size(), related.root()), (size, root));
            if one.0 <= other.0 { check_growth(one, other, nodes)? } else { check_growth(other, one, nodes)? }
        }
    }

    /// The state of the store, signed once it is proven to have grown from the newest that was signed here.
    ///
    /// # Errors
    /// When it cannot be read, or has not grown: then nothing may be signed any more.
    pub(crate) fn follow(&self, store: &dyn Store) -> Result<Checkpoint, JournalFault> {
        // Known before the store is asked: what is signed meanwhile may be newer than what it says.
        let known = self.get();
        let head = store.settled_head()?;
        let grown = check_growth((known.size(), known.root()), (head.tree.size(), &head.root), &NodesOf(store));
        grown.map_err(|fault| of_another_log(fault, store))?;
        if head.tree.size() == known.size() {
            return Ok(known);
        }
        self.sign(&known, (head.tree.size(), &head.root), &NodesOf(store))
    }

    fn remember(&self, signed: &Checkpoint) -> Result<(), JournalFault> {
        let noted = self.memory.lock().unwrap_or_else(PoisonError::into_inner).note(signed);
        noted.map_err(|error| JournalFault::io("write journal.signed", &error))
    }

    fn lock(&self) -> MutexGuard<'_, Checkpoint> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The fault, and where the log is that shows it, when it is not the one that was signed.
pub(crate) fn of_another_log(fault: JournalFault, store: &dyn Store) -> JournalFault {
    if !is_fork(&fault) {
        return fault;
    }
    let detail = format!("{}: {} is not the log that was signed", fault.detail, store.name());
    JournalFault { detail, ..fault }
}

/// Whether a fault says that the log is not the one that was signed.
pub(crate) fn is_fork(fault: &JournalFault) -> bool {
    matches!(fault.kind, JournalFaultKind::Rewound | JournalFaultKind::Corrupt)
}

#[cfg(test)]
mod tests {
    use tlog_tiles::tlog;

    use super::*;
    use crate::folder::DataFolder;

    struct NoNodes;

    impl HashReader for NoNodes {
        fn read_hashes(&self, _: &[u64]) -> Result<Vec<Hash>, tlog::Error> {
            Err(tlog::Error::IndexesNotInTree)
        }
    }

    /// A batch was committed, a failover lost it, and a reader was given the new history before the batch is signed.
    #[test]
    fn two_histories_are_not_signed_by_one_node() {
        let folder = tempfile::tempdir().unwrap();
        let locked = DataFolder::at(folder.path()).lock().unwrap();
        let newest = Newest::begin(LogKey::generate().unwrap(), 3, &Hash([3; 32]), &locked).unwrap();
        let known = newest.get();
        let signed = newest.sign(&known, (4, &Hash([4; 32])), &NoNodes).unwrap();
        assert!(newest.age() < Duration::from_secs(60));
        assert_eq!((signed.size(), newest.get().size()), (4, 4), "nobody signed since, and nothing is asked");
        let lost = newest.sign(&known, (4, &Hash([5; 32])), &NoNodes).unwrap_err();
        assert!(is_fork(&lost), "{lost}");
        assert!(newest.sign(&known, (4, &Hash([4; 32])), &NoNodes).is_ok(), "the same state is no other history");
    }
}
