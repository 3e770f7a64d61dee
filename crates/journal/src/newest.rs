//! The newest signed state: what this process has appended, or what other nodes have made of the log since.
//!
//! Whoever reads a shared log is given the state of the database, not the one that this node signed last. A node signs what
//! is committed and replicated, so that the state which any node gave before is never ahead of the database, nor of a standby
//! that commits wait for: a reader that goes from node to node never sees the log shrink.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    key::LogKey,
    store::{NodesOf, Store},
    tree::{Hash, check_growth},
};

#[derive(Debug)]
pub(crate) struct Newest {
    key: LogKey,
    latest: Mutex<Checkpoint>,
}

impl Newest {
    /// Begins with a state that is durable, and signs it.
    ///
    /// # Errors
    /// When the key does not sign.
    pub(crate) fn begin(key: LogKey, size: u64, root: &Hash) -> Result<Self, JournalFault> {
        let latest = Mutex::new(Checkpoint::sign(&key, size, root)?);
        Ok(Self { key, latest })
    }

    /// The newest that was signed here.
    pub(crate) fn get(&self) -> Checkpoint {
        self.lock().clone()
    }

    /// Signs a state that is durable and has grown from what is known.
    ///
    /// # Errors
    /// When the key does not sign.
    pub(crate) fn sign(&self, size: u64, root: &Hash) -> Result<Checkpoint, JournalFault> {
        let signed = Checkpoint::sign(&self.key, size, root)?;
        let mut latest = self.lock();
        if latest.size() < signed.size() {
            latest.clone_from(&signed);
        }
        Ok(signed)
    }

    /// The state of the store, signed once it is proven to have grown from the newest that was signed here.
    ///
    /// # Errors
    /// When it cannot be read, or has not grown: then nothing may be signed any more.
    pub(crate) fn follow(&self, store: &dyn Store) -> Result<Checkpoint, JournalFault> {
        // Known before the store is asked: what is signed meanwhile may be newer than what it says.
        let known = self.get();
        let head = store.settled_head()?;
        check_growth((known.size(), known.root()), (head.tree.size(), &head.root), &NodesOf(store)).map_err(
            |fault| {
                let detail = format!("{}: the database is not the one that was signed", fault.detail);
                JournalFault { detail, ..fault }
            },
        )?;
        if head.tree.size() == known.size() { Ok(known) } else { self.sign(head.tree.size(), &head.root) }
    }

    fn lock(&self) -> MutexGuard<'_, Checkpoint> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a fault says that the log is not the one that was signed.
pub(crate) fn is_fork(fault: &JournalFault) -> bool {
    matches!(fault.kind, JournalFaultKind::Rewound | JournalFaultKind::Corrupt)
}
