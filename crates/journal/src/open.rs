//! Opening a journal: the folder, the store, the key, and everything that must hold before the first record.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    check::{self, Found},
    checkpoint::Checkpoint,
    fault::{Fault, FaultKind},
    folder::{Folder, Locked},
    key::{LogKey, PublicKeys},
    postgres::{Postgres, Settings},
    sqlite::{Sqlite, check_room},
    store::{Access, NodesOf, Store},
    tree::{Tree, check_growth},
    writer::Journal,
};

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
    /// Opens the journal for writing. An embedded log is checked whole, of a shared one the end; a log that does not hold
    /// is left as it is, and so is its folder.
    ///
    /// # Errors
    /// Whatever does not hold, by name.
    pub fn write(&self) -> Result<Journal, Fault> {
        let folder = Folder::at(&self.folder);
        self.check_room()?;
        // Where nobody has been yet, the file of the lock would be the first thing that is written.
        if !folder.has_lock_file() {
            self.check(&folder)?;
        }
        let locked = folder.lock()?;
        let found = self.check(&folder)?;
        let store = self.store(Access::Write)?;
        let (key, keys) = match found {
            Found::Log(log) => {
                let head = store.head()?;
                check_growth(log.state(), (head.tree.size(), &head.root), &NodesOf(store.as_ref()))?;
                (log.key, log.keys)
            }
            Found::Nothing => begin(store.as_ref(), &locked)?,
        };
        locked.keep_public_keys(&keys)?;
        Journal::start(store, key, keys, locked)
    }

    /// Opens the log for reading; another process may be writing to it.
    ///
    /// # Errors
    /// When it is not there or has not begun.
    pub fn read(&self) -> Result<Reading, Fault> {
        let folder = Folder::at(&self.folder);
        // The first to open the files after a crash makes `-shm` anew, so that a reader looks at them before as well. Of files
        // that somebody writes to, a look says nothing.
        let store: Arc<dyn Store> = match self.place {
            Place::Embedded if !folder.is_in_use() => match Sqlite::open_still(&folder.database()) {
                Err(_) if folder.is_in_use() => self.store(Access::Read)?,
                opened => Arc::new(opened?),
            },
            Place::Embedded | Place::Shared(_) => self.store(Access::Read)?,
        };
        let keys = store.keys()?.ok_or_else(|| Fault::new(FaultKind::Missing, "the journal has not begun"))?;
        Ok(Reading { store, keys, folder })
    }

    /// Opens the store by itself. For writing it is made when it is missing, so that [`Location::found`] comes before.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn store(&self, access: Access) -> Result<Arc<dyn Store>, Fault> {
        Ok(match &self.place {
            Place::Embedded => {
                let database = Folder::at(&self.folder).database();
                if access == Access::Write && !Sqlite::exists(&database)? {
                    Sqlite::create(&database)?;
                }
                Arc::new(Sqlite::open(&database, access)?)
            }
            Place::Shared(settings) => Arc::new(Postgres::open(settings, access)?),
        })
    }

    /// The store for checking, when there is one. Nothing is written.
    ///
    /// # Errors
    /// When it is damaged or cannot be opened.
    pub fn found(&self) -> Result<Option<Arc<dyn Store>>, Fault> {
        match &self.place {
            Place::Embedded if !Sqlite::exists(&Folder::at(&self.folder).database())? => Ok(None),
            Place::Embedded => self.store(Access::Check).map(Some),
            Place::Shared(_) => match self.store(Access::Check) {
                Err(fault) if fault.kind == FaultKind::Missing => Ok(None),
                opened => opened.map(Some),
            },
        }
    }

    /// Checks a log whose key is lost as a start would, and gives its public keys. Nothing is written.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn check_without_key(&self) -> Result<PublicKeys, Fault> {
        let folder = Folder::at(&self.folder);
        if folder.has_lock_file() {
            drop(folder.lock()?);
        }
        let not_begun = || Fault::new(FaultKind::Missing, "the journal has not begun");
        let store = self.found()?.ok_or_else(not_begun)?;
        let keys = store.keys()?.ok_or_else(not_begun)?;
        check::state(store.as_ref(), &folder, &keys)?;
        Ok(keys)
    }

    fn check(&self, folder: &Folder) -> Result<Found, Fault> {
        match (self.found()?, &self.place) {
            (Some(store), _) => check::log(store.as_ref(), folder),
            (None, Place::Embedded) => check::no_database(folder),
            (None, Place::Shared(_)) => check::no_tables(folder),
        }
    }

    /// The room on the disk where the folder is or will be.
    fn check_room(&self) -> Result<(), Fault> {
        let there = self.folder.ancestors().find(|path| path.exists());
        check_room(there.unwrap_or(Path::new(".")))
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
        check::tree_at(self.store.as_ref(), checkpoint.size(), checkpoint.root())
    }
}

/// Makes the key of a log that begins, unless one is here for it, and tells the log.
fn begin(store: &dyn Store, locked: &Locked) -> Result<(LogKey, PublicKeys), Fault> {
    // Another node may have been quicker.
    if let Some(keys) = store.keys()? {
        return Ok((check::own_key(locked.folder(), &keys)?, keys));
    }
    let key = locked.folder().key()?.map_or_else(LogKey::generate, Ok)?;
    let keys = PublicKeys::one(key.public().clone());
    locked.keep_key(&key, &keys)?;
    store.add_key(1, key.public())?;
    let begun = store.keys()?.filter(|begun| begun.as_slice().first() == Some(key.public()));
    let other = || Fault::new(FaultKind::WrongKey, "another node began the log with another key");
    Ok((key, begun.ok_or_else(other)?))
}
