//! What lies in the data folder, beside the database or instead of it.
//!
//! | file | what |
//! |---|---|
//! | `journal.sqlite3` | the log, when it is embedded |
//! | `journal.key` | the log's secret key, readable by its owner alone |
//! | `journal.key.next` | the key that was announced as the next: both sign until `rotate-key` puts it in the other's place |
//! | `journal.pub` | its public keys, the newest first: for everyone |
//! | `journal.hand-overs` | the notes with which each key signed the next, the oldest first: for everyone |
//! | `journal.checkpoint` | the last signed state, kept outside the database: an old copy of that is noticed |
//! | `journal.signed` | the newest signed states as they were signed, not flushed: a kill loses none of them |
//! | `journal.witnessed` | the newest state that the witnesses' quorum has seen, with their cosignatures |
//! | `journal.timeline` | the newest timeline of the shared database that this node has worked on |
//! | `journal.lock` | held while a process writes |
//! | `events.sqlite3` | the endpoints of webhooks, with their secrets, when the log is embedded |

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use svc_archive::plain_files::{Care, PlainFiles, keep_owner};
use svc_proof::{
    checkpoint::{Checkpoint, of_a_later_key},
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    public_key::PublicKeys,
};

use crate::{
    log_key::LogKey,
    signed_memory::{self, SignedMemory},
    timeline::Timeline,
};

const DATABASE: &str = "journal.sqlite3";
const SECRET_KEY: &str = "journal.key";
const NEXT_KEY: &str = "journal.key.next";
const PUBLIC_KEYS: &str = "journal.pub";
const HAND_OVERS: &str = "journal.hand-overs";
const CHECKPOINT: &str = "journal.checkpoint";
const SIGNED: &str = signed_memory::FILE;
const WITNESSED: &str = "journal.witnessed";
const TIMELINE: &str = "journal.timeline";
const LOCK: &str = "journal.lock";
const ENDPOINTS: &str = "events.sqlite3";

/// Files that remember something of a log that has begun.
const MEMORY: [&str; 5] = [CHECKPOINT, SIGNED, WITNESSED, HAND_OVERS, NEXT_KEY];

/// The most bytes that any of the small files has.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// How often, and after which pause, a lock that is held is asked for again.
const LOCK_ATTEMPTS: usize = 5;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

#[derive(Clone, Debug)]
pub struct DataFolder(PathBuf);

/// A data folder that no other process writes to. The lock ends with the value, or with the process.
#[derive(Debug)]
pub struct LockedFolder {
    folder: DataFolder,
    _file: File,
}

impl DataFolder {
    /// The folder at a path. Nothing is touched.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// How many bytes are free on its disk, for those who are not root. Nothing on systems that are not asked.
    ///
    /// # Errors
    /// When the disk cannot be looked at.
    pub fn free_bytes(&self) -> io::Result<Option<u64>> {
        #[cfg(unix)]
        {
            let room = rustix::fs::statvfs(&self.0)?;
            Ok(Some(room.f_bavail.saturating_mul(room.f_frsize)))
        }
        #[cfg(not(unix))]
        Ok(None)
    }

