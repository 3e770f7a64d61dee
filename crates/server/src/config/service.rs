//! The settings, read and held together.

use std::{
    fmt::Write as _,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use svc_client::{
    allowed_receivers::{ALLOWED_FORM, AllowedReceivers},
    host::Host,
};
use svc_core::words::limits;

use crate::{
    auth::client_address::{AddressHeader, NETWORKS_FORM, ProxyRule},
    hosts::AllowedHosts,
    live::LiveValues,
    log::LogLevel,
};

use super::{
    journal::{self, JournalConfig},
    memory,
    settings::{ConfigError, Given, SETTINGS, Setting},
    witness::WitnessConfig,
};

/// A service that lingers for longer than this was forgotten.
const MAX_DRAIN_PAUSE_SECONDS: u64 = 300;

const ADDRESS_HELP: &str = "give ADDRESS:PORT, such as 127.0.0.1:8787 or [::1]:8787";

const HOSTS_HELP: &str = "give the host of every address that clients use, such as registry.example";

const RATE_FORM: &str = "must be requests per minute and burst, each 1 to 4294967295, or `off`";

/// Whether the journal may be followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventsMode {
    #[default]
    On,
    Off,
}

/// The settings, read.
#[derive(Clone, Debug)]
pub struct Config {
    pub bind: SocketAddr,
    /// Where to serve metrics.
    pub admin_bind: Option<SocketAddr>,
    pub tokens: Option<PathBuf>,
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whether a proxy is in front, so that all clients have its address.
    pub behind_proxy: bool,
    /// What may change while the service runs.
    pub live: LiveValues,
    pub journal: JournalConfig,
    pub witnesses: Option<WitnessConfig>,
    /// Whether the journal may be followed.
    pub events: EventsMode,
    /// Whether there are pages for people.
    pub has_console: bool,
    /// Receivers of webhooks that are not on the internet at large.
    pub events_allow: AllowedReceivers,
    given: Given,
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
            errors.push(given.wrong("bind", "must not be empty", ADDRESS_HELP));
        }
        let bind = bind.unwrap_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0));
        let admin_bind = keep(address(&given, "admin-bind"), &mut errors).flatten();
        let admin_is_loopback = admin_bind.is_some_and(|address| address.ip().is_loopback());
        let tls = keep(certificate(&given), &mut errors).flatten();
        let behind_proxy = keep(yes_or_no(&given, "behind-proxy"), &mut errors).unwrap_or_default();
        let tokens = given.optional("tokens").map(PathBuf::from);
        let rate = keep(rate(&given, bind.ip()), &mut errors).flatten();
        let drain_pause = keep(seconds(&given, "drain-pause"), &mut errors).unwrap_or_default();
        let log_level = keep(log_level(&given), &mut errors).unwrap_or_default();
        let proxies = keep(proxies(&given), &mut errors).flatten();
        for address in [Some(bind), admin_bind].into_iter().flatten() {
            let open = refuse_open_door(address.ip(), tls.is_some() || behind_proxy, tokens.is_some());
            keep(open, &mut errors);
        }
        let listed = keep(hosts(&given, bind.ip()), &mut errors).unwrap_or_default();
        let hosts = Some(AllowedHosts::new(listed.clone(), bind.ip().is_loopback()));
        let admin_hosts = Some(AllowedHosts::new(listed, admin_is_loopback).with_addresses());
        let live = LiveValues { rate, drain_pause, proxies, hosts, admin_hosts, log_level };
        if admin_bind.is_some_and(|admin| overlap(admin, bind)) {
            let message = "must be another address or port than `bind`, and would take its connections";
            errors.push(given.wrong("admin-bind", message, ADDRESS_HELP));
        }
        let journal = keep(JournalConfig::read(&given), &mut errors);
        let witnesses = keep(WitnessConfig::read(&given, journal.as_ref()), &mut errors).flatten();
        let events = keep(events(&given), &mut errors).unwrap_or_default();
        let has_console = keep(on_or_off(&given, "console"), &mut errors).unwrap_or_default();
        let events_allow = keep(allowed_receivers(&given), &mut errors).unwrap_or_default();
        errors.dedup();
        match journal {
            Some(journal) if errors.is_empty() => Ok(Self {
                bind,
                admin_bind,
                tokens,
                tls,
                behind_proxy,
                live,
                journal,
                witnesses,
                events,
                events_allow,
                has_console,
                given,
            }),
            Some(_) | None => Err(errors),
        }
    }

    /// The settings that have another value in `next`: those that come into force while the service runs, and those that
    /// wait for a restart.
    #[must_use]
    pub fn changes(&self, next: &Self) -> (Vec<&'static str>, Vec<&'static str>) {
        let changed =
            SETTINGS.iter().filter(|setting| self.given.value(setting.name).0 != next.given.value(setting.name).0);
        let (live, waiting): (Vec<&Setting>, Vec<&Setting>) = changed.partition(|setting| setting.is_live);
        let names = |settings: Vec<&Setting>| settings.into_iter().map(|setting| setting.name).collect();
        (names(live), names(waiting))
    }

    /// The values that may change as they are for a service that runs: with its own addresses, and whatever else waits for a
    /// restart. A rate that is off on loopback, or loopback's own names, must not come into force elsewhere.
    ///
    /// # Errors
    /// When they cannot be used there.
    pub fn live_beside(&self, running: &Self) -> Result<LiveValues, Vec<ConfigError>> {
        let mut given = self.given.clone();
        for setting in SETTINGS.iter().filter(|setting| !setting.is_live) {
            given.replace_by(&running.given, setting.name);
        }
        Self::read(given).map(|config| config.live)
    }

    /// Takes over what came into force.
    pub fn adopt_live(&mut self, next: &Self, live: LiveValues) {
        for setting in SETTINGS.iter().filter(|setting| setting.is_live) {
            self.given.replace_by(&next.given, setting.name);
        }
        self.live = live;
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
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        text + &memory::print(self.tls.is_some(), threads)
    }

    /// The default depends on the address, so what is in force is shown.
    fn rate_in_words(&self) -> String {
        self.live.rate.map_or_else(|| "off".to_owned(), |(rate, burst)| format!("{rate}/{burst}"))
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
        format!(
            "{address} can be reached from other machines, so it needs TLS and a token file, and {} missing",
            match (encrypted, has_tokens) {
                (false, false) => "both are",
                (false, true) => "TLS is",
                (true, _) => "the token file is",
            }
        ),
        "give --tokens FILE, and --tls-certificate with --tls-key or --behind-proxy yes; or bind to 127.0.0.1",
    ))
}

