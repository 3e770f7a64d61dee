//! How the service is set up: flags over environment over one file over defaults, and where each value came from.

mod file;
pub mod journal;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use svc_core::{limits, suggest};

use self::journal::JournalConfig;

/// A service that lingers for longer than this was forgotten.
const MOST_PAUSE_SECONDS: u64 = 300;

/// Where a value came from, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Built in.
    Default,
    /// The file, at a line.
    File(usize),
    /// The environment.
    Environment,
    /// The command line.
    Flag,
}

impl Origin {
    const fn strength(self) -> u8 {
        match self {
            Self::Default => 0,
            Self::File(_) => 1,
            Self::Environment => 2,
            Self::Flag => 3,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::File(line) => format!("file, line {line}"),
            Self::Environment => "environment".to_owned(),
            Self::Flag => "flag".to_owned(),
        }
    }
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name as a flag and in the file.
    pub name: &'static str,
    /// Its name in the environment.
    pub variable: &'static str,
    /// What it is when nothing is said.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

const fn setting(name: &'static str, variable: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, variable, default, help }
}

/// Every setting.
pub static SETTINGS: &[Setting] = &[
    setting("bind", "SVC_BIND", "127.0.0.1:8787", "Where to listen"),
    setting("admin-bind", "SVC_ADMIN_BIND", "", "Where to serve metrics, and the probes of health once more"),
    setting("tokens", "SVC_TOKENS", "", "The token file; without one everyone may ask"),
    setting("tls-certificate", "SVC_TLS_CERTIFICATE", "", "A certificate chain in PEM"),
    setting("tls-key", "SVC_TLS_KEY", "", "The certificate's key in PEM"),
    setting("behind-proxy", "SVC_BEHIND_PROXY", "no", "`yes` when a proxy in front speaks TLS with clients"),
    setting(
        "rate",
        "SVC_RATE",
        "",
        "Requests per minute and burst of one client, as `60/30`; `off` for none [default: 60/30, off on loopback]",
    ),
    setting(
        "data-dir",
        "SVC_DATA_DIR",
        "",
        "The folder of the journal and its key [default: the service manager's, else svc-registry among your own state]",
    ),
    setting(
        "journal",
        "SVC_JOURNAL",
        "sqlite",
        "Where every answer is put on record: `sqlite` in the data folder, `postgres://USER@HOST/DATABASE`, or `off`",
    ),
    setting(
        "journal-authority",
        "SVC_JOURNAL_AUTHORITY",
        "",
        "Certificates in PEM that the database's own is checked against; needed for another machine",
    ),
    setting("journal-password-file", "SVC_JOURNAL_PASSWORD_FILE", "", "A file with the database's password"),
    setting(
        "drain-pause",
        "SVC_DRAIN_PAUSE",
        "0",
        "Seconds in which a stopping service still takes requests while `/readyz` says 503",
    ),
];

/// Values as they were given, each with its origin.
#[derive(Clone, Debug, Default)]
pub struct Given(BTreeMap<&'static str, (String, Origin)>);

/// The settings, read.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen.
    pub bind: SocketAddr,
    /// Where to serve metrics.
    pub admin_bind: Option<SocketAddr>,
    /// The token file.
    pub tokens: Option<PathBuf>,
    /// Certificate and key.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whether a proxy is in front, so that all clients have its address.
    pub behind_proxy: bool,
    /// Requests per minute and burst.
    pub rate: Option<(u32, u32)>,
    /// How long a stopping service still takes requests.
    pub drain_pause: Duration,
    /// Where the journal is.
    pub journal: JournalConfig,
    given: Given,
}

/// A setting that cannot be used, with a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// What is wrong, and where it was said.
    pub message: String,
    /// The way out.
    pub help: String,
}

impl ConfigError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

impl Given {
    /// Adds a value unless one of a stronger origin is there.
    pub fn set(&mut self, name: &'static str, value: String, origin: Origin) {
        let weaker = self.0.get(name).is_none_or(|(_, there)| there.strength() <= origin.strength());
        if weaker {
            self.0.insert(name, (value, origin));
        }
    }

    fn value(&self, name: &str) -> (&str, Origin) {
        let default = SETTINGS.iter().find(|setting| setting.name == name).map_or("", |setting| setting.default);
        self.0.get(name).map_or((default, Origin::Default), |(value, origin)| (value.as_str(), *origin))
    }

    fn optional(&self, name: &str) -> Option<&str> {
        Some(self.value(name).0).filter(|value| !value.is_empty())
    }

