//! A log that gets its next key: announced first, then changed.
//!
//! The announcement is a note of the key that signs now. From the next start on both keys sign, so that every reader has time
//! to follow; the change ends that. The secret is on the disk before the log hears of its public half, and takes its place
//! after that: whenever this is cut short, the folder has the key that the log has, and the next start or the next run ends it.

use std::sync::Arc;

use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    hand_over::{HandOverNotes, KeyHandOver},
    public_key::{PublicKey, PublicKeys},
};

use crate::{
    check::{self, Depth},
    folder::{DataFolder, LockedFolder},
    joining::Joining,
    log_key::LogKey,
    open::Location,
    remembered,
    store::{Access, Store, StoreWork, log_start},
};

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The newest key of the log.
    pub public: PublicKey,
    /// Whether the key before signed it.
    pub handed_over: bool,
    /// Whether it was made before, to be announced or to come next, so that it is not new.
    pub was_made_before: bool,
    /// Whether other nodes may have the log too.
    pub is_shared: bool,
}

/// What became of an announcement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// The next key of the log.
    pub public: PublicKey,
    /// Whether it was announced before.
    pub was_known: bool,
    /// Whether its secret half is in the data folder.
    pub is_here: bool,
}

/// Which key the log may change to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The one that was announced, or a new one where the key is lost and nobody can announce.
    Announced,
    /// A new one at once, where none was made before: for a key that somebody else has.
    AtOnce,
    /// A new one in place of the one that was announced, whose secret half is lost for good.
    NextIsLost,
}

/// A log that is taken for a change of its keys. So far it was read alone: what is refused leaves every file as it was.
struct Taken<'l> {
    location: &'l Location,
    locked: LockedFolder,
    /// The keys that the log has, the newest first.
    own: PublicKeys,
    /// The one that was announced, as the log or this folder knows it.
    announced: Option<PublicKey>,
    /// The key that signs now; none where it is lost.
    key: Option<LogKey>,
}

impl<'l> Taken<'l> {
    /// Checks the whole log and takes it. The new key signs the state that is there: that must have grown from what this
    /// folder remembers.
    fn from(location: &'l Location) -> Result<Self, JournalFault> {
        let known = location.check_without_key()?;
        let locked = DataFolder::at(&location.folder).lock()?;
        let folder = locked.folder();
        let store = location.store(Access::Read)?;
        store.check_rights(StoreWork::ChangingKeys)?;
        check::state(store.as_ref(), folder, &known, Depth::End, &Joining::Remembering)?;
        let own = store.own_keys()?.unwrap_or(known);
        remembered::check_one_history(folder, &own, &store.hand_overs()?)?;
        let announced = match store.hand_overs()?.announced(&own)? {
            Some(announced) => Some(announced),
            None => folder.hand_overs()?.announced(&own)?,
        };
        // A key that is not this log's is no reason to pass for a lost one.
        let is_there = folder.key()?.is_some();
        let key = is_there.then(|| check::key_of(folder, &own, announced.as_ref(), store.is_shared())).transpose()?;
        Ok(Self { location, locked, own, announced, key })
    }

    /// Opens the log for the change. It gets the note back that its folder remembers: readers may have seen it.
    fn open(&self) -> Result<Arc<dyn Store>, JournalFault> {
        let store = self.location.store(Access::Write)?;
        if let (Some(newest), Some(next)) = (self.own.as_slice().first(), &self.announced)
            && store.hand_overs()?.note_between(newest, next).is_none()
            && let Some(note) = self.locked.folder().hand_overs()?.note_between(newest, next)
        {
            store.announce_key(self.next_number(), note)?;
        }
        Ok(store)
    }

    /// The key that was made to come next and that the log has not heard of. Made once, it stays the next one: its note may have
    /// been seen, and a second would be another history of the keys.
    fn made_before(&self) -> Result<Option<LogKey>, JournalFault> {
        let kept = self.locked.folder().next_key()?.filter(|kept| !self.own.contains(kept.public()));
        match kept {
            Some(kept) if kept.origin() != self.own.origin() => Err(JournalFault::new(
                JournalFaultKind::WrongKey,
                "journal.key.next must be the next key of this log, and is one of another: move it out of the data folder",
            )),
            kept => Ok(kept),
        }
    }

    /// Whether the secret half of a key is in the folder.
    fn has_secret_of(&self, public: &PublicKey) -> Result<bool, JournalFault> {
        let folder = self.locked.folder();
        let is_it = |key: Option<LogKey>| key.is_some_and(|key| key.public() == public);
        Ok(is_it(folder.next_key()?) || is_it(folder.key()?))
    }

    /// The number of the key after these.
    fn next_number(&self) -> usize {
        self.own.as_slice().len() + 1
    }

    /// Keeps what is for everyone.
    fn publish(&self, store: &dyn Store) -> Result<HandOverNotes, JournalFault> {
        let notes = store.hand_overs()?;
        self.locked.keep_public_keys(&store.keys()?.unwrap_or_else(|| self.own.clone()))?;
        self.locked.keep_hand_overs(&notes)?;
        Ok(notes)
    }
}

