//! Private keys: blocks between lines of dashes, also inside the strings of code and JSON, and those without dashes.

use svc_core::package::fact_table::{FactSpec, SECRET_ENCRYPTION_KEY, SECRET_PRIVATE_KEY, SECRET_SERVICE_ACCOUNT};

use super::{
    assigned, base64,
    hit::{Find, Hit},
    judge,
    token::{Alphabet, run},
};

/// As long as the words between the dashes get.
const LABEL: usize = 64;
/// How far the key may stand behind them: line breaks, quotes and the headers of an encrypted key.
const GAP: usize = 200;

/// A block that begins with `-----BEGIN `. The line alone stands in every library that reads keys, so a key must follow.
pub(super) fn block(hit: Hit<'_>) -> Option<Find> {
    let rest = hit.after();
    let line = rest.get(..rest.len().min(LABEL))?;
    let end = line.windows(5).position(|window| window == b"-----")?;
    let label = line.get(..end)?;
    let is_private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    let body = rest.get(end + 5..)?;
    if label == b"OpenVPN Static key V1" {
        return static_key(hit, end + 5, body);
    }
    let (gap, length) = key(body)?;
    is_private.then(|| Find { start: hit.start, end: hit.end + end + 5 + gap + length, what: what(hit, label) })
}

/// A shared key is lines of 32 hexadecimal digits.
fn static_key(hit: Hit<'_>, before: usize, body: &[u8]) -> Option<Find> {
    let gap = body.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let line = body.get(gap..gap + 32)?;
    let is_key = line.iter().all(|byte| Alphabet::Hex.holds(*byte)) && judge::entropy(line) >= 28;
    let end = hit.end + before + gap + 32;
    (is_key && !judge::is_placeholder(line)).then_some(Find { start: hit.start, end, what: &SECRET_ENCRYPTION_KEY })
}

fn what(hit: Hit<'_>, label: &[u8]) -> &'static FactSpec {
    let name: Vec<u8> =
        hit.before().iter().rev().copied().skip_while(|byte| b"\"' :=\\`".contains(byte)).take(11).collect();
    match () {
        () if label.ends_with(b"BLOCK") => &SECRET_ENCRYPTION_KEY,
        () if name == *b"yek_etavirp" => &SECRET_SERVICE_ACCOUNT,
        () => &SECRET_PRIVATE_KEY,
    }
}

/// Where the key begins behind its line, and how long its first line is.
fn key(body: &[u8]) -> Option<(usize, usize)> {
    let mut gap = 0;
    while gap < GAP {
        let rest = body.get(gap..)?;
        gap += match rest {
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            _ if header(rest) > 0 => header(rest),
            [b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'\'' | b'`' | b'+' | b',' | b'\\' | b'[', ..] => 1,
            _ => {
                let length = run(rest, Alphabet::Base64, 4096);
                let (first, after) = rest.split_at_checked(length)?;
                return is_key(first, after).then_some((gap, length));
            }
        };
    }
    None
}

/// The headers that old and OpenPGP keys begin with, by their length.
fn header(rest: &[u8]) -> usize {
    const HEADERS: &[&[u8]] = &[b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Charset:", b"Hash:"];
    let is_header = HEADERS.iter().any(|name| rest.starts_with(name));
    let end = || rest.iter().take(GAP).position(|byte| matches!(byte, b'\n' | b'\\'));
    if is_header { end().unwrap_or(0) } else { 0 }
}

fn is_key(first: &[u8], after: &[u8]) -> bool {
    // All keys in DER begin with `M`, those of OpenSSH with the name of their format.
    let begins = first.starts_with(b"M") || first.starts_with(b"b3BlbnNzaC1");
    let is_long = first.len() >= 24 || (first.len() >= 16 && begins);
    // The first bytes only name the algorithm: documentation shows them and leaves the rest out.
    let is_cut = first.len() < 64 && (after.starts_with(b"..") || after.starts_with("\u{2026}".as_bytes()));
    is_long
        && !is_cut
        && (begins || judge::classes(first) == 3)
        && judge::entropy(first) >= 28
        && !judge::is_placeholder(first)
}

/// A block that stands in base64 itself, as in the settings of clusters.
pub(super) fn encoded(hit: Hit<'_>) -> Option<Find> {
    let rest = hit.text.get(hit.start..)?;
    let length = run(rest, Alphabet::Base64, ENCODED);
    let text = base64::decode(rest.get(..length)?);
    let mark = b"-----BEGIN ".len();
    let inside = Hit { text: &text, start: 0, end: mark };
    let found = text.starts_with(b"-----BEGIN ").then(|| block(inside))??;
    Some(Find { start: hit.start, end: hit.start + length, ..found })
}

/// Longer than the first lines of a block in base64, by which it is told.
const ENCODED: usize = 512;

/// The key lines of a PuTTY key.
pub(super) fn putty(hit: Hit<'_>) -> Option<Find> {
    let rest = hit.after().trim_ascii_start();
    let digits = run(rest, Alphabet::Digits, 4);
    let lines = rest.get(digits..).filter(|_| digits > 0)?;
    let (gap, length) = key(lines)?;
    let end = hit.text.len() - lines.len() + gap + length;
    Some(Find { start: hit.start, end, what: &SECRET_PRIVATE_KEY })
}

/// How far the members of one key stand apart.
const NEAR: usize = 512;

/// The private member `d` of a key in JSON, beside its `kty`.
pub(super) fn json_key(hit: Hit<'_>) -> Option<Find> {
    let value = assigned::value(hit)?;
    let length = run(value.rest, Alphabet::Word, 700);
    let number = value.rest.get(..length).filter(|number| number.len() >= 40 && judge::entropy(number) >= 35)?;
    let around = hit.text.get(hit.start.saturating_sub(NEAR)..(value.at + NEAR).min(hit.text.len()))?;
    let is_key = judge::contains(around, b"kty") && judge::classes(number) == 3;
    is_key.then_some(Find { start: value.at, end: value.at + length, what: &SECRET_PRIVATE_KEY })
}