    /// The error of a setting, which names where its value came from.
    fn wrong(&self, name: &str, message: &str, help: impl Into<String>) -> ConfigError {
        ConfigError::new(format!("`{name}` ({}) {message}", self.value(name).1.words()), help)
    }
}

/// The setting that a variable of the environment looks like, when it is none itself. Others may share the prefix.
#[must_use]
pub fn misspelt_variable(variable: &str) -> Option<&'static str> {
    let known: Vec<&'static str> = SETTINGS.iter().map(|setting| setting.variable).collect();
    if !variable.starts_with("SVC_") || known.contains(&variable) {
        return None;
    }
    let close = suggest::closest(variable, &known)?;
    known.into_iter().find(|name| *name == close)
}

impl Config {
    /// Reads the settings and refuses a set-up that would speak to strangers in the open.
    ///
    /// # Errors
    /// Every setting that cannot be used.
    pub fn read(given: Given) -> Result<Self, Vec<ConfigError>> {
        let mut errors = Vec::new();
        let bind = keep(address(&given, "bind"), &mut errors).flatten();
        if bind.is_none() && errors.is_empty() {
            errors.push(given.wrong("bind", "is empty", "give ADDRESS:PORT"));
        }
        let bind = bind.unwrap_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0));
        let admin_bind = keep(address(&given, "admin-bind"), &mut errors).flatten();
        let tls = keep(certificate(&given), &mut errors).flatten();
        let behind_proxy = keep(yes_or_no(&given, "behind-proxy"), &mut errors).unwrap_or_default();
        let tokens = given.optional("tokens").map(PathBuf::from);
        let rate = keep(rate(&given, bind.ip()), &mut errors).flatten();
        let drain_pause = keep(seconds(&given, "drain-pause"), &mut errors).unwrap_or_default();
        for address in [Some(bind), admin_bind].into_iter().flatten() {
            let open = refuse_open_door(address.ip(), tls.is_some() || behind_proxy, tokens.is_some());
            keep(open, &mut errors);
        }
        let journal = keep(JournalConfig::read(&given), &mut errors);
        errors.dedup();
        match journal {
            Some(journal) if errors.is_empty() => {
                Ok(Self { bind, admin_bind, tokens, tls, behind_proxy, rate, drain_pause, journal, given })
            }
            Some(_) | None => Err(errors),
        }
    }

    /// Every setting with its value and origin.
    #[must_use]
    pub fn print(&self) -> String {
        let mut text = String::new();
        for setting in SETTINGS {
            let (value, origin) = self.given.value(setting.name);
            let value = match setting.name {
                "rate" => self.rate_in_words(),
                "journal" => journal::shown(value).escape_default().to_string(),
                _ => value.escape_default().to_string(),
            };
            let _ = writeln!(text, "{} = \"{value}\"  # {}", setting.name, origin.words());
        }
        text
    }

    /// The default depends on the address, so what is in force is shown.
    fn rate_in_words(&self) -> String {
        self.rate.map_or_else(|| "off".to_owned(), |(rate, burst)| format!("{rate}/{burst}"))
    }
}

fn keep<T>(read: Result<T, ConfigError>, errors: &mut Vec<ConfigError>) -> Option<T> {
    read.map_err(|error| errors.push(error)).ok()
}

/// Anything but loopback needs TLS, its own or a proxy's, and tokens.
fn refuse_open_door(address: IpAddr, encrypted: bool, has_tokens: bool) -> Result<(), ConfigError> {
    if address.is_loopback() || (encrypted && has_tokens) {
        return Ok(());
    }
    Err(ConfigError::new(
        format!("{address} is not loopback, and {} is missing", if encrypted { "a token file" } else { "TLS" }),
        "give --tokens, and --tls-certificate with --tls-key or --behind-proxy yes; or bind to 127.0.0.1",
    ))
}

fn address(given: &Given, name: &'static str) -> Result<Option<SocketAddr>, ConfigError> {
    let Some(text) = given.optional(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| given.wrong(name, "is no address", "give ADDRESS:PORT, as 127.0.0.1:8787"))
}

fn certificate(given: &Given) -> Result<Option<(PathBuf, PathBuf)>, ConfigError> {
    match (given.optional("tls-certificate"), given.optional("tls-key")) {
        (Some(certificate), Some(key)) => Ok(Some((PathBuf::from(certificate), PathBuf::from(key)))),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => {
            Err(ConfigError::new("TLS needs both files", "give --tls-certificate and --tls-key"))
        }
    }
}

