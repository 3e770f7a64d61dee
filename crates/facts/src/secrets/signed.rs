//! Signed tokens: a header, claims and a signature, each in base64.

use svc_core::package::fact_table::{PUBLIC_KEY_SERVICE, SECRET_SIGNED_TOKEN};

use super::{
    base64,
    hit::{Find, Hit},
    judge,
    token::{Alphabet, begins_after, run},
};

/// As long as tokens of identity providers are; some carry a list of groups.
const MOST: usize = 8192;

pub(super) fn stands_at(hit: Hit<'_>) -> Option<Find> {
    if !begins_after(hit.before()) || hit.before().ends_with(b".") {
        return None;
    }
    let text = hit.text.get(hit.start..)?;
    let header = run(text, Alphabet::Word, MOST);
    let rest = text.get(header..)?.strip_prefix(b".")?;
    let claims = rest.get(..run(rest, Alphabet::Word, MOST))?;
    let signature = rest.get(claims.len()..)?.strip_prefix(b".")?;
    let signature = signature.get(..run(signature, Alphabet::Word, MOST))?;
    let is_signed = claims.starts_with(b"eyJ") && signature.len() >= 20 && judge::entropy(signature) >= 30;
    if !is_signed || judge::is_placeholder(signature) {
        return None;
    }
    let said = base64::decode(claims);
    if DOCUMENTED.iter().any(|word| judge::contains(&said, word)) {
        return None;
    }
    let is_public = PUBLIC.iter().any(|word| judge::contains(&said, word));
    let what = if is_public { &PUBLIC_KEY_SERVICE } else { &SECRET_SIGNED_TOKEN };
    Some(Find { start: hit.start, end: hit.start + header + claims.len() + signature.len() + 2, what })
}

/// What the samples of documentation claim.
const DOCUMENTED: &[&[u8]] = &[br#""sub":"1234567890""#, b"John Doe", b"Jane Doe", b"example.com", b"1516239022"];

/// Claims of a token that pages show to everybody.
const PUBLIC: &[&[u8]] = &[br#""role":"anon""#, br#""role": "anon""#];
