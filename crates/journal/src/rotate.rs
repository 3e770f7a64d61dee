//! A log that gets its next key.
//!
//! The secret is on the disk before the log hears of its public half, and takes its place after that: whenever this is cut
//! short, the folder has the key that the log has, and the next start or the next run ends it.

use crate::{
    check::{self, Depth},
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    folder::{DataFolder, LockedFolder},
    hand_over::KeyHandOver,
    joining::Joining,
    key::{LogKey, PublicKey, PublicKeys},
    open::Location,
    store::{Access, Store},
};

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotated {
    /// The newest key of the log.
    pub public: PublicKey,
    /// Whether the key before signed it.
    pub handed_over: bool,
}

/// Gives the log a new key, or ends a change that was cut short. The whole log is checked before.
///
/// # Errors
/// When the log does not hold, somebody writes to it, or the key cannot be kept.
pub fn rotate_key(location: &Location) -> Result<Rotated, JournalFault> {
    let folder = DataFolder::at(&location.folder);
    let known = location.check_without_key()?;
    let locked = folder.lock()?;
    // A key that is not this log's is no reason to pass for a lost one. The files are opened for writing after that.
    let old = folder.key()?.map(|_| check::own_key(&folder, &known)).transpose()?;
    let store = location.store(Access::Write)?;
    // The new key signs the state that is there: that must have grown from what this folder remembers.
    check::state(store.as_ref(), &folder, &known, Depth::End, &Joining::Remembering)?;
    let cut_short = folder.next_key()?.filter(|next| known.as_slice().first() == Some(next.public()));
    let key = match cut_short {
        Some(next) => next,
        None => change(store.as_ref(), &locked, &known, old.as_ref())?,
    };
    locked.settle_key(&key)?;
    let keys = store.keys()?.filter(|keys| keys.as_slice().first() == Some(key.public()));
    let keys = keys.ok_or_else(|| JournalFault::new(JournalFaultKind::WrongKey, "another process changed the key"))?;
    locked.keep_public_keys(&keys)?;
    let hand_overs = store.hand_overs()?;
    locked.keep_hand_overs(&hand_overs)?;
    let head = store.settled_head()?;
    locked.keep_checkpoint(&Checkpoint::sign(&key, head.tree.size(), &head.root)?)?;
    let handed_over = hand_overs.changes(&keys)?.first().is_some_and(|change| change.handed_over);
    Ok(Rotated { public: key.public().clone(), handed_over })
}

/// Makes a key and tells the log.
fn change(
    store: &dyn Store,
    locked: &LockedFolder,
    known: &PublicKeys,
    old: Option<&LogKey>,
) -> Result<LogKey, JournalFault> {
    let key = LogKey::generate_for(known.origin())?;
    let hand_over = old.map(|old| KeyHandOver::sign(old, key.public())).transpose()?;
    locked.keep_next_key(&key)?;
    store.add_key(known.as_slice().len() + 1, key.public(), hand_over.as_ref().map(KeyHandOver::text))?;
    let added = store.keys()?.is_some_and(|keys| keys.as_slice().first() == Some(key.public()));
    if added {
        return Ok(key);
    }
    Err(JournalFault::new(
        JournalFaultKind::WrongKey,
        "another process gave the log a key at the same time; run the command again",
    ))
}
