//! How the database is reached, and what is refused before anything is sent.

use std::{fmt, net::IpAddr, path::Path, time::Duration};

use svc_proof::fault::{JournalFault, JournalFaultKind};
use tokio_postgres::{
    Config,
    config::{Host, SslMode, TargetSessionAttrs},
};

use super::tls::Tls;
use crate::timeline::Timeline;

/// What the session is held to. The flush at commit does not depend on the server's settings.
const SESSION_OPTIONS: &str = "-c synchronous_commit=on -c statement_timeout=6s -c lock_timeout=5s \
                       -c idle_in_transaction_session_timeout=10s -c client_min_messages=warning";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How to reach a database.
#[derive(Clone)]
pub struct Settings {
    pub(super) config: Config,
    pub(super) tls: Tls,
    /// The newest timeline that this node has worked on.
    pub(super) remembered: Option<Timeline>,
}

impl Settings {
    /// Reads `postgres://user@host:port/database`, with one host or several: the primary is looked for among them, so that a
    /// failover needs no other address. A host that is not this machine needs the certificates of its
    /// authority.
    ///
    /// # Errors
    /// When it cannot be read, or would speak in the open.
    pub fn parse(url: &str, authority: Option<&Path>, password: Option<&str>) -> Result<Self, JournalFault> {
        let unusable = |detail: &str| JournalFault::new(JournalFaultKind::Unusable, detail);
        // The library's message may repeat the address, and with it a password.
        let mut config: Config = url.parse().map_err(|_| {
            unusable("`journal` must be `postgres://USER@HOST/DATABASE`, and the address has another form")
        })?;
        if config.get_hosts().is_empty() {
            return Err(unusable("`journal` must name a host, as in `postgres://USER@HOST/DATABASE`"));
        }
        if let Some(password) = password {
            config.password(password);
        }
        let tls = match authority {
            Some(file) => Tls::with_authorities(file)?,
            None if is_here(&config) => Tls::off(),
            None => {
                return Err(unusable(
                    "a database on another machine needs TLS: set `journal-authority` to a file with the certificates of its authority",
                ));
            }
        };
        config
            .ssl_mode(if authority.is_some() { SslMode::Require } else { SslMode::Disable })
            .target_session_attrs(TargetSessionAttrs::Any)
            .application_name("svc-journal")
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(CONNECT_TIMEOUT * 2)
            .options(SESSION_OPTIONS);
        Ok(Self { config, tls, remembered: None })
    }

    /// The same for a node that has worked on a timeline, or was given one: a primary from before it is refused.
    #[must_use]
    pub(crate) fn knowing(&self, timeline: &Timeline) -> Self {
        let is_newer = self.remembered.as_ref().is_none_or(|known| known.is_before(timeline));
        Self { remembered: if is_newer { Some(*timeline) } else { self.remembered }, ..self.clone() }
    }

    /// The same settings for each host by itself.
    pub(super) fn each_host(&self) -> Vec<Config> {
        let config = &self.config;
        let count = config.get_hosts().len().max(config.get_hostaddrs().len());
        (0..count).map(|at| for_host(config, at)).collect()
    }

    /// Whether an address carries a password.
    #[must_use]
    pub fn has_password(url: &str) -> bool {
        url.parse::<Config>().is_ok_and(|config| config.get_password().is_some())
    }

    /// An address as it may be shown: without user, password and parameters.
    #[must_use]
    pub fn without_password(url: &str) -> String {
        url.parse().map_or_else(|_| "postgres://".to_owned(), |config: Config| name_of(&config))
    }

