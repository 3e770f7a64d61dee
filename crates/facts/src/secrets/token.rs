//! Tokens that begin with a prefix of their service.

use std::ops::RangeInclusive;

use svc_core::package::fact_table::{FactSpec, SECRET_REGISTRY_TOKEN};

use super::{
    hit::{Find, Hit},
    judge,
};

/// A kind of token.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) prefix: &'static str,
    pub(super) alphabet: Alphabet,
    pub(super) least: usize,
    pub(super) most: usize,
    /// Tenths of a bit that each character after the prefix carries at least.
    pub(super) entropy: u32,
    /// How many of digits, small and capital letters occur at least: the shorter the prefix, the more.
    pub(super) classes: usize,
    pub(super) what: &'static FactSpec,
}

impl Kind {
    pub(super) const fn new(
        prefix: &'static str,
        alphabet: Alphabet,
        length: RangeInclusive<usize>,
        entropy: u32,
        what: &'static FactSpec,
    ) -> Self {
        Self { prefix, alphabet, least: *length.start(), most: *length.end(), entropy, classes: 1, what }
    }

    /// For a prefix that names of other things begin with as well.
    pub(super) const fn mixed(self, classes: usize) -> Self {
        Self { classes, ..self }
    }

    pub(super) fn stands_at(&self, hit: Hit<'_>) -> Option<Find> {
        if hit.mark() != self.prefix.as_bytes() || !self.begins_after(hit.before()) {
            return None;
        }
        let rest = hit.after();
        let length = rest.iter().take(self.most + 1).take_while(|byte| self.alphabet.holds(**byte)).count();
        let (body, tail) = rest.split_at_checked(length)?;
        let fits = (self.least..=self.most).contains(&length) && self.ends_before(tail) && self.is_issued(body);
        fits.then_some(Find { start: hit.start, end: hit.end + length, what: self.what })
    }

    /// A prefix of letters alone may stand anywhere in data written in base64.
    fn is_fenced(&self) -> bool {
        self.prefix.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }

    fn begins_after(&self, before: &[u8]) -> bool {
        let is_inside = match before.last() {
            Some(b'+' | b'/') => self.is_fenced(),
            Some(b'.') => self.alphabet == Alphabet::Dotted,
            _ => false,
        };
        begins_after(before) && !is_inside
    }

    fn ends_before(&self, tail: &[u8]) -> bool {
        let next = tail.first().copied().unwrap_or(b' ');
        !(next.is_ascii_alphanumeric() || self.is_fenced() && matches!(next, b'+' | b'/'))
    }

    pub(super) fn is_issued(&self, body: &[u8]) -> bool {
        // The registry's own example fires: it is what the rule shows.
        if self.what == &SECRET_REGISTRY_TOKEN && body == OWN_EXAMPLE {
            return true;
        }
        judge::entropy(body) >= self.entropy
            && judge::classes(body) >= self.classes
            && !judge::is_placeholder(random(body))
    }
}

const OWN_EXAMPLE: &[u8] = b"0123456789abcdef0123456789abcdef";

/// The part of a token that is drawn at random: numbers of accounts may stand before it.
fn random(body: &[u8]) -> &[u8] {
    let last = body.rsplit(|byte| matches!(byte, b'-' | b'.' | b'$')).next().unwrap_or_default();
    if last.len() >= 16 { last } else { body }
}

/// Whether a word can begin after these bytes: after none of its own, or after an escape that ends in one.
pub(super) fn begins_after(before: &[u8]) -> bool {
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', first, second] | [.., b'\\', b'x', first, second] | [.., b'u', b'0', b'0', first, second]
            if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() =>
        {
            true
        }
        [.., last] => !(last.is_ascii_alphanumeric() || matches!(last, b'_' | b'-')),
        [] => true,
    }
}

/// The characters of a token after its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    Digits,
    /// Small hexadecimal digits.
    Hex,
    /// Small hexadecimal digits and dashes.
    HexDash,
    /// Capital letters and digits.
    Upper,
    /// Letters and digits.
    Alnum,
    /// Letters, digits and `_`.
    Name,
    /// Letters, digits, `_` and `-`.
    Word,
    /// Words joined by points.
    Dotted,
    /// Letters, digits and `+/=`.
    Base64,
    /// Letters, digits and `+/=_-.`.
    Loose,
    /// Letters, digits and `$`.
    Dollar,
    /// Letters, digits and `%`.
    Percent,
    /// What the path of an address holds.
    Path,
    /// Letters, digits and `+-.`.
    Scheme,
}

impl Alphabet {
    pub(super) fn holds(self, byte: u8) -> bool {
        match self {
            Self::Digits => byte.is_ascii_digit(),
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::HexDash => matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Name => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Loose => byte.is_ascii_alphanumeric() || b"+/=_-.".contains(&byte),
            Self::Dollar => byte.is_ascii_alphanumeric() || byte == b'$',
            Self::Percent => byte.is_ascii_alphanumeric() || byte == b'%',
            Self::Path => byte.is_ascii_alphanumeric() || b"_-@/".contains(&byte),
            Self::Scheme => byte.is_ascii_alphanumeric() || b"+-.".contains(&byte),
        }
    }
}

/// How many of these bytes, at most `most`, are of an alphabet.
pub(super) fn run(bytes: &[u8], alphabet: Alphabet, most: usize) -> usize {
    bytes.iter().take(most).take_while(|byte| alphabet.holds(**byte)).count()
}

/// How many of these bytes are at the end, at most `most`, and of an alphabet.
pub(super) fn run_back(bytes: &[u8], alphabet: Alphabet, most: usize) -> usize {
    bytes.iter().rev().take(most).take_while(|byte| alphabet.holds(**byte)).count()
}
