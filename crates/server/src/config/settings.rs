//! Every setting, one row each, and values as they were given.

use std::collections::BTreeMap;

use svc_core::words::suggest;

/// Where a value came from, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingOrigin {
    Default,
    /// The file, at a line.
    File(usize),
    Environment,
    Flag,
    /// A socket that the service manager has opened: it is what is listened on, whatever else is said.
    Socket,
}

impl SettingOrigin {
    const fn strength(self) -> u8 {
        match self {
            Self::Default => 0,
            Self::File(_) => 1,
            Self::Environment => 2,
            Self::Flag => 3,
            Self::Socket => 4,
        }
    }

    pub(super) fn words(self) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::File(line) => format!("file, line {line}"),
            Self::Environment => "environment".to_owned(),
            Self::Flag => "flag".to_owned(),
            Self::Socket => "socket of the service manager".to_owned(),
        }
    }
}

/// How a value is written in the file. Flags and variables are texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Text,
    YesNo,
    Number,
}

#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name as a flag and in the file.
    pub name: &'static str,
    /// Its name in the environment.
    pub variable: &'static str,
    /// What it is when nothing is said.
    pub default: &'static str,
    pub help: &'static str,
    pub(super) kind: ValueKind,
    /// Whether another value comes into force without a restart.
    pub(super) is_live: bool,
}

const fn setting(name: &'static str, variable: &'static str, default: &'static str, help: &'static str) -> Setting {
    Setting { name, variable, default, help, kind: ValueKind::Text, is_live: false }
}

impl Setting {
    const fn of(self, kind: ValueKind) -> Self {
        Self { kind, ..self }
    }

    const fn live(self) -> Self {
        Self { is_live: true, ..self }
    }
}

pub static SETTINGS: &[Setting] = &[
    setting("bind", "SVC_BIND", "127.0.0.1:8787", "The IP address and port to listen on"),
    setting(
        "admin-bind",
        "SVC_ADMIN_BIND",
        "",
        "The IP address and port for metrics and, a second time, the health checks",
    ),
    setting(
        "hosts",
        "SVC_HOSTS",
        "",
        "The names and addresses, divided by commas, that clients ask by: a request whose Host is another is refused; \
         loopback always has its own, any other `bind` must name some",
    )
    .live(),
    setting("tokens", "SVC_TOKENS", "", "The token file, made by `svc-registry token create`; without it nobody needs a token"),
    setting("tls-certificate", "SVC_TLS_CERTIFICATE", "", "A file with the certificate chain, in PEM"),
    setting("tls-key", "SVC_TLS_KEY", "", "A file with the private key of the certificate, in PEM"),
    setting("behind-proxy", "SVC_BEHIND_PROXY", "no", "`yes` when a proxy in front speaks TLS with clients")
        .of(ValueKind::YesNo),
    setting(
        "proxy-addresses",
        "SVC_PROXY_ADDRESSES",
        "",
        "Addresses and networks of proxies, such as `10.0.0.0/8, 127.0.0.1`, whose word about a client's address is taken",
    )
    .live(),
    setting(
        "client-address-header",
        "SVC_CLIENT_ADDRESS_HEADER",
        "",
        "The header in which those proxies give it: `x-forwarded-for`, `forwarded` or `x-real-ip`",
    )
    .live(),
    setting(
        "rate",
        "SVC_RATE",
        "",
        "How many requests per minute and how large a burst one client may send, such as `60/30`, or `off` [default: 60/30; \
         off on loopback]",
    )
    .live(),
    setting(
        "data-dir",
        "SVC_DATA_DIR",
        "",
        "The folder of the journal and its key [default: $STATE_DIRECTORY, else svc-registry in $XDG_STATE_HOME or \
         ~/.local/state]",
    ),
    setting(
        "journal",
        "SVC_JOURNAL",
        "sqlite",
        "Where every answer is recorded: `sqlite` (in the data folder), `postgres://USER@HOST/DATABASE`, or `off`",
    ),
    setting(
        "journal-authority",
        "SVC_JOURNAL_AUTHORITY",
        "",
        "A file with the certificates, in PEM, that the database's certificate is checked against; required when the \
         database runs on another machine",
    ),
    setting(
        "journal-origin",
        "SVC_JOURNAL_ORIGIN",
        "",
        "The name of the log, given when it begins and never changed: its address without the scheme, such as \
         `registry.example/journal`; without it a log begins with a random name",
    ),
    setting(
        "journal-public",
        "SVC_JOURNAL_PUBLIC",
        "no",
        "`yes` to let everybody read checkpoint, tiles, proofs and public keys of the journal, without a token; needs \
         `journal-origin`",
    )
    .of(ValueKind::YesNo),
    setting("journal-password-file", "SVC_JOURNAL_PASSWORD_FILE", "", "A file that holds the password of the database"),
    setting(
        "witness-policy",
        "SVC_WITNESS_POLICY",
        "",
        "A C2SP tlog-policy: every state of the log is given to its witnesses, and served with what they cosign",
    ),
    setting(
        "witness-quorum",
        "SVC_WITNESS_QUORUM",
        "report",
        "What happens when the policy's quorum was lacking for a minute: `report` tells it, `required` refuses to evaluate",
    ),
    setting(
        "events",
        "SVC_EVENTS",
        "on",
        "Whether the journal can be followed as it grows: `on`, or `off` for no event streams and no webhooks",
    ),
    setting(
        "events-allow",
        "SVC_EVENTS_ALLOW",
        "",
        "Receivers of webhooks inside, divided by commas: host names, addresses and networks, such as `hooks.internal, \
         10.1.0.0/16`; any other must be on the internet at large and speak https",
    ),
    setting("console", "SVC_CONSOLE", "on", "Pages for people under `/console`, and at `admin-bind`: `on` or `off`"),
    setting(
        "drain-pause",
        "SVC_DRAIN_PAUSE",
        "0",
        "How many seconds, 0 to 300, a stopping service still takes requests while `/readyz` answers 503",
    )
    .of(ValueKind::Number)
    .live(),
    setting(
        "log-level",
        "SVC_LOG_LEVEL",
        "info",
        "Which lines the log has: `error`, `warn` with those, or `info` for all",
    )
    .live(),
];

