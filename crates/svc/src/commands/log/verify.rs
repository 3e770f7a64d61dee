//! `svc log verify`: a whole log, from its first record to its last.

use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use svc_archive::{folder_files::FolderFiles, log_folder::PUBLIC_KEYS};
use svc_cli::{
    arguments::{self, given_path, text},
    failure::Failure,
    log::{
        log_progress::LogProgress,
        remote::{self, Remote},
        verdict::{self, CheckedLog, Demands, Growth, KeySource, WITNESSED_MARK},
        witnessed::{self, WitnessVerdict},
    },
    output::format::Format,
    policy_file, public_keys, registry_client,
};
use svc_core::words::exit_code::ExitCode;
use svc_proof::{
    audit::AuditMark,
    fault::JournalFault,
    follow::{ReadLog, follow},
    public_key::PublicKeys,
    source::{LogFiles, hand_overs_of, start_of},
    tiles,
    tree::to_digest,
};

use super::reader_state::ReaderState;

pub(super) fn command() -> Command {
    Command::new("verify")
        .about("Check every record, the tree and its signed states; every record must be a denial or a refusal")
        .arg(
            Arg::new("source")
                .value_name("DIR|URL")
                .required(true)
                .help("An exported folder, or the address of a registry"),
        )
        .arg(verdict::from_argument())
        .arg(public_keys::argument().help(
            "A file with the public keys of the log, from a source that you believe; without it an exported folder is checked with its own \
             keys, which shows that it agrees with itself and not who made it",
        ))
        .arg(arguments::path("state", "DIR").long("state").help(
            "A folder that remembers how far the log was read: the next run proves growth from there and reads only what is new",
        ))
        .arg(policy_file::argument())
        .arg(verdict::hand_overs_argument())
        .args(registry_client::arguments("read"))
        .after_help("Examples\n  svc log verify ./exported --public-key journal.pub --from last-week.checkpoint\n  svc log verify https://registry.example --public-key journal.pub --state ./watched")
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let demands = Demands::given(arguments)?;
    let source = text(arguments, "source").unwrap_or_default();
    let (beside, checked) = if remote::is_address(source) {
        let keys = demands.keys(arguments, None)?;
        let remote = Remote::new(source, arguments)?;
        (KeySource::Given, files_at(&remote, &keys, &demands, arguments, (Age::Recent, remote::stopped))?)
    } else {
        if let Some(option) = ["token-file", "ca-certificate"].into_iter().find(|name| text(arguments, name).is_some())
        {
            let message = format!("`--{option}` is for the address of a registry, and {source} is a folder");
            return Err(Failure::usage(message, format!("leave --{option} out")));
        }
        (KeySource::Export, folder_at(Path::new(source), &demands, arguments)?)
    };
    verdict::of_log(checked, &demands, beside, arguments, format)
}

/// How long ago the witnesses may have seen the log.
#[derive(Clone, Copy)]
enum Age {
    /// Files that were written at some time tell nothing of now.
    Any,
    Recent,
}

fn folder_at(folder: &Path, demands: &Demands, arguments: &ArgMatches) -> Result<CheckedLog, Failure> {
    if !folder.join(tiles::CHECKPOINT).is_file() {
        let message = format!("{} must be an exported log, and has no file `{}`", folder.display(), tiles::CHECKPOINT);
        let help = "give a folder that `svc-registry journal export` wrote; `svc-registry journal verify` checks a journal itself";
        return Err(Failure { exit: ExitCode::InputOutput, message, help: Some(help.to_owned()) });
    }
    let own = folder.join(PUBLIC_KEYS);
    let keys = demands.keys(arguments, Some(own.as_path()))?;
    files_at(&FolderFiles::new(folder), &keys, demands, arguments, (Age::Any, Failure::log))
}

fn files_at(
    files: &dyn LogFiles,
    keys: &PublicKeys,
    demands: &Demands,
    arguments: &ArgMatches,
    (age, stopped): (Age, impl Fn(&JournalFault) -> Failure),
) -> Result<CheckedLog, Failure> {
    let notes = hand_overs_of(files).map_err(|fault| stopped(&fault))?;
    let keys = notes.extend(keys).map_err(broken)?;
    let changes = notes.changes(&keys).map_err(broken)?;
    let begins = start_of(files, &keys).map_err(|fault| stopped(&fault))?.index();
    let mut marks = verdict::older(arguments, &keys)?;
    let mut sizes: Vec<u64> = marks.iter().map(|mark| mark.size).collect();
    // Before the newest state is asked for, which is then never behind it.
    let witnessed = match &demands.policy {
        Some(policy) => Some(witnessed::of_log(files, policy, &keys)?),
        None => None,
    };
    marks.extend(witnessed.iter().map(|state| AuditMark::new(WITNESSED_MARK, state.checkpoint())));
    let witnesses = witnessed.as_ref().map(WitnessVerdict::new);
    let state = given_path(arguments, "state").map(|folder| ReaderState::at(&folder)).transpose()?;
    let known = state.as_ref().map_or(Ok(None), |state| state.read(&keys))?;
    sizes.extend(known.iter().map(|known| known.checkpoint.size()));
    let before = known.as_ref().map_or(0, |known| known.seen.read());
    let mut line = LogProgress::start();
    let mut keep = |read: &ReadLog| state.as_ref().map_or(Ok(()), |state| state.keep(read));
    let read = follow(files, &keys, known, marks, &mut keep, &mut |at, of| line.at(at, of));
    drop(line);
    let read = read.map_err(|fault| stopped(&fault))?;
    if let (Some(witnessed), Age::Recent) = (&witnessed, age) {
        witnessed::expect_recent(witnessed, read.checkpoint.size()).map_err(witnessed::lacking)?;
    }
    let root = to_digest(read.checkpoint.root()).to_string();
    let read_now = read.seen.read() - before;
    let growth = Growth::since(sizes, read.checkpoint.size());
    Ok(CheckedLog { root, keys, begins, changes, read_now, growth, seen: read.seen, witnesses })
}

fn broken(fault: JournalFault) -> Failure {
    Failure::log(&fault)
}
