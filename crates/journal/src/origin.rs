//! The name of a log (C2SP calls it the origin): the first line of every checkpoint, and the name in the log's key. It is
//! given when a log begins, and never changes.

use std::fmt;

use svc_proof::fault::{JournalFault, JournalFaultKind};

/// Names longer than this are no addresses.
const MAX_BYTES: usize = 255;

/// What a name must be, in words.
pub const FORM: &str = "must be 1 to 255 visible ASCII characters without `+` and without a scheme such as `https://`";

/// What the name of a log must be that strangers read, in words.
pub const ADDRESS_FORM: &str =
    "must be an address without its scheme: a host name in lowercase and a path, such as `registry.example/journal`";

/// The name of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogOrigin(String);

impl LogOrigin {
    /// Reads a name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let has_form = (1..=MAX_BYTES).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'+')
            && !text.contains("://");
        has_form.then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is an address without its scheme (C2SP tlog-tiles): a host with a dot in it, or this machine, then perhaps a
    /// port and a path. There is one spelling: no capitals in the host, no slash at the end, no empty part, no query.
    #[must_use]
    pub fn is_address(&self) -> bool {
        let (authority, path) = self.0.split_once('/').map_or((self.0.as_str(), None), |(at, path)| (at, Some(path)));
        let (host, port) = authority.rsplit_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
        let is_port = |port: &str| !port.starts_with('0') && port.parse::<u16>().is_ok_and(|number| number > 0);
        is_host(host) && port.is_none_or(is_port) && path.is_none_or(|path| path.split('/').all(is_path_part))
    }

    /// Refuses a log, or a key for one, that has another name than the one that was asked for.
    ///
    /// # Errors
    /// When the names differ.
    pub(crate) fn check(wanted: Option<&Self>, found: &str) -> Result<(), JournalFault> {
        match wanted {
            Some(wanted) if wanted.0 != found => {
                let detail = format!(
                    "`journal-origin` is `{wanted}`, and the log is named `{}`; the name of a log never changes",
                    found.escape_default()
                );
                Err(JournalFault::new(JournalFaultKind::Unusable, detail))
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl fmt::Display for LogOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && label.bytes().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    host == "localhost" || (host.contains('.') && host.split('.').all(is_label))
}

fn is_path_part(part: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    !part.is_empty() && part != "." && part != ".." && part.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_read_as_something_else_is_no_name() {
        let long = "a".repeat(MAX_BYTES + 1);
        for text in
            ["", " ", "a b", "a\tb", "a\n", "a+b", "https://a.example", "é.example", "a\u{a0}b", "a\u{200b}b", &long]
        {
            assert_eq!(LogOrigin::parse(text), None, "{text:?}");
        }
        for text in ["svc-journal-0123456789abcdef", "registry.example/journal", &long[1..]] {
            assert_eq!(LogOrigin::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn an_address_has_one_spelling() {
        let is_address = |text: &str| LogOrigin::parse(text).unwrap().is_address();
        for text in [
            "svc-journal-0123456789abcdef",
            "registry.example/",
            "registry.example//journal",
            "Registry.example/journal",
            "registry.example/journal/",
            "registry.example/../journal",
            "registry.example/journal?x",
            "registry.example/journal#x",
            "registry.example/%6a",
            "user@registry.example/journal",
            "registry.example:0/journal",
            "registry.example:080",
            "registry.example:65536",
            "registry.example:",
            ".example",
            "registry..example",
            "-a.example",
            "/journal",
            "registry",
        ] {
            assert!(!is_address(text), "{text}");
        }
        for text in [
            "registry.example",
            "registry.example/journal",
            "registry.example:8443/api/sdk/registry/journal",
            "localhost:8787/journal",
            "127.0.0.1:8787/journal",
        ] {
            assert!(is_address(text), "{text}");
        }
    }
}
