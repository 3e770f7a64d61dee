//! Data folders as a kill or a clean stop leaves them, to be damaged and put right again.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use svc_journal::{
    folder::DataFolder,
    log_key::LogKey,
    open::{Backend, Location},
    writer::Journal,
};
use svc_json::digest::Digest;
use svc_proof::public_key::PublicKeys;
use tempfile::TempDir;

use crate::{
    drafts,
    place::{Place, record},
};

pub(crate) const DATABASE: &str = "journal.sqlite3";
pub(crate) const WAL: &str = "journal.sqlite3-wal";
pub(crate) const SHM: &str = "journal.sqlite3-shm";
pub(crate) const CHECKPOINT: &str = "journal.checkpoint";
pub(crate) const SIGNED: &str = "journal.signed";
pub(crate) const KEY: &str = "journal.key";
pub(crate) const LOCK: &str = "journal.lock";

/// Every record of a log, in order.
pub(crate) type Records = Vec<Option<Vec<u8>>>;

/// A folder and the records that it holds.
pub(crate) struct Image {
    folder: TempDir,
    pub(crate) records: Records,
    /// How many of them the checkpoint in the folder covers.
    pub(crate) signed: usize,
}

/// What a log looks like at four moments, and another log.
pub(crate) struct Images {
    /// After a kill: 60 records in the database, 40 in the write-ahead log, all signed.
    pub(crate) killed: Image,
    /// The same log earlier, with 80 records.
    pub(crate) earlier: Image,
    /// A moment later, with five more that the checkpoint does not cover.
    pub(crate) ahead: Image,
    /// After a kill soon after the write-ahead log was begun anew: frames of the round before follow.
    pub(crate) anew: Image,
    /// After a clean stop.
    pub(crate) stopped: Image,
    pub(crate) other: Image,
}

impl Images {
    pub(crate) fn make() -> Self {
        let place = Place::sqlite();
        place.fill(60);
        let journal = place.open();
        let fill = |count: u64| (0..count).for_each(|at| drop(record(&journal, drafts::mixed(at))));
        fill(20);
        wait_for_checkpoint(&place, 80);
        let earlier = Image::of(&place, &journal);
        fill(20);
        wait_for_checkpoint(&place, 100);
        let killed = Image::of(&place, &journal);
        fill(5);
        let ahead = Image { signed: killed.signed, ..Image::of(&place, &journal) };
        fs::write(ahead.folder.path().join(CHECKPOINT), killed.bytes(CHECKPOINT)).unwrap();
        let moved = rusqlite::Connection::open(place.database()).unwrap();
        moved.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).unwrap();
        fill(3);
        wait_for_checkpoint(&place, 108);
        let anew = Image::of(&place, &journal);
        drop((moved, journal));
        let stopped = Image { folder: copy(&place.location.folder), records: anew.records.clone(), signed: 108 };
        let stranger = Place::sqlite();
        let journal = stranger.open();
        (0..100).for_each(|at| drop(record(&journal, drafts::mixed(at))));
        let other = Image::of(&stranger, &journal);
        Self { killed, earlier, ahead, anew, stopped, other }
    }
}

impl Image {
    fn of(place: &Place, journal: &Journal) -> Self {
        let folder = copy(&place.location.folder);
        let records = all_records(journal);
        let kept = DataFolder::at(folder.path()).kept_checkpoint(journal.keys()).unwrap().unwrap();
        Self { folder, records, signed: usize::try_from(kept.size()).unwrap() }
    }

    /// A copy to work on.
    pub(crate) fn scene(&self) -> Scene {
        Scene { folder: copy(self.folder.path()), image: self.folder.path().to_owned() }
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap()
    }

    pub(crate) fn key(&self) -> LogKey {
        LogKey::parse(std::str::from_utf8(&self.bytes(KEY)).unwrap()).unwrap()
    }
}

/// A folder that is damaged and put right.
pub(crate) struct Scene {
    folder: TempDir,
    image: PathBuf,
}

impl Scene {
    pub(crate) fn location(&self) -> Location {
        Location { backend: Backend::Embedded, folder: self.folder.path().to_owned() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.path(name)).unwrap();
        change(&mut bytes);
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.path(name));
    }

    /// Runs statements on the database as anybody with SQLite's shell would.
    pub(crate) fn sql(&self, statements: &str) {
        rusqlite::Connection::open(self.path(DATABASE)).unwrap().execute_batch(statements).unwrap();
    }

    /// Every entry of the folder but SQLite's shared memory: its mode, and what is in it or where it leads.
    pub(crate) fn state(&self) -> BTreeMap<String, (u32, String)> {
        let entries = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap());
        let state = entries.map(|entry| {
            let found = fs::symlink_metadata(entry.path()).unwrap();
            let holds = if found.is_file() {
                Digest::of(&fs::read(entry.path()).unwrap()).to_string()
            } else {
                format!("{:?}", fs::read_link(entry.path()))
            };
            (entry.file_name().into_string().unwrap(), (found.permissions().mode(), holds))
        });
        state.filter(|(name, _)| !name.ends_with("-shm")).collect()
    }

    /// Undoes the damage; SQLite's shared memory stays as the refused start left it.
    pub(crate) fn put_right(&self) {
        for name in self.state().into_keys() {
            let path = self.path(&name);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        }
        for entry in fs::read_dir(&self.image).unwrap().map(|entry| entry.unwrap()) {
            if entry.file_name() != SHM {
                fs::copy(entry.path(), self.folder.path().join(entry.file_name())).unwrap();
            }
        }
    }
}

pub(crate) fn all_records(journal: &Journal) -> Records {
    journal.store().rows(0, 1000).unwrap().into_iter().map(|row| row.record).collect()
}

/// The checkpoint of a state, signed.
pub(crate) fn signed(key: &LogKey, size: u64) -> Vec<u8> {
    let root = svc_proof::tree::leaf_hash(b"another history");
    key.sign_checkpoint(size, &root).unwrap().text().as_str().as_bytes().to_vec()
}

fn wait_for_checkpoint(place: &Place, size: u64) {
    let started = Instant::now();
    let keys = PublicKeys::parse(&fs::read_to_string(place.file("journal.pub")).unwrap()).unwrap();
    let folder = DataFolder::at(&place.location.folder);
    while folder.kept_checkpoint(&keys).unwrap().unwrap().size() < size {
        assert!(started.elapsed() < Duration::from_secs(10), "no checkpoint of {size} records was kept");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn copy(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        // A checkpoint that is just being kept has such a name, and not for long.
        if !entry.file_name().to_string_lossy().starts_with('.') {
            fs::copy(entry.path(), to.path().join(entry.file_name())).unwrap();
        }
    }
    to
}
