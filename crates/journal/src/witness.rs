//! A witness: it remembers the newest state of each log that it saw, and cosigns nothing that has not grown from it.
//!
//! What it saw is on the disk before it signs: written beside, flushed, renamed, and the folder flushed. A witness that dies in
//! between has seen more than it said, never less. One request after the other is looked at, so that no two can pass the
//! same state.
//!
//! | file of its folder | what |
//! |---|---|
//! | `witness.key` | the witness's secret key, readable by its owner alone; it may be kept elsewhere |
//! | `witness.pub` | the witness's public key: the folder is of this witness and no other |
//! | `witness.lock` | held while a process witnesses |
//! | `witness.logs` | the logs of which a state was cosigned: one that is named here and has none was lost |
//! | `<digest of the origin>.state` | the newest state of that log that was seen |
//! | `<digest of the origin>.hand-overs` | the notes that lead from the keys in the settings to newer ones of that log |
//! | `<digest of the origin>.fork` | two states of that log that cannot both be true, both signed by it |

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use svc_core::journal::scalars::Count;
use svc_proof::{
    checkpoint::{Checkpoint, CheckpointError},
    cosignature::Cosignature,
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    note,
    policy::PolicyLog,
    public_key::PublicKeys,
    receipt::is_growth,
    tree::Hash,
    witness_public_key::WitnessPublicKey,
};
use tlog_tiles::checkpoint;

use crate::{
    add_checkpoint::AddCheckpoint,
    folder::{DataFolder, LockedFolder, refuse_shown},
    witness_key::WitnessKey,
};

const SECRET_KEY: &str = "witness.key";
const PUBLIC_KEY: &str = "witness.pub";
const LOCK: &str = "witness.lock";
const LOGS: &str = "witness.logs";
const FIRST_LINE: &str = "svc-witness-state@v1";

/// A witness of some logs.
#[derive(Debug)]
pub struct Witness {
    key: WitnessKey,
    /// The keys in the settings, and those that the notes of the logs lead to.
    logs: Mutex<BTreeMap<String, PublicKeys>>,
    /// Held while a request is looked at.
    folder: Mutex<LockedFolder>,
}

/// What a witness says to a state.
#[derive(Debug)]
pub enum WitnessAnswer {
    /// It saw the state, and wrote that down.
    Cosigned(Cosignature),
    /// It is no request.
    Malformed,
    /// The log is none of those that it witnesses.
    UnknownLog,
    /// No key of the log signed the state.
    UnknownKey,
    /// It saw another state last, of this size.
    OtherSize(u64),
    /// It saw another state of this size: the log shows two histories.
    Fork(u64),
    /// The log was not shown to have grown from what it saw.
    Unproven,
    /// What it saw cannot be read or written. Nothing was signed.
    Failed(JournalFault),
}

/// What a witness says to notes from key to key.
#[derive(Debug)]
pub enum FollowAnswer {
    /// It knows every key now that they lead to.
    Followed,
    /// They are none.
    Malformed,
    /// The log is none of those that it witnesses.
    UnknownLog,
    /// No key that it knows leads to another.
    UnknownKey,
    /// A key was handed over to two.
    Fork,
    /// They cannot be kept. Nothing has changed.
    Failed(JournalFault),
}

/// The longest file of notes.
pub const MAX_NOTES_BYTES: usize = note::MAX_BYTES;

/// The path of [`Witness::follow`] below a witness's address. C2SP has none.
pub const HAND_OVERS_PATH: &str = "/hand-overs";

/// A state that was seen.
struct SeenState {
    size: u64,
    root: Hash,
    note: String,
}

impl Witness {
    /// Makes the folder of a new witness, with its key.
    ///
    /// # Errors
    /// When it cannot be written, or is in use already.
    pub fn init(key: &WitnessKey, folder: &Path) -> Result<(), JournalFault> {
        let folder = DataFolder::at(folder);
        let locked = folder.lock_by(LOCK)?;
        for name in [SECRET_KEY, PUBLIC_KEY] {
            if folder.small_file(&folder.path().join(name))?.is_some() {
                let detail = format!("{} is the folder of a witness already: it has a {name}", folder.path().display());
                return Err(JournalFault::new(JournalFaultKind::Unusable, detail));
            }
        }
        locked.replace(SECRET_KEY, key.to_file().as_bytes())?;
        locked.replace(LOGS, b"")?;
        // The last one: without it the folder is none of a witness.
        locked.replace(PUBLIC_KEY, format!("{}\n", key.public()).as_bytes())
    }

    /// The key that the folder of a witness holds, or that another file does.
    ///
    /// # Errors
    /// When there is none, or others may read it.
    pub fn key(folder: &Path, elsewhere: Option<&Path>) -> Result<WitnessKey, JournalFault> {
        let path = elsewhere.map_or_else(|| folder.join(SECRET_KEY), Path::to_owned);
        refuse_shown(&path)?;
        let text = DataFolder::at(folder).small_file(&path)?.ok_or_else(|| {
            JournalFault::new(JournalFaultKind::Missing, format!("there is no key of a witness at {}", path.display()))
        })?;
        WitnessKey::parse(&text)
    }