fn yes_or_no(given: &Given, name: &'static str) -> Result<bool, ConfigError> {
    match given.value(name).0 {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(given.wrong(name, "is yes or no", "give one of the two")),
    }
}

fn seconds(given: &Given, name: &'static str) -> Result<Duration, ConfigError> {
    let parsed = given.value(name).0.parse().ok().filter(|seconds| *seconds <= MOST_PAUSE_SECONDS);
    let help = format!("give whole seconds, {MOST_PAUSE_SECONDS} at most");
    parsed.map(Duration::from_secs).ok_or_else(|| given.wrong(name, "is no time", help))
}

fn rate(given: &Given, address: IpAddr) -> Result<Option<(u32, u32)>, ConfigError> {
    let Some(text) = given.optional("rate") else {
        return Ok((!address.is_loopback()).then_some((limits::RATE_PER_MINUTE, limits::RATE_BURST)));
    };
    if text == "off" {
        return Ok(None);
    }
    let parsed = text.split_once('/').and_then(|(rate, burst)| Some((rate.parse().ok()?, burst.parse().ok()?)));
    let parsed = parsed.filter(|(rate, burst): &(u32, u32)| *rate > 0 && *burst > 0);
    parsed.map(Some).ok_or_else(|| given.wrong("rate", "cannot be read", "give requests/burst, as 60/30, or off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(values: &[(&'static str, &str)]) -> Given {
        let mut given = Given::default();
        given.set("data-dir", "/data".into(), Origin::Default);
        values.iter().for_each(|(name, value)| given.set(name, (*value).to_owned(), Origin::Flag));
        given
    }

    #[test]
    fn an_open_door_is_refused_and_the_way_out_is_told() {
        for values in [
            &[("bind", "0.0.0.0:80")][..],
            &[("bind", "0.0.0.0:80"), ("tokens", "t.json")],
            &[("bind", "[::]:80"), ("behind-proxy", "yes")],
            &[("admin-bind", "10.0.0.1:80")],
        ] {
            let errors = Config::read(given(values)).unwrap_err();
            assert!(errors[0].help.contains("--tokens"), "{values:?}");
        }
        let closed = given(&[("bind", "0.0.0.0:80"), ("tokens", "t.json"), ("behind-proxy", "yes")]);
        assert_eq!(Config::read(closed).unwrap().rate, Some((60, 30)));
        assert_eq!(Config::read(given(&[])).unwrap().rate, None);
    }

    #[test]
    fn every_wrong_setting_is_told_with_where_it_was_said() {
        let mut given = given(&[("bind", "nowhere"), ("rate", "0/1")]);
        given.add_file("drain-pause = \"long\"\nbehind-proxy = \"perhaps\"\ntls-key = \"k\"\n").unwrap();
        let messages: Vec<String> = Config::read(given).unwrap_err().into_iter().map(|error| error.message).collect();
        assert_eq!(
            messages,
            [
                "`bind` (flag) is no address",
                "TLS needs both files",
                "`behind-proxy` (file, line 2) is yes or no",
                "`rate` (flag) cannot be read",
                "`drain-pause` (file, line 1) is no time",
            ]
        );
    }

    #[test]
    fn a_misspelt_variable_is_noticed_and_a_stranger_is_left_alone() {
        assert_eq!(misspelt_variable("SVC_TOKEN_S"), Some("SVC_TOKENS"));
        assert_eq!(misspelt_variable("SVC_BIND"), None);
        assert_eq!(misspelt_variable("SVC_SERVICE_HOST"), None);
        assert_eq!(misspelt_variable("HOME"), None);
    }

    #[test]
    fn flags_win_over_the_environment_and_that_over_the_file() {
        let mut given = super::tests::given(&[]);
        given.set("bind", "127.0.0.1:3".into(), Origin::Flag);
        given.set("bind", "127.0.0.1:2".into(), Origin::Environment);
        given.add_file("bind = \"127.0.0.1:1\"\nrate = \"10/5\"\nbehind-proxy = true").unwrap();
        let config = Config::read(given).unwrap();
        assert_eq!(config.bind.port(), 3);
        assert_eq!(config.rate, Some((10, 5)));
        assert!(config.print().contains("bind = \"127.0.0.1:3\"  # flag\n"));
        assert!(config.print().contains("rate = \"10/5\"  # file, line 2\n"));
        assert!(config.print().contains("behind-proxy = \"yes\"  # file, line 3\n"));
        assert!(Config::read(super::tests::given(&[])).unwrap().print().contains("rate = \"off\"  # default\n"));
    }
}