/// Whether one listener would have the connections of the other: one that listens to all addresses leaves none.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let everywhere = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port()
        && one.port() != 0
        && (one.ip().to_canonical() == other.ip().to_canonical() || everywhere)
}

fn address(given: &Given, name: &'static str) -> Result<Option<SocketAddr>, ConfigError> {
    let Some(text) = given.optional(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| given.wrong(name, "must be an IP address and a port, 0 to 65535", ADDRESS_HELP))
}

/// The names of the list. Whoever is reached by others is asked for by names that only the operator knows.
fn hosts(given: &Given, bind: IpAddr) -> Result<Vec<Host>, ConfigError> {
    let names = given.value("hosts").0.split(',').map(str::trim).filter(|name| !name.is_empty());
    let hosts: Option<Vec<Host>> = names.map(Host::parse).collect();
    match hosts {
        None => Err(given.wrong("hosts", "must be names or IP addresses without ports, divided by commas", HOSTS_HELP)),
        Some(hosts) if hosts.is_empty() && !bind.is_loopback() => {
            Err(given.wrong("hosts", &format!("must name what clients ask {bind} by"), HOSTS_HELP))
        }
        Some(hosts) => Ok(hosts),
    }
}

/// The receivers of webhooks inside that may be spoken to.
///
/// # Errors
/// When the list is none.
pub fn allowed_receivers(given: &Given) -> Result<AllowedReceivers, ConfigError> {
    const NAME: &str = "events-allow";
    const HELP: &str = "leave out schemes, ports and stars; of a network, the bits that do not count must be zero, and one must \
        count: 10.1.0.0/16, not 10.1.0.1/16 or 0.0.0.0/0; at most 64 entries";
    AllowedReceivers::parse(given.value(NAME).0).ok_or_else(|| given.wrong(NAME, ALLOWED_FORM, HELP))
}

