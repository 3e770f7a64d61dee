//! How a folder joins a shared log, or takes in exported files: against a state that is known, or as the first.

use clap::{Arg, ArgMatches, Command};
use svc_journal::{joining::Joining, regular_file, source::LogFiles as _, tiles};

use super::{
    remote::{self, Remote, is_address},
    verify,
};
use crate::{
    arguments::{flag, is_set, text},
    failure::Failure,
    output::escape::Safe,
    registry_client,
};

/// A checkpoint with its signatures is far smaller.
const MAX_CHECKPOINT_BYTES: u64 = 64 * 1024;

pub(super) fn with_joining(command: Command) -> Command {
    let at_least = Arg::new("at-least")
        .long("at-least")
        .value_name("CHECKPOINT")
        .help("A signed state that the log must have grown from: the file of a checkpoint, a receipt or an answer, or the address of a registry");
    let first = flag("first-node", "There is no other node, and never was: go by nothing").conflicts_with("at-least");
    command.arg(at_least).arg(first).args(registry_client::arguments("read"))
}

pub(super) fn given(arguments: &ArgMatches) -> Result<Joining, Failure> {
    let Some(at_least) = text(arguments, "at-least") else {
        return Ok(if is_set(arguments, "first-node") { Joining::First } else { Joining::Remembering });
    };
    let checkpoint = if is_address(at_least) {
        let bytes = Remote::new(at_least, arguments)?.get(tiles::CHECKPOINT);
        let bytes = bytes.map_err(|fault| Failure {
            help: Some("give the address of a node or a registry that answers, or the file of a checkpoint".to_owned()),
            ..remote::stopped(&fault)
        })?;
        String::from_utf8(bytes)
            .map_err(|_| Failure::usage("`--at-least`: the checkpoint must be text", "give another address"))?
    } else {
        regular_file::read_text(at_least.as_ref(), MAX_CHECKPOINT_BYTES).map_err(|error| {
            let message = format!("`--at-least`: {at_least} cannot be read: {error}");
            Failure::usage(message, "give a file with a checkpoint, or the address of a registry")
        })?
    };
    let checkpoint = verify::state_in(&checkpoint);
    // Whose it is, is looked at beside the log.
    if !checkpoint.contains("\n\n") {
        let message = format!("`--at-least`: what {} gives is no checkpoint", Safe(at_least));
        return Err(Failure::usage(message, "give a checkpoint, a receipt or an answer, or the address of a registry"));
    }
    Ok(Joining::AtLeast(checkpoint))
}
