//! Secrets in text: told by prefixes that services give their tokens, so that a find is worth stopping for.

use std::sync::LazyLock;

use crate::package::{
    fact_table::{
        CHAT_TOKEN, CLOUD_ACCESS_KEY, CLOUD_API_KEY, CODE_HOST_TOKEN, FactSpec, PACKAGE_REGISTRY_TOKEN, PAYMENT_KEY,
        PRIVATE_KEY, REGISTRY_TOKEN,
    },
    scan::{
        marks::Marks,
        sighting::{Sighting, sightings},
    },
};

/// A kind of secret: how it starts, how many characters of its alphabet must follow, and what it is.
#[derive(Debug)]
struct Kind {
    prefix: &'static str,
    least: usize,
    alphabet: fn(char) -> bool,
    what: &'static FactSpec,
}

const fn kind(prefix: &'static str, least: usize, alphabet: fn(char) -> bool, what: &'static FactSpec) -> Kind {
    Kind { prefix, least, alphabet, what }
}

static KINDS: &[Kind] = &[
    kind("AKIA", 16, is_upper, &CLOUD_ACCESS_KEY),
    kind("ASIA", 16, is_upper, &CLOUD_ACCESS_KEY),
    kind("AIza", 35, is_word, &CLOUD_API_KEY),
    kind("ghp_", 36, is_word, &CODE_HOST_TOKEN),
    kind("gho_", 36, is_word, &CODE_HOST_TOKEN),
    kind("ghu_", 36, is_word, &CODE_HOST_TOKEN),
    kind("ghs_", 36, is_word, &CODE_HOST_TOKEN),
    kind("ghr_", 36, is_word, &CODE_HOST_TOKEN),
    kind("github_pat_", 40, is_word, &CODE_HOST_TOKEN),
    kind("glpat-", 20, is_word, &CODE_HOST_TOKEN),
    kind("npm_", 36, is_word, &PACKAGE_REGISTRY_TOKEN),
    kind("pypi-AgEIcHlwaS5vcmc", 20, is_word, &PACKAGE_REGISTRY_TOKEN),
    kind("sk_live_", 16, is_word, &PAYMENT_KEY),
    kind("rk_live_", 16, is_word, &PAYMENT_KEY),
    kind("xoxb-", 20, is_word, &CHAT_TOKEN),
    kind("xoxp-", 20, is_word, &CHAT_TOKEN),
    kind("svcr_", 32, is_word, &REGISTRY_TOKEN),
];

/// Where secrets stand in a text.
pub(super) fn find(text: &str) -> Vec<Sighting> {
    static MARKS: LazyLock<Marks<Option<&Kind>>> =
        LazyLock::new(|| Marks::new(KINDS.iter().map(|kind| (kind.prefix, Some(kind))).chain([(PEM_BEGIN, None)])));
    let found = MARKS.find(text).filter_map(|(at, _, kind)| match kind {
        Some(kind) => kind.stands_at(text, at).then_some((at, kind.what)),
        None => is_private_key(text, at).then_some((at, &PRIVATE_KEY)),
    });
    sightings(text, found.collect())
}

impl Kind {
    fn stands_at(&self, text: &str, at: usize) -> bool {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let tail = text.get(at + self.prefix.len()..).unwrap_or_default();
        let length = tail.chars().take_while(|character| (self.alphabet)(*character)).take(self.least).count();
        !before.is_some_and(is_word) && length >= self.least
    }
}

const PEM_BEGIN: &str = "-----BEGIN ";
const HEADER_BYTES: usize = 128;

fn is_private_key(text: &str, at: usize) -> bool {
    // No further than such a line is long: a text may have a thousand beginnings and no end.
    let end = text.floor_char_boundary(at + HEADER_BYTES);
    let line = text.get(at..end).and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.contains("PRIVATE KEY") && line.trim_end().ends_with("-----")
}

fn is_upper(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit()
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}