    /// Whether its disk takes no writes, where that can be told.
    ///
    /// # Errors
    /// When the disk does not answer.
    pub(crate) fn is_read_only(&self) -> io::Result<bool> {
        #[cfg(unix)]
        {
            let disk = rustix::fs::statvfs(&self.0)?;
            Ok(disk.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY))
        }
        #[cfg(not(unix))]
        Ok(false)
    }

    /// Where the embedded log is.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.0.join(DATABASE)
    }

    /// Where the endpoints of webhooks are, beside an embedded log.
    #[must_use]
    pub fn endpoints(&self) -> PathBuf {
        self.0.join(ENDPOINTS)
    }

    #[must_use]
    pub fn public_keys_file(&self) -> PathBuf {
        self.0.join(PUBLIC_KEYS)
    }

    /// Whether a process has taken the folder before. The file is made once, and stays.
    #[must_use]
    pub fn has_lock_file(&self) -> bool {
        self.0.join(LOCK).exists()
    }

    /// Whether a process writes to the folder now.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        let path = self.0.join(LOCK);
        // A pipe would be waited for, and whatever else is there is no lock.
        if !matches!(self.plain(&path), Ok(Some(_))) {
            return false;
        }
        let held = File::open(path).map(|file| file.try_lock_shared());
        matches!(held, Ok(Err(fs::TryLockError::WouldBlock)))
    }

    /// Whether a signed state was kept here.
    #[must_use]
    pub fn has_checkpoint(&self) -> bool {
        self.0.join(CHECKPOINT).exists()
    }

    /// A file that only a log leaves behind, when there is one beside the database.
    ///
    /// # Errors
    /// When something else has the name of one.
    pub fn trace(&self) -> Result<Option<&'static str>, JournalFault> {
        let mut trace = None;
        for name in MEMORY.into_iter().chain([SECRET_KEY, PUBLIC_KEYS]) {
            if self.plain(&self.0.join(name))?.is_some() {
                trace = trace.or(Some(name));
            }
        }
        Ok(trace)
    }

    /// A file that only a log with keys or signed states leaves behind. A key that was made before is none.
    ///
    /// # Errors
    /// When something else has the name of one.
    pub(crate) fn memory(&self) -> Result<Option<&'static str>, JournalFault> {
        self.trace()?;
        Ok(MEMORY.into_iter().find(|name| self.0.join(name).exists()))
    }

    /// Whether a start could write to the folder, or make it. Nothing is changed.
    ///
    /// # Errors
    /// When it could not.
    pub fn check_usable(&self) -> Result<(), JournalFault> {
        // The folder, or the nearest one above it that is there.
        let there = self.0.ancestors().find(|path| path.as_os_str().is_empty() || path.symlink_metadata().is_ok());
        let there = there.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !there.is_dir() {
            let detail = format!("{} (`data-dir`) must be a folder, and is something else", there.display());
            return Err(JournalFault::new(JournalFaultKind::Storage, detail));
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;

            use rustix::fs::Access;

            let needed = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
            if let Err(error) = rustix::fs::accessat(rustix::fs::CWD, there, needed, rustix::fs::AtFlags::EACCESS) {
                return Err(self.cannot(&format!("write to {}", there.display()), &error.into()));
            }
            let found = fs::metadata(there).map_err(|error| self.cannot("look at the data folder", &error))?;
            let user = rustix::process::geteuid();
            // New files are given to the owner of the folder, which only root can do for others.
            if there == self.0 && found.uid() != user.as_raw() && !user.is_root() && !self.has_lock_file() {
                let (user, owner) = (user.as_raw(), found.uid());
                let place = there.display();
                return Err(JournalFault::new(
                    JournalFaultKind::Storage,
                    format!(
                        "{place} (`data-dir`) must belong to the user of the service, {user}, and belongs to {owner}"
                    ),
                ));
            }
        }
        self.check_files()
    }

    /// Whether what is there already can be written to. Whoever restores a folder as root leaves files that the service cannot
    /// use, and SQLite would open such a database for reading alone, without a word.
    fn check_files(&self) -> Result<(), JournalFault> {
        self.plain(&self.0.join(LOCK))?;
        #[cfg(unix)]
        for name in [LOCK, CHECKPOINT, PUBLIC_KEYS, DATABASE] {
            use rustix::fs::{Access, AtFlags, CWD};

            let path = self.0.join(name);
            // Whatever else has the name is refused by whoever reads it.
            let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
            if is_file && let Err(error) = rustix::fs::accessat(CWD, &path, Access::WRITE_OK, AtFlags::EACCESS) {
                return Err(self.cannot(&format!("write to {}", path.display()), &error.into()));
            }
        }
        Ok(())
    }

    /// Makes the folder when it is missing, for its owner alone, and takes it for this process.
    ///
    /// # Errors
    /// When it cannot be made or written to, or another process has it.
    pub fn lock(&self) -> Result<LockedFolder, JournalFault> {
        self.lock_by(LOCK)
    }

    /// The same by a file of another name: for a folder that is not a journal's.
    pub(crate) fn lock_by(&self, name: &str) -> Result<LockedFolder, JournalFault> {
        if !self.0.is_dir() {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(&self.0).map_err(|error| self.cannot("create the data folder", &error))?;
        }
        let path = self.0.join(name);
        let is_new = self.plain(&path)?.is_none();
        let file = owner_only().create(true).truncate(false).open(&path);
        let file = file.map_err(|error| self.cannot("write to the data folder", &error))?;
        keep_owner(&file, if is_new { &self.0 } else { &path })
            .map_err(|error| self.cannot("give the lock to the owner of the data folder", &error))?;
        match taken(&file) {
            Ok(()) => Ok(LockedFolder { folder: self.clone(), _file: file }),
            Err(fs::TryLockError::WouldBlock) => Err(JournalFault::new(
                JournalFaultKind::Locked,
                format!("another process writes to {}", self.0.display()),
            )),
            Err(fs::TryLockError::Error(error)) => Err(self.cannot("lock the data folder", &error)),
        }
    }

    /// The secret key, when there is one.
    ///
    /// # Errors
    /// When it cannot be read, is no key, or others may read it.
    pub fn key(&self) -> Result<Option<LogKey>, JournalFault> {
        self.secret(SECRET_KEY)
    }

    /// The key that was made to come next, when the change to it is not at its end.
    ///
    /// # Errors
    /// As [`DataFolder::key`].
    pub(crate) fn next_key(&self) -> Result<Option<LogKey>, JournalFault> {
        self.secret(NEXT_KEY)
    }

    fn secret(&self, name: &str) -> Result<Option<LogKey>, JournalFault> {
        let path = self.0.join(name);
        refuse_shown(&path)?;
        let text = self.small_file(&path).map_err(|fault| {
            let kind = if fault.kind == JournalFaultKind::Corrupt { JournalFaultKind::WrongKey } else { fault.kind };
            JournalFault { kind, ..fault }
        });
        text?.map(|text| LogKey::parse(&text)).transpose()
    }

    /// The public keys, when there are any.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn public_keys(&self) -> Result<Option<PublicKeys>, JournalFault> {
        self.small_file(&self.public_keys_file())?.map(|text| PublicKeys::parse(&text)).transpose()
    }

    /// The notes from key to key that were kept here.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn hand_overs(&self) -> Result<HandOverNotes, JournalFault> {
        let text = self.small_file(&self.0.join(HAND_OVERS))?;
        text.map_or_else(|| Ok(HandOverNotes::default()), |text| HandOverNotes::parse(&text))
    }

    /// The newest signed state that this folder remembers, when a checkpoint was kept here.
    ///
    /// # Errors
    /// As [`DataFolder::kept_checkpoint`].
    pub fn checkpoint(&self, keys: &PublicKeys) -> Result<Option<Checkpoint>, JournalFault> {
        let Some(kept) = self.kept_checkpoint(keys)? else { return Ok(None) };
        let newer = self.signed_states(keys)?.into_iter().filter(|state| state.size() > kept.size());
        Ok(Some(newer.max_by_key(Checkpoint::size).unwrap_or(kept)))
    }

    /// The texts of all states that this folder remembers, read by its own public keys. Whoever takes one checks it by those of
    /// the log.
    ///
    /// # Errors
    /// As [`DataFolder::kept_checkpoint`].
    pub fn known_states(&self) -> Result<Vec<String>, JournalFault> {
        let Some(keys) = self.public_keys()? else { return Ok(Vec::new()) };
        let (kept, witnessed) = (self.kept_checkpoint(&keys)?, self.witnessed_state(&keys)?);
        let states = kept.into_iter().chain(self.signed_states(&keys)?).chain(witnessed);
        Ok(states.map(|state| state.text().as_str().to_owned()).collect())
    }

    /// The last checkpoint that was kept and flushed here, when there is one.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or is signed by a key that the log does not know: then the log is from before that.
    pub fn kept_checkpoint(&self, keys: &PublicKeys) -> Result<Option<Checkpoint>, JournalFault> {
        self.state_in(CHECKPOINT, keys)
    }

    /// The states of `journal.signed`.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn signed_states(&self, keys: &PublicKeys) -> Result<Vec<Checkpoint>, JournalFault> {
        let bytes = self.small_bytes(&self.0.join(SIGNED))?;
        Ok(bytes.map_or_else(Vec::new, |bytes| signed_memory::states(&bytes, keys)))
    }

    /// The state of `journal.witnessed`, without its cosignatures.
    ///
    /// # Errors
    /// As [`DataFolder::kept_checkpoint`].
    pub(crate) fn witnessed_state(&self, keys: &PublicKeys) -> Result<Option<Checkpoint>, JournalFault> {
        self.state_in(WITNESSED, keys)
    }

    fn state_in(&self, name: &str, keys: &PublicKeys) -> Result<Option<Checkpoint>, JournalFault> {
        let Some(text) = self.small_file(&self.0.join(name))? else { return Ok(None) };
        Checkpoint::open(&text, keys).map(Some).map_err(|refused| {
            let damaged = || JournalFault::corrupt(format!("{name} is damaged: {}", refused.reason()));
            of_a_later_key(name, &text, keys, refused).unwrap_or_else(damaged)
        })
    }

    /// The newest timeline of a shared database that this node has worked on.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged.
    pub(crate) fn timeline(&self) -> Result<Option<Timeline>, JournalFault> {
        let text = self.small_file(&self.0.join(TIMELINE))?;
        let damaged = || JournalFault::corrupt(format!("{TIMELINE} is damaged: it must be two numbers"));
        text.map(|text| Timeline::parse(&text).ok_or_else(damaged)).transpose()
    }

    /// The newest state that witnesses cosigned, as it was kept. Nothing of it is known to hold.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn witnessed(&self) -> Result<Option<String>, JournalFault> {
        self.small_file(&self.0.join(WITNESSED))
    }

    /// The text of a small file, when there is one.
    pub(crate) fn small_file(&self, path: &Path) -> Result<Option<String>, JournalFault> {
        let text = self.small_bytes(path)?.map(String::from_utf8).transpose();
        text.map_err(|_| JournalFault::corrupt(format!("{} must be text in UTF-8", path.display())))
    }

    fn small_bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, JournalFault> {
        match self.plain(path)? {
            None => return Ok(None),
            Some(length) if length > MAX_FILE_BYTES => {
                return Err(JournalFault::corrupt(format!(
                    "{} must have at most {MAX_FILE_BYTES} bytes, and is larger",
                    path.display()
                )));
            }
            Some(_) => {}
        }
        fs::read(path).map(Some).map_err(|error| self.cannot("read the data folder", &error))
    }

    /// The length of a file, when there is one.
    fn plain(&self, path: &Path) -> Result<Option<u64>, JournalFault> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.cannot("read the data folder", &error)),
            Ok(found) if found.is_file() => Ok(Some(found.len())),
            // What is put in place of a link would not be where it leads.
            Ok(_) => Err(JournalFault::new(
                JournalFaultKind::Unusable,
                format!("{} must be a regular file, and is a link or something else", path.display()),
            )),
        }
    }

    fn cannot(&self, what: &str, error: &io::Error) -> JournalFault {
        let fault = JournalFault::io(what, error);
        JournalFault { detail: format!("{} ({})", fault.detail, self.0.display()), ..fault }
    }
}

