//! `--state DIR`: what is remembered of a log that was read, in one file that is replaced as a whole.

use std::path::{Path, PathBuf};

use svc_cli::{failure::Failure, files::write::write_atomic, public_keys};
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    follow::ReadLog,
    public_key::PublicKeys,
};

const FILE: &str = "journal.state";

pub(super) struct ReaderState(PathBuf);

impl ReaderState {
    /// The state in a folder, which is made when it is missing.
    pub(super) fn at(folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::usage(
                format!("`--state`: {} cannot be used: {error}", folder.display()),
                "give a folder of your own",
            )
        })?;
        Ok(Self(folder.join(FILE)))
    }

    pub(super) fn read(&self, keys: &PublicKeys) -> Result<Option<ReadLog>, Failure> {
        if std::fs::symlink_metadata(&self.0).is_err() {
            return Ok(None);
        }
        let text = public_keys::small_file(&self.0)?;
        ReadLog::parse(&text, keys).map(Some).map_err(|fault| {
            let mut failure = Failure::log(&fault);
            failure.message = format!("{}: {}", self.0.display(), failure.message);
            failure.help = Some(
                "give the --state folder of this log, or another folder to read the log from its first record"
                    .to_owned(),
            );
            failure
        })
    }

    pub(super) fn keep(&self, read: &ReadLog) -> Result<(), JournalFault> {
        write_atomic(&self.0, read.to_text().as_bytes()).map(drop).map_err(|error| {
            JournalFault::new(JournalFaultKind::Storage, format!("{}: {}", self.0.display(), error.message()))
        })
    }
}
