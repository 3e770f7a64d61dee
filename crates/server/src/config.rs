//! How the service is set up: flags over environment over one file over defaults, and where each value came from.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    net::{IpAddr, SocketAddr},
    path::PathBuf,
};

use svc_core::{limits, suggest};

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// The file.
    File,
    /// The environment.
    Environment,
    /// The command line.
    Flag,
}

impl Origin {
    const fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
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

/// Every setting.
pub static SETTINGS: &[Setting] = &[
    Setting { name: "bind", variable: "SVC_BIND", default: "127.0.0.1:8787", help: "Where to listen" },
    Setting { name: "admin-bind", variable: "SVC_ADMIN_BIND", default: "", help: "Where to serve metrics" },
    Setting {
        name: "tokens",
        variable: "SVC_TOKENS",
        default: "",
        help: "The token file; without one everyone may ask",
    },
    Setting {
        name: "tls-certificate",
        variable: "SVC_TLS_CERTIFICATE",
        default: "",
        help: "A certificate chain in PEM",
    },
    Setting { name: "tls-key", variable: "SVC_TLS_KEY", default: "", help: "The certificate's key in PEM" },
    Setting {
        name: "behind-proxy",
        variable: "SVC_BEHIND_PROXY",
        default: "no",
        help: "`yes` when a proxy in front speaks TLS with clients",
    },
    Setting {
        name: "rate",
        variable: "SVC_RATE",
        default: "",
        help: "Requests per minute and burst of one client, as `60/30`; `off` for none [default: 60/30, off on loopback]",
    },
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
    /// Requests per minute and burst.
    pub rate: Option<(u32, u32)>,
    given: Given,
}

/// A setting that cannot be used, with a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// What is wrong.
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
        let weaker = self.0.get(name).is_none_or(|(_, there)| (*there as u8) <= (origin as u8));
        if weaker {
            self.0.insert(name, (value, origin));
        }
    }

    /// Adds the values of a TOML file.
    ///
    /// # Errors
    /// When it is not TOML or names a setting that does not exist.
    pub fn add_file(&mut self, text: &str) -> Result<(), ConfigError> {
        let table: toml::Table =
            text.parse().map_err(|error: toml::de::Error| ConfigError::new(error.message(), "mend the file"))?;
        for (name, value) in table {
            let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
                return Err(unknown(&name));
            };
            let toml::Value::String(value) = value else {
                return Err(ConfigError::new(format!("`{name}` is not a text"), "put the value in double quotes"));
            };
            self.set(setting.name, value, Origin::File);
        }
        Ok(())
    }

    fn value(&self, name: &str) -> (&str, Origin) {
        let default = SETTINGS.iter().find(|setting| setting.name == name).map_or("", |setting| setting.default);
        self.0.get(name).map_or((default, Origin::Default), |(value, origin)| (value.as_str(), *origin))
    }

    fn optional(&self, name: &str) -> Option<&str> {
        Some(self.value(name).0).filter(|value| !value.is_empty())
    }
}

fn unknown(name: &str) -> ConfigError {
    let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    let help = match suggest::closest(name, &names) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("one of: {}", names.join(", ")),
    };
    ConfigError::new(format!("there is no setting `{name}`"), help)
}

impl Config {
    /// Reads the settings and refuses a set-up that would speak to strangers in the open.
    ///
    /// # Errors
    /// The first setting that cannot be used.
    pub fn read(given: Given) -> Result<Self, ConfigError> {
        let bind = address(&given, "bind")?.ok_or_else(|| ConfigError::new("`bind` is empty", "give ADDRESS:PORT"))?;
        let tls = match (given.optional("tls-certificate"), given.optional("tls-key")) {
            (Some(certificate), Some(key)) => Some((PathBuf::from(certificate), PathBuf::from(key))),
            (None, None) => None,
            _ => return Err(ConfigError::new("TLS needs both files", "give --tls-certificate and --tls-key")),
        };
        let behind_proxy = yes_or_no(&given, "behind-proxy")?;
        let tokens = given.optional("tokens").map(PathBuf::from);
        refuse_open_door(bind.ip(), tls.is_some() || behind_proxy, tokens.is_some())?;
        Ok(Self {
            bind,
            admin_bind: address(&given, "admin-bind")?,
            tokens,
            tls,
            rate: rate(&given, bind.ip())?,
            given,
        })
    }

    /// Every setting with its value and origin.
    #[must_use]
    pub fn print(&self) -> String {
        let mut text = String::new();
        for setting in SETTINGS {
            let (value, origin) = self.given.value(setting.name);
            let _ = writeln!(text, "{} = \"{}\"  # {}", setting.name, value.escape_default(), origin.word());
        }
        text
    }
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
    let parsed = text.parse().map_err(|_| ConfigError::new(format!("`{name}` is no address"), "give ADDRESS:PORT"))?;
    Ok(Some(parsed))
}

fn yes_or_no(given: &Given, name: &'static str) -> Result<bool, ConfigError> {
    match given.value(name).0 {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(ConfigError::new(format!("`{name}` is yes or no"), "give one of the two")),
    }
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
    parsed.map(Some).ok_or_else(|| ConfigError::new("`rate` cannot be read", "give requests/burst, as 60/30, or off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(values: &[(&'static str, &str)]) -> Given {
        let mut given = Given::default();
        values.iter().for_each(|(name, value)| given.set(name, (*value).to_owned(), Origin::Flag));
        given
    }

    #[test]
    fn an_open_door_is_refused_and_the_way_out_is_told() {
        for values in [
            &[("bind", "0.0.0.0:80")][..],
            &[("bind", "0.0.0.0:80"), ("tokens", "t.json")],
            &[("bind", "[::]:80"), ("behind-proxy", "yes")],
        ] {
            let error = Config::read(given(values)).unwrap_err();
            assert!(error.help.contains("--tokens"), "{values:?}");
        }
        let closed = given(&[("bind", "0.0.0.0:80"), ("tokens", "t.json"), ("behind-proxy", "yes")]);
        assert_eq!(Config::read(closed).unwrap().rate, Some((60, 30)));
        assert_eq!(Config::read(Given::default()).unwrap().rate, None);
    }

    #[test]
    fn an_unknown_setting_is_refused_with_a_guess() {
        let error = Given::default().add_file("bindd = \"127.0.0.1:1\"").unwrap_err();
        assert_eq!(error.help, "did you mean `bind`?");
    }

    #[test]
    fn flags_win_over_the_environment_and_that_over_the_file() {
        let mut given = Given::default();
        given.set("bind", "127.0.0.1:3".into(), Origin::Flag);
        given.set("bind", "127.0.0.1:2".into(), Origin::Environment);
        given.add_file("bind = \"127.0.0.1:1\"\nrate = \"10/5\"").unwrap();
        let config = Config::read(given).unwrap();
        assert_eq!(config.bind.port(), 3);
        assert_eq!(config.rate, Some((10, 5)));
        assert!(config.print().contains("bind = \"127.0.0.1:3\"  # flag\n"));
        assert!(config.print().contains("rate = \"10/5\"  # file\n"));
    }
}
