//! `svc-registry journal import`: fills an empty journal from exported files.

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments::{self, given_path},
    failure::Failure,
};
use svc_journal::transfer;
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::{
    joining::{self, with_joining},
    location::{location, with_location},
};

pub(super) fn command() -> Command {
    let folder =
        arguments::path("folder", "DIR").required(true).help("A folder that `svc-registry journal export` wrote");
    let import =
        Command::new("import").about("Fill an empty journal from exported files, checking every hash").arg(folder);
    with_location(with_joining(import.after_help(
        "The secret key is not among the files: copy journal.key, or run `svc-registry journal rotate-key`. Files that were written \
         long ago hold too, so that a newer state of the log is asked for: --at-least, or --first-node if none is known.",
    )))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let folder = given_path(arguments, "folder").unwrap_or_default();
    let seen = transfer::import(&folder, &location(arguments)?, &joining::given(arguments)?, &mut |_| {});
    let seen = seen.map_err(|fault| refused(&fault))?;
    let pruned = match seen.pruned {
        0 => String::new(),
        some => format!("{some} of them are pruned: their hashes were imported, their records are not in the files\n"),
    };
    Ok(format!("imported {} records, every hash checked\n{pruned}", seen.records))
}

/// The help of a fault is about a journal that is there; here one is being filled.
fn refused(fault: &JournalFault) -> Failure {
    let failure = Failure::journal(fault);
    match fault.kind {
        JournalFaultKind::Unremembered => Failure { help: Some(KNOWN_STATE.to_owned()), ..failure },
        JournalFaultKind::Missing => {
            let help =
                "give the folder that `svc-registry journal export` or `svc log mirror` wrote, with all its files";
            Failure { help: Some(help.to_owned()), ..failure }
        }
        JournalFaultKind::Busy
        | JournalFaultKind::Corrupt
        | JournalFaultKind::Drift
        | JournalFaultKind::Full
        | JournalFaultKind::Locked
        | JournalFaultKind::OpenClaim
        | JournalFaultKind::Rewound
        | JournalFaultKind::Storage
        | JournalFaultKind::UnreleasedForm
        | JournalFaultKind::Unreachable
        | JournalFaultKind::Unusable
        | JournalFaultKind::WrongKey
        | JournalFaultKind::WrongPrimary => failure,
    }
}

const KNOWN_STATE: &str = "run `svc-registry journal import` again with --at-least CHECKPOINT, the newest state of this log that you know; \
                           or with --first-node, if you know none";
