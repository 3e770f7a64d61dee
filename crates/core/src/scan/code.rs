//! Code that is made or fetched at run time, and so was not part of what is reviewed.

use super::Sighting;

const FETCHED: &str = "code fetched from elsewhere";

const MARKS: &[(&str, &str)] = &[
    ("eval(", "evaluated code"),
    ("new Function(", "code made from text"),
    ("import(\"http", FETCHED),
    ("import('http", FETCHED),
    ("import(`http", FETCHED),
    ("import \"http", FETCHED),
    ("import 'http", FETCHED),
    ("import\"http", FETCHED),
    ("import'http", FETCHED),
    ("from \"http", FETCHED),
    ("from 'http", FETCHED),
    ("from\"http", FETCHED),
    ("from'http", FETCHED),
    ("importScripts(\"http", FETCHED),
    ("importScripts('http", FETCHED),
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
    found.extend(remote_scripts(text).map(|at| (at, FETCHED)));
    super::sightings(text, found)
}

/// Script elements with an address of another host, whatever stands before it in the tag.
fn remote_scripts(text: &str) -> impl Iterator<Item = usize> {
    let is_remote = |address: &str| ["http:", "https:", "//"].iter().any(|start| address.starts_with(start));
    text.match_indices("<script").map(|(at, _)| at).filter(move |at| {
        let tag = text.get(at + 1..).and_then(|rest| rest.split(['<', '>']).next()).unwrap_or_default();
        tag.split("src=").skip(1).any(|source| is_remote(source.trim_start_matches(['"', '\''])))
    })
}
