//! Evidence against a log as a folder of plain files: what a stranger is handed, and what `check-evidence` reads.
//!
//! A folder is put in place whole and never written to again. Names of files come from here, and none from what is read.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use svc_archive::regular_file;
use svc_cli::{
    failure::Failure,
    files::{fresh_folder::Contents, new_folder::write_new},
};
use svc_core::{journal::timestamp::Timestamp, words::exit_code::ExitCode};
use svc_json::{digest::Digest, printable};
use svc_proof::{
    evidence::{EvidenceKind, LogEvidence},
    fault::JournalFault,
    hand_over::HandOverNotes,
    spans::SpanHashes,
    tree::{Hash, to_digest},
};

const ABOUT: &str = "evidence.json";
const FIRST: &str = "first.checkpoint";
const SECOND: &str = "second.checkpoint";
const HAND_OVERS: &str = "hand-overs";
const PROOF: &str = "proof";
const FILE: &str = "file";
const README: &str = "README.txt";

const KIND: &str = "svc-log-evidence";

/// No file of a log is larger.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// What is told beside the bytes. Only `kind` and `hashes` are checked; the rest is the word of whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AboutEvidence {
    /// What the log was reached by.
    pub(super) address: String,
    /// The paths that were asked for last, in order.
    pub(super) asked: Vec<String>,
    /// What was wrong, as it was told.
    pub(super) fault: String,
    pub(super) finding: EvidenceKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hashes: Option<HashLists>,
    kind: String,
    pub(super) origin: String,
    schema_version: String,
    pub(super) time: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HashLists {
    after: Vec<Digest>,
    before: Vec<Digest>,
}

/// The circumstances of a finding.
pub(super) struct Circumstances<'a> {
    pub(super) address: &'a str,
    pub(super) asked: Vec<String>,
    pub(super) fault: &'a JournalFault,
    pub(super) origin: &'a str,
    pub(super) time: Timestamp,
}

/// The place below a folder of ours where evidence is kept.
pub(super) struct EvidenceStore(PathBuf);

impl EvidenceStore {
    pub(super) fn below(folder: &Path) -> Self {
        Self(folder.join("evidence"))
    }

    /// The newest evidence of before, if there is any.
    pub(super) fn newest(&self) -> Result<Option<PathBuf>, Failure> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            entries => entries.map_err(|error| self.cannot("read", &error))?,
        };
        let found: Result<Vec<PathBuf>, io::Error> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
        // What a killed run left unfinished is no evidence.
        let is_whole = |path: &PathBuf| !path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        Ok(found.map_err(|error| self.cannot("read", &error))?.into_iter().filter(is_whole).max())
    }

    /// Refuses to go on where evidence was found before, so that it is not passed over in silence.
    pub(super) fn refuse_earlier(&self) -> Result<(), Failure> {
        let Some(folder) = self.newest()? else { return Ok(()) };
        let kind = read(&folder).map(|(evidence, _)| evidence.kind);
        Err(Failure {
            exit: kind.as_ref().map_or(ExitCode::Digest, |kind| exit_of(*kind)),
            message: format!(
                "evidence against this log was found before, in {}{}",
                folder.display(),
                kind.map_or_else(|_| String::new(), |kind| format!(": {} ({})", kind.what(), kind.code()))
            ),
            help: Some(
                "show it to the operator and to others who read the log; to go on, move the folder `evidence` elsewhere"
                    .to_owned(),
            ),
        })
    }

    /// Writes evidence into a new folder, and returns its place.
    pub(super) fn write(&self, evidence: &LogEvidence, around: &Circumstances<'_>) -> Result<PathBuf, Failure> {
        fs::create_dir_all(&self.0).map_err(|error| self.cannot("write", &error))?;
        let number = |path: PathBuf| path.file_name()?.to_str()?.split('-').next()?.parse::<u32>().ok();
        let next = self.newest()?.and_then(number).map_or(1, |last| last.saturating_add(1));
        let folder = self.0.join(format!("{next:04}-{}", evidence.kind.code()));
        write_new(&folder, &contents(evidence, around)).map_err(|error| self.cannot("write", &error))?;
        Ok(folder)
    }

    fn cannot(&self, what: &str, error: &io::Error) -> Failure {
        Failure {
            exit: ExitCode::InputOutput,
            message: format!("cannot {what} {}: {error}", self.0.display()),
            help: Some("check the disk and the permissions of the folder".to_owned()),
        }
    }
}