/// Announces the next key of a log: makes it, and signs its public half with the key that the log has. Announced once, it
/// stays the next one: a second would be another history of the keys.
///
/// # Errors
/// When the log does not hold, somebody writes to it, its key is not here, or the next one cannot be kept.
pub fn announce_key(location: &Location) -> Result<Announced, JournalFault> {
    let taken = Taken::from(location)?;
    if let Some(public) = &taken.announced {
        taken.publish(taken.open()?.as_ref())?;
        return Ok(Announced { public: public.clone(), was_known: true, is_here: taken.has_secret_of(public)? });
    }
    let Some(key) = &taken.key else {
        let detail =
            "journal.key, the key of this log, is missing in the data folder: nothing else can announce the next";
        return Err(JournalFault::new(JournalFaultKind::WrongKey, detail));
    };
    let kept = taken.made_before()?;
    let is_kept = kept.is_some();
    let next = kept.map_or_else(|| LogKey::generate_for(taken.own.origin()), Ok)?;
    let note = key.hand_over_to(next.public())?;
    let store = taken.open()?;
    if !is_kept {
        // A change that was cut short leaves the key of the log under the name of the next one.
        taken.locked.settle_key(key, &taken.own)?;
        taken.locked.keep_next_key(&next)?;
    }
    store.announce_key(taken.next_number(), note.text())?;
    if store.hand_overs()?.announced(&taken.own)?.as_ref() != Some(next.public()) {
        return Err(another_process());
    }
    taken.publish(store.as_ref())?;
    Ok(Announced { public: next.public().clone(), was_known: false, is_here: true })
}

/// Gives the log its next key, or ends a change that was cut short. The whole log is checked before.
///
/// # Errors
/// When the log does not hold, somebody writes to it, no next key was announced, or the key cannot be kept.
pub fn rotate_key(location: &Location, change: Change) -> Result<Rotated, JournalFault> {
    let taken = Taken::from(location)?;
    let (key, announced) = next_key(&taken, change)?;
    let was_made_before = taken.made_before()?.is_some_and(|made| made.public() == key.public());
    let store = taken.open()?;
    let is_cut_short = taken.own.as_slice().first() == Some(key.public());
    if !is_cut_short {
        let kept = taken.locked.folder().key()?;
        if kept.as_ref().map(LogKey::public) != Some(key.public()) {
            taken.locked.keep_next_key(&key)?;
        }
        let mut number = taken.next_number();
        // One that was announced and is lost stays one of the log's, as its note does.
        if let Some(lost) = taken.announced.as_ref().filter(|announced| *announced != key.public()) {
            store.add_key(number, lost, None)?;
            number += 1;
        }
        store.add_key(number, key.public(), announced.as_ref().map(KeyHandOver::text))?;
    }
    let own = store.own_keys()?.filter(|keys| keys.as_slice().first() == Some(key.public()));
    let own = own.ok_or_else(another_process)?;
    taken.locked.settle_key(&key, &own)?;
    let notes = taken.publish(store.as_ref())?;
    // Whoever has the newest key alone must be able to read where the log begins.
    if let Some(start) = log_start(store.as_ref())?.note() {
        store.keep_minimum_index(&key.sign_minimum_index(start.index())?)?;
    }
    let head = store.settled_head()?;
    taken.locked.keep_checkpoint(&key.sign_checkpoint(head.tree.size(), &head.root)?)?;
    let handed_over = notes.changes(&own)?.first().is_some_and(|change| change.handed_over);
    Ok(Rotated { public: key.public().clone(), handed_over, was_made_before, is_shared: store.is_shared() })
}

/// The key that comes next, and the note that names it where there is none yet.
fn next_key(taken: &Taken<'_>, change: Change) -> Result<(LogKey, Option<KeyHandOver>), JournalFault> {
    let folder = taken.locked.folder();
    let (old, kept) = (taken.key.as_ref(), taken.made_before()?);
    // Cut short after the log heard of it.
    if let Some(next) = folder.next_key()?.filter(|next| taken.own.as_slice().first() == Some(next.public())) {
        return Ok((next, None));
    }
    let is_announced = kept.as_ref().is_some_and(|kept| taken.announced.as_ref() == Some(kept.public()));
    let generate = || LogKey::generate_for(taken.own.origin());
    let made = || kept.map_or_else(generate, Ok);
    if change == Change::NextIsLost && (is_announced || taken.announced.is_none()) {
        let detail = "no key that was announced is missing in the data folder: run this without --next-is-lost";
        return Err(JournalFault::new(JournalFaultKind::Unusable, detail));
    }
    match (&taken.announced, old) {
        // Whoever holds the announced key needs no other: its note is there.
        (Some(_), _) if is_announced => Ok((made()?, None)),
        (Some(announced), Some(old)) => match folder.key()?.filter(|_| old.public() == announced) {
            Some(key) => Ok((key, None)),
            // The old key has signed its next one: a second note of it would be another history of the keys.
            None if change == Change::NextIsLost => Ok((generate()?, None)),
            None => Err(missing_next(announced)),
        },
        (Some(_), None) => Ok((generate()?, None)),
        (None, None) => Ok((made()?, None)),
        (None, Some(_)) if change != Change::AtOnce => Err(JournalFault::new(
            JournalFaultKind::Unusable,
            "no next key was announced, and readers who know the key of this log could not follow: run `svc-registry \
             journal announce-key`, start the service, and run this again when readers had time; for a key that somebody else has, \
             run this with --at-once",
        )),
        (None, Some(old)) => {
            let key = made()?;
            let note = old.hand_over_to(key.public())?;
            Ok((key, Some(note)))
        }
    }
}

fn missing_next(announced: &PublicKey) -> JournalFault {
    let detail = format!(
        "the key {} was announced as the next of this log, and its secret half is not in the data folder: bring \
         journal.key.next back from a copy, or from the node that announced it; only if it is lost for good, run `svc-registry \
         journal rotate-key --next-is-lost`, which gives the log a new key that no older one has signed",
        announced.id()
    );
    JournalFault::new(JournalFaultKind::WrongKey, detail)
}

fn another_process() -> JournalFault {
    let detail = "another process gave the log a key at the same time; run the command again";
    JournalFault::new(JournalFaultKind::WrongKey, detail)
}
