//! `svc journal rotate-key`: gives the log a new key.

use clap::{ArgMatches, Command};
use svc_journal::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    folder::DataFolder,
    hand_over::KeyHandOver,
    key::LogKey,
    open::Location,
    store::Access,
};

use super::location::{location, with_location};
use crate::failure::Failure;

pub(super) fn command() -> Command {
    with_location(Command::new("rotate-key").about("Give the log a new key; the service must be stopped").after_help(
        "The old key signs the new one, so that readers who pinned the old one follow; a key that is lost cannot, and the log says so. \
         Receipts of the old key stay good: its public half stays in journal.pub. Other nodes need the new journal.key.",
    ))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let (key, hand_over) = rotate(&location(arguments)?).map_err(|fault| Failure::journal(&fault))?;
    let how = match hand_over {
        Some(_) => "signed by the old key: publish journal.pub and journal.hand-overs",
        None => "changed without hand-over, as the old key is lost: tell those who pinned it",
    };
    Ok(format!("new public key {}\n{how}\n", key.public().as_str()))
}

fn rotate(location: &Location) -> Result<(LogKey, Option<KeyHandOver>), JournalFault> {
    let folder = DataFolder::at(&location.folder);
    // The whole log is checked first, with the old key unless that is lost.
    let old = folder.key()?;
    if old.is_some() {
        drop(location.write()?);
    } else {
        location.check_without_key()?;
    }
    let locked = folder.lock()?;
    let store = location.store(Access::Write)?;
    let known = store.keys()?.ok_or_else(|| {
        JournalFault::new(
            JournalFaultKind::Missing,
            "the journal has no key and no records yet; `svc journal init` begins it",
        )
    })?;
    let key = LogKey::generate_for(known.origin())?;
    let keys = known.with_newer(key.public().clone())?;
    // The store first: a key that only the folder knew would not be the log's.
    let hand_over = old.map(|old| KeyHandOver::sign(&old, key.public())).transpose()?;
    store.add_key(known.as_slice().len() + 1, key.public(), hand_over.as_ref().map(KeyHandOver::text))?;
    let added = store.keys()?.is_some_and(|keys| keys.as_slice().first() == Some(key.public()));
    if !added {
        return Err(JournalFault::new(
            JournalFaultKind::WrongKey,
            "another process gave the log a key at the same time; run the command again",
        ));
    }
    locked.keep_key(&key, &keys)?;
    locked.keep_hand_overs(&store.hand_overs()?)?;
    let head = store.settled_head()?;
    locked.keep_checkpoint(&Checkpoint::sign(&key, head.tree.size(), &head.root)?)?;
    Ok((key, hand_over))
}