fn certificate(given: &Given) -> Result<Option<(PathBuf, PathBuf)>, ConfigError> {
    match (given.optional("tls-certificate"), given.optional("tls-key")) {
        (Some(certificate), Some(key)) => Ok(Some((PathBuf::from(certificate), PathBuf::from(key)))),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => {
            let message = "`tls-certificate` and `tls-key` must be set together, and one of them is missing";
            Err(ConfigError::new(message, "give --tls-certificate FILE and --tls-key FILE, or neither"))
        }
    }
}

fn yes_or_no(given: &Given, name: &'static str) -> Result<bool, ConfigError> {
    match given.value(name).0 {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(given.wrong(name, "must be `yes` or `no`", "give `yes` only when a proxy in front speaks TLS")),
    }
}

fn on_or_off(given: &Given, name: &'static str) -> Result<bool, ConfigError> {
    match given.value(name).0 {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(given.wrong(name, "must be `on` or `off`", "give `off` to serve the API alone")),
    }
}

fn seconds(given: &Given, name: &'static str) -> Result<Duration, ConfigError> {
    let parsed = given.value(name).0.parse().ok().filter(|seconds| *seconds <= MAX_DRAIN_PAUSE_SECONDS);
    let form = format!("must be whole seconds, 0 to {MAX_DRAIN_PAUSE_SECONDS}");
    parsed.map(Duration::from_secs).ok_or_else(|| given.wrong(name, &form, "give a number, such as 10"))
}

fn log_level(given: &Given) -> Result<LogLevel, ConfigError> {
    let wrong = || given.wrong("log-level", "must be `error`, `warn` or `info`", "give `info` to see every request");
    LogLevel::parse(given.value("log-level").0).ok_or_else(wrong)
}

fn events(given: &Given) -> Result<EventsMode, ConfigError> {
    match given.value("events").0 {
        "on" => Ok(EventsMode::On),
        "off" => Ok(EventsMode::Off),
        _ => Err(given.wrong("events", "must be `on` or `off`", "give `off` to let nobody follow the journal")),
    }
}

