//! The names by which the service may be asked for.
//!
//! A page of anywhere can point a name of its own at this machine and have a visitor's browser ask here. Its request then has
//! that name as `Host`, so a name that nobody listed is refused. The port plays no part: proxies and containers change it.

use std::{collections::BTreeSet, net::IpAddr};

use svc_client::host::Host;

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
        host_of(header).is_some_and(|host| {
            self.listed.contains(&host)
                || (self.loopback && host.is_loopback())
                || (self.addresses && matches!(host, Host::Address(_)))
        })
    }
}

/// The host of a `Host` header, which may have a port behind it.
fn host_of(value: &str) -> Option<Host> {
    let ends_address = value.rfind(']');
    let (host, port) = match value.rfind(':').filter(|colon| ends_address.is_none_or(|end| end < *colon)) {
        Some(colon) => (value.get(..colon)?, value.get(colon + 1..)?),
        None => (value, ""),
    };
    if !port.bytes().all(|byte| byte.is_ascii_digit()) || port.len() > 5 {
        return None;
    }
    // Without brackets it would not be told where the address ends.
    Host::parse(host).filter(|parsed| host.starts_with('[') || !matches!(parsed, Host::Address(IpAddr::V6(_))))
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
}