    /// The witness whose folder this is. A folder that was not made for this key is refused: a witness that has forgotten what it
    /// saw would sign a second history.
    ///
    /// # Errors
    /// When the folder is not its own or in use, or what it saw is damaged.
    pub fn open(key: WitnessKey, logs: &[PolicyLog], folder: &Path) -> Result<Self, JournalFault> {
        let folder = DataFolder::at(folder);
        let own = folder.small_file(&folder.path().join(PUBLIC_KEY))?.ok_or_else(|| {
            let detail = format!("{} is no folder of a witness: it has no {PUBLIC_KEY}", folder.path().display());
            JournalFault::new(JournalFaultKind::Missing, detail)
        })?;
        if own != format!("{}\n", key.public()) {
            let detail = format!("{} is the folder of another witness's key", folder.path().display());
            return Err(JournalFault::new(JournalFaultKind::WrongKey, detail));
        }
        let locked = folder.lock_by(LOCK)?;
        let mut logs = by_origin(logs)?;
        for (origin, keys) in &mut logs {
            read_seen(&locked, origin)?;
            *keys = kept_notes(locked.folder(), origin)?.extend(keys)?;
        }
        Ok(Self { key, logs: Mutex::new(logs), folder: Mutex::new(locked) })
    }

    #[must_use]
    pub fn public_key(&self) -> &WitnessPublicKey {
        self.key.public()
    }

    /// The size of the newest state of each log that was seen; zero where none was.
    ///
    /// # Errors
    /// When what was seen cannot be read.
    pub fn sizes(&self) -> Result<Vec<(String, u64)>, JournalFault> {
        let size = |origin: &String| Ok((origin.clone(), self.seen(origin)?.map_or(0, |seen| seen.size)));
        let origins: Vec<String> = self.logs().keys().cloned().collect();
        origins.iter().map(size).collect()
    }

    /// Follows the notes of a log from the keys that are known to newer ones, and remembers them: a log that announced its next
    /// key is witnessed on without anybody's help. A key that no known one signed changes nothing.
    #[must_use]
    pub fn follow(&self, body: &[u8]) -> FollowAnswer {
        let text = str::from_utf8(body).ok().filter(|text| text.len() <= MAX_NOTES_BYTES);
        let Some(text) = text else { return FollowAnswer::Malformed };
        let Some(origin) = text.split('\n').next().and_then(note::next_key_of) else { return FollowAnswer::Malformed };
        let Ok(notes) = HandOverNotes::parse(text) else { return FollowAnswer::Malformed };
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = self.logs().get(origin).cloned() else { return FollowAnswer::UnknownLog };
        match followed(&folder, origin, &known, &notes) {
            Ok(Some(keys)) => {
                self.logs().insert(origin.to_owned(), keys);
                FollowAnswer::Followed
            }
            Ok(None) => FollowAnswer::UnknownKey,
            Err(fault) if fault.kind == JournalFaultKind::Rewound => FollowAnswer::Fork,
            Err(fault) if fault.kind == JournalFaultKind::Corrupt => FollowAnswer::Malformed,
            Err(fault) => FollowAnswer::Failed(fault),
        }
    }

    fn logs(&self) -> MutexGuard<'_, BTreeMap<String, PublicKeys>> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a state, in the order that C2SP tlog-witness gives. `now` are seconds of POSIX.
    #[must_use]
    pub fn add(&self, body: &[u8], now: u64) -> WitnessAnswer {
        let Some(request) = AddCheckpoint::parse(body) else { return WitnessAnswer::Malformed };
        let origin = request.checkpoint.split('\n').next().unwrap_or_default();
        let Some(keys) = self.logs().get(origin).cloned() else { return WitnessAnswer::UnknownLog };
        let checkpoint = match Checkpoint::open(&request.checkpoint, &keys) {
            Ok(checkpoint) => checkpoint,
            Err(CheckpointError::Malformed | CheckpointError::OtherLog) => return WitnessAnswer::Malformed,
            Err(CheckpointError::UnknownKey | CheckpointError::BadSignature) => return WitnessAnswer::UnknownKey,
        };
        if request.old > checkpoint.size() {
            return WitnessAnswer::Malformed;
        }
        self.see(&request, &checkpoint, origin, now).unwrap_or_else(WitnessAnswer::Failed)
    }

    fn see(
        &self,
        request: &AddCheckpoint,
        checkpoint: &Checkpoint,
        origin: &str,
        now: u64,
    ) -> Result<WitnessAnswer, JournalFault> {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = read_seen(&folder, origin)?;
        let size = seen.as_ref().map_or(0, |seen| seen.size);
        if request.old != size {
            return Ok(WitnessAnswer::OtherSize(size));
        }
        let is_new = seen.as_ref().is_none_or(|seen| seen.size < checkpoint.size());
        if let Some(seen) = seen {
            if seen.size == checkpoint.size() && seen.root != *checkpoint.root() {
                keep_evidence(&folder, origin, &seen.note, checkpoint.text().as_str())?;
                return Ok(WitnessAnswer::Fork(size));
            }
            if !is_proven(&request.proof, &seen, checkpoint) {
                return Ok(WitnessAnswer::Unproven);
            }
        } else if !request.proof.is_empty() {
            return Ok(WitnessAnswer::Unproven);
        }
        if is_new {
            folder.replace(&state_name(origin), state_text(checkpoint.text().as_str()).as_bytes())?;
            remember(&folder, origin)?;
        }
        self.key.cosign(checkpoint, now).map(WitnessAnswer::Cosigned)
    }

