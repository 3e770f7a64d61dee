//! Opening a journal: the folder, the store, the key, and everything that must hold before the first record.

use std::{path::Path, sync::Arc};

pub use crate::location::{Backend, Location};
use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    public_key::{PublicKey, PublicKeys},
    tree::{MerkleTree, check_growth},
};

use crate::{
    attribution::AttributionFilter,
    check::{self, Depth, Found},
    endpoints,
    folder::{DataFolder, LockedFolder},
    joining::Joining,
    log_key::LogKey,
    origin::LogOrigin,
    postgres::Postgres,
    remembered::{self, RememberedState},
    sqlite::{Sqlite, check_room},
    store::{Access, NodesOf, Store, StoreWork},
    writer::Journal,
};

#[derive(Debug)]
pub struct LogReader {
    pub store: Arc<dyn Store>,
    pub keys: PublicKeys,
    pub folder: DataFolder,
}

/// What a start would find, of a log that it could write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteTrial {
    /// There is no log yet: it would begin.
    Begins,
    /// A log that holds.
    Holds(TriedLog),
    /// Another process writes to it now, so that only what is there was looked at.
    InUse(TriedLog),
}

/// What a start would find of a log that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriedLog {
    pub records: u64,
    /// The key that was announced as the next, where its secret half is not in the folder: the service signs without it.
    pub missing_next: Option<PublicKey>,
}

impl Location {
    /// Everything that [`Location::write_named`] looks at before it writes. No file is changed but `-shm`.
    ///
    /// # Errors
    /// What a start would be refused for, but for another process that writes.
    pub fn try_write(&self, origin: Option<&LogOrigin>) -> Result<WriteTrial, JournalFault> {
        let folder = DataFolder::at(&self.folder);
        folder.check_usable()?;
        self.check_room()?;
        if folder.is_in_use() {
            // Of files that somebody writes to, a look at the bytes says nothing.
            let reader = self.read()?;
            LogOrigin::check(origin, reader.keys.origin())?;
            check::own_key(&folder, reader.store.as_ref())?;
            reader.store.check_rights(StoreWork::Recording)?;
            let missing_next = check::missing_next(&folder, reader.store.as_ref())?;
            return Ok(WriteTrial::InUse(TriedLog { records: reader.store.head()?.tree.size(), missing_next }));
        }
        Ok(match self.check(&folder, &Joining::Remembering, origin)? {
            Found::Log(log) => {
                WriteTrial::Holds(TriedLog { records: log.state().0, missing_next: log.missing_next.clone() })
            }
            Found::Nothing => WriteTrial::Begins,
        })
    }

    /// Opens the journal for writing. The end of the log is checked before, the whole of it in the background; a log that
    /// does not hold is left as it is, and so is its folder.
    ///
    /// # Errors
    /// Whatever does not hold, by name.
    pub fn write(&self) -> Result<Journal, JournalFault> {
        self.write_joining(&Joining::Remembering)
    }

    /// The same for a folder that may join a shared log for the first time.
    ///
    /// # Errors
    /// As [`Location::write`].
    pub fn write_joining(&self, joining: &Joining) -> Result<Journal, JournalFault> {
        self.write_named(joining, None)
    }

    /// The same for a log of this name: one that begins gets it, and one that has another is refused.
    ///
    /// # Errors
    /// As [`Location::write`].
    pub fn write_named(&self, joining: &Joining, origin: Option<&LogOrigin>) -> Result<Journal, JournalFault> {
        self.knowing(joining.timelines()).write_known(joining, origin)
    }

