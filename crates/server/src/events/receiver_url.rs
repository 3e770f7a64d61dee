//! The address of a receiver: parsed once, and used as parsed. There is one spelling of each host, so that what was checked is
//! what is looked up, connected to and named to the receiver.

use std::{fmt, net::IpAddr};

use crate::hosts::Host;

/// The longest address.
const MAX_BYTES: usize = 2048;

const FORM: &str = "give https://HOST/PATH, or https://HOST:PORT/PATH";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlScheme {
    Http,
    Https,
}

/// An address that has the form of one. Whether it may be spoken to is another question.
#[derive(Clone, PartialEq, Eq)]
pub struct ReceiverUrl {
    pub(super) scheme: UrlScheme,
    pub(super) host: Host,
    pub(super) port: u16,
    /// Path and query, as they go into the request.
    pub(super) target: String,
}

/// Why a text is no address that can be used, with a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlError {
    pub message: &'static str,
    pub help: &'static str,
}

const fn refuse(message: &'static str, help: &'static str) -> UrlError {
    UrlError { message, help }
}

impl ReceiverUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is none, says more than where to send, or has a host that different programs read differently.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        if text.len() > MAX_BYTES {
            return Err(refuse("the address must have at most 2048 bytes", "give a shorter one"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refuse(
                "the address must be visible ASCII characters only",
                "write a name with other letters in its ASCII form (`xn--…`), and blanks of the path as %20",
            ));
        }
        let (scheme, rest) = match text.split_once("://") {
            Some(("https", rest)) => (UrlScheme::Https, rest),
            Some(("http", rest)) => (UrlScheme::Http, rest),
            Some(_) | None => return Err(refuse("the address must begin with https://", FORM)),
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        if text.contains(['\\', '#', '"', '<', '>', '^', '`', '{', '|', '}']) {
            return Err(refuse(
                "the address must not hold a fragment, a backslash or another character that a path may not have",
                "leave it out, or write it with its number, as %5C",
            ));
        }
        if authority.contains('@') {
            return Err(refuse(
                "the address must not hold a user name or a password",
                "leave them out: a delivery is signed, and the receiver checks that",
            ));
        }
        let (host, port) = split_port(authority)?;
        let host = parse_host(host)?;
        let port = match port {
            None => {
                if scheme == UrlScheme::Https {
                    443
                } else {
                    80
                }
            }
            Some(port) => parse_port(port)?,
        };
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        Ok(Self { scheme, host, port, target })
    }

    /// Host and port, as they go into the request.
    #[must_use]
    pub fn authority(&self) -> String {
        let default = if self.scheme == UrlScheme::Https { 443 } else { 80 };
        let host = self.host_in_url();
        if self.port == default { host } else { format!("{host}:{}", self.port) }
    }

    /// The address for logs and lists: without path and query, which may hold a secret of the receiver's.
    #[must_use]
    pub fn shown(&self) -> String {
        let scheme = if self.scheme == UrlScheme::Https { "https" } else { "http" };
        format!("{scheme}://{}", self.authority())
    }

    #[must_use]
    pub fn is_https(&self) -> bool {
        self.scheme == UrlScheme::Https
    }

    /// The host, without brackets: for a look-up and for a certificate.
    pub(super) fn host_text(&self) -> String {
        match &self.host {
            Host::Address(address) => address.to_string(),
            Host::Name(name) => name.clone(),
        }
    }

    fn host_in_url(&self) -> String {
        match &self.host {
            Host::Address(IpAddr::V6(address)) => format!("[{address}]"),
            Host::Address(IpAddr::V4(_)) | Host::Name(_) => self.host_text(),
        }
    }
}

/// Never with path and query.
impl fmt::Debug for ReceiverUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ReceiverUrl").field(&self.shown()).finish()
    }
}

fn split_port(authority: &str) -> Result<(&str, Option<&str>), UrlError> {
    if authority.starts_with('[') {
        let Some(end) = authority.find(']') else {
            return Err(refuse("the address of the host must end with a bracket", FORM));
        };
        let (host, rest) = authority.split_at(end + 1);
        return match rest.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if rest.is_empty() => Ok((host, None)),
            None => Err(refuse("only a port may follow the brackets of the host", FORM)),
        };
    }
    Ok(authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))))
}

