//! What registries answered to a bundle, kept beside it: one folder a registry, one file an artifact, and the keys of its log.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use svc_cli::{
    failure::Failure,
    files::{
        document::read_document,
        folder_swap::answers_beside,
        read::{Input, ReadError},
        write::{require_writable, write_atomic},
    },
    public_keys,
};
use svc_client::address::Address;
use svc_core::{
    bundle::Files,
    verification::FaultCode,
    words::{
        exit_code::ExitCode,
        kind::{self, ArtifactSpec},
    },
};
use svc_proof::{hand_over::HandOverNotes, public_key::PublicKeys};
use svc_verify::{check::CheckFault, hand_over};

/// The public keys of the registry's log, as they were when it first answered.
const KEYS_FILE: &str = "journal.pub";

/// The notes by which a key that was known led to those.
const NOTES_FILE: &str = "journal.hand-overs";

/// The most bytes of an answer.
pub(crate) const ANSWER_BYTES: u64 = svc_core::words::limits::ANSWER_BYTES as u64;

/// The answers of one registry.
#[derive(Debug)]
pub(crate) struct KeptAnswers {
    folder: PathBuf,
}

impl KeptAnswers {
    /// Where the answers of a registry to a bundle are kept.
    pub(crate) fn for_registry(bundle: &Path, address: &Address) -> Option<Self> {
        Some(Self { folder: answers_beside(bundle)?.join(address.folder_name()) })
    }

    /// All registries whose answers are kept beside a bundle.
    pub(crate) fn all(bundle: &Path) -> Result<Vec<Self>, Failure> {
        let Some(folder) = answers_beside(bundle) else { return Ok(Vec::new()) };
        refuse_link(&folder)?;
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(not_a_folder(&folder)),
            Err(error) => return Err(Failure::reading(&folder.to_string_lossy(), &error.into())),
        };
        let entries: Result<Vec<fs::DirEntry>, io::Error> = entries.collect();
        let entries = entries.map_err(|error| Failure::reading(&folder.to_string_lossy(), &error.into()))?;
        let mut all: Vec<Self> = entries.iter().map(|entry| Self { folder: entry.path() }).collect();
        all.sort_by(|left, right| left.folder.cmp(&right.folder));
        Ok(all)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Files that nothing of ours wrote: those in the folder, or the one in its place.
    pub(crate) fn foreign(&self) -> Result<Vec<PathBuf>, Failure> {
        let failed = |error: io::Error| Failure::reading(&self.folder.to_string_lossy(), &error.into());
        if self.folder.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(vec![self.folder.clone()]);
        }
        self.refuse_links()?;
        let own: Vec<PathBuf> = kind::ALL.iter().map(|spec| self.file(spec)).collect();
        let entries: Result<Vec<fs::DirEntry>, io::Error> = fs::read_dir(&self.folder).map_err(failed)?.collect();
        let paths = entries.map_err(failed)?.into_iter().map(|entry| entry.path());
        let mut foreign: Vec<PathBuf> =
            paths.filter(|path| !own.contains(path) && !self.of_keys().contains(path)).collect();
        foreign.sort();
        Ok(foreign)
    }

    /// Neither the folder nor the one around it may be a link: what is kept would lie, or be looked for, elsewhere.
    fn refuse_links(&self) -> Result<(), Failure> {
        self.folder.parent().map_or(Ok(()), refuse_link)?;
        refuse_link(&self.folder)
    }

    /// Refuses a place where an answer could not be kept, before anything is asked.
    pub(crate) fn require_writable(&self) -> Result<(), Failure> {
        self.refuse_links()?;
        let around = self.folder.parent().unwrap_or(Path::new("."));
        match (self.folder.symlink_metadata(), around.symlink_metadata()) {
            (Ok(found), _) if found.is_dir() => {
                let answers = kind::ALL.iter().map(|spec| self.file(spec));
                answers.chain(self.of_keys()).try_for_each(|file| writable(&file))
            }
            (Ok(_), _) => Err(not_a_folder(&self.folder)),
            (Err(_), Ok(found)) if found.is_dir() => writable(&self.folder),
            (Err(_), Ok(_)) => Err(not_a_folder(around)),
            (Err(_), Err(_)) => writable(around),
        }
    }

    fn of_keys(&self) -> [PathBuf; 2] {
        [KEYS_FILE, NOTES_FILE].map(|name| self.folder.join(name))
    }

    /// The keys that were given, and those that the kept notes lead to: each key is signed by the one before it.
    fn followed(&self, given: &[PublicKeys]) -> Result<Vec<PublicKeys>, Failure> {
        self.refuse_links()?;
        let path = self.folder.join(NOTES_FILE);
        if given.is_empty() || path.symlink_metadata().is_err() {
            return Ok(given.to_vec());
        }
        let notes = HandOverNotes::parse(&public_keys::small_file(&path)?);
        let followed = notes.and_then(|notes| given.iter().map(|keys| notes.extend(keys)).collect());
        followed.map_err(|fault| {
            Failure {
            exit: ExitCode::Digest,
            message: format!("{}: {}", path.to_string_lossy(), fault.detail),
            help: Some(
                "the notes kept with the answers were changed: hand the bundle over again with `svc app submit --again`"
                    .to_owned(),
            ),
        }
        })
    }

    /// The keys that were kept, where there are any.
    pub(crate) fn keys(&self) -> Result<Option<PublicKeys>, Failure> {
        self.refuse_links()?;
        let path = self.folder.join(KEYS_FILE);
        if path.symlink_metadata().is_err() {
            return Ok(None);
        }
        let text = public_keys::small_file(&path)?;
        PublicKeys::parse(&text).map(Some).map_err(|fault| Failure {
            exit: ExitCode::Digest,
            message: format!("{}: {}", path.to_string_lossy(), fault.detail),
            help: Some("the keys beside the answers were changed: hand the bundle over again with `svc app submit --again`, or give --public-key".to_owned()),
        })
    }

    pub(crate) fn file(&self, spec: &ArtifactSpec) -> PathBuf {
        self.folder.join(format!("{}.json", spec.name))
    }

    /// The answer to an artifact, where one is kept.
    pub(crate) fn answer(&self, spec: &ArtifactSpec) -> Result<Option<Vec<u8>>, Failure> {
        let path = self.file(spec);
        match read_document(&Input::Path(path.clone()), ANSWER_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(ReadError::NotFound) => Ok(None),
            Err(error) => Err(Failure::reading(&path.to_string_lossy(), &error)),
        }
    }

    /// Every kept answer to this bundle, with what is wrong with it. Keys that are given come before those that were kept;
    /// of several logs, those of the log that signed these answers.
    pub(crate) fn checked(&self, files: &Files, given: &[PublicKeys]) -> Result<Vec<CheckedAnswer>, Failure> {
        let kept = self.keys()?;
        let given = &self.followed(given)?;
        let Some(first) = given.first() else { return self.checked_with(files, kept.as_ref()) };
        // The keys that came with the answers say which log they are of: those of another log are not taken for them.
        if let Some(kept) = &kept {
            let is_of_log = |keys: &&PublicKeys| kept.as_slice().iter().any(|key| keys.contains(key));
            return self.checked_with(files, Some(given.iter().find(is_of_log).unwrap_or(first)));
        }
        let of_first = self.checked_with(files, Some(first))?;
        for keys in given.iter().skip(1).filter(|_| is_of_another_log(&of_first)) {
            let checked = self.checked_with(files, Some(keys))?;
            if !is_of_another_log(&checked) {
                return Ok(checked);
            }
        }
        Ok(of_first)
    }

    fn checked_with(&self, files: &Files, keys: Option<&PublicKeys>) -> Result<Vec<CheckedAnswer>, Failure> {
        self.refuse_links()?;
        if self.folder.symlink_metadata().is_ok_and(|found| found.is_file()) {
            return Ok(Vec::new());
        }
        let mut checked = Vec::new();
        for spec in kind::ALL.iter().copied().filter(|spec| spec.endpoint.is_some()) {
            let Some(answer) = self.answer(spec)? else { continue };
            if let Err(why) = serde_json::from_slice::<serde_json::Value>(&answer) {
                let message = format!("{}: the file is not what was kept: {why}", self.file(spec).to_string_lossy());
                let help = "the answer was changed or cut after it was kept: hand the bundle over again with `svc app submit \
                            BUNDLE --registry URL --again`";
                return Err(Failure { exit: ExitCode::Digest, message, help: Some(help.to_owned()) });
            }
            let faults = hand_over::check_kept(files, spec, &answer, keys);
            let faults = faults.map_err(|message| Failure {
                exit: ExitCode::Digest,
                message: format!("{}: cannot be checked: {message}", self.file(spec).to_string_lossy()),
                help: Some("check the bundle first: `svc app verify`".to_owned()),
            })?;
            checked.push(CheckedAnswer { spec, answer, faults, has_key: keys.is_some() });
        }
        Ok(checked)
    }

    /// Keeps an answer.
    pub(crate) fn keep(&self, spec: &ArtifactSpec, answer: &[u8]) -> Result<(), Failure> {
        self.write(&self.file(spec), answer)
    }

    pub(crate) fn keep_keys(&self, keys: &PublicKeys, notes: &HandOverNotes) -> Result<(), Failure> {
        if !notes.is_empty() {
            self.write(&self.folder.join(NOTES_FILE), notes.to_file().as_bytes())?;
        }
        self.write(&self.folder.join(KEYS_FILE), keys.to_file().as_bytes())
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::writing(&path.to_string_lossy(), &error.into());
        self.refuse_links()?;
        fs::create_dir_all(&self.folder).map_err(failed)?;
        write_atomic(path, bytes).map(|_| ()).map_err(|error| Failure::writing(&path.to_string_lossy(), &error))
    }
}

