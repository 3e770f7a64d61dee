//! Secrets that have no form of their own and stand behind a name.

use svc_core::package::fact_table::{SECRET_ASSIGNED_SECRET, SECRET_PRIVATE_KEY};

use super::{
    hit::{Find, Hit},
    judge,
    token::{Alphabet, Kind, begins_after, run},
};

/// A name and what its value looks like, the prefix being the name.
#[derive(Debug)]
pub(super) struct Name(pub(super) Kind);

impl Name {
    pub(super) fn stands_at(&self, hit: Hit<'_>) -> Option<Find> {
        let Self(kind) = self;
        let value = value(hit)?;
        let length = run(value.rest, kind.alphabet, kind.most + 1);
        let body = value.rest.get(..length)?;
        let ends = !value.rest.get(length).is_some_and(u8::is_ascii_alphanumeric);
        let fits = (kind.least..=kind.most).contains(&length) && ends && kind.is_issued(body);
        fits.then_some(Find { start: value.at, end: value.at + length, what: kind.what })
    }
}

/// What stands behind a name.
#[derive(Debug)]
pub(super) struct Value<'a> {
    /// Where it begins.
    pub(super) at: usize,
    /// The text from there on.
    pub(super) rest: &'a [u8],
    /// The quote before it.
    pub(super) quote: Option<u8>,
}

impl Value<'_> {
    /// Whether the value ends before these bytes, its name standing at this place of the text.
    pub(super) fn closes(&self, tail: &[u8], text: &[u8], start: usize) -> bool {
        match self.quote {
            Some(quote) => tail.first() == Some(&quote) || tail.starts_with(&[b'\\', quote]),
            // Behind a name without quotes stands a secret only where the line ends: elsewhere it is code.
            None if tail.starts_with(b"</") => true,
            None if is_parameter(text, start) => {
                matches!(tail.first(), None | Some(b'\n' | b'\r' | b';' | b'&' | b'"' | b'\''))
            }
            None => matches!(tail.first(), None | Some(b'\n' | b'\r')) && !name_is_code(text, start),
        }
    }
}

/// The value that a name is given: `name = "value"`, `"name": "value"`, `name=value`, also with escaped quotes.
pub(super) fn value(hit: Hit<'_>) -> Option<Value<'_>> {
    let (closed, rest) = unquoted(hit.after());
    let rest = match blanks(rest) {
        // The second argument of a call, or the content of an element.
        [b',', rest @ ..] if closed.is_some() => rest,
        [b'>', rest @ ..] if hit.before().ends_with(b"<") => rest,
        [b':', b'=', rest @ ..] | [b'=', b'>', rest @ ..] | [b':' | b'=', rest @ ..] => rest,
        _ => return None,
    };
    let (quote, rest) = unquoted(blanks(rest));
    Some(Value { at: hit.text.len() - rest.len(), rest, quote })
}

fn unquoted(text: &[u8]) -> (Option<u8>, &[u8]) {
    match text {
        [b'\\', quote @ (b'"' | b'\''), rest @ ..] | [quote @ (b'"' | b'\'' | b'`'), rest @ ..] => (Some(*quote), rest),
        _ => (None, text),
    }
}

/// No more blanks than people put between a name and its value.
fn blanks(mut text: &[u8]) -> &[u8] {
    for _ in 0..8 {
        match text {
            [b' ' | b'\t', rest @ ..] => text = rest,
            _ => return text,
        }
    }
    text
}

/// How long the rest of a name gets, as in `secretKeyOfService`.
pub(super) const NAME: usize = 24;
const MOST: usize = 200;

/// A secret that looks drawn at random.
pub(super) fn drawn(hit: Hit<'_>, start: usize, name: &[u8], value: &Value<'_>) -> Option<Find> {
    let length = run(value.rest, Alphabet::Loose, MOST + 1);
    let (body, tail) = value.rest.split_at_checked(length)?;
    let fits = value.closes(tail, hit.text, start) && length <= MOST && !is_public_name(name) && is_random(name, body);
    fits.then_some(Find { start: value.at, end: value.at + length, what: &SECRET_ASSIGNED_SECRET })
}

/// The digits of a key of a chain of blocks.
const CHAIN_KEY: usize = 64;

/// A key of a chain of blocks behind a name such as `privateKey`.
pub(super) fn chain_key(name: &[u8], value: &Value<'_>) -> Option<Find> {
    let digits = value.rest.strip_prefix(b"0x")?;
    let is_named = judge::contains(name, b"private") || judge::contains(name, b"wallet");
    chain_key_at(value.at, digits, 2).filter(|_| is_named)
}

/// Such a key as what a wallet is made of: `new Wallet("0x…")`.
pub(super) fn wallet(hit: Hit<'_>) -> Option<Find> {
    let (_, rest) = unquoted(blanks(hit.after()));
    let (digits, mark) = rest.strip_prefix(b"0x").map_or((rest, 0), |digits| (digits, 2));
    chain_key_at(hit.text.len() - rest.len(), digits, mark)
}

fn chain_key_at(at: usize, digits: &[u8], mark: usize) -> Option<Find> {
    let length = digits.iter().take(CHAIN_KEY + 1).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let key = digits.get(..length).filter(|_| length == CHAIN_KEY)?.to_ascii_lowercase();
    let is_drawn = judge::entropy(&key) >= 30 && !judge::is_placeholder(&key);
    is_drawn.then_some(Find { start: at, end: at + mark + CHAIN_KEY, what: &SECRET_PRIVATE_KEY })
}

/// Whether the name is one of several in the address or settings of a database: `User Id=app;Password=…;`.
fn is_parameter(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(NAME)..start).unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._- =".contains(byte);
    match before {
        [.., b'?'] => true,
        [rest @ .., b';' | b'&'] => rest.last().is_some_and(is_word) && judge::contains(rest, b"="),
        _ => false,
    }
}

