//! Counts in prose, such as "six endpoints", beside the tables that they count.

use std::fs;

use svc_core::words::{gate::Gate, kind, stage::Stage};
use svc_registry_api::routes::{self, Method};

use super::spans::Page;
use crate::process::root;

/// A noun, and the numbers that are true of it.
pub(super) type Table = (&'static str, Vec<usize>);

const NUMBERS: [&str; 20] = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
    "twenty-one",
];

pub(super) fn tables() -> Vec<Table> {
    let (kinds, gates) = (kind::ALL.len(), Gate::ALL.len());
    let posts = routes::all().iter().filter(|operation| operation.method == Method::Post).count();
    let examples = fs::read_dir(root().join("examples")).unwrap();
    let examples = examples.filter(|entry| entry.as_ref().unwrap().path().join("svc-app.json").is_file()).count();
    // A kind is made by one command and, but for the first, checked by another.
    let commands = 2 * kinds - 1;
    vec![
        ("artifacts", vec![kinds]),
        ("commands", vec![commands]),
        ("conditions", vec![gates]),
        ("endpoints", vec![posts]),
        ("examples", vec![examples]),
        // All of them, and those that are missing at least.
        ("gates", vec![gates, gates - 1]),
        ("json files", vec![kinds]),
        ("registry files", vec![kinds]),
        ("stages", vec![Stage::ALL.len()]),
    ]
}

/// Each count of a noun that is not that of its table, with its line.
pub(super) fn faults(page: &Page, tables: &[Table]) -> Vec<String> {
    let words: Vec<(usize, String)> = page.words.iter().map(|word| (word.line, plain(&word.text))).collect();
    let counts = words.windows(3).chain(words.windows(2)).filter_map(|window| match window {
        [(line, count), first, second] => Some((*line, count, format!("{} {}", first.1, second.1))),
        [(line, count), noun] => Some((*line, count, noun.1.clone())),
        _ => None,
    });
    let faults = counts.filter_map(|(line, count, noun)| {
        let number = number(count)?;
        let (_, right) = tables.iter().find(|(table, _)| *table == noun)?;
        (!right.contains(&number)).then(|| format!("{line}: \"{count} {noun}\", and the table has {right:?}"))
    });
    faults.collect()
}

fn number(word: &str) -> Option<usize> {
    let by_name = NUMBERS.iter().position(|name| *name == word).map(|at| at + 2);
    by_name.or_else(|| word.parse().ok())
}

fn plain(word: &str) -> String {
    word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_ascii_lowercase()
}

#[test]
fn a_count_that_is_not_the_tables_is_seen_with_its_line() {
    let tables = [("gates", vec![6, 5]), ("registry files", vec![7])];
    let found = |text: &str| faults(&Page::of(text), &tables);
    assert_eq!(
        found("a\nThere are seven\ngates, and `four gates`."),
        ["2: \"seven gates\", and the table has [6, 5]", "3: \"four gates\", and the table has [6, 5]"]
    );
    assert_eq!(found("Eight registry files").len(), 1);
    assert_eq!(found("six gates, Five gates, 7 registry files, seven doors, one gate"), [""; 0]);
}