fn writable(path: &Path) -> Result<(), Failure> {
    require_writable(path).map_err(|error| Failure::writing(&path.to_string_lossy(), &error))
}

fn not_a_folder(path: &Path) -> Failure {
    Failure {
        exit: ExitCode::InputOutput,
        message: format!("{}: must be a folder, and is not", path.to_string_lossy()),
        help: Some("move it elsewhere: what registries answer is kept there".to_owned()),
    }
}

fn refuse_link(folder: &Path) -> Result<(), Failure> {
    if !folder.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
        return Ok(());
    }
    let message = format!("{}: must be a folder, and is a symbolic link", folder.to_string_lossy());
    let help = "links are not followed here: put the folder itself there".to_owned();
    Err(Failure { exit: ExitCode::InputOutput, message, help: Some(help) })
}

fn is_of_another_log(answers: &[CheckedAnswer]) -> bool {
    answers.iter().flat_map(|answer| &answer.faults).any(|fault| fault.code == FaultCode::KeyDiffers)
}

/// An answer that was kept.
#[derive(Debug)]
pub(crate) struct CheckedAnswer {
    pub(crate) spec: &'static ArtifactSpec,
    pub(crate) answer: Vec<u8>,
    /// What is wrong with it.
    pub(crate) faults: Vec<CheckFault>,
    /// Whether there was a key to check its receipt with.
    pub(crate) has_key: bool,
}

impl CheckedAnswer {
    pub(crate) fn has_receipt(&self) -> bool {
        let answer = serde_json::from_slice::<serde_json::Value>(&self.answer);
        answer.is_ok_and(|answer| answer.get("receipt").is_some())
    }
}
