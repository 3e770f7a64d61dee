//! Code that is made or fetched at run time, and so was not part of what is reviewed.

use super::Sighting;
use crate::strict_json::tree::Position;

const MARKS: &[(&str, &str)] = &[
    ("eval(", "evaluated code"),
    ("new Function(", "code made from text"),
    ("import(\"http", "code fetched from elsewhere"),
    ("import('http", "code fetched from elsewhere"),
    ("from \"http", "code fetched from elsewhere"),
    ("from 'http", "code fetched from elsewhere"),
    ("importScripts(\"http", "code fetched from elsewhere"),
    ("importScripts('http", "code fetched from elsewhere"),
    ("<script src=\"http", "code fetched from elsewhere"),
    ("<script src=\"//", "code fetched from elsewhere"),
];

/// Where a script or page makes or fetches code.
pub(super) fn find(path: &str, text: &str) -> Vec<Sighting> {
    let is_code = [".js", ".mjs", ".cjs", ".html", ".htm"].iter().any(|end| path.to_ascii_lowercase().ends_with(end));
    if !is_code {
        return Vec::new();
    }
    let mut found: Vec<(usize, &'static str)> = Vec::new();
    for (mark, what) in MARKS {
        let whole = |at: &usize| {
            let before = text.get(..*at).and_then(|head| head.chars().next_back());
            !before.is_some_and(|character| character.is_alphanumeric() || matches!(character, '_' | '$' | '.'))
        };
        found.extend(text.match_indices(mark).map(|(at, _)| at).filter(whole).map(|at| (at, *what)));
    }
    found.sort_unstable();
    found.into_iter().map(|(at, what)| Sighting { what, position: Position::of(text, at) }).collect()
}
