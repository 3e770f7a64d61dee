//! Whose address a request has that came through a proxy.
//!
//! A header is believed only as far as somebody who is believed wrote it. Proxies add the address that they see at the end,
//! so that the chain is walked from its end: as long as an address is that of a listed proxy, what stands before it was
//! written by that proxy. The first other address is the client. What stands before it is the client's own word, and is not
//! looked at; where an entry cannot be read, the walk ends at the proxy that wrote it. So a request counts for its client,
//! or for a proxy, and never for somebody whom a client named.

use std::net::IpAddr;

use hyper::HeaderMap;
use svc_client::network::Network;

/// More proxies in a row than this belong to a loop.
const MAX_HOPS: usize = 16;

/// More networks than this are not an address plan but a mistake.
const MAX_NETWORKS: usize = 64;

/// The longest entry that can be an address: one of IPv6 with brackets and a port, and what else `Forwarded` may say of it.
const MAX_ENTRY_BYTES: usize = 512;

/// What the list of proxies must be, for messages.
pub const NETWORKS_FORM: &str =
    "must be addresses and networks with commas between them, such as `10.0.0.0/8, 127.0.0.1`";

/// A header that carries addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressHeader {
    /// RFC 7239.
    Forwarded,
    /// A list with commas.
    XForwardedFor,
    /// One address.
    XRealIp,
}

impl AddressHeader {
    pub const ALL: &'static [Self] = &[Self::XForwardedFor, Self::Forwarded, Self::XRealIp];

    /// Its name, as headers are asked for.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Forwarded => "forwarded",
            Self::XForwardedFor => "x-forwarded-for",
            Self::XRealIp => "x-real-ip",
        }
    }

    /// The header of this name, in any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|header| name.eq_ignore_ascii_case(header.as_str()))
    }
}

/// Whose word about a client's address is taken, and in which header it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyRule {
    networks: Vec<Network>,
    header: AddressHeader,
}

impl ProxyRule {
    /// Reads a list of networks; nothing when one of them is none, or stands for everybody.
    #[must_use]
    pub fn parse(networks: &str, header: AddressHeader) -> Option<Self> {
        let networks: Option<Vec<Network>> = networks.split(',').map(|text| Network::parse(text.trim())).collect();
        let networks = networks.filter(|networks| networks.len() <= MAX_NETWORKS)?;
        Some(Self { networks, header })
    }

    /// Whether an address is that of a proxy.
    pub(crate) fn is_proxy(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(address))
    }

    /// The client of a request that came over a connection from `peer`.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut believed = peer.to_canonical();
        if !self.is_proxy(believed) {
            return believed;
        }
        let mut lines = headers.get_all(self.header.as_str()).iter();
        if self.header == AddressHeader::XRealIp {
            let only = lines.next().filter(|_| lines.next().is_none());
            return only.and_then(|line| line.to_str().ok()).and_then(node).unwrap_or(believed);
        }
        let mut hops = 0;
        for line in lines.rev() {
            // Bytes: what a client wrote before need not be text.
            let mut rest = line.as_bytes();
            loop {
                let (before, entry) = self.header.last_entry(rest);
                hops += 1;
                let Some(address) = self.header.address_in(entry).filter(|_| hops <= MAX_HOPS) else { return believed };
                believed = address;
                if !self.is_proxy(address) {
                    return address;
                }
                let Some(before) = before else { break };
                rest = before;
            }
        }
        believed
    }
}

impl AddressHeader {
    /// The last entry of a list, and what stands before its comma. Quotes are counted from the end: the last entry was
    /// written by a proxy and has its quotes in pairs, whatever a client opened before it.
    fn last_entry(self, list: &[u8]) -> (Option<&[u8]>, &[u8]) {
        let mut is_quoted = false;
        for (at, byte) in list.iter().enumerate().rev() {
            match byte {
                b'"' if self == Self::Forwarded => is_quoted = !is_quoted,
                b',' if !is_quoted => return (list.get(..at), list.get(at + 1..).unwrap_or_default()),
                _ => {}
            }
        }
        (None, list)
    }

    fn address_in(self, entry: &[u8]) -> Option<IpAddr> {
        let entry = std::str::from_utf8(entry).ok().filter(|entry| entry.len() <= MAX_ENTRY_BYTES)?;
        match self {
            Self::XForwardedFor | Self::XRealIp => node(entry),
            Self::Forwarded => forwarded_for(entry),
        }
    }
}

/// The one `for` of an element of `Forwarded`. Escapes inside quotes are legal there, and no address has one.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    if element.contains('\\') {
        return None;
    }
    let mut found = None;
    let mut is_quoted = false;
    let pairs = element.split(|character: char| {
        is_quoted ^= character == '"';
        character == ';' && !is_quoted
    });
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=') else { continue };
        if name.trim().eq_ignore_ascii_case("for") {
            let value = value.trim();
            let bare = value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
            // Twice is one time too many: which of them would be the client's?
            if found.replace(node(bare.unwrap_or(value))?).is_some() {
                return None;
            }
        }
    }
    found
}

/// An address, perhaps with a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`.
/// `unknown` and names such as `_hidden` are none.
fn node(text: &str) -> Option<IpAddr> {
    let text = text.trim_matches([' ', '\t']);
    let is_port = |port: &str| (1..=5).contains(&port.len()) && port.parse::<u16>().is_ok() && !port.starts_with('+');
    let address = if let Some(rest) = text.strip_prefix('[') {
        let (inner, port) = rest.split_once(']')?;
        if !port.is_empty() && !port.strip_prefix(':').is_some_and(is_port) {
            return None;
        }
        IpAddr::V6(inner.parse().ok()?)
    } else if let Ok(address) = text.parse() {
        address
    } else {
        let (address, _) = text.split_once(':').filter(|(_, port)| is_port(port))?;
        IpAddr::V4(address.parse().ok()?)
    };
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests;