    fn write_known(&self, joining: &Joining, origin: Option<&LogOrigin>) -> Result<Journal, JournalFault> {
        let folder = DataFolder::at(&self.folder);
        folder.check_usable()?;
        self.check_room()?;
        // Where nobody has been yet, the file of the lock would be the first thing that is written.
        if !folder.has_lock_file() {
            self.check(&folder, joining, origin)?;
        }
        let locked = folder.lock()?;
        let found = self.check(&folder, joining, origin)?;
        let store = self.store(Access::Write)?;
        let (key, keys) = match found {
            Found::Log(log) => {
                let head = store.head()?;
                check_growth(log.state(), (head.tree.size(), &head.root), &NodesOf(store.as_ref()))?;
                (log.key, log.keys)
            }
            Found::Nothing => begin(store.as_ref(), &locked, origin)?,
        };
        locked.settle_key(&key, store.own_keys()?.as_ref().unwrap_or(&keys))?;
        locked.keep_public_keys(&keys)?;
        locked.keep_hand_overs(&store.hand_overs()?)?;
        // Readers of an embedded store wait for each other, and this one reads for long.
        let audited = match self.backend {
            Backend::Embedded => self.store(Access::Read)?,
            Backend::Shared(_) => Arc::clone(&store),
        };
        Journal::start(store, key, keys, locked, audited)
    }

    /// Opens the log for reading; another process may be writing to it.
    ///
    /// # Errors
    /// When it is not there or has not begun.
    pub fn read(&self) -> Result<LogReader, JournalFault> {
        let folder = DataFolder::at(&self.folder);
        // The first to open the files after a crash makes `-shm` anew, so that a reader looks at them before as well. Of files
        // that somebody writes to, a look says nothing.
        let store: Arc<dyn Store> = match self.backend {
            Backend::Embedded if !folder.is_in_use() => match Sqlite::open_still(&folder.database()) {
                Err(_) if folder.is_in_use() => self.store(Access::Read)?,
                opened => Arc::new(opened.map_err(|fault| if_remembered(fault, &folder))?),
            },
            Backend::Embedded | Backend::Shared(_) => {
                self.store(Access::Read).map_err(|fault| if_remembered(fault, &folder))?
            }
        };
        let keys = store.keys()?.ok_or_else(|| not_begun(&folder))?;
        Ok(LogReader { store, keys, folder })
    }

