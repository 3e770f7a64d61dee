//! `svc-registry journal verify`: the journal of a data folder, from its first record to its last.

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments::given_path,
    failure::Failure,
    log::{
        verdict::{self, CheckedLog, Demands, Growth, KeySource, WITNESSED_MARK},
        witnessed::{self, WitnessVerdict},
    },
    output::format::{self, Format},
    policy_file, public_keys,
};
use svc_journal::{store::log_start, store_source::StoreSource};
use svc_proof::{
    audit::{self, AuditMark},
    checkpoint::Checkpoint,
    fault::JournalFault,
    tree::to_digest,
};

use super::location::{location, with_location};

pub(super) fn command() -> Command {
    let verify = Command::new("verify")
        .about("Check every record, the tree and its signed states; every record must be a denial or a refusal")
        .arg(verdict::from_argument())
        .arg(public_keys::argument().help(
            "A file with the public keys of the log, from a source that you believe [default: the journal's own, which show that it \
             agrees with itself]",
        ))
        .arg(policy_file::argument())
        .arg(verdict::hand_overs_argument()).arg(format::of_result_argument())
        .after_help("Example\n  svc-registry journal verify --data-dir ./data\n\n`svc log verify` checks an exported folder, or the log of a registry at its address.");
    with_location(verify)
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let demands = Demands::given(arguments)?;
    let checked = journal(arguments, &demands)?;
    verdict::of_log(checked, &demands, KeySource::DataFolder, arguments, format)
}

/// The journal itself: its head, the checkpoint outside it, and whatever older ones were given.
fn journal(arguments: &ArgMatches, demands: &Demands) -> Result<CheckedLog, Failure> {
    let location = location(arguments)?;
    let reading = location.read().map_err(|fault| Failure::journal(&fault))?;
    location.check_remembered(&reading).map_err(broken)?;
    let keys = match given_path(arguments, "public-key") {
        Some(_) => public_keys::given(arguments, None)?,
        None => demands.keys.clone().unwrap_or_else(|| reading.keys.clone()),
    };
    let notes = reading.store.hand_overs().map_err(broken)?;
    let keys = notes.extend(&keys).map_err(broken)?;
    let changes = notes.changes(&keys).map_err(broken)?;
    let mut marks = verdict::older(arguments, &keys)?;
    let older_sizes: Vec<u64> = marks.iter().map(|mark| mark.size).collect();
    // A running service goes on: the head is read after the checkpoint, so that it is never behind it.
    let kept: Option<Checkpoint> = reading.folder.checkpoint(&keys).map_err(broken)?;
    let witnessed = match &demands.policy {
        Some(policy) => {
            let text = reading.folder.witnessed().map_err(broken)?;
            let text = text.or_else(|| kept.as_ref().map(|kept| kept.text().as_str().to_owned())).unwrap_or_default();
            Some(witnessed::of_text(&text, policy, &keys)?)
        }
        None => None,
    };
    marks.extend(witnessed.iter().map(|state| AuditMark::new(WITNESSED_MARK, state.checkpoint())));
    let witnesses = witnessed.as_ref().map(WitnessVerdict::new);
    let head = reading.store.head().map_err(broken)?;
    let growth = {
        let sizes = older_sizes.into_iter();
        // The journal's own checkpoint is an older state only where the log has grown since.
        let kept = kept.iter().map(Checkpoint::size).filter(|size| *size < head.tree.size());
        Growth::since(sizes.chain(kept), head.tree.size())
    };
    marks.extend(kept.iter().map(|kept| AuditMark::new("the checkpoint outside the database", kept)));
    marks.push(AuditMark { name: "the journal's head".to_owned(), size: head.tree.size(), root: head.root });
    reading.store.check_structure().map_err(broken)?;
    let (seen, _) = audit::audit(&mut StoreSource::new(reading.store.as_ref()), marks, &mut |_| {}).map_err(broken)?;
    let read_now = seen.read();
    let begins = log_start(reading.store.as_ref()).map_err(broken)?.index();
    let root = to_digest(&head.root).to_string();
    Ok(CheckedLog { seen, root, keys, begins, changes, read_now, growth, witnesses })
}

fn broken(fault: JournalFault) -> Failure {
    Failure::journal(&fault)
}
