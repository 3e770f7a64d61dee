//! Code that is made or fetched at run time, and so was not part of what is reviewed.

use std::sync::LazyLock;

use crate::package::{
    fact_table::{EVAL, FETCHED, FUNCTION_CONSTRUCTOR, FactSpec},
    scan::{
        marks::Marks,
        sighting::{Sighting, sightings},
    },
};

static MARKS: &[(&str, &FactSpec)] = &[
    ("eval(", &EVAL),
    ("new Function(", &FUNCTION_CONSTRUCTOR),
    ("import(\"http", &FETCHED),
    ("import('http", &FETCHED),
    ("import(`http", &FETCHED),
    ("import \"http", &FETCHED),
    ("import 'http", &FETCHED),
    ("import\"http", &FETCHED),
    ("import'http", &FETCHED),
    ("from \"http", &FETCHED),
    ("from 'http", &FETCHED),
    ("from\"http", &FETCHED),
    ("from'http", &FETCHED),
    ("importScripts(\"http", &FETCHED),
    ("importScripts('http", &FETCHED),
];

/// Where a script or page makes or fetches code.
pub(super) fn find(path: &str, text: &str) -> Vec<Sighting> {
    let is_code = [".js", ".mjs", ".cjs", ".html", ".htm"].iter().any(|end| path.to_ascii_lowercase().ends_with(end));
    if !is_code {
        return Vec::new();
    }
    static FOUND: LazyLock<Marks<&FactSpec>> =
        LazyLock::new(|| Marks::new(MARKS.iter().copied().chain([(SCRIPT, &FETCHED)])));
    let found = FOUND.find(text).filter(|(at, mark, _)| match *mark {
        SCRIPT => is_remote_script(text, *at),
        _ => stands_alone(text, *at),
    });
    sightings(text, found.map(|(at, _, what)| (at, what)).collect())
}

/// Whether what stands here is not the end of a longer name.
fn stands_alone(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|head| head.chars().next_back());
    !before.is_some_and(|character| character.is_alphanumeric() || matches!(character, '_' | '$' | '.'))
}

const SCRIPT: &str = "<script";

/// Whether a script element has an address of another host, whatever stands before it in the tag.
fn is_remote_script(text: &str, at: usize) -> bool {
    let is_remote = |address: &str| ["http:", "https:", "//"].iter().any(|start| address.starts_with(start));
    let tag = text.get(at + 1..).and_then(|rest| rest.split(['<', '>']).next()).unwrap_or_default();
    tag.split("src=").skip(1).any(|source| is_remote(source.trim_start_matches(['"', '\''])))
}
