//! Secrets in text: told by prefixes that services give their tokens, so that a find is worth stopping for.

use super::Sighting;

/// A kind of secret: how it starts, how many characters of its alphabet must follow, and what it is.
struct Kind {
    prefix: &'static str,
    least: usize,
    alphabet: fn(char) -> bool,
    what: &'static str,
}

const fn kind(prefix: &'static str, least: usize, alphabet: fn(char) -> bool, what: &'static str) -> Kind {
    Kind { prefix, least, alphabet, what }
}

const KINDS: &[Kind] = &[
    kind("AKIA", 16, is_upper, "an access key of a cloud"),
    kind("ASIA", 16, is_upper, "an access key of a cloud"),
    kind("AIza", 35, is_word, "an API key of a cloud"),
    kind("ghp_", 36, is_word, "a token of a code host"),
    kind("gho_", 36, is_word, "a token of a code host"),
    kind("ghu_", 36, is_word, "a token of a code host"),
    kind("ghs_", 36, is_word, "a token of a code host"),
    kind("ghr_", 36, is_word, "a token of a code host"),
    kind("github_pat_", 40, is_word, "a token of a code host"),
    kind("glpat-", 20, is_word, "a token of a code host"),
    kind("npm_", 36, is_word, "a token of a package registry"),
    kind("pypi-AgEIcHlwaS5vcmc", 20, is_word, "a token of a package registry"),
    kind("sk_live_", 16, is_word, "a key of a payment service"),
    kind("rk_live_", 16, is_word, "a key of a payment service"),
    kind("xoxb-", 20, is_word, "a token of a chat service"),
    kind("xoxp-", 20, is_word, "a token of a chat service"),
    kind("svcr_", 32, is_word, "a token of this registry"),
];

/// Where secrets stand in a text.
pub(super) fn find(text: &str) -> Vec<Sighting> {
    let mut found: Vec<(usize, &'static str)> = private_keys(text);
    for kind in KINDS {
        found.extend(occurrences(text, kind).map(|at| (at, kind.what)));
    }
    super::sightings(text, found)
}

fn occurrences<'t>(text: &'t str, kind: &'t Kind) -> impl Iterator<Item = usize> + 't {
    text.match_indices(kind.prefix).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|head| head.chars().next_back());
        let tail = text.get(at + kind.prefix.len()..).unwrap_or_default();
        let length = tail.chars().take_while(|character| (kind.alphabet)(*character)).count();
        !before.is_some_and(is_word) && length >= kind.least
    })
}

fn private_keys(text: &str) -> Vec<(usize, &'static str)> {
    let headers = text.match_indices("-----BEGIN ").filter(|(at, _)| {
        let line = text.get(*at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        line.contains("PRIVATE KEY") && line.trim_end().ends_with("-----")
    });
    headers.map(|(at, _)| (at, "a private key")).collect()
}

fn is_upper(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit()
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}
