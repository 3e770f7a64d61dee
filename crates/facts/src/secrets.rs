//! Secrets: told by the prefixes that services give their tokens, by shapes, and by the names that people give them.
//!
//! One pass finds every mark of the [`table`]; what stands at a mark is then looked at with a bound on how far, so that
//! the cost grows with the file and not with what somebody wrote into it.

use std::{borrow::Cow, sync::LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use svc_core::package::{
    fact_table::{
        FactSpec, SECRET_ASSIGNED_SECRET, SECRET_DATABASE_PASSWORD, SECRET_OAUTH_SECRET, SECRET_PASSWORD_IN_ADDRESS,
    },
    sighting::Sighting,
};

use self::{
    hit::{Find, Hit},
    table::Check,
};
use crate::{encoding, notes::Notes};

mod address;
mod assigned;
mod base64;
mod hit;
mod judge;
mod key_block;
mod named;
mod password;
mod shape;
mod signed;
mod table;
mod thought_out;
mod token;

struct Marks {
    automaton: AhoCorasick,
    checks: Vec<(&'static str, Check)>,
}

/// No automaton is built when the table breaks its bounds, which a test excludes.
static MARKS: LazyLock<Option<Marks>> = LazyLock::new(|| {
    let checks = table::marks();
    let marks = checks.iter().map(|(mark, _)| mark);
    // Names are written in any case; the prefixes of tokens are compared again as they are.
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(marks)
        .ok()?;
    Some(Marks { automaton, checks })
});

/// Where secrets stand in a file.
pub(crate) fn find(bytes: &[u8]) -> Vec<Sighting> {
    let text = readable(bytes);
    let mut notes = Notes::default();
    for find in distinct(all(text.as_bytes())) {
        notes.note(find.start, find.what, None);
    }
    notes.finish(&text).sightings
}

/// The secrets in the path of a file, which everybody reads who sees the file.
pub(crate) fn find_in_path(path: &str) -> Vec<Sighting> {
    // A slash stands inside of some tokens, and begins a new name here.
    let found = find(path.replace('/', " ").as_bytes()).into_iter();
    found.map(|sighting| Sighting { position: None, ..sighting }).collect()
}

/// The bytes as text; of a file that is none, what an editor would show of it.
fn readable(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_or_else(|_| Cow::Owned(encoding::decode(bytes, None).text), Cow::Borrowed)
}

fn all(text: &[u8]) -> Vec<Find> {
    let Some(marks) = MARKS.as_ref() else { return Vec::new() };
    let found = marks.automaton.find_overlapping_iter(text).filter_map(|found| {
        let hit = Hit { text, start: found.start(), end: found.end() };
        let (mark, check) = marks.checks.get(found.pattern().as_usize())?;
        match check {
            Check::Token(kind) => kind.stands_at(hit),
            Check::Named(name) => name.stands_at(hit),
            Check::Shape(stands_at) if hit.mark() == mark.as_bytes() => stands_at(hit),
            Check::Shape(_) => None,
            Check::NameWord => named::by_name(hit),
        }
    });
    found.collect()
}

/// What is told by where it stands, and would be told better by its own form.
static BY_PLACE: &[&FactSpec] =
    &[&SECRET_ASSIGNED_SECRET, &SECRET_DATABASE_PASSWORD, &SECRET_OAUTH_SECRET, &SECRET_PASSWORD_IN_ADDRESS];

/// One find a secret.
fn distinct(mut finds: Vec<Find>) -> Vec<Find> {
    finds.sort_by_key(|find| (find.start, BY_PLACE.contains(&find.what), find.end));
    let mut end = 0;
    finds.retain(|find| {
        let is_new = find.start >= end;
        end = end.max(if is_new { find.end } else { 0 });
        is_new
    });
    finds
}

#[cfg(test)]
mod tests;
