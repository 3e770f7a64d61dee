//! `svc-registry journal prune`: deletes the bytes of old records, and signs where the log begins.

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments::{flag, is_set, text},
    failure::Failure,
};
use svc_journal::prune;

use super::{
    before::before,
    location::{location, with_location},
};

pub(super) fn command() -> Command {
    let bound = Arg::new("before").long("before").value_name("N|TIME").required(true).help(
        "Records before this one, or before this moment in UTC, as 2026-11-15 or 2026-11-15T08:30; whole tiles of 256 records only",
    );
    let dry_run = flag("dry-run", "Say what would be pruned, and change nothing");
    let prune = Command::new("prune")
        .about("Delete the bytes of old records for good; their hashes stay")
        .arg(bound)
        .arg(dry_run);
    with_location(prune.after_help(
        "The key of the log signs where it begins from now on, so that readers know what was pruned and take nothing else for it. \
         Receipts stay good. Export first if somebody may ask for the records. With SQLite the service must be stopped, and nothing \
         is left in the files; with PostgreSQL it goes on, `svc_registry_pruner` is the role for it, and the database keeps old rows until it \
         reuses their place. Names of who asked are deleted by `svc-registry journal forget`.\n\n\
         Example\n  svc-registry journal prune --before 2026-01-01",
    ))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let wrong = || {
        Failure::usage(
            "`--before` must be N|TIME, and the given value has another form",
            "`svc-registry journal prune --help` shows the forms",
        )
    };
    let bound = before(text(arguments, "before").unwrap_or_default()).ok_or_else(wrong)?;
    let location = location(arguments)?;
    if is_set(arguments, "dry-run") {
        let plan = prune::plan(&location, bound).map_err(|fault| Failure::journal(&fault))?;
        let (from, begins, size) = (plan.from, plan.begins, plan.size);
        return Ok(match begins.saturating_sub(from) {
            0 => format!("nothing would be pruned; the log begins at {from} of {size}\n"),
            some => format!(
                "{some} records would be pruned, {from} to {}; the log would begin at {begins} of {size}\n",
                begins - 1
            ),
        });
    }
    let pruned = prune::prune(&location, bound, &mut |_| {}).map_err(|fault| Failure::journal(&fault))?;
    let (begins, deleted, size) = (pruned.begins, pruned.deleted, pruned.size);
    Ok(match (begins, deleted) {
        (0, _) => format!("pruned nothing: no 256 records from the first on are before that; the log has {size}\n"),
        (_, 0) => format!("pruned nothing more; the log begins at {begins} of {size}\n"),
        _ => format!("pruned {deleted} records; the log begins at {begins} of {size}\n"),
    })
}
