//! Opening a journal: the folder, the store, the key, and everything that must hold before the first record.

use std::{path::PathBuf, sync::Arc};

use crate::{
    audit::{self, Mark},
    checkpoint::Checkpoint,
    fault::{Fault, FaultKind},
    folder::{Folder, Locked},
    key::{LogKey, PublicKeys},
    postgres::{Postgres, Settings},
    source::StoreSource,
    sqlite::{Access, Sqlite, check_room},
    store::{Head, NodesOf, Store},
    tree::{Tree, check_growth, edge_indexes},
    writer::Journal,
};

/// How much of a shared log a node reads before it takes part: other nodes are at work, and it may be long.
const RECENT: u64 = 4096;

/// Where a log is.
#[derive(Clone, Debug)]
pub enum Place {
    /// In the data folder.
    Embedded,
    /// In a database that several nodes share.
    Shared(Box<Settings>),
}

/// A log and the folder that belongs to it.
#[derive(Clone, Debug)]
pub struct Location {
    /// Where the log is.
    pub place: Place,
    /// Where its key and its last checkpoint are.
    pub folder: PathBuf,
}

/// A log that is open for reading.
#[derive(Debug)]
pub struct Reading {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Its public keys.
    pub keys: PublicKeys,
    /// Its folder.
    pub folder: Folder,
}

impl Location {
    /// Opens the journal for writing. An embedded log is checked whole, of a shared one the end.
    ///
    /// # Errors
    /// Whatever does not hold, by name.
    pub fn write(&self) -> Result<Journal, Fault> {
        let locked = Folder::at(&self.folder).lock()?;
        check_room(locked.folder().path())?;
        let store = self.store(Access::Write)?;
        let (key, keys) = keys_for(store.as_ref(), &locked)?;
        check_state(store.as_ref(), locked.folder(), &keys)?;
        locked.keep_public_keys(&keys)?;
        Journal::start(store, key, keys, locked)
    }

    /// Opens the log for reading; another process may be writing to it.
    ///
    /// # Errors
    /// When it is not there or has not begun.
    pub fn read(&self) -> Result<Reading, Fault> {
        let store = self.store(Access::Read)?;
        let keys = store.keys()?.ok_or_else(|| Fault::new(FaultKind::Missing, "the journal has not begun"))?;
        Ok(Reading { store, keys, folder: Folder::at(&self.folder) })
    }

    /// Opens the store by itself.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn store(&self, access: Access) -> Result<Arc<dyn Store>, Fault> {
        Ok(match &self.place {
            Place::Embedded => Arc::new(Sqlite::open(&Folder::at(&self.folder).database(), access)?),
            Place::Shared(settings) => Arc::new(Postgres::open(settings, access)?),
        })
    }
}

impl Reading {
    /// The newest signed state: of the log as it is when its key is here, else the one that is kept in the folder.
    ///
    /// # Errors
    /// When there is neither, or the kept one is not a state of this log.
    pub fn newest(&self) -> Result<Checkpoint, Fault> {
        // A running service goes on: the head is read after the checkpoint, so that it is never behind it.
        let kept = self.folder.checkpoint(&self.keys)?;
        let head = self.store.head()?;
        if let Some(kept) = &kept {
            check_growth((kept.size(), kept.root()), (head.tree.size(), &head.root), &NodesOf(self.store.as_ref()))?;
        }
        match (kept, self.folder.key()?) {
            (Some(kept), _) if kept.size() == head.tree.size() => Ok(kept),
            (_, Some(key)) if self.keys.contains(key.public()) => Checkpoint::sign(&key, head.tree.size(), &head.root),
            (Some(kept), _) => Ok(kept),
            (None, _) => Err(Fault::new(FaultKind::Missing, "there is no checkpoint, and the key is not here")),
        }
    }

    /// The tree at a signed state.
    ///
    /// # Errors
    /// When the store's nodes do not lead to its root.
    pub fn tree_at(&self, checkpoint: &Checkpoint) -> Result<Tree, Fault> {
        tree_at(self.store.as_ref(), checkpoint.size(), checkpoint.root())
    }
}

/// The key of a log: made when the log begins, and from then on the one that it began with or was given later.
fn keys_for(store: &dyn Store, locked: &Locked) -> Result<(LogKey, PublicKeys), Fault> {
    let known = store.keys()?;
    let here = locked.folder().key()?;
    match (known, here) {
        (Some(keys), Some(key)) if keys.as_slice().first() == Some(key.public()) => Ok((key, keys)),
        (Some(keys), Some(key)) if keys.contains(key.public()) => {
            Err(Fault::new(FaultKind::WrongKey, "the key in the folder is an earlier one of this log"))
        }
        (Some(_), Some(_)) => Err(Fault::new(FaultKind::WrongKey, "the key in the folder is not the one of this log")),
        (Some(_), None) => Err(Fault::new(FaultKind::WrongKey, "the log's key is not in the folder")),
        (None, here) => {
            if store.head()?.tree.size() > 0 {
                return Err(Fault::corrupt("the log has records and no key"));
            }
            let key = here.map_or_else(LogKey::generate, Ok)?;
            let keys = PublicKeys::one(key.public().clone());
            locked.keep_key(&key, &keys)?;
            store.add_key(1, key.public())?;
            let begun = store.keys()?.filter(|begun| begun.as_slice().first() == Some(key.public()));
            let other = || Fault::new(FaultKind::WrongKey, "another node began the log with another key");
            Ok((key, begun.ok_or_else(other)?))
        }
    }
}

/// The store against the checkpoint outside it, and its records against its tree.
fn check_state(store: &dyn Store, folder: &Folder, keys: &PublicKeys) -> Result<(), Fault> {
    let head = store.head()?;
    let kept = folder.checkpoint(keys)?;
    let mut marks = vec![Mark { name: "the journal's head".to_owned(), size: head.tree.size(), root: head.root }];
    match &kept {
        Some(kept) => {
            let nodes = NodesOf(store);
            check_growth((kept.size(), kept.root()), (head.tree.size(), &head.root), &nodes)?;
            let name = "the checkpoint outside the database".to_owned();
            marks.push(Mark { name, size: kept.size(), root: *kept.root() });
        }
        None if store.is_shared() || head.tree.size() == 0 => {}
        None => {
            let detail = "the checkpoint that is kept outside the database is gone";
            return Err(Fault::new(FaultKind::Rewound, detail));
        }
    }
    if !store.is_shared() && !store.rows(head.tree.size(), 1)?.is_empty() {
        return Err(Fault::corrupt("there are records behind the end of the log"));
    }
    let start = if store.is_shared() { recent(store, &head)? } else { Tree::empty() };
    marks.retain(|mark| mark.size >= start.size());
    audit::audit_from(&mut StoreSource::new(store), start, marks, &mut |_| {}).map(|_| ())
}

/// The tree before the last records of a log.
fn recent(store: &dyn Store, head: &Head) -> Result<Tree, Fault> {
    let size = head.tree.size().saturating_sub(RECENT);
    let nodes = NodesOf(store);
    let root = crate::tree::root_of(size, &nodes)?;
    check_growth((size, &root), (head.tree.size(), &head.root), &nodes)?;
    tree_at(store, size, &root)
}

fn tree_at(store: &dyn Store, size: u64, root: &crate::tree::Hash) -> Result<Tree, Fault> {
    let edge: Vec<u8> = store.hashes(&edge_indexes(size))?.iter().flat_map(|hash| hash.0).collect();
    Tree::restore(size, &edge, root)
}
