//! `cargo xtask size`: how large the house is. It prints, and fails nothing; it should go down.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use anyhow::Result;

use crate::{
    sources::{self, tracked},
    test,
};
use svc_gates::process::{root, say};

pub(crate) fn print() -> Result<()> {
    let files = tracked(".")?;
    let mut crates: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        let folder = file.split_inclusive('/').take(2).map(str::len).sum();
        let lines = crates.entry(file.get(..folder).unwrap_or(file)).or_default();
        let [shipped, tests] = lines;
        *(if file.contains("/src/") && !is_test_file(file) { shipped } else { tests }) += lines_of(file)?;
    }
    say("lines of Rust in src, and in tests");
    for (name, [shipped, tests]) in &crates {
        say(&format!("{shipped:>8} {tests:>8}  {name}"));
    }
    let [shipped, tests] = [0, 1].map(|at| crates.values().filter_map(|lines| lines.get(at)).sum::<usize>());
    say(&format!("{shipped:>8} {tests:>8}  in all"));
    let is_tooling = |file: &&String| {
        ["crates/xtask/", "scripts/", ".ci/", ".github/"].iter().any(|folder| file.starts_with(folder))
    };
    let tooling: usize = files.iter().filter(is_tooling).map(|file| lines_of(file)).sum::<Result<usize>>()?;
    say(&format!("{tooling:>8}           xtask, scripts and CI, tests among them"));
    say(&format!("{:>8}           files", files.len()));
    let mut pages: Vec<(usize, &String)> = Vec::new();
    for page in files.iter().filter(|file| file.ends_with(".md")) {
        pages.push((fs::read_to_string(root().join(page))?.split_whitespace().count(), page));
    }
    pages.sort_unstable();
    say(&format!(
        "{:>8}           words in {} pages; the longest:",
        pages.iter().map(|page| page.0).sum::<usize>(),
        pages.len()
    ));
    for (words, page) in pages.iter().rev().take(5) {
        say(&format!("{words:>8}             {page}"));
    }
    let sources = sources::of_workspace()?;
    let names = type_names(&sources);
    let shared: Vec<&String> = names.iter().filter(|(_, files)| files.len() > 1).map(|(name, _)| name).collect();
    say(&format!("{:>8}           of {} names of types are in several files", shared.len(), names.len()));
    say(&test::last_times());
    Ok(())
}

fn lines_of(file: &str) -> Result<usize> {
    Ok(fs::read(root().join(file))?.iter().filter(|byte| **byte == b'\n').count())
}

fn is_test_file(file: &str) -> bool {
    file.ends_with("/tests.rs") || file.contains("/tests/")
}

/// Types by their name, with the files that define them. Those of any reach; tests and what is never shipped aside.
fn type_names(files: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<&str>> {
    const ASIDE: [&str; 4] = ["bench/harness/", "crates/gates/", "crates/testkit/", "crates/xtask/"];
    let mut names: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (file, text) in files {
        let product = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for line in
            product.lines().filter(|_| !is_test_file(file) && !ASIDE.iter().any(|aside| file.starts_with(aside)))
        {
            let words: Vec<&str> = line.split(|sign: char| !sign.is_alphanumeric() && sign != '_').collect();
            let words: Vec<&str> =
                words.into_iter().filter(|word| !["pub", "crate", "super", ""].contains(word)).collect();
            if let ["struct" | "enum" | "trait" | "union" | "type", name, ..] = words.as_slice()
                && line.starts_with(|first: char| first.is_ascii_lowercase())
            {
                names.entry((*name).to_owned()).or_default().insert(file);
            }
        }
    }
    names
}

/// So that a search for a public type ends in one place.
#[test]
fn a_public_type_has_a_name_of_its_own() {
    let mut files = sources::of_workspace().unwrap();
    for text in files.values_mut() {
        *text = text
            .lines()
            .filter(|line| line.starts_with("pub ") || line.starts_with("#[cfg(test)]") || line.starts_with("mod "))
            .collect::<Vec<_>>()
            .join("\n");
    }
    let shared: Vec<_> = type_names(&files).into_iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(shared.is_empty(), "public types that share a name; rename all but one: {shared:#?}");
}