/// Whether more code stands before the name on its line, as in `const token = next`.
fn name_is_code(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(NAME)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    // `spring.datasource.password=…`
    let words = line.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte)).count();
    let line = if line.ends_with(b".") { line.get(..line.len() - words).unwrap_or_default() } else { line };
    !matches!(line, b"" | b"export" | b"set" | b"-" | b"ENV" | b"\"" | b"'")
}

/// Parts of names whose values are no secrets, in lowercase.
const PUBLIC_NAMES: &[&[u8]] = &[
    b"public",
    b"publishable",
    b"csrf",
    b"xsrf",
    b"page",
    b"next",
    b"cursor",
    b"sync",
    b"continuation",
    b"sitekey",
    b"site_key",
    b"site-key",
    b"anon",
    b"design",
    b"tokeniz",
    b"digest",
    b"hash",
    b"integrity",
    b"checksum",
    b"cache",
    b"beacon",
    b"nonce",
    b"tokentype",
    b"url",
    b"path",
    b"regex",
    b"pattern",
    b"placeholder",
    b"label",
];

pub(super) fn is_public_name(name: &[u8]) -> bool {
    PUBLIC_NAMES.iter().any(|part| judge::contains(name, part))
}

/// Names whose values may be a number in hexadecimal: a bare `token` is too often the digest of something.
const HEX_NAMES: &[&[u8]] = &[b"secret", b"passw", b"api_key", b"apikey", b"api-key", b"private", b"auth_token"];

fn is_random(name: &[u8], body: &[u8]) -> bool {
    let core: Vec<u8> = body.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    let digits = core.iter().filter(|byte| byte.is_ascii_digit()).count();
    let has_digits = digits >= if core.len() < 28 { 2 } else { 1 };
    let marks = body.len() - core.len();
    let (entropy, class_changes) = (judge::entropy(&core), judge::class_changes(&core));
    let is_drawn = match judge::classes(&core) {
        _ if body.iter().all(|byte| Alphabet::HexDash.holds(*byte)) => {
            marks == 0 && core.len() >= 32 && entropy >= 30 && HEX_NAMES.iter().any(|part| judge::contains(name, part))
        }
        3 => entropy >= 37 && class_changes >= 40,
        _ => entropy >= 40 && class_changes >= 25,
    };
    let is_plain = core.len() >= 20 && has_digits && marks * 6 <= body.len();
    is_plain && is_drawn && !has_another_form(body) && !looks_like_path(body) && !judge::is_placeholder(body)
}

/// How digests begin that say so, and tokens that a row of the table tells or that are for tests and for everybody.
const OTHER_FORMS: &[&[u8]] = &[
    b"sha1",
    b"sha2",
    b"sha3",
    b"sha5",
    b"md5",
    b"eyj",
    b"sk_test_",
    b"rk_test_",
    b"pk_test_",
    b"pk_live_",
    b"aiza",
    b"sandbox-",
    b"0x",
];

pub(super) fn has_another_form(body: &[u8]) -> bool {
    let lower = body.get(..body.len().min(8)).unwrap_or_default().to_ascii_lowercase();
    OTHER_FORMS.iter().any(|form| lower.starts_with(form))
}

/// Words joined by points or slashes are a path, a module or a key of a translation.
fn looks_like_path(body: &[u8]) -> bool {
    let parts = body.split(|byte| matches!(byte, b'.' | b'/')).filter(|part| !part.is_empty());
    let words = parts.clone().filter(|part| !part.iter().any(u8::is_ascii_digit)).count();
    body.starts_with(b"/") || body.starts_with(b".") || (parts.count() > 2 && words >= 2)
}

/// A token behind `Bearer`, judged as strictly as behind a name.
pub(super) fn bearer(hit: Hit<'_>) -> Option<Find> {
    let length = run(hit.after(), Alphabet::Loose, MOST + 1);
    let body = hit.after().get(..length)?;
    let fits = length <= MOST && begins_after(hit.before()) && is_random(b"auth_token", body);
    fits.then_some(Find { start: hit.end, end: hit.end + length, what: &SECRET_ASSIGNED_SECRET })
}