fn parse_port(port: &str) -> Result<u16, UrlError> {
    let is_plain = !port.is_empty() && !port.starts_with('0') && port.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = is_plain.then(|| port.parse().ok()).flatten();
    parsed.ok_or_else(|| {
        refuse("the port of the address must be a number from 1 to 65535, without zeros before it", FORM)
    })
}

/// A name, an IPv4 address with four plain numbers, or an IPv6 address in brackets. `127.1`, `0x7f.0.0.1`, `0177.0.0.1` and
/// `2130706433` are addresses to some programs and names to others.
fn parse_host(text: &str) -> Result<Host, UrlError> {
    if text.is_empty() {
        return Err(refuse("the address must name a host", FORM));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_in_a_form_that_programs_read_differently_is_refused() {
        for text in [
            "",
            "hooks.example",
            "//hooks.example/",
            "HTTPS://hooks.example/",
            "ftp://hooks.example/",
            "https:hooks.example",
            "https:/hooks.example",
            "https://",
            "https:///path",
            "https://?x",
            "https://:443/",
            "https://user@hooks.example/",
            "https://user:secret@hooks.example/",
            "https://hooks.example@127.0.0.1/",
            "https://127.0.0.1\\@hooks.example/",
            "https://hooks.example\\x",
            "https://hooks.example/#127.0.0.1",
            "https://127.1/",
            "https://127.0.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.0.0.1/",
            "https://0177.0.0.1/",
            "https://127.0.0.01/",
            "https://127.0.0.0x1/",
            "https://1.2.3.4.5/",
            "https://256.1.1.1/",
            "https://127.0.0.1./",
            "https://localhost./",
            "https://hooks.example./",
            "https://.hooks.example/",
            "https://hooks..example/",
            "https://hooks.example:0/",
            "https://hooks.example:/",
            "https://hooks.example:+443/",
            "https://hooks.example:0443/",
            "https://hooks.example:65536/",
            "https://hooks.example:44x/",
            "https://hooks.example:443:443/",
            "https://[::1/",
            "https://[::1]x/",
            "https://[::1]:/",
            "https://[127.0.0.1]/",
            "https://[fe80::1%25eth0]/",
            "https://[fe80::1%eth0]/",
            "https://::1/",
            "https://2001:db8::1/",
            "https://[v1.x]/",
            "https://h\u{f6}oks.example/",
            "https://\u{ff11}27.0.0.1/",
            "https://127\u{3002}0.0.1/",
            "https://hooks.example/ x",
            "https://hooks.example/\u{7f}",
            "https://hooks%2eexample/",
            "https://%31%32%37.0.0.1/",
            "https://hooks.example\t/",
            "https://hooks.example\r\nHost: x/",
            "https://[::ffff:127.0.0.1",
            "https://*.example/",
            "https://a,b/",
        ] {
            assert!(ReceiverUrl::parse(text).is_err(), "{text:?}");
        }
        assert!(ReceiverUrl::parse(&format!("https://hooks.example/{}", "a".repeat(2048))).is_err());
    }

    #[test]
    fn an_address_is_used_as_it_was_parsed() {
        for (text, authority, target) in [
            ("https://hooks.example", "hooks.example", "/"),
            ("https://Hooks.Example:443/a/b?c=d%20e", "hooks.example", "/a/b?c=d%20e"),
            ("https://hooks.example:8443?x=1", "hooks.example:8443", "/?x=1"),
            ("https://xn--hks-sna.example/", "xn--hks-sna.example", "/"),
            ("https://192.0.2.1/", "192.0.2.1", "/"),
            ("https://[2001:DB8::1]:8443/", "[2001:db8::1]:8443", "/"),
            ("http://localhost:8080/in", "localhost:8080", "/in"),
        ] {
            let url = ReceiverUrl::parse(text).unwrap();
            assert_eq!((url.authority().as_str(), url.target.as_str()), (authority, target), "{text}");
        }
        let url = ReceiverUrl::parse("https://hooks.example/T0/secret?key=secret").unwrap();
        assert!(!format!("{url:?} {}", url.shown()).contains("secret"));
    }
}
