//! The address of a registry: https, or this machine.

use std::net::IpAddr;

use hyper::Uri;
use svc_core::contract::contracts::BASE_PATH;
use tokio_rustls::rustls::pki_types::ServerName;

/// How the registry is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Http,
    Https,
}

/// Where a registry is.
#[derive(Clone, Debug)]
pub struct Address {
    pub(super) scheme: Scheme,
    /// Name or number, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Host and port, as they go into the request.
    pub(super) authority: String,
    /// What stands before the registry's own paths.
    pub(super) prefix: String,
}

/// Why an address cannot be used, with a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    pub message: &'static str,
    pub help: &'static str,
}

const fn refuse(message: &'static str, help: &'static str) -> AddressError {
    AddressError { message, help }
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
        let uri: Uri = text.parse().map_err(|_| refuse("the address must be a URL, and has another form", FORM))?;
        let scheme = match uri.scheme_str() {
            Some("https") => Scheme::Https,
            Some("http") => Scheme::Http,
            Some(_) | None => return Err(refuse("the address must begin with https://", FORM)),
        };
        let authority = uri.authority().ok_or_else(|| refuse("the address must name a host", FORM))?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(refuse("the address must name a host", FORM));
        }
        // A port that is none is not the usual one.
        let has_port = authority.as_str().rsplit(']').next().is_some_and(|rest| rest.contains(':'));
        if has_port && authority.port_u16().is_none_or(|port| port == 0) {
            return Err(refuse("the port of the address must be a number from 1 to 65535", FORM));
        }
        if scheme == Scheme::Http && !is_this_machine(&host) {
            return Err(refuse(
                "the address must begin with https://, because http is for this machine only",
                "use https, so that nobody in between can answer instead of the registry or read the token",
            ));
        }
        let path = uri.path().trim_end_matches('/');
        let default = if scheme == Scheme::Https { 443 } else { 80 };
        Ok(Self {
            scheme,
            port: authority.port_u16().unwrap_or(default),
            authority: authority.as_str().to_owned(),
            prefix: path.strip_suffix(BASE_PATH).unwrap_or(path).to_owned(),
            host,
        })
    }

    /// What tells one registry from every other, as the name of a folder: letters, digits, dots and hyphens as they are,
    /// everything else by its number.
    #[must_use]
    pub fn folder_name(&self) -> String {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        let encode = |byte: u8| {
            if byte.is_ascii_alphanumeric() || b".-".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("_{byte:02x}")
            }
        };
        let place = format!("{}:{}{}", self.host.to_ascii_lowercase(), self.port, self.prefix);
        format!("{scheme}-{}", place.bytes().map(encode).collect::<String>())
    }

    /// The address for people, without anything that could be a secret.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{}{BASE_PATH}", self.root())
    }

    /// The address that all paths are below.
    pub(super) fn root(&self) -> String {
        let scheme = if self.scheme == Scheme::Https { "https" } else { "http" };
        format!("{scheme}://{}{}", self.authority, self.prefix)
    }

    pub(super) fn server_name(&self) -> Option<ServerName<'static>> {
        ServerName::try_from(self.host.clone()).ok()
    }
}

/// Every address that `localhost` leads to is looked at again when it is connected to.
fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
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
        assert_eq!(Address::parse("http://[::1]:8787").unwrap().host, "::1");
    }
}