/// Values as they were given, each with its origin.
#[derive(Clone, Debug, Default)]
pub struct Given {
    values: BTreeMap<&'static str, (String, SettingOrigin)>,
    /// What the file is called, for messages.
    pub(super) file: String,
}

/// A setting that cannot be used, with a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// What is wrong, and where it was said.
    pub message: String,
    pub help: String,
}

impl ConfigError {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

impl Given {
    /// Adds a value unless one of a stronger origin is there.
    pub fn set(&mut self, name: &'static str, value: String, origin: SettingOrigin) {
        let weaker = self.values.get(name).is_none_or(|(_, there)| there.strength() <= origin.strength());
        if weaker {
            self.values.insert(name, (value, origin));
        }
    }

    /// Takes the value that a setting has elsewhere.
    pub(super) fn replace_by(&mut self, other: &Self, name: &'static str) {
        match other.values.get(name) {
            Some(value) => self.values.insert(name, value.clone()),
            None => self.values.remove(name),
        };
    }

    pub(super) fn value(&self, name: &str) -> (&str, SettingOrigin) {
        let default = SETTINGS.iter().find(|setting| setting.name == name).map_or("", |setting| setting.default);
        self.values.get(name).map_or((default, SettingOrigin::Default), |(value, origin)| (value.as_str(), *origin))
    }

    pub(super) fn optional(&self, name: &str) -> Option<&str> {
        Some(self.value(name).0).filter(|value| !value.is_empty())
    }

    /// The error of a setting, which names where its value came from.
    pub(super) fn wrong(&self, name: &str, message: &str, help: impl Into<String>) -> ConfigError {
        let origin = self.value(name).1;
        let place = match origin {
            SettingOrigin::File(line) => format!("{}, line {line}", self.file),
            SettingOrigin::Default | SettingOrigin::Environment | SettingOrigin::Flag | SettingOrigin::Socket => {
                origin.words()
            }
        };
        ConfigError::new(format!("`{name}` ({place}) {message}"), help)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_variable_is_noticed_and_a_stranger_is_left_alone() {
        assert_eq!(misspelt_variable("SVC_TOKEN_S"), Some("SVC_TOKENS"));
        assert_eq!(misspelt_variable("SVC_BIND"), None);
        assert_eq!(misspelt_variable("SVC_SERVICE_HOST"), None);
        assert_eq!(misspelt_variable("HOME"), None);
    }
}
