//! The names by which the service may be asked for.
//!
//! A page of anywhere can point a name of its own at this machine and have a visitor's browser ask here. Its request then has
//! that name as `Host`, so a name that nobody listed is refused. The port plays no part: proxies and containers change it.

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv6Addr},
};

/// The name of this machine, for itself.
const LOCALHOST: &str = "localhost";

/// The longest name that can be looked up.
const MAX_NAME_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

/// A host, as a request or a setting names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    Address(IpAddr),
    /// In small letters.
    Name(String),
}

impl Host {
    /// A host without a port: a name, an IPv4 address, or an IPv6 address with or without brackets.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let address = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(address) = address {
            return address.parse::<Ipv6Addr>().ok().map(|address| Self::Address(address.into()));
        }
        match text.parse::<IpAddr>() {
            Ok(address) => Some(Self::Address(address)),
            Err(_) => is_name(text).then(|| Self::Name(text.to_ascii_lowercase())),
        }
    }

    /// The host of a `Host` header, which may have a port behind it.
    fn of_header(value: &str) -> Option<Self> {
        let ends_address = value.rfind(']');
        let (host, port) = match value.rfind(':').filter(|colon| ends_address.is_none_or(|end| end < *colon)) {
            Some(colon) => (value.get(..colon)?, value.get(colon + 1..)?),
            None => (value, ""),
        };
        if !port.bytes().all(|byte| byte.is_ascii_digit()) || port.len() > 5 {
            return None;
        }
        // Without brackets it would not be told where the address ends.
        Self::parse(host).filter(|parsed| host.starts_with('[') || !matches!(parsed, Self::Address(IpAddr::V6(_))))
    }

    fn is_loopback(&self) -> bool {
        match self {
            Self::Address(address) => address.to_canonical().is_loopback(),
            Self::Name(name) => name == LOCALHOST,
        }
    }
}

/// Letters, digits, hyphens and underscores between dots. What looks like a number at the end would be read as an address
/// by some.
fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=MAX_LABEL_BYTES).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    text.len() <= MAX_NAME_BYTES
        && text.split('.').all(is_label)
        && text.rsplit('.').next().is_some_and(|last| !last.starts_with(|first: char| first.is_ascii_digit()))
}

/// Which hosts are answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedHosts {
    listed: BTreeSet<Host>,
    /// Also the names that this machine has for itself.
    loopback: bool,
    /// Also every address: no name can be pointed at a service by writing its address.
    addresses: bool,
}

impl AllowedHosts {
    /// Those of a list, and for a listener that only this machine reaches its own names.
    #[must_use]
    pub fn new(listed: impl IntoIterator<Item = Host>, is_loopback: bool) -> Self {
        Self { listed: listed.into_iter().collect(), loopback: is_loopback, addresses: false }
    }

    /// The same for the admin address, which scrapers find by its number.
    #[must_use]
    pub fn with_addresses(self) -> Self {
        Self { addresses: true, ..self }
    }

    /// Whether a request with this `Host` is answered.
    #[must_use]
    pub fn allows(&self, header: &str) -> bool {
        Host::of_header(header).is_some_and(|host| {
            self.listed.contains(&host)
                || (self.loopback && host.is_loopback())
                || (self.addresses && matches!(host, Host::Address(_)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(names: &[&str]) -> Vec<Host> {
        names.iter().map(|name| Host::parse(name).unwrap()).collect()
    }

    #[test]
    fn a_name_that_nobody_listed_is_refused_however_it_is_spelled() {
        let hosts = AllowedHosts::new(listed(&["registry.example", "192.0.2.1", "2001:db8::1"]), false);
        for refused in [
            "",
            "evil.example",
            "registry.example.evil.example",
            "evilregistry.example",
            "registry.example:x",
            "registry.example:123456",
            "registry.example:80:80",
            "registry.example.",
            "registry.example/",
            "user@registry.example",
            "registry.example, evil.example",
            "registry example",
            "localhost",
            "127.0.0.1",
            "[::1]",
            "192.0.2.2",
            "192.0.2.1.evil.example",
            "0300.0000.0002.0001",
            "3221225985",
            "2001:db8::1",
            "[2001:db8::1",
            "[2001:db8::2]",
            "r\u{e9}gistry.example",
        ] {
            assert!(!hosts.allows(refused), "{refused}");
        }
        for allowed in [
            "registry.example",
            "registry.example:",
            "REGISTRY.example:8443",
            "192.0.2.1:80",
            "[2001:db8::1]",
            "[2001:DB8:0::1]:443",
        ] {
            assert!(hosts.allows(allowed), "{allowed}");
        }
    }

    #[test]
    fn a_listener_of_this_machine_answers_to_its_own_names_too() {
        let hosts = AllowedHosts::new(listed(&["registry.example"]), true);
        for allowed in ["localhost", "LOCALHOST:8787", "127.0.0.1:8787", "127.9.9.9", "[::1]:1", "registry.example"] {
            assert!(hosts.allows(allowed), "{allowed}");
        }
        for refused in ["localhost.evil.example", "127.0.0.1.nip.example", "10.0.0.1", "0.0.0.0", "2130706433"] {
            assert!(!hosts.allows(refused), "{refused}");
        }
    }

    #[test]
    fn an_address_is_no_name_that_somebody_could_point_here() {
        let hosts = AllowedHosts::new([], false).with_addresses();
        assert!(hosts.allows("10.0.0.1:8788") && hosts.allows("[2001:db8::1]"));
        assert!(!hosts.allows("metrics.example") && !hosts.allows("localhost"));
    }

    #[test]
    fn a_host_of_a_setting_is_a_name_or_an_address_without_a_port() {
        for wrong in ["", "a b", "a..b", ".a", "a.", "a:80", "http://a", "*", "*.a", "[::1]:1", "1.2.3", "a/b"] {
            assert_eq!(Host::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Host::parse(&"a.".repeat(200)), None);
        assert_eq!(Host::parse("[2001:db8::1]"), Host::parse("2001:db8::1"));
    }
}
