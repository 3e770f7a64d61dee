//! Web addresses in manifests: https, a public name, no credentials.

use crate::string_newtype;

string_newtype! {
    /// An https address of a page.
    pub struct HttpsUrl {
        check: is_https_url,
        name: "https-url",
        rule: M024,
        expected: "an https address with a public host name, without credentials",
        pattern: "^https://[^\\s@\\\\]+$",
        max_length: 2048,
    }
}

string_newtype! {
    /// An origin that a package may talk to; `https://*.acme.dev` stands for every sub-domain.
    pub struct Origin {
        check: is_origin,
        name: "origin",
        rule: P005,
        expected: "an https origin with a public host name, such as `https://api.acme.dev`",
        pattern: "^https://(\\*\\.)?[a-z0-9.-]+(:[0-9]{1,5})?$",
        max_length: 300,
    }
}

impl Origin {
    /// Whether it stands for every sub-domain.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        self.as_str().starts_with("https://*.")
    }
}

fn is_https_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else { return false };
    if text.len() > 2048 || text.contains(|c: char| c.is_whitespace() || matches!(c, '\\' | '@' | '<' | '>' | '"')) {
        return false;
    }
    is_authority(rest.split(['/', '?', '#']).next().unwrap_or_default())
}

fn is_origin(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://") else { return false };
    is_authority(rest.strip_prefix("*.").unwrap_or(rest))
}

fn is_authority(authority: &str) -> bool {
    match authority.split_once(':') {
        Some((host, port)) => is_public_host(host) && is_port(port),
        None => is_public_host(authority),
    }
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && !port.starts_with('0') && port.parse::<u16>().is_ok()
}

/// A DNS name of two labels or more whose last label is not a number, and which is not local by definition.
fn is_public_host(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = labels.last().copied().unwrap_or_default();
    let numeric = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    let local = matches!(last, "localhost" | "local" | "internal" | "localdomain" | "onion" | "arpa");
    host.len() <= 253 && labels.len() >= 2 && labels.iter().all(is_label) && !numeric && !local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_not_public_https_are_refused() {
        for text in [
            "",
            "http://acme.dev",
            "https://",
            "https://localhost",
            "https://127.0.0.1",
            "https://0x7f.1",
            "https://[::1]/",
            "https://user@acme.dev",
            "https://user:pw@acme.dev/",
            "https://acme",
            "https://acme.dev:0/",
            "https://acme.dev:99999",
            "HTTPS://acme.dev",
            "https://acme..dev",
            "https://-a.dev",
            "javascript:alert(1)",
            "https://acme.dev\\@evil.dev",
            "https://a b.dev",
            "https://printer.local/",
            "https://2130706433",
        ] {
            assert!(HttpsUrl::parse(text).is_none(), "{text:?} was let in");
        }
        for text in ["https://acme.dev", "https://acme.dev/support?a=b#c", "https://x.acme.dev:8443/"] {
            assert!(HttpsUrl::parse(text).is_some(), "{text:?} was refused");
        }
    }

    #[test]
    fn origins_have_no_path_and_only_a_leading_wildcard() {
        for text in [
            "*",
            "https://*",
            "https://acme.dev/",
            "https://a.*.dev",
            "https://*.dev",
            "http://acme.dev",
            "https://acme.dev/x",
        ] {
            assert!(Origin::parse(text).is_none(), "{text:?} was let in");
        }
        assert!(Origin::parse("https://api.acme.dev:8443").is_some());
        assert!(Origin::parse("https://*.acme.dev").is_some_and(|origin| origin.is_wildcard()));
    }
}
