//! The address of a registry: https, or this machine.

use svc_core::contract::contracts::BASE_PATH;

use crate::{
    authority::{self, AddressError, Scheme, refuse},
    host::Host,
};

/// Where a registry is.
#[derive(Clone, Debug)]
pub struct Address {
    pub(crate) scheme: Scheme,
    pub(crate) host: Host,
    pub(crate) port: u16,
    /// Host and port, as they were given and go into the request.
    pub(crate) authority: String,
    /// What stands before the registry's own paths.
    pub(crate) prefix: String,
}

const FORM: &str = "give https://HOST, https://HOST/PREFIX, or http://127.0.0.1:PORT for this machine";

impl Address {
    /// Reads an address. The base path of the registry may stand at its end.
    ///
    /// # Errors
    /// When it is not https (or this machine), or says more than where the registry is.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refuse("the address must be visible ASCII characters only, without blanks", FORM));
        }
        if text.contains(['@', '?', '#', '\\']) {
            return Err(refuse(
                "the address must be a host and a path, and holds more",
                "leave out user names, passwords, queries and fragments; give a token with SVC_TOKEN or --token-file",
            ));
        }
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            _ => return Err(refuse("the address must begin with https://", FORM)),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = authority::parse(authority, scheme, FORM)?;
        // Every address that `localhost` leads to is looked at again when it is connected to.
        if scheme == Scheme::Http && !host.is_loopback() {
            return Err(refuse(
                "the address must begin with https://, because http is for this machine only",
                "use https, so that nobody in between can answer instead of the registry or read the token",
            ));
        }
        let path = path.trim_end_matches('/');
        let prefix = path.strip_suffix(BASE_PATH).unwrap_or(path).to_owned();
        Ok(Self { scheme, host, port, authority: authority.to_owned(), prefix })
    }

    /// What tells one registry from every other, as the name of a folder: letters, digits, dots and hyphens as they are,
    /// everything else by its number.
    #[must_use]
    pub fn folder_name(&self) -> String {
        let encode = |byte: u8| {
            if byte.is_ascii_alphanumeric() || b".-".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("_{byte:02x}")
            }
        };
        let place = format!("{}:{}{}", self.host, self.port, self.prefix);
        format!("{}-{}", self.scheme.as_str(), place.bytes().map(encode).collect::<String>())
    }

    /// The address for people, without anything that could be a secret.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{}{BASE_PATH}", self.root())
    }

    /// The address that all paths are below.
    pub(crate) fn root(&self) -> String {
        format!("{}://{}{}", self.scheme.as_str(), self.authority, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_https_or_this_machine_is_spoken_to() {
        for text in [
            "",
            "registry.example",
            "//registry.example",
            "ftp://registry.example",
            "http://registry.example",
            "http://10.0.0.1:8787",
            "http://localhost.example",
            "http://127.0.0.1.example",
            "http://0.0.0.0:8787",
            "https://",
            "https://user:secret@registry.example",
            "https://registry.example?token=secret",
            "https://registry.example#top",
            "https://registry.example\\@other.example",
            "https://registry.example/ x",
            "https://registry.exämple",
            "https://registry.example:0",
            "https://registry.example:",
            "https://registry.example:443:443",
            "https://2130706433",
            "https://[::1",
            "http://127.1:8787",
            "http://[::ffff:10.0.0.1]:8787",
            "file:///etc/passwd",
        ] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_base_path_may_be_given_or_left_out() {
        for (text, shown) in [
            ("https://registry.example", "https://registry.example/api/sdk/registry"),
            ("https://registry.example/", "https://registry.example/api/sdk/registry"),
            ("https://registry.example:8443/app/", "https://registry.example:8443/app/api/sdk/registry"),
            ("http://127.0.0.1:8787/api/sdk/registry", "http://127.0.0.1:8787/api/sdk/registry"),
            ("http://[::1]:8787/x/api/sdk/registry/", "http://[::1]:8787/x/api/sdk/registry"),
            ("http://localhost", "http://localhost/api/sdk/registry"),
        ] {
            assert_eq!(Address::parse(text).unwrap().shown(), shown, "{text}");
        }
        assert_eq!(Address::parse("http://[::1]:8787").unwrap().host.to_string(), "::1");
    }
}
