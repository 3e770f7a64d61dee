//! The address of a receiver: parsed once, and used as parsed. There is one spelling of each host, so that what was checked is
//! what is looked up, connected to and named to the receiver.

use std::fmt;

use crate::{
    authority::{self, AddressError, Scheme, refuse},
    host::Host,
};

/// The longest address.
const MAX_BYTES: usize = 2048;

const FORM: &str = "give https://HOST/PATH, or https://HOST:PORT/PATH";

/// An address that has the form of one. Whether it may be spoken to is another question.
#[derive(Clone, PartialEq, Eq)]
pub struct ReceiverUrl {
    pub(crate) scheme: Scheme,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// Path and query, as they go into the request.
    pub(crate) target: String,
}

impl ReceiverUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is none, says more than where to send, or has a host that different programs read differently.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
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
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(("http", rest)) => (Scheme::Http, rest),
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
        let (host, port) = authority::parse(authority, scheme, FORM)?;
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        Ok(Self { scheme, host, port, target })
    }

    /// Host and port, as they go into the request.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = self.host.in_url();
        if self.port == self.scheme.default_port() { host } else { format!("{host}:{}", self.port) }
    }

    /// The address for logs and lists: without path and query, which may hold a secret of the receiver's.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{}://{}", self.scheme.as_str(), self.authority())
    }

    #[must_use]
    pub fn is_https(&self) -> bool {
        self.scheme == Scheme::Https
    }
}

/// Never with path and query.
impl fmt::Debug for ReceiverUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ReceiverUrl").field(&self.shown()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_in_a_form_that_programs_read_differently_is_refused() {
        let plain = "\
            hooks.example //hooks.example/ HTTPS://hooks.example/ ftp://hooks.example/ https:hooks.example \
            https:/hooks.example https:// https:///path https://?x https://:443/ https://user@hooks.example/ \
            https://user:secret@hooks.example/ https://hooks.example@127.0.0.1/ https://hooks.example/#127.0.0.1 \
            https://127.1/ https://127.0.1/ https://2130706433/ https://0x7f000001/ https://0x7f.0.0.1/ \
            https://0177.0.0.1/ https://127.0.0.01/ https://127.0.0.0x1/ https://1.2.3.4.5/ https://256.1.1.1/ \
            https://127.0.0.1./ https://localhost./ https://hooks.example./ https://.hooks.example/ \
            https://hooks..example/ https://hooks.example:0/ https://hooks.example:/ https://hooks.example:+443/ \
            https://hooks.example:0443/ https://hooks.example:65536/ https://hooks.example:44x/ \
            https://hooks.example:443:443/ https://[::1/ https://[::1]x/ https://[::1]:/ https://[127.0.0.1]/ \
            https://[fe80::1%25eth0]/ https://[fe80::1%eth0]/ https://::1/ https://2001:db8::1/ https://[v1.x]/ \
            https://hooks%2eexample/ https://%31%32%37.0.0.1/ https://[::ffff:127.0.0.1 https://*.example/ \
            https://a,b/";
        for text in plain.split_whitespace().chain([
            "",
            "https://127.0.0.1\\@hooks.example/",
            "https://hooks.example\\x",
            "https://h\u{f6}oks.example/",
            "https://\u{ff11}27.0.0.1/",
            "https://127\u{3002}0.0.1/",
            "https://hooks.example/ x",
            "https://hooks.example/\u{7f}",
            "https://hooks.example\t/",
            "https://hooks.example\r\nHost: x/",
        ]) {
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
