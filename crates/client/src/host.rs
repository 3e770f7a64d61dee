//! Hosts, as addresses, settings and requests name them.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

/// The name of this machine, for itself.
const LOCALHOST: &str = "localhost";

/// The longest name that can be looked up.
const MAX_NAME_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

/// A host, without a port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    Address(IpAddr),
    /// In small letters.
    Name(String),
}

impl Host {
    /// A name, an IPv4 address, or an IPv6 address with or without brackets.
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

    /// Whether it names this machine. A name may still lead elsewhere.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self {
            Self::Address(address) => address.to_canonical().is_loopback(),
            Self::Name(name) => name == LOCALHOST,
        }
    }

    /// The host as it is in a URL: an IPv6 address has brackets there.
    pub(crate) fn in_url(&self) -> String {
        match self {
            Self::Address(IpAddr::V6(address)) => format!("[{address}]"),
            Self::Address(IpAddr::V4(_)) | Self::Name(_) => self.to_string(),
        }
    }
}

/// Without brackets: for a look-up and for a certificate.
impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(formatter),
            Self::Name(name) => formatter.write_str(name),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_of_a_setting_is_a_name_or_an_address_without_a_port() {
        for wrong in ["", "a b", "a..b", ".a", "a.", "a:80", "http://a", "*", "*.a", "[::1]:1", "1.2.3", "a/b"] {
            assert_eq!(Host::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Host::parse(&"a.".repeat(200)), None);
        assert_eq!(Host::parse("[2001:db8::1]"), Host::parse("2001:db8::1"));
    }
}