    /// Opens the store by itself. For writing it is made when it is missing, so that [`Location::found`] comes before.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn store(&self, access: Access) -> Result<Arc<dyn Store>, JournalFault> {
        Ok(match &self.backend {
            Backend::Embedded => {
                let database = DataFolder::at(&self.folder).database();
                if access == Access::Write && !Sqlite::exists(&database)? {
                    Sqlite::create(&database)?;
                }
                Arc::new(Sqlite::open(&database, access)?)
            }
            Backend::Shared(settings) => Arc::new(Postgres::open(&self.remembering(settings)?, access)?),
        })
    }

    /// The store for checking, when there is one. Nothing is written.
    ///
    /// # Errors
    /// When it is damaged or cannot be opened.
    pub fn found(&self) -> Result<Option<Arc<dyn Store>>, JournalFault> {
        match &self.backend {
            Backend::Embedded if !Sqlite::exists(&DataFolder::at(&self.folder).database())? => Ok(None),
            Backend::Embedded => self.store(Access::Check).map(Some),
            Backend::Shared(_) => match self.store(Access::Check) {
                Err(fault) if fault.kind == JournalFaultKind::Missing => Ok(None),
                opened => opened.map(Some),
            },
        }
    }

    /// Checks a log whose key is lost, an embedded one whole, and gives its public keys. Nothing is written.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn check_without_key(&self) -> Result<PublicKeys, JournalFault> {
        let folder = DataFolder::at(&self.folder);
        if folder.has_lock_file() {
            drop(folder.lock()?);
        }
        self.check_log(&folder, &Joining::Looking)
    }

    /// Deletes who asked for records, and tells for how many. An embedded log is checked whole before, and nobody else may
    /// write to it; nodes of a shared one go on.
    ///
    /// # Errors
    /// When the log does not hold, or the names are not gone.
    pub fn forget(&self, of: &AttributionFilter) -> Result<u64, JournalFault> {
        // Names are in no hash: an older database loses nothing by it that a newer one has.
        let _taken = self.take_for_change(&Joining::Looking)?;
        self.store(Access::Write)?.forget(of)
    }

    /// Checks a log that is about to be changed otherwise than by growth: an embedded one whole, and nobody else may write to
    /// it; nodes of a shared one go on.
    pub(crate) fn take_for_change(&self, joining: &Joining) -> Result<Option<LockedFolder>, JournalFault> {
        let folder = DataFolder::at(&self.folder);
        match self.backend {
            Backend::Embedded => {
                self.check_without_key()?;
                folder.lock().map(Some)
            }
            Backend::Shared(_) => self.check_log(&folder, joining).map(|_| None),
        }
    }

    fn check_log(&self, folder: &DataFolder, joining: &Joining) -> Result<PublicKeys, JournalFault> {
        let store = self.found()?.ok_or_else(|| not_begun(folder))?;
        let keys = store.keys()?.ok_or_else(|| not_begun(folder))?;
        let depth = if store.is_shared() { Depth::End } else { Depth::Whole };
        check::state(store.as_ref(), folder, &keys, depth, joining)?;
        check_all(&self.remembered_by_endpoints()?, store.as_ref())?;
        Ok(keys)
    }

    fn check(&self, folder: &DataFolder, joining: &Joining, origin: Option<&LogOrigin>) -> Result<Found, JournalFault> {
        let found = match (self.found()?, &self.backend) {
            (Some(store), _) => {
                let found = check::log(store.as_ref(), folder, joining)?;
                store.check_rights(StoreWork::Recording)?;
                if matches!(found, Found::Log(_)) {
                    check_all(&self.remembered_by_endpoints()?, store.as_ref())?;
                }
                Ok(found)
            }
            (None, Backend::Embedded) => check::no_database(folder, joining),
            (None, Backend::Shared(_)) => check::no_tables(folder, joining),
        }?;
        match &found {
            Found::Log(log) => LogOrigin::check(origin, log.keys.origin())?,
            // A log may begin with a key that was made before.
            Found::Nothing => {
                folder.key()?.map_or(Ok(()), |key| LogOrigin::check(origin, key.origin()))?;
                self.remembered_by_endpoints()?.iter().try_for_each(RememberedState::check_none)?;
            }
        }
        Ok(found)
    }

    /// What the endpoints of webhooks remember of the log. A store of them that is damaged keeps no log from its start.
    pub(crate) fn remembered_by_endpoints(&self) -> Result<Vec<RememberedState>, JournalFault> {
        let states = match endpoints::find(self) {
            Ok(None) => return Ok(Vec::new()),
            Ok(Some(endpoints)) => remembered::by_endpoints(endpoints.as_ref()),
            Err(fault) => Err(fault),
        };
        match states {
            Err(fault) if matches!(fault.kind, JournalFaultKind::Unusable | JournalFaultKind::Drift) => Ok(Vec::new()),
            states => states,
        }
    }

    /// Checks a log that is open for reading against everything that is remembered of it here.
    ///
    /// # Errors
    /// What remembers another log, by name.
    pub fn check_remembered(&self, reading: &LogReader) -> Result<(), JournalFault> {
        remembered::check_hand_overs(&reading.folder, &reading.keys, &reading.store.hand_overs()?)?;
        remembered::check_public_keys(&reading.folder, &reading.keys)?;
        let mut states = remembered::by_folder(&reading.folder, &reading.keys)?;
        states.extend(self.remembered_by_endpoints()?);
        // A running service goes on: the head is read last, so that it is never behind what is remembered.
        check_all(&states, reading.store.as_ref())
    }

    /// The room on the disk where the folder is or will be.
    fn check_room(&self) -> Result<(), JournalFault> {
        let there = self.folder.ancestors().find(|path| path.exists());
        check_room(there.unwrap_or(Path::new(".")))
    }
}