/// How a command ends that found such evidence.
const fn exit_of(kind: EvidenceKind) -> ExitCode {
    match kind {
        EvidenceKind::LogOpenClaim => ExitCode::OpenClaim,
        EvidenceKind::LogForkedStates
        | EvidenceKind::LogForkedHistory
        | EvidenceKind::LogForkedKeys
        | EvidenceKind::LogShrank
        | EvidenceKind::LogUnproven
        | EvidenceKind::LogDamaged
        | EvidenceKind::LogUnsigned => ExitCode::Digest,
    }
}

/// The stop with which a command ends that found evidence and wrote it down.
pub(super) fn found(evidence: &LogEvidence, around: &Circumstances<'_>, folder: &Path) -> Failure {
    Failure {
        exit: exit_of(evidence.kind),
        message: format!(
            "{}: {}: {} ({}); evidence in {}",
            evidence.kind.code(),
            around.address,
            evidence.kind.what(),
            around.fault.detail,
            folder.display()
        ),
        help: Some(format!(
            "keep the folder and show it to others: `svc log check-evidence {} --public-key FILE` tells them what it proves",
            folder.display()
        )),
    }
}

fn contents(evidence: &LogEvidence, around: &Circumstances<'_>) -> Contents {
    let digests = |hashes: &[Hash]| hashes.iter().map(to_digest).collect();
    let about = AboutEvidence {
        address: around.address.to_owned(),
        asked: around.asked.clone(),
        fault: around.fault.to_string(),
        finding: evidence.kind,
        hashes: evidence
            .hashes
            .as_ref()
            .map(|hashes| HashLists { after: digests(&hashes.after), before: digests(&hashes.before) }),
        kind: KIND.to_owned(),
        origin: around.origin.to_owned(),
        schema_version: "1.0".to_owned(),
        time: around.time.to_string(),
    };
    let mut files = Contents::new();
    let mut put = |name: &str, bytes: Option<Vec<u8>>| {
        if let Some(bytes) = bytes {
            files.insert(name.to_owned(), bytes);
        }
    };
    put(ABOUT, Some(printable::pretty(&about)));
    put(README, Some(readme(evidence.kind).into_bytes()));
    put(FIRST, evidence.first.clone().map(String::into_bytes));
    put(SECOND, evidence.second.clone());
    put(HAND_OVERS, Some(evidence.hand_overs.to_file().into_bytes()).filter(|bytes| !bytes.is_empty()));
    put(PROOF, evidence.proof.clone().map(String::into_bytes));
    put(FILE, evidence.file.clone());
    files
}

/// Reads a folder of evidence. Nothing of it is known to hold.
pub(super) fn read(folder: &Path) -> Result<(LogEvidence, AboutEvidence), Failure> {
    let about = file(folder, ABOUT)?.ok_or_else(|| refused(folder, ABOUT, "is not there"))?;
    let about: AboutEvidence = serde_json::from_slice(&about)
        .map_err(|error| refused(folder, ABOUT, &format!("has another form: {error}")))?;
    if about.kind != KIND || about.schema_version != "1.0" {
        return Err(refused(folder, ABOUT, "must be of kind svc-log-evidence and schema version 1.0"));
    }
    let text = |name: &str| {
        let bytes = file(folder, name)?;
        bytes.map(String::from_utf8).transpose().map_err(|_| refused(folder, name, "must be text in UTF-8"))
    };
    let hashes = |digests: &[Digest]| digests.iter().map(|digest| Hash(*digest.as_bytes())).collect();
    let notes = text(HAND_OVERS)?.map_or_else(|| Ok(HandOverNotes::default()), |notes| HandOverNotes::parse(&notes));
    let evidence = LogEvidence {
        kind: about.finding,
        first: text(FIRST)?,
        second: file(folder, SECOND)?,
        hashes: about
            .hashes
            .as_ref()
            .map(|lists| SpanHashes { before: hashes(&lists.before), after: hashes(&lists.after) }),
        hand_overs: notes.map_err(|fault| Failure::log(&fault))?,
        proof: text(PROOF)?,
        file: file(folder, FILE)?,
    };
    Ok((evidence, about))
}

