//! `svc-registry journal forget`: deletes who asked, and leaves the log as it is.

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments::{flag, is_set, text},
    failure::Failure,
};
use svc_core::{
    journal::scalars::TokenName,
    scalar::ident::{OwnerId, PackageId},
};
use svc_journal::attribution::AttributionFilter;

use super::{
    before::before,
    location::{location, with_location},
};

/// Whose names are deleted. Several that are given must all fit.
const FILTERS: &[(&str, &str, &str)] = &[
    ("before", "N|TIME", "Of records before this one, or before this moment in UTC, as 2026-11-15 or 2026-11-15T08:30"),
    ("owner", "ID", "Of this owner"),
    ("package", "ID", "Of this package"),
    ("token", "NAME", "Asked with this token"),
];

pub(super) fn command() -> Command {
    let filters = FILTERS.iter().map(|(name, value, help)| Arg::new(*name).long(*name).value_name(*value).help(*help));
    let forget = Command::new("forget")
        .about("Delete who asked (owner, token, package), which is kept beside the log")
        .args(filters)
        .arg(flag("all", "Of every record").conflicts_with_all(FILTERS.iter().map(|(name, ..)| *name)))
        .arg(flag("dry-run", "Count them, and delete nothing"))
        .after_help(
            "Records, proofs and receipts stay as they are. With SQLite the service must be stopped, and nothing is left in the \
             files; with PostgreSQL it goes on, and the role must own the tables. Backups are yours to clean.\n\n\
             Examples\n  svc-registry journal forget --before 2026-08-01 --dry-run\n  svc-registry journal forget --owner acme",
        );
    with_location(forget)
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let of = filter(arguments)?;
    let location = location(arguments)?;
    if is_set(arguments, "dry-run") {
        let reading = location.read().map_err(|fault| Failure::journal(&fault))?;
        let count = reading.store.count_attributions(&of).map_err(|fault| Failure::journal(&fault))?;
        return Ok(format!("{count} records name who asked and would be forgotten; nothing was deleted\n"));
    }
    let count = location.forget(&of).map_err(|fault| Failure::journal(&fault))?;
    Ok(format!("forgot who asked for {count} records; the log is as it was\n"))
}

fn filter(arguments: &ArgMatches) -> Result<AttributionFilter, Failure> {
    let of = AttributionFilter {
        before: read(arguments, "before", before)?,
        owner: read(arguments, "owner", OwnerId::parse)?,
        package: read(arguments, "package", PackageId::parse)?,
        token: read(arguments, "token", TokenName::parse)?,
    };
    if of == AttributionFilter::default() && !is_set(arguments, "all") {
        let help = "give --before, --owner, --package or --token, or --all for every record";
        return Err(Failure::usage("`svc-registry journal forget` must be told which names to delete", help));
    }
    Ok(of)
}

/// A flag in its form. One that nothing could fit is a mistake, and not a way to delete nothing.
fn read<T>(arguments: &ArgMatches, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Failure> {
    let Some(given) = text(arguments, name) else { return Ok(None) };
    let wrong = || {
        let form = FILTERS.iter().find(|(known, ..)| *known == name).map_or("", |(_, form, _)| *form);
        Failure::usage(
            format!("`--{name}` must be {form}, and the given value has another form"),
            "`svc-registry journal forget --help` shows the forms".to_owned(),
        )
    };
    parse(given).ok_or_else(wrong).map(Some)
}