    fn seen(&self, origin: &str) -> Result<Option<SeenState>, JournalFault> {
        read_seen(&self.folder.lock().unwrap_or_else(PoisonError::into_inner), origin)
    }
}

/// The keys that the notes lead to, once the notes are kept; none when they lead to no new one.
fn followed(
    folder: &LockedFolder,
    origin: &str,
    known: &PublicKeys,
    notes: &HandOverNotes,
) -> Result<Option<PublicKeys>, JournalFault> {
    let kept = kept_notes(folder.folder(), origin)?;
    let all = kept.with(notes);
    let keys = all.extend(known)?;
    if keys == *known {
        return Ok(None);
    }
    folder.replace(&notes_name(origin), all.signed_by(&keys).to_file().as_bytes())?;
    Ok(Some(keys))
}

fn kept_notes(folder: &DataFolder, origin: &str) -> Result<HandOverNotes, JournalFault> {
    let text = folder.small_file(&folder.path().join(notes_name(origin)))?;
    text.map_or_else(|| Ok(HandOverNotes::default()), |text| HandOverNotes::parse(&text))
}

fn notes_name(origin: &str) -> String {
    format!("{}.hand-overs", digest(origin))
}

fn is_proven(proof: &[Hash], seen: &SeenState, later: &Checkpoint) -> bool {
    if seen.size == later.size() {
        return proof.is_empty();
    }
    is_growth(proof, (seen.size, &seen.root), (later.size(), later.root()))
}

/// The keys of each log: several lines may be of one log whose key was changed.
fn by_origin(logs: &[PolicyLog]) -> Result<BTreeMap<String, PublicKeys>, JournalFault> {
    let mut keys: BTreeMap<String, PublicKeys> = BTreeMap::new();
    for log in logs {
        let known = match keys.remove(log.key.origin()) {
            Some(known) => known.with_newer(log.key.clone())?,
            None => PublicKeys::one(log.key.clone()),
        };
        keys.insert(log.key.origin().to_owned(), known);
    }
    Ok(keys)
}

fn state_name(origin: &str) -> String {
    format!("{}.state", digest(origin))
}

fn digest(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

fn state_text(note: &str) -> String {
    format!("{FIRST_LINE}\n{}\n{note}", digest(note))
}

/// What was seen of a log. Damage is never taken for nothing.
fn read_seen(folder: &LockedFolder, origin: &str) -> Result<Option<SeenState>, JournalFault> {
    let folder = folder.folder();
    let name = state_name(origin);
    let Some(text) = folder.small_file(&folder.path().join(&name))? else {
        return if remembered(folder)?.contains(&digest(origin)) {
            Err(JournalFault::corrupt(format!(
                "{name} is missing: a state of the log was cosigned, and is not known any more"
            )))
        } else {
            Ok(None)
        };
    };
    let read = || {
        let (first, rest) = text.split_once('\n')?;
        let (kept, note) = rest.split_once('\n')?;
        let read = checkpoint::Checkpoint::from_bytes(note::body(note)?.as_bytes()).ok()?;
        let is_whole = first == FIRST_LINE && kept == digest(note) && read.origin() == origin;
        let size = Count::new(read.size()).filter(|_| is_whole).map(|_| read.size())?;
        Some(SeenState { size, root: *read.hash(), note: note.to_owned() })
    };
    let damaged = || JournalFault::corrupt(format!("{name} is damaged: what was seen of the log is not known"));
    read().map(Some).ok_or_else(damaged)
}

/// The digests of the names of all logs of which a state was cosigned.
fn remembered(folder: &DataFolder) -> Result<Vec<String>, JournalFault> {
    let text = folder.small_file(&folder.path().join(LOGS))?;
    let text =
        text.ok_or_else(|| JournalFault::corrupt(format!("{LOGS} is missing: what was cosigned is not known")))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn remember(folder: &LockedFolder, origin: &str) -> Result<(), JournalFault> {
    let (mut known, name) = (remembered(folder.folder())?, digest(origin));
    if known.contains(&name) {
        return Ok(());
    }
    known.push(name);
    folder.replace(LOGS, known.iter().map(|name| format!("{name}\n")).collect::<String>().as_bytes())
}

/// Keeps the first two signed states that contradict each other; those after it prove no more.
fn keep_evidence(folder: &LockedFolder, origin: &str, seen: &str, shown: &str) -> Result<(), JournalFault> {
    let name = format!("{}.fork", digest(origin));
    if folder.folder().path().join(&name).exists() {
        return Ok(());
    }
    folder.replace(&name, format!("{seen}{shown}").as_bytes())
}

#[cfg(test)]
mod tests;