impl LockedFolder {
    #[must_use]
    pub fn folder(&self) -> &DataFolder {
        &self.folder
    }

    /// Keeps a secret key and its public half.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep_key(&self, key: &LogKey, public: &PublicKeys) -> Result<(), JournalFault> {
        self.replace(SECRET_KEY, key.to_file().as_bytes())?;
        self.keep_public_keys(public)
    }

    /// Removes a key that the log did not begin with.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn discard_key(&self) -> Result<(), JournalFault> {
        for name in [SECRET_KEY, PUBLIC_KEYS] {
            match fs::remove_file(self.folder.0.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(self.folder.cannot(&format!("remove {name}"), &error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Keeps the key that is to come next, before the log hears of it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn keep_next_key(&self, key: &LogKey) -> Result<(), JournalFault> {
        self.replace(NEXT_KEY, key.to_file().as_bytes())
    }

    /// Ends a change of keys: the key of the log takes its place, and one that the log had before it goes. One that is
    /// announced, or is still to be, stays: readers may have seen its note, and no file here shows that they did not.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn settle_key(&self, key: &LogKey, own: &PublicKeys) -> Result<(), JournalFault> {
        let Some(next) = self.folder.next_key()? else { return Ok(()) };
        let is_earlier = own.as_slice().iter().skip(1).any(|earlier| earlier == next.public());
        if next.public() == key.public() {
            self.replace(SECRET_KEY, key.to_file().as_bytes())?;
        } else if !is_earlier {
            return Ok(());
        }
        let removed = fs::remove_file(self.folder.0.join(NEXT_KEY));
        removed.map_err(|error| self.folder.cannot("remove journal.key.next", &error))
    }

    /// Keeps the public keys.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep_public_keys(&self, keys: &PublicKeys) -> Result<(), JournalFault> {
        self.replace(PUBLIC_KEYS, keys.to_file().as_bytes())
    }

    /// Keeps the notes from key to key. Where there are none, there is no file.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn keep_hand_overs(&self, notes: &HandOverNotes) -> Result<(), JournalFault> {
        if notes.is_empty() { Ok(()) } else { self.replace(HAND_OVERS, notes.to_file().as_bytes()) }
    }

    /// Keeps a checkpoint outside the database.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_checkpoint(&self, checkpoint: &Checkpoint) -> Result<(), JournalFault> {
        self.replace(CHECKPOINT, checkpoint.text().as_str().as_bytes())
    }

    /// Remembers the timeline of the shared database.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn keep_timeline(&self, timeline: &Timeline) -> Result<(), JournalFault> {
        self.replace(TIMELINE, timeline.to_file().as_bytes())
    }

    /// Begins to remember every state that is signed, from this one on.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn remember_signed(&self, checkpoint: &Checkpoint) -> Result<SignedMemory, JournalFault> {
        SignedMemory::begin(&self.folder.0, checkpoint)
            .map_err(|error| self.folder.cannot(&format!("write {SIGNED}"), &error))
    }

    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), JournalFault> {
        self.folder.replace(name, bytes)
    }
}

impl DataFolder {
    /// Keeps the newest state that witnesses cosigned: for the process that has the folder.
    pub(crate) fn keep_witnessed(&self, text: &str) -> Result<(), JournalFault> {
        self.replace(WITNESSED, text.as_bytes())
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), JournalFault> {
        let put = PlainFiles::below(&self.0).put(name, bytes, Care::Private);
        put.map(drop).map_err(|error| self.cannot(&format!("write {name}"), &error))
    }
}

/// Takes the lock. Whoever only asks whether it is held has it for a moment.
fn taken(file: &File) -> Result<(), fs::TryLockError> {
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            taken => return taken,
        }
    }
    file.try_lock()
}

fn owner_only() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A key that others on the machine may read is not a secret any more.
pub(crate) fn refuse_shown(path: &Path) -> Result<(), JournalFault> {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path) {
        let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
        if mode & 0o077 != 0 {
            let detail = format!(
                "{} must have mode 600, and others may read it: its mode is {:o}",
                path.display(),
                mode & 0o777
            );
            return Err(JournalFault::new(JournalFaultKind::WrongKey, detail));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