/// Whose word is taken, and where it stands: the one without the other would mean nothing, or anything.
fn proxies(given: &Given) -> Result<Option<ProxyRule>, ConfigError> {
    const HELP: &str = "give --proxy-addresses with the addresses of your proxies, and --client-address-header with the \
        header that they set; or neither";
    let (networks, header) = match (given.optional("proxy-addresses"), given.optional("client-address-header")) {
        (None, None) => return Ok(None),
        (Some(networks), Some(header)) => (networks, header),
        (Some(_), None) => {
            return Err(given.wrong("proxy-addresses", "needs `client-address-header`, which is not set", HELP));
        }
        (None, Some(_)) => {
            return Err(given.wrong("client-address-header", "needs `proxy-addresses`, which is not set", HELP));
        }
    };
    let header = AddressHeader::parse(header).ok_or_else(|| {
        let names: Vec<String> = AddressHeader::ALL.iter().map(|header| format!("`{}`", header.as_str())).collect();
        given.wrong("client-address-header", &format!("must be one of {}", names.join(", ")), HELP)
    })?;
    let rule = ProxyRule::parse(networks, header);
    rule.map(Some).ok_or_else(|| {
        let help = "of a network, the bits that do not count must be zero, and one must count: 10.0.0.0/8, not 10.0.0.1/8 \
                    or 0.0.0.0/0; at most 64 of them";
        given.wrong("proxy-addresses", NETWORKS_FORM, help)
    })
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
    parsed.map(Some).ok_or_else(|| given.wrong("rate", RATE_FORM, "give two numbers, such as 60/30, or `off`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SettingOrigin;

    fn given(values: &[(&'static str, &str)]) -> Given {
        let mut given = Given::default();
        given.set("data-dir", "/data".into(), SettingOrigin::Default);
        values.iter().for_each(|(name, value)| given.set(name, (*value).to_owned(), SettingOrigin::Flag));
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
        let errors = Config::read(closed.clone()).unwrap_err();
        assert_eq!(errors[0].message, "`hosts` (default) must name what clients ask 0.0.0.0 by");
        let mut closed = closed;
        closed.set("hosts", "registry.example, [2001:db8::1]".into(), SettingOrigin::Flag);
        assert_eq!(Config::read(closed).unwrap().live.rate, Some((60, 30)));
        assert_eq!(Config::read(given(&[])).unwrap().live.rate, None);
    }

    #[test]
    fn every_wrong_setting_is_told_with_where_it_was_said() {
        let mut given = given(&[("bind", "nowhere"), ("rate", "0/1")]);
        given.add_file("f.toml", "drain-pause = \"long\"\nbehind-proxy = \"perhaps\"\ntls-key = \"k\"\n").unwrap();
        let messages: Vec<String> = Config::read(given).unwrap_err().into_iter().map(|error| error.message).collect();
        assert_eq!(
            messages,
            [
                "`bind` (flag) must be an IP address and a port, 0 to 65535",
                "`tls-certificate` and `tls-key` must be set together, and one of them is missing",
                "`behind-proxy` (f.toml, line 2) must be `yes` or `no`",
                "`rate` (flag) must be requests per minute and burst, each 1 to 4294967295, or `off`",
                "`drain-pause` (f.toml, line 1) must be whole seconds, 0 to 300",
            ]
        );
    }

    #[test]
    fn proxies_are_believed_only_by_address_and_by_one_header() {
        for (values, said) in [
            (&[("proxy-addresses", "10.0.0.0/8")][..], "needs `client-address-header`"),
            (&[("client-address-header", "forwarded")], "needs `proxy-addresses`"),
            (
                &[("proxy-addresses", "0.0.0.0/0"), ("client-address-header", "forwarded")],
                "must be addresses and networks",
            ),
            (&[("proxy-addresses", "10.0.0.1"), ("client-address-header", "x-client-ip")], "must be one of"),
        ] {
            let errors = Config::read(given(values)).unwrap_err();
            assert!(errors[0].message.contains(said), "{values:?}: {errors:?}");
        }
        let both = given(&[("proxy-addresses", "10.0.0.0/8, ::1"), ("client-address-header", "X-Forwarded-For")]);
        assert!(Config::read(both).unwrap().live.proxies.is_some());
    }

    #[test]
    fn what_changed_is_told_by_what_it_takes() {
        let before = Config::read(given(&[("rate", "1/1"), ("bind", "127.0.0.1:1")])).unwrap();
        let next = Config::read(given(&[("rate", "2/2"), ("bind", "127.0.0.1:2"), ("journal", "off")])).unwrap();
        assert_eq!(before.changes(&next), (vec!["rate"], vec!["bind", "journal"]));
        assert_eq!(before.changes(&before), (vec![], vec![]));
        let mut running = before.clone();
        running.adopt_live(&next, next.live.clone());
        assert_eq!(running.changes(&next), (vec![], vec!["bind", "journal"]));
    }

    /// Whoever edits the address and reloads would else have a public service without a rate, by the names of loopback.
    #[test]
    fn what_comes_into_force_is_what_holds_for_the_addresses_of_the_running_service() {
        let public = [("bind", "0.0.0.0:80"), ("tokens", "t.json"), ("behind-proxy", "yes"), ("hosts", "a.example")];
        let running = Config::read(given(&public)).unwrap();
        let local = Config::read(given(&[("bind", "127.0.0.1:80"), ("hosts", "b.example")])).unwrap();
        assert_eq!(local.live.rate, None);
        let live = local.live_beside(&running).unwrap();
        assert_eq!(live.rate, Some((60, 30)));
        let hosts = live.hosts.unwrap();
        assert!(hosts.allows("b.example") && !hosts.allows("a.example") && !hosts.allows("localhost"));
        let errors = Config::read(given(&[])).unwrap().live_beside(&running).unwrap_err();
        assert_eq!(errors[0].message, "`hosts` (default) must name what clients ask 0.0.0.0 by");
        let hosts = running.live_beside(&local).unwrap().hosts.unwrap();
        assert!(hosts.allows("localhost") && hosts.allows("a.example"));
    }

    #[test]
    fn the_admin_address_takes_no_connection_of_the_other() {
        for (bind, admin) in [("0.0.0.0:80", "127.0.0.1:80"), ("127.0.0.1:80", "[::]:80"), ("[::1]:80", "[::]:80")] {
            let values =
                [("bind", bind), ("admin-bind", admin), ("tokens", "t"), ("behind-proxy", "yes"), ("hosts", "a.b")];
            assert!(Config::read(given(&values)).unwrap_err()[0].message.contains("`admin-bind`"), "{bind} {admin}");
        }
        assert!(Config::read(given(&[("bind", "127.0.0.1:80"), ("admin-bind", "127.0.0.2:80")])).is_ok());
    }

    /// A socket that others reach is an open door, whatever `bind` says, and has the rate of one.
    #[test]
    fn the_rules_hold_for_the_address_that_a_socket_has() {
        let socket = |address: &str, values: &[(&'static str, &str)]| {
            let mut given = given(&[&[("bind", "127.0.0.1:1")], values].concat());
            given.set("bind", address.to_owned(), SettingOrigin::Socket);
            given.set("bind", "127.0.0.1:2".to_owned(), SettingOrigin::Flag);
            Config::read(given)
        };
        assert!(socket("0.0.0.0:80", &[]).unwrap_err()[0].help.contains("--tokens"));
        assert!(socket("[fe80::1%2]:80", &[]).is_err() && socket("[::ffff:127.0.0.1]:80", &[]).is_err());
        let open =
            socket("0.0.0.0:80", &[("tokens", "t.json"), ("behind-proxy", "yes"), ("hosts", "a.example")]).unwrap();
        assert_eq!((open.bind.port(), open.live.rate), (80, Some((60, 30))));
        assert_eq!(socket("127.0.0.1:80", &[]).unwrap().bind.port(), 80);
    }

    #[test]
    fn flags_win_over_the_environment_and_that_over_the_file() {
        let mut given = super::tests::given(&[]);
        given.set("bind", "127.0.0.1:3".into(), SettingOrigin::Flag);
        given.set("bind", "127.0.0.1:2".into(), SettingOrigin::Environment);
        given.add_file("f.toml", "bind = \"127.0.0.1:1\"\nrate = \"10/5\"\nbehind-proxy = true").unwrap();
        let config = Config::read(given).unwrap();
        assert_eq!(config.bind.port(), 3);
        assert_eq!(config.live.rate, Some((10, 5)));
        assert!(config.print().contains("bind = \"127.0.0.1:3\"  # flag\n"));
        assert!(config.print().contains("rate = \"10/5\"  # file, line 2\n"));
        assert!(config.print().contains("behind-proxy = \"yes\"  # file, line 3\n"));
        assert!(Config::read(super::tests::given(&[])).unwrap().print().contains("rate = \"off\"  # default\n"));
    }
}