    /// Whether a text is an address of a database.
    #[must_use]
    pub fn is_address(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// The database for people, without user and password.
    pub(crate) fn name(&self) -> String {
        name_of(&self.config)
    }
}

/// A configuration has no way to take a host out, so that everything else is copied.
fn for_host(all: &Config, at: usize) -> Config {
    let mut one = Config::new();
    match all.get_hosts().get(at) {
        Some(Host::Tcp(host)) => drop(one.host(host)),
        #[cfg(unix)]
        Some(Host::Unix(path)) => drop(one.host_path(path)),
        None => {}
    }
    if let Some(address) = all.get_hostaddrs().get(at) {
        one.hostaddr(*address);
    }
    // One port may stand for all hosts.
    if let Some(port) = all.get_ports().get(at).or(all.get_ports().first()) {
        one.port(*port);
    }
    all.get_user().map(|user| one.user(user));
    all.get_password().map(|password| one.password(password));
    all.get_dbname().map(|name| one.dbname(name));
    all.get_options().map(|options| one.options(options));
    all.get_application_name().map(|name| one.application_name(name));
    all.get_connect_timeout().map(|timeout| one.connect_timeout(*timeout));
    all.get_tcp_user_timeout().map(|timeout| one.tcp_user_timeout(*timeout));
    all.get_keepalives_interval().map(|interval| one.keepalives_interval(interval));
    all.get_keepalives_retries().map(|retries| one.keepalives_retries(retries));
    one.ssl_mode(all.get_ssl_mode())
        .ssl_negotiation(all.get_ssl_negotiation())
        .keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle())
        .channel_binding(all.get_channel_binding());
    one
}

/// The hosts of a configuration with their ports, for people.
pub(super) fn name_of_hosts(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(host) => host.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    // One port may stand for all hosts.
    let port = |at: usize| config.get_ports().get(at).or(config.get_ports().first()).filter(|port| **port != 5432);
    let with_port = |(at, name): (usize, String)| port(at).map_or(name.clone(), |port| format!("{name}:{port}"));
    let hosts: Vec<String> = config.get_hosts().iter().map(host).enumerate().map(with_port).collect();
    hosts.join(",")
}

fn name_of(config: &Config) -> String {
    format!("postgres://{}/{}", name_of_hosts(config), config.get_dbname().unwrap_or_default())
}

/// Shows the database and no password.
impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Settings").field(&self.name()).finish()
    }
}

fn is_here(config: &Config) -> bool {
    let here = |host: &Host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(here) && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_in_the_open_to_another_machine() {
        for url in [
            "postgres://svc@db.example.org/svc",
            "postgres://svc@10.0.0.7/svc",
            "postgres://svc@localhost,db.example.org/svc",
            "postgres://svc@localhost/svc?hostaddr=10.0.0.7",
            "postgres://svc@localhost.example.org/svc",
            "postgres://svc@db.example.org/svc?sslmode=require",
        ] {
            assert_eq!(
                Settings::parse(url, None, None).err().map(|fault| fault.kind),
                Some(JournalFaultKind::Unusable),
                "{url}"
            );
        }
        for url in
            ["postgres://svc@localhost/svc", "postgres://svc@127.0.0.1:5433/svc", "postgres://svc@%2Frun%2Fdb/svc"]
        {
            assert!(Settings::parse(url, None, None).is_ok(), "{url}");
        }
    }

    #[test]
    fn several_hosts_are_one_database_and_the_one_that_takes_writes_is_meant() {
        let url = "postgres://svc@localhost:5432,127.0.0.1:5433/svc?target_session_attrs=any";
        let settings = Settings::parse(url, None, None).unwrap();
        assert_eq!(settings.name(), "postgres://localhost,127.0.0.1:5433/svc");
        assert_eq!(settings.config.get_ports(), [5432, 5433]);
        let hosts: Vec<String> = settings.each_host().iter().map(name_of).collect();
        assert_eq!(hosts, ["postgres://localhost/svc", "postgres://127.0.0.1:5433/svc"]);
        let first = settings.each_host().remove(0);
        assert_eq!((first.get_user(), first.get_ssl_mode()), (Some("svc"), SslMode::Disable));
        assert_eq!(first.get_options(), Some(SESSION_OPTIONS));
    }

    #[test]
    fn a_password_is_seen_and_never_shown() {
        let url = "postgres://svc:hunter2@localhost/svc";
        assert!(Settings::has_password(url) && Settings::has_password("postgres://svc@localhost/svc?password=hunter2"));
        assert!(!Settings::has_password("postgres://svc@localhost/svc"));
        let settings = Settings::parse(url, None, None).unwrap();
        assert!(!format!("{settings:?} {}", settings.name()).contains("hunter2"));
        let bad = Settings::parse("postgres://svc:hunter2@local host:port/svc", None, None).unwrap_err();
        assert!(!bad.to_string().contains("hunter2"));
    }
}
