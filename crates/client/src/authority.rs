//! The parts of an address in their one spelling each, so that what is checked is what is looked up, connected to and named to
//! the server.

use std::net::IpAddr;

use crate::host::Host;

/// Why an address cannot be used, with a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    pub message: &'static str,
    pub help: &'static str,
}

pub(crate) const fn refuse(message: &'static str, help: &'static str) -> AddressError {
    AddressError { message, help }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub(crate) const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Reads host and port. `form` says how to write an address.
pub(crate) fn parse(authority: &str, scheme: Scheme, form: &'static str) -> Result<(Host, u16), AddressError> {
    let (host, port) = split_port(authority, form)?;
    let host = parse_host(host, form)?;
    Ok((host, port.map_or(Ok(scheme.default_port()), |port| parse_port(port, form))?))
}

fn split_port<'a>(authority: &'a str, form: &'static str) -> Result<(&'a str, Option<&'a str>), AddressError> {
    if authority.starts_with('[') {
        let Some(end) = authority.find(']') else {
            return Err(refuse("the address of the host must end with a bracket", form));
        };
        let (host, rest) = authority.split_at(end + 1);
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if rest.is_empty() => Ok((host, None)),
            None => Err(refuse("only a port may follow the brackets of the host", form)),
        };
    }
    Ok(authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))))
}

fn parse_port(port: &str, form: &'static str) -> Result<u16, AddressError> {
    let is_plain = !port.is_empty() && !port.starts_with('0') && port.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = is_plain.then(|| port.parse().ok()).flatten();
    parsed.ok_or_else(|| {
        refuse("the port of the address must be a number from 1 to 65535, without zeros before it", form)
    })
}

/// A name, an IPv4 address with four plain numbers, or an IPv6 address in brackets. `127.1`, `0x7f.0.0.1`, `0177.0.0.1` and
/// `2130706433` are addresses to some programs and names to others.
fn parse_host(text: &str, form: &'static str) -> Result<Host, AddressError> {
    if text.is_empty() {
        return Err(refuse("the address must name a host", form));
    }
    if text.ends_with('.') {
        return Err(refuse("the host must not end with a dot", "leave the dot out: names are looked up as they are"));
    }
    let host = Host::parse(text).filter(|host| text.starts_with('[') || !matches!(host, Host::Address(IpAddr::V6(_))));
    host.ok_or_else(|| {
        refuse(
            "the host must be a name, an IPv4 address of four decimal numbers, or an IPv6 address in brackets",
            "write the host out in full; numbers in other forms are read differently by different programs",
        )
    })
}
