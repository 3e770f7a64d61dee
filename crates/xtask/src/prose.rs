//! What prose says about the code is so: paths, names, tasks and counts in the pages that lead a reader through it.
//!
//! `spans.rs` reads a page, `paths.rs` and `code_names.rs` look up what stands between backticks, `counts.rs` compares
//! numbers with the tables. What is no path and no name by its form (words of the wire, of SQL, of an RFC) is left alone.

mod code_names;
mod counts;
mod paths;
mod spans;

use std::fs;

use self::{code_names::Code, paths::Paths, spans::Page};
use crate::process::root;

const PAGES: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md", "README.md"];

/// Only this page is about the code itself; elsewhere a name may be one of the wire.
const MAP: &str = "ARCHITECTURE.md";

#[test]
fn every_path_and_task_in_prose_exists() {
    let paths = Paths::read();
    let check = |text: &str| paths.fault(text).or_else(|| unknown_task(text));
    assert_no_faults(PAGES.iter().flat_map(|name| faults(name, check)));
}

#[test]
fn every_name_of_code_on_the_map_is_defined() {
    let code = Code::read();
    assert_no_faults(faults(MAP, |text| code.fault(text)));
}

#[test]
fn every_count_in_prose_is_that_of_its_table() {
    let found = PAGES.iter().flat_map(|name| {
        let faults = counts::faults(&page(name), &counts::tables());
        faults.into_iter().map(move |fault| format!("{name}:{fault}"))
    });
    assert_no_faults(found);
}

#[test]
fn the_glossary_is_in_order_and_explains_a_word_once() {
    let text = fs::read_to_string(root().join("GLOSSARY.md")).unwrap();
    let words = text.lines().filter_map(|line| line.strip_prefix("**")?.split_once(".**"));
    let words: Vec<String> = words.map(|(word, _)| word.to_lowercase()).collect();
    let out_of_order: Vec<_> = words.array_windows::<2>().filter(|[first, second]| first >= second).collect();
    assert!(words.len() > 50 && out_of_order.is_empty(), "{out_of_order:?}");
}

fn faults(name: &str, fault: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let page = page(name);
    let spans = page.spans.iter();
    spans.filter_map(|span| Some(format!("{name}:{}: `{}` {}", span.line, span.text, fault(&span.text)?))).collect()
}

fn page(name: &str) -> Page {
    Page::of(&fs::read_to_string(root().join(name)).unwrap())
}

fn unknown_task(text: &str) -> Option<String> {
    let task = text.strip_prefix("cargo xtask ")?.split(' ').next()?;
    let known = crate::USAGE.lines().any(|line| line.starts_with(&format!("cargo xtask {task} ")));
    (!known).then(|| "is no task of `cargo xtask`".to_owned())
}

#[track_caller]
fn assert_no_faults(faults: impl IntoIterator<Item = String>) {
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}