impl LogReader {
    /// The newest signed state: of the log as it is when its key is here, else the one that is kept in the folder.
    ///
    /// # Errors
    /// When there is neither, or the kept one is not a state of this log.
    pub fn newest(&self) -> Result<Checkpoint, JournalFault> {
        // A running service goes on: the head is read after the checkpoint, so that it is never behind it.
        let kept = self.folder.checkpoint(&self.keys)?;
        let head = self.store.head()?;
        if let Some(kept) = &kept {
            check_growth((kept.size(), kept.root()), (head.tree.size(), &head.root), &NodesOf(self.store.as_ref()))?;
        }
        let own = || check::own_key(&self.folder, self.store.as_ref()).ok();
        match (kept, self.folder.key()?.and_then(|_| own())) {
            (Some(kept), _) if kept.size() == head.tree.size() => Ok(kept),
            (kept, Some(key)) => {
                // What a node signs has grown from what its folder remembers, whichever command it is.
                if kept.is_none() && head.tree.size() > 0 {
                    return Err(JournalFault::new(
                        if self.store.is_shared() { JournalFaultKind::Unremembered } else { JournalFaultKind::Rewound },
                        "this folder remembers no state of the log, so that its key signs none",
                    ));
                }
                match (self.store.settled_head(), kept) {
                    (Ok(head), _) => key.sign_checkpoint(head.tree.size(), &head.root),
                    // A role that only reads cannot wait for the standby. The node itself signed what its folder has.
                    (Err(fault), Some(kept)) if fault.kind == JournalFaultKind::Unusable => Ok(kept),
                    (Err(fault), _) => Err(fault),
                }
            }
            (Some(kept), _) => Ok(kept),
            (None, _) => Err(JournalFault::new(
                JournalFaultKind::Missing,
                "there is no signed checkpoint yet, and journal.key, which could sign one, is missing in the data folder",
            )),
        }
    }

    /// The tree at a signed state.
    ///
    /// # Errors
    /// When the store's nodes do not lead to its root.
    pub fn tree_at(&self, checkpoint: &Checkpoint) -> Result<MerkleTree, JournalFault> {
        check::tree_at(self.store.as_ref(), checkpoint.size(), checkpoint.root())
    }
}

/// Checks that the log has grown from every state that is remembered.
fn check_all(states: &[RememberedState], store: &dyn Store) -> Result<(), JournalFault> {
    let head = store.head()?;
    states.iter().try_for_each(|state| state.check((head.tree.size(), &head.root), &NodesOf(store)))
}

/// Why there is no log: it has not begun, or it is gone.
fn not_begun(folder: &DataFolder) -> JournalFault {
    let detail = "the journal has not begun: it has no key; `svc-registry journal init --first-node` begins it";
    if_remembered(JournalFault::new(JournalFaultKind::Missing, detail), folder)
}

/// A log that is missing although its folder remembers a state of it was emptied or deleted.
fn if_remembered(fault: JournalFault, folder: &DataFolder) -> JournalFault {
    let has_key = matches!(folder.key(), Ok(Some(_)));
    if fault.kind != JournalFaultKind::Missing || !(folder.has_checkpoint() || has_key) {
        return fault;
    }
    // How a log begins is no way out here, and is left out of what was found.
    let found = fault.detail.split_once("; ").map_or(fault.detail.as_str(), |(found, _)| found);
    let what = if folder.has_checkpoint() { "remembers a state of the log" } else { "has the key of a log" };
    let detail = format!("the data folder {what}, and the log is gone: {found}");
    JournalFault::new(JournalFaultKind::Rewound, detail)
}

/// Makes the key of a log that begins, unless one is here for it, and tells the log.
fn begin(
    store: &dyn Store,
    locked: &LockedFolder,
    origin: Option<&LogOrigin>,
) -> Result<(LogKey, PublicKeys), JournalFault> {
    // Another node may have been quicker.
    if let Some(keys) = store.keys()? {
        LogOrigin::check(origin, keys.origin())?;
        return Ok((check::own_key(locked.folder(), store)?, keys));
    }
    let own = locked.folder().key()?;
    let is_made = own.is_none();
    let key = match (own, origin) {
        (Some(key), _) => key,
        (None, Some(origin)) => LogKey::generate_for(origin.as_str())?,
        (None, None) => LogKey::generate()?,
    };
    let keys = PublicKeys::one(key.public().clone());
    locked.keep_key(&key, &keys)?;
    store.add_key(1, key.public(), None)?;
    let begun = store.keys()?.filter(|begun| begun.as_slice().first() == Some(key.public()));
    let other = || {
        JournalFault::new(
            JournalFaultKind::WrongKey,
            "another node began the log with another key; copy its journal.key into the data folder",
        )
    };
    let Some(begun) = begun else {
        // A key that was made for nothing would be taken for that of the log.
        if is_made {
            locked.discard_key()?;
        }
        return Err(other());
    };
    Ok((key, begun))
}
