//! The settings of a service, from everywhere they may come from.

use std::{collections::BTreeSet, path::Path};

use clap::ArgMatches;
use svc_cli::{
    arguments::{self, text},
    failure::Failure,
    files::{read::Input, user_file::read_bounded},
    output::escape::Safe,
};
use svc_server::config::{Config, ConfigError, Given, SETTINGS, SettingOrigin, journal::default_folder};

use super::sockets::SocketAddresses;

const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;

/// Reads flags, environment and file, as they are now.
pub(super) fn read(matches: &ArgMatches, sockets: SocketAddresses) -> Result<Config, Failure> {
    let mut given = Given::default();
    if let Some(folder) = default_folder(|name| std::env::var_os(name)) {
        given.set("data-dir", folder.to_string_lossy().into_owned(), SettingOrigin::Default);
    }
    for setting in SETTINGS {
        if let Some(value) = text(matches, setting.name) {
            given.set(setting.name, value.to_owned(), SettingOrigin::Flag);
        }
        if let Some(value) = std::env::var_os(setting.variable) {
            let wrong = || {
                Failure::usage(
                    format!("{} must be text in UTF-8", setting.variable),
                    "correct the variable, or unset it",
                )
            };
            given.set(setting.name, value.into_string().map_err(|_| wrong())?, SettingOrigin::Environment);
        }
    }
    if let Some(path) = arguments::given_path(matches, "config") {
        add_file(&mut given, &path)?;
    }
    sockets.add_to(&mut given);
    Config::read(given).map_err(|errors| unusable(&errors))
}

/// Adds the settings of a file.
pub(crate) fn add_file(given: &mut Given, path: &Path) -> Result<(), Failure> {
    let file = read_file(path)?;
    let label = Safe(&path.to_string_lossy()).to_string();
    given.add_file(&label, &file).map_err(|errors| unusable(&errors))
}

fn read_file(path: &Path) -> Result<String, Failure> {
    let bytes = read_bounded(&Input::Path(path.to_owned()), MAX_SETTINGS_BYTES);
    let bytes = bytes.map_err(|error| Failure {
        help: Some("give --config the path of a regular file with settings".to_owned()),
        ..Failure::reading(&path.to_string_lossy(), &error)
    })?;
    let wrong = |_| Failure::usage(format!("{} must be text in UTF-8", path.display()), "save it as UTF-8");
    String::from_utf8(bytes).map_err(wrong)
}

/// All that cannot be used, in one line, and every way out.
pub(super) fn unusable(errors: &[ConfigError]) -> Failure {
    let lines: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    let helps: BTreeSet<&str> = errors.iter().map(|error| error.help.as_str()).collect();
    Failure::usage(lines.join("; "), helps.into_iter().collect::<Vec<_>>().join("; "))
}
