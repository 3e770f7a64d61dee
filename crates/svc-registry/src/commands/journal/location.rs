//! Where the journal is that a command is about: the same settings as the service's, from flags and the environment.

use clap::{Arg, ArgMatches, Command};
use svc_cli::{arguments::text, failure::Failure};
use svc_journal::{
    open::{Location, LogReader},
    origin::LogOrigin,
};
use svc_proof::fault::{JournalFault, JournalFaultKind};
use svc_server::config::{
    Given, SETTINGS, Setting, SettingOrigin,
    journal::{JournalConfig, NAMES, default_folder},
};

const ORIGIN: &str = "journal-origin";
const ORIGIN_VARIABLE: &str = "SVC_JOURNAL_ORIGIN";

/// A command with the flags that tell where the journal is.
pub(crate) fn with_location(command: Command) -> Command {
    command.args(settings().map(|setting| {
        let help = format!("{} [env: {}]", setting.help, setting.variable);
        Arg::new(setting.name).long(setting.name).value_name("VALUE").help(help)
    }))
}

pub(super) fn location(arguments: &ArgMatches) -> Result<Location, Failure> {
    location_of(&given(arguments))
}

/// The same by settings that were read before.
pub(crate) fn location_of(given: &Given) -> Result<Location, Failure> {
    located(&config(given)?)
}

/// The same for a command that may begin a log, and the name that it gets: `--origin`, else the service's own setting.
pub(super) fn location_to_begin(arguments: &ArgMatches) -> Result<(Location, Option<LogOrigin>), Failure> {
    let mut given = given(arguments);
    if let Ok(value) = std::env::var(ORIGIN_VARIABLE) {
        given.set(ORIGIN, value, SettingOrigin::Environment);
    }
    if let Some(value) = text(arguments, "origin") {
        given.set(ORIGIN, value.to_owned(), SettingOrigin::Flag);
    }
    let config = config(&given)?;
    Ok((located(&config)?, config.origin().cloned()))
}

/// The settings that tell where the journal is, from flags and the environment.
pub(crate) fn given(arguments: &ArgMatches) -> Given {
    let mut given = Given::default();
    if let Some(folder) = default_folder(|name| std::env::var_os(name)) {
        given.set("data-dir", folder.to_string_lossy().into_owned(), SettingOrigin::Default);
    }
    for setting in settings() {
        if let Some(value) = text(arguments, setting.name) {
            given.set(setting.name, value.to_owned(), SettingOrigin::Flag);
        }
        if let Ok(value) = std::env::var(setting.variable) {
            given.set(setting.name, value, SettingOrigin::Environment);
        }
    }
    given
}

fn config(given: &Given) -> Result<JournalConfig, Failure> {
    JournalConfig::read(given).map_err(|error| Failure::usage(error.message, error.help))
}

fn located(config: &JournalConfig) -> Result<Location, Failure> {
    let found = config.location().map_err(|fault| Failure::journal(&fault))?;
    found.ok_or_else(|| {
        Failure::journal(&JournalFault::new(
            JournalFaultKind::Unusable,
            "`journal` is `off`, so there is no journal to read",
        ))
    })
}

/// The journal that was meant, open for reading.
pub(super) fn open(arguments: &ArgMatches) -> Result<LogReader, Failure> {
    location(arguments)?.read().map_err(|fault| Failure::journal(&fault))
}

fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| NAMES.contains(&setting.name))
}
