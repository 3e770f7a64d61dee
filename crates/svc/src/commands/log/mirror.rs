//! `svc log mirror`: copies a log that somebody else serves into files that any web server can serve again.

use std::{
    fs::{self, File},
    path::Path,
};

use clap::{Arg, ArgMatches, Command};
use serde::Serialize;
use svc_archive::{
    folder_files::FolderFiles,
    log_folder::PUBLIC_KEYS,
    mirror::{self, Mirrored, ServedStates},
};
use svc_cli::{
    arguments::{self, given_path, text},
    clock,
    failure::Failure,
    log::{
        archive,
        log_progress::LogProgress,
        remote::{self, Remote},
    },
    output::{format::Format, stream},
    policy_file, public_keys, registry_client,
    scope::{Scope, Why},
};
use svc_core::{
    diagnostics::{RunScope, ScopePart},
    words::exit_code::ExitCode,
};
use svc_json::printable;
use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    public_key::PublicKeys,
    source::{LogFiles as _, hand_overs_of},
    tiles,
};

use super::{
    evidence_folder::{self, Circumstances, EvidenceStore},
    judge::{RoundEnd, Seen},
    quorum,
    remote_log::RemoteLog,
    stop_flag::StopFlag,
};

pub(super) fn command() -> Command {
    Command::new("mirror")
        .about("Copy a log that somebody else serves into plain files that any web server can serve")
        .arg(Arg::new("address").value_name("URL").required(true).help("The address of a registry, or of a copy of its log"))
        .arg(
            arguments::path("folder", "DIR")
                .required(true)
                .help("A new or empty folder, or one that this log was copied to before"),
        )
        .arg(public_keys::argument().help(
            "A file with the public keys of the log, from a source that you believe; without it those of the copy are used, and at the \
             first run those that the registry names",
        ))
        .arg(policy_file::argument())
        .args(registry_client::arguments("read"))
        .after_help(
            "Into a folder that the log was copied to before, only what is new is asked for; the log must have grown from the state that \
             is there, and records that it has pruned since stay in the folder. One that forked or does not hold is refused with exit code 4, a record that claims something else than no with 7; \
             the copy keeps the state that it had, and what shows it is below `evidence` in the folder. Files that are there are not read again: \
             `svc log verify DIR` reads them.\n\n\
             Example\n  svc log mirror https://registry.example ./mirrored --public-key journal.pub",
        )
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MirrorVerdict<'a> {
    begins: u64,
    kept_from: u64,
    new: u64,
    origin: &'a str,
    records: u64,
    removed: u64,
    scope: RunScope<'static>,
    written: u64,
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let address = text(arguments, "address").unwrap_or_default();
    if !remote::is_address(address) {
        return Err(Failure::usage(
            format!("`{address}` must be an address that begins with https://"),
            "give the address of a registry; a journal of your own is written by `svc-registry journal export`",
        ));
    }
    let remote = Remote::new(address, arguments)?;
    let policy = policy_file::given(arguments)?;
    let folder = given_path(arguments, "folder").unwrap_or_default();
    let _lock = locked(&folder)?;
    let evidence = EvidenceStore::below(&folder);
    evidence.refuse_earlier()?;
    let keys = keys(arguments, &folder, &remote)?;
    let had_records = folder.join(tiles::CHECKPOINT).is_file();
    let mut ended = copy(&remote, &keys, &folder, policy.as_ref());
    // What was there a moment ago may have been pruned since.
    if matches!(&ended, Err((RoundEnd::Found(_, fault, _), _)) if fault.kind == JournalFaultKind::Missing) {
        ended = copy(&remote, &keys, &folder, policy.as_ref());
    }
    let mirrored = match ended {
        Ok(mirrored) => mirrored,
        Err((RoundEnd::Unread(fault), _)) => return Err(remote::stopped(&fault)),
        Err((RoundEnd::Unwitnessed(fault), _)) => return Err(quorum::lacking(&fault)),
        Err((RoundEnd::Failed(failure), _)) => return Err(failure),
        Err((RoundEnd::Found(found, fault, asked), origin)) => {
            let around = Circumstances { address, asked, fault: &fault, origin: &origin, time: clock::now() };
            let place = evidence.write(&found, &around)?;
            return Err(evidence_folder::found(&found, &around, &place));
        }
    };
    let is_pinned = given_path(arguments, "public-key").is_some();
    let unseen = match &policy {
        None => Some(Why::NoPolicyGiven),
        Some(policy) => policy.can_be_met_by(|_| false).then_some(Why::NoWitnessNamed),
    };
    let unread = match (had_records, mirrored.begins > 0) {
        (true, true) => Some(Why::PrunedAndOnlyNew),
        (true, false) => Some(Why::OnlyNew),
        (false, true) => Some(Why::Pruned),
        (false, false) => None,
    };
    let ungrown = match (had_records, mirrored.new) {
        (false, _) => Some(Why::NoneCopied),
        (true, 0) => Some(Why::SameState),
        (true, _) => None,
    };
    let scope = Scope::of_log([
        (ScopePart::Records, unread),
        (ScopePart::LogTree, None),
        (ScopePart::LogGrowth, ungrown),
        (ScopePart::LogKey, (!is_pinned).then_some(Why::KeysOfTheLog)),
        (ScopePart::Cosignatures, unseen),
    ]);
    Ok(match format {
        Format::Json => {
            let Mirrored { records, new, begins, kept_from, written, removed, .. } = mirrored;
            let verdict = MirrorVerdict {
                begins,
                kept_from,
                new,
                origin: keys.origin(),
                records,
                removed,
                scope: scope.to_report(),
                written,
            };
            String::from_utf8_lossy(&printable::pretty(&verdict)).into_owned()
        }
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            in_words(&mirrored) + &scope.in_lines()
        }
    })
}