fn file(folder: &Path, name: &str) -> Result<Option<Vec<u8>>, Failure> {
    match regular_file::read(&folder.join(name), MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| refused(folder, name, &format!("cannot be read: {error}"))),
    }
}

fn refused(folder: &Path, name: &str, why: &str) -> Failure {
    Failure {
        exit: ExitCode::InputOutput,
        message: format!("{}: {why}", folder.join(name).display()),
        help: Some("give a folder that `svc log watch` or `svc log mirror` wrote below `evidence`".to_owned()),
    }
}

fn readme(kind: EvidenceKind) -> String {
    let how = match kind {
        EvidenceKind::LogForkedStates => {
            "1. Check the signature of both checkpoints with the log's public key.\n\
             2. The second lines (sizes) are equal and the third lines (root hashes) differ.\n"
        }
        EvidenceKind::LogForkedHistory => {
            "1. Check the signature of both checkpoints with the log's public key.\n\
             2. `hashes` in evidence.json are those of the largest complete subtrees of the larger state, left to right: `before` up\n\
             \x20  to the size of the smaller state, `after` from there on. A node is SHA-256(0x01, left, right). Join neighbours that\n\
             \x20  are halves of one subtree, then from right to left: all of them give the root of the larger state.\n\
             3. `before` alone, joined the same way, gives another root than the smaller state has.\n"
        }
        EvidenceKind::LogForkedKeys => {
            "1. `hand-overs` holds two notes whose first line ends in `/next-key`, with different second lines.\n\
             2. Check that one and the same key signed both.\n"
        }
        EvidenceKind::LogOpenClaim => {
            "1. Without `proof` nothing but the word of the watcher says that the record in `file` was served.\n\
             2. With it: check the signature of the checkpoint at its end with the log's public key.\n\
             3. The line `extra` is the record in base64. Its leaf is SHA-256(0x00, record); the path leads to the root\n\
             \x20  (RFC 9162, section 2.1.3.2), and the record claims something else than no.\n"
        }
        EvidenceKind::LogShrank | EvidenceKind::LogUnproven => {
            "1. Check the signature of both checkpoints with the log's public key.\n\
             2. Ask the log, or somebody who keeps a copy of it, for the hashes between the two states. A log that is whole has them.\n"
        }
        EvidenceKind::LogDamaged => {
            "1. Check the signature of second.checkpoint with the log's public key.\n\
             2. Ask the log for the last path of `asked` in evidence.json, and compare with `file`, where that was kept.\n"
        }
        EvidenceKind::LogUnsigned => {
            "1. Check that first.checkpoint is signed by the log's public key, and that second.checkpoint is not.\n\
             2. Ask the operator whether the key was changed.\n"
        }
    };
    format!(
        "Evidence against a log: {}\n\n\
         Finding: {}.\n\n\
         Proven: {}.\n\
         Claimed: {}.\n\n\
         How to check it\n\n\
         You need the public key of the log, from the operator or from anybody who used the log, and not from whoever gave you this\n\
         folder. With svc:\n\n\
         \x20 svc log check-evidence FOLDER --public-key FILE\n\n\
         Without it:\n\n{how}\n\
         A checkpoint is a C2SP signed note. Its text is everything up to the empty line, with the last line feed before it. A line of\n\
         signature holds a name and, in base64, four bytes of key id and 64 bytes of Ed25519 signature of that text.\n\n\
         Everything else in evidence.json (address, asked, fault, time) is what the watcher says.\n",
        kind.code(),
        kind.what(),
        kind.proven(),
        kind.claimed(),
    )
}
