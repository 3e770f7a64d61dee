//! Proofs of kept records, and logs that leave a store and come back: every hash is checked on both ways.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use svc_core::journal::receipt::Receipt;

use crate::{
    audit::{self, Mark, Seen},
    checkpoint::Checkpoint,
    fault::{Fault, FaultKind},
    folder::Folder,
    key::PublicKeys,
    open::{Location, Reading},
    receipt,
    source::{Entry, Files, FolderFiles, Source, StoreSource, TileSource},
    store::{Access, Extension, Fetch, Head, NodesOf, Row, Store},
    tiles,
    tree::{Grown, Tree},
};

/// The public keys in an exported folder.
pub const PUBLIC_KEYS: &str = "journal.pub";

/// The receipt of a record that is in the log.
///
/// # Errors
/// When it is not there, or nothing signed covers it.
pub fn prove(reading: &Reading, place: u64) -> Result<Receipt, Fault> {
    let missing = || Fault::new(FaultKind::Missing, format!("there is no record {place}"));
    let row = reading.store.rows(place, 1)?.into_iter().next().ok_or_else(missing)?;
    let checkpoint = reading.newest()?;
    if checkpoint.size() <= place {
        return Err(Fault::new(FaultKind::Missing, format!("nothing that is signed covers record {place} yet")));
    }
    let tree = reading.tree_at(&checkpoint)?;
    receipt::of_kept(row.read()?, &tree, &checkpoint, &NodesOf(reading.store.as_ref()))
}

/// Writes the log as plain files into a new folder. What is written was checked first.
///
/// # Errors
/// When the folder is not empty or cannot be written, or the log does not hold.
pub fn export(reading: &Reading, folder: &Path, progress: &mut dyn FnMut(u64)) -> Result<Seen, Fault> {
    let checkpoint = reading.newest()?;
    refuse_used(folder)?;
    let mark = mark_of("the checkpoint", &checkpoint);
    let (seen, _) = audit::audit(&mut StoreSource::new(reading.store.as_ref()), vec![mark], progress)?;
    for tile in tiles::all(checkpoint.size()) {
        put(&folder.join(tile.path()), &tile.read(reading.store.as_ref(), checkpoint.size())?)?;
    }
    put(&folder.join(PUBLIC_KEYS), reading.keys.to_file().as_bytes())?;
    // Last: a folder with a checkpoint is a whole one.
    put(&folder.join(tiles::CHECKPOINT), checkpoint.text().as_str().as_bytes())?;
    Ok(seen)
}

/// Checks a log that lies in plain files, to the state that its checkpoint signs.
///
/// # Errors
/// The first thing that does not hold.
pub fn audit_files(
    files: &dyn Files,
    keys: &PublicKeys,
    mut marks: Vec<Mark>,
    progress: &mut dyn FnMut(u64),
) -> Result<(Seen, Checkpoint), Fault> {
    let checkpoint = checkpoint_of(files, keys)?;
    if let Some(ahead) = marks.iter().find(|mark| mark.size > checkpoint.size()) {
        let detail = format!("the log has {} records, and {} has {}", checkpoint.size(), ahead.name, ahead.size);
        return Err(Fault::new(FaultKind::Rewound, detail));
    }
    marks.push(mark_of("the checkpoint", &checkpoint));
    let (seen, _) = audit::audit(&mut TileSource::new(files, checkpoint.size()), marks, progress)?;
    Ok((seen, checkpoint))
}

