//! Where the journal is that a command is about: the same settings as the service's, from flags and the environment.

use clap::{Arg, ArgMatches, Command};
use svc_journal::{
    fault::{JournalFault, JournalFaultKind},
    open::{Location, LogReader},
};
use svc_server::config::{
    Given, SETTINGS, Setting, SettingOrigin,
    journal::{JournalConfig, NAMES, default_folder},
};

use crate::{arguments::text, failure::Failure};

/// A command with the flags that tell where the journal is.
pub(super) fn with_location(command: Command) -> Command {
    command.args(settings().map(|setting| {
        let help = format!("{} [env: {}]", setting.help, setting.variable);
        Arg::new(setting.name).long(setting.name).value_name("VALUE").help(help)
    }))
}

pub(super) fn location(arguments: &ArgMatches) -> Result<Location, Failure> {
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
    let config = JournalConfig::read(&given).map_err(|error| Failure::usage(error.message, error.help))?;
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
