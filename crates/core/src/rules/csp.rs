//! The sources of a content security policy, as a browser reads them.

use crate::{
    manifest::scalars::CspSource,
    rules::package::Package,
    words::{rule::Rule, rule_code::RuleCode},
};

/// The words that stand in quotes.
pub(crate) const KEYWORDS: &[&str] = &[
    "'inline-speculation-rules'",
    "'none'",
    "'report-sample'",
    "'self'",
    "'strict-dynamic'",
    "'unsafe-eval'",
    "'unsafe-hashes'",
    "'unsafe-inline'",
    "'wasm-unsafe-eval'",
];

/// How the digest of a script or style starts.
pub(crate) const DIGESTS: &[&str] = &["'sha256-", "'sha384-", "'sha512-"];

/// How a nonce starts.
pub(crate) const NONCE: &str = "'nonce-";

/// One source of a policy.
#[derive(Debug)]
pub(crate) struct Source<'p> {
    /// The rule that knows the words of policies.
    rule: &'p Rule,
    /// Its pointer.
    pub(crate) place: String,
    pub(crate) directive: &'p str,
    pub(crate) text: &'p str,
    /// Whether others stand beside it.
    pub(crate) is_alone: bool,
}

/// Every source of the policy that has its form. A text without it has a finding of its own.
pub(crate) fn sources<'p>(package: &'p Package<'_>) -> Vec<Source<'p>> {
    let rule = package.rules.row(RuleCode::P008);
    let mut found = Vec::new();
    for directive in package.at("/entry/csp").map(|csp| csp.members()).unwrap_or_default() {
        let elements = directive.value.elements();
        for (index, text) in elements.iter().enumerate().filter_map(|(index, node)| Some((index, node.as_str()?))) {
            if CspSource::parse(text).is_some() {
                let place = format!("/entry/csp/{}/{index}", directive.key);
                found.push(Source { rule, place, directive: &directive.key, text, is_alone: elements.len() == 1 });
            }
        }
    }
    found
}

impl Source<'_> {
    /// The words that stand in quotes.
    pub(crate) fn keywords(&self) -> &'static [&'static str] {
        self.rule.words("keywords")
    }

    /// The text in lowercase, as words are compared.
    pub(crate) fn word(&self) -> String {
        self.text.to_ascii_lowercase()
    }

    /// Whether it is a word in quotes that no browser knows, or a word without its quotes.
    pub(crate) fn is_misspelt(&self) -> bool {
        let word = self.word();
        let keywords = self.keywords();
        let mut starts = self.rule.words("digests").iter().chain(self.rule.words("nonce"));
        let is_known =
            keywords.contains(&word.as_str()) || (word.ends_with('\'') && starts.any(|start| word.starts_with(start)));
        (word.starts_with('\'') && !is_known) || keywords.contains(&format!("'{word}'").as_str())
    }

    /// The host that it names. Words stand in quotes and schemes end with a colon; a browser takes all else for the name
    /// of a host, `localhost:8080` too.
    pub(crate) fn host(&self) -> Option<HostSource> {
        let is_word = self.text.starts_with('\'') || self.is_misspelt();
        (!is_word && !self.text.ends_with(':') && self.text != "*").then(|| HostSource::parse(self.text))
    }

    /// Whether it lets a whole scheme in, or everything.
    pub(crate) fn is_scheme(&self) -> bool {
        self.text.ends_with(':') || self.text == "*"
    }
}

/// A source that names hosts: `https://*.acme.dev:8443/path`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HostSource {
    scheme: Option<String>,
    /// Without the `*.` of a wildcard; empty for every host.
    host: String,
    is_wildcard: bool,
    port: Option<String>,
}

/// The port of https, which nobody writes.
const PORT: &str = "443";

impl HostSource {
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.to_ascii_lowercase();
        let (scheme, rest) =
            text.split_once("://").map_or((None, text.as_str()), |(scheme, rest)| (Some(scheme), rest));
        let authority = rest.split('/').next().unwrap_or_default();
        let (host, port) = authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
        let every = if host == "*" { Some("") } else { host.strip_prefix("*.") };
        Self {
            scheme: scheme.map(str::to_owned),
            host: every.unwrap_or(host).to_owned(),
            is_wildcard: every.is_some(),
            port: port.filter(|port| *port != PORT).map(str::to_owned),
        }
    }

    /// Whether an allowed origin covers all that this source lets in. `wss` goes over the same encrypted connection.
    pub(crate) fn is_within(&self, allowed: &Self) -> bool {
        let is_encrypted = matches!(self.scheme.as_deref(), Some("https" | "wss"));
        is_encrypted && self.port == allowed.port && allowed.has_host(self)
    }

    /// Whether it would be within an allowed origin, had it its scheme.
    pub(crate) fn lacks_scheme(&self, allowed: &Self) -> bool {
        self.scheme.is_none() && self.port == allowed.port && allowed.has_host(self)
    }

    /// Whether a connection to some host of an allowed origin passes.
    pub(crate) fn lets_in(&self, allowed: &Self) -> bool {
        let is_port = self.port == allowed.port || self.port.as_deref() == Some("*");
        is_port && (self.has_host(allowed) || allowed.has_host(self))
    }

    fn has_host(&self, other: &Self) -> bool {
        if !self.is_wildcard {
            return !other.is_wildcard && self.host == other.host;
        }
        let is_below = other.host.strip_suffix(&self.host).is_some_and(|below| below.ends_with('.'));
        self.host.is_empty() || is_below || (other.is_wildcard && self.host == other.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_within(source: &str, allowed: &str) -> bool {
        HostSource::parse(source).is_within(&HostSource::parse(allowed))
    }

    #[test]
    fn a_source_is_within_an_origin_when_it_lets_in_no_more() {
        for (source, allowed) in [
            ("https://api.acme.dev", "https://api.acme.dev"),
            ("https://API.acme.dev", "https://api.acme.dev"),
            ("https://api.acme.dev:443", "https://api.acme.dev"),
            ("https://api.acme.dev/v1/", "https://api.acme.dev"),
            ("wss://api.acme.dev", "https://api.acme.dev"),
            ("https://a.acme.dev", "https://*.acme.dev"),
            ("https://a.b.acme.dev", "https://*.acme.dev"),
            ("https://*.acme.dev", "https://*.acme.dev"),
            ("https://*.a.acme.dev", "https://*.acme.dev"),
            ("https://api.acme.dev:8443", "https://api.acme.dev:8443"),
        ] {
            assert!(is_within(source, allowed), "{source} under {allowed}");
            assert!(HostSource::parse(source).lets_in(&HostSource::parse(allowed)), "{source} under {allowed}");
        }
        for (source, allowed) in [
            ("https://acme.dev", "https://*.acme.dev"),
            ("https://evilacme.dev", "https://*.acme.dev"),
            ("https://*.acme.dev", "https://api.acme.dev"),
            ("https://*.dev", "https://*.acme.dev"),
            ("https://*", "https://*.acme.dev"),
            ("http://api.acme.dev", "https://api.acme.dev"),
            ("ws://api.acme.dev", "https://api.acme.dev"),
            ("api.acme.dev", "https://api.acme.dev"),
            ("*:443", "https://api.acme.dev"),
            ("https://api.acme.dev:*", "https://api.acme.dev"),
            ("https://api.acme.dev:8443", "https://api.acme.dev"),
        ] {
            assert!(!is_within(source, allowed), "{source} under {allowed}");
        }
    }
}