/// Fills an empty store from plain files. Nothing is written that was not checked, and the end is the signed state.
///
/// # Errors
/// When the store is not empty, or the files do not hold.
pub fn import(from: &Path, into: &Location, progress: &mut dyn FnMut(u64)) -> Result<Seen, Fault> {
    let files = FolderFiles::new(from);
    let keys = fs::read_to_string(from.join(PUBLIC_KEYS)).map_err(|error| Fault::io("read the public keys", &error))?;
    let keys = PublicKeys::parse(&keys)?;
    // A first pass without writing: a log that does not hold leaves nothing behind.
    let (_, checkpoint) = audit_files(&files, &keys, Vec::new(), &mut |_| {})?;
    let folder = Folder::at(&into.folder);
    // Where nobody has been yet, the file of the lock would be the first thing that is written.
    if !folder.has_lock_file() {
        refuse_begun(into, &keys, &checkpoint)?;
    }
    let locked = folder.lock()?;
    refuse_begun(into, &keys, &checkpoint)?;
    let store = into.store(Access::Write)?;
    let mut source =
        Copying { inner: TileSource::new(&files, checkpoint.size()), store: Arc::clone(&store), held: Vec::new() };
    let (seen, _) = audit::audit(&mut source, vec![mark_of("the checkpoint", &checkpoint)], progress)?;
    keys.as_slice().iter().rev().zip(1..).try_for_each(|(key, number)| store.add_key(number, key))?;
    locked.keep_public_keys(&keys)?;
    locked.keep_checkpoint(&checkpoint)?;
    Ok(seen)
}

/// The checkpoint of plain files.
///
/// # Errors
/// When there is none, or it is not one of the log.
pub fn checkpoint_of(files: &dyn Files, keys: &PublicKeys) -> Result<Checkpoint, Fault> {
    let text = String::from_utf8(files.get(tiles::CHECKPOINT)?);
    let text = text.map_err(|_| Fault::corrupt("the checkpoint is not text"))?;
    Checkpoint::open(&text, keys).map_err(Fault::from)
}

/// A checkpoint as a state that must be met.
#[must_use]
pub fn mark_of(name: &str, checkpoint: &Checkpoint) -> Mark {
    Mark { name: name.to_owned(), size: checkpoint.size(), root: *checkpoint.root() }
}

/// Writes down what passes by.
struct Copying<'f> {
    inner: TileSource<'f>,
    store: Arc<dyn Store>,
    held: Vec<Vec<u8>>,
}

impl Source for Copying<'_> {
    fn next(&mut self, from: u64, most: usize) -> Result<Vec<Entry>, Fault> {
        let entries = self.inner.next(from, most)?;
        self.held = entries.iter().filter_map(|entry| entry.record.clone()).collect();
        Ok(entries)
    }

    fn confirm(&mut self, grown: &Grown) -> Result<(), Fault> {
        self.inner.confirm(grown)?;
        let held = std::mem::take(&mut self.held);
        let rows: Option<Vec<Row>> = held
            .into_iter()
            .zip(grown.start()..)
            .map(|(record, place)| Some(Row { place, record: Some(record), hashes: grown.completed_by(place)? }))
            .collect();
        let mut rows = rows;
        self.store.append(&mut |head: &Head, _: &dyn Fetch| {
            if head.tree.size() != grown.start() {
                return Err(Fault::new(FaultKind::Unusable, "somebody else writes to the journal"));
            }
            let rows = rows.take().ok_or_else(|| Fault::corrupt("a node is missing"))?;
            let tree: Tree = grown.tree().clone();
            Ok(Extension { rows, head: Head { tree, root: *grown.root() } })
        })
    }
}

/// Refuses a journal that has begun, and a folder that knows a newer state of the log: its checkpoint would be lost.
fn refuse_begun(into: &Location, keys: &PublicKeys, checkpoint: &Checkpoint) -> Result<(), Fault> {
    if let Some(store) = into.found()?
        && (store.head()?.tree.size() > 0 || store.keys()?.is_some())
    {
        return Err(Fault::new(FaultKind::Unusable, "the journal to import into is not empty"));
    }
    match Folder::at(&into.folder).checkpoint(keys)? {
        Some(kept) if kept.size() > checkpoint.size() => {
            let (kept, given) = (kept.size(), checkpoint.size());
            let detail = format!("the files have {given} records, and the checkpoint in the folder has {kept}");
            Err(Fault::new(FaultKind::Rewound, detail))
        }
        Some(_) | None => Ok(()),
    }
}

fn refuse_used(folder: &Path) -> Result<(), Fault> {
    let used = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if used || folder.is_file() {
        return Err(Fault::new(FaultKind::Unusable, format!("{} is not an empty folder", folder.display())));
    }
    Ok(())
}

fn put(path: &PathBuf, bytes: &[u8]) -> Result<(), Fault> {
    let write = || {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)
    };
    write().map_err(|error| Fault::io(&format!("write {}", path.display()), &error))
}