fn in_words(mirrored: &Mirrored) -> String {
    let Mirrored { records, new, begins, kept_from, lost, written, removed } = mirrored;
    let begins = archive::beginning(*begins, *kept_from, lost);
    let proven = match new {
        0 => String::new(),
        _ => ", every new one a no and proven by the signed state".to_owned(),
    };
    format!("copied {new} new records of {records}{proven}; {written} files written, {removed} removed\n{begins}")
}

/// One run over the log; where it does not hold, what that means, and the name of the log.
fn copy(
    remote: &Remote,
    given: &PublicKeys,
    folder: &Path,
    policy: Option<&svc_proof::policy::Policy>,
) -> Result<Mirrored, (RoundEnd, String)> {
    let stop = StopFlag::default();
    let log = RemoteLog::new(remote, &stop);
    let mut seen = Seen::new(given);
    let ended = (|| {
        let known_notes = hand_overs_of(&FolderFiles::new(folder)).map_err(RoundEnd::Unread)?;
        seen.extend_keys(known_notes, &log).map_err(RoundEnd::Unread)?;
        let known = mirror::known_state(folder, &seen.keys).map_err(|fault| Failure::log(&fault))?;
        seen.known = known.into_iter().collect();
        let witnessed = quorum::served(&log)?;
        let newest = String::from_utf8(log.get(tiles::CHECKPOINT).map_err(RoundEnd::Unread)?).unwrap_or_default();
        if let Some(policy) = policy {
            let state = quorum::demand(policy, witnessed.as_ref().unwrap_or(&newest), &seen.keys)?;
            let served = Checkpoint::open(&newest, &seen.keys).map_err(|refused| RoundEnd::Unread(refused.into()))?;
            quorum::expect_recent(&state, &served)?;
            seen.known.push(state.checkpoint().clone());
        }
        let served = ServedStates { newest: &newest, witnessed: witnessed.as_deref() };
        let mut progress = LogProgress::start();
        let mirrored =
            mirror::mirror(&log, served, (&seen.keys, &seen.notes), folder, &mut |at, of| progress.at(at, of));
        mirrored.map_err(RoundEnd::Unread)
    })();
    ended.map_err(|end| {
        let end = match end {
            RoundEnd::Unread(fault) => seen.judge(&log, fault),
            end @ (RoundEnd::Unwitnessed(_) | RoundEnd::Found(..) | RoundEnd::Failed(_)) => end,
        };
        (end, given.origin().to_owned())
    })
}

/// The keys that were given, else those of the copy, else those that the log names now.
fn keys(arguments: &ArgMatches, folder: &Path, remote: &Remote) -> Result<PublicKeys, Failure> {
    let own = folder.join(PUBLIC_KEYS);
    if given_path(arguments, "public-key").is_some() || own.is_file() {
        return public_keys::given(arguments, Some(&own));
    }
    let named = remote.keys().map_err(|fault| remote::stopped(&fault))?;
    stream::status(
        "warning: the keys came from the registry itself: this shows that the log stays itself, not whose it is\n",
    );
    Ok(named)
}

/// Takes the folder for this run. The lock is on the folder itself, so that nothing is in it that is not the log's.
fn locked(folder: &Path) -> Result<Option<File>, Failure> {
    let cannot = |error: std::io::Error| Failure {
        exit: ExitCode::InputOutput,
        message: format!("{}: {error}", folder.display()),
        help: Some("give a folder that you may write to".to_owned()),
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    if !cfg!(unix) {
        return Ok(None);
    }
    let file = File::open(folder).map_err(cannot)?;
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(Failure::log(&JournalFault::new(
            JournalFaultKind::Locked,
            format!("another process copies to {}", folder.display()),
        ))),
        // Where the file system has no locks, nobody can tell.
        Ok(()) | Err(fs::TryLockError::Error(_)) => Ok(Some(file)),
    }
}
