//! Every block of the kit's README that asks something of a reader names cases, and the cases exist.

use std::fs;

use crate::documents::{parsed, read, root};

/// What a section begins with that describes the kit and asks nothing.
const ABOUT: &str = "*About the kit.*";

/// The blocks of a section: paragraphs, items of lists, and rows of tables less their heads.
fn blocks(section: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut lines = section.lines().peekable();
    while let Some(line) = lines.next() {
        let is_head = lines.peek().is_some_and(|next| next.starts_with("|--"));
        if line.trim().is_empty() || line.starts_with("|--") || (line.starts_with('|') && is_head) {
            is_open = false;
            continue;
        }
        let starts_item = line.starts_with("- ") || line.starts_with(|first: char| first.is_ascii_digit());
        if !is_open || starts_item || line.starts_with('|') {
            blocks.push(String::new());
        }
        let block = blocks.last_mut().unwrap();
        block.push_str(line);
        block.push('\n');
        is_open = !line.starts_with('|');
    }
    blocks
}

/// The cases that a block names.
fn cases(block: &str) -> Vec<&str> {
    block.split("(case: ").skip(1).map(|rest| rest.split(')').next().unwrap()).collect()
}

/// Whether the kit has the case: a folder, a file, or a row of a file by its name.
fn exists(case: &str) -> bool {
    let (file, row) = case.split_once('#').unwrap_or((case, ""));
    let path = root().join(format!("conformance/{file}"));
    if row.is_empty() {
        return path.join("expect.json").is_file() || path.is_file();
    }
    let rows = parsed(&read(&format!("conformance/{file}")));
    rows.as_array().is_some_and(|rows| rows.iter().any(|known| known["name"] == row))
}

/// What is wrong with a page.
fn faults(page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for section in page.split("\n## ").skip(1) {
        let (title, text) = section.split_once('\n').unwrap();
        let is_about_the_kit = text.trim_start().starts_with(ABOUT);
        for block in blocks(text) {
            let cases = cases(&block);
            // A sentence that leads to a table or a list asks nothing by itself.
            let leads =
                block.trim_end().ends_with([':', '.']) && !block.starts_with(['|', '-']) && leads_on(text, &block);
            if cases.is_empty() && !is_about_the_kit && !leads {
                faults.push(format!("{title}: names no case: {block}"));
            }
            let missing = cases.iter().filter(|case| !exists(case));
            faults.extend(missing.map(|case| format!("{title}: there is no case {case}")));
        }
    }
    faults
}

/// Whether a table or a list of numbers follows a block.
fn leads_on(text: &str, block: &str) -> bool {
    let after = text.split_once(block.trim_end()).map_or("", |(_, after)| after).trim_start();
    after.starts_with("| ") || after.starts_with("1. ")
}

#[test]
fn every_block_that_asks_something_names_cases_that_exist() {
    let page = fs::read_to_string(root().join("conformance/README.md")).unwrap();
    let faults = faults(&page);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(cases(&page).len() > 90, "{}", cases(&page).len());
}

#[test]
fn a_block_without_a_case_and_a_case_that_does_not_exist_are_found() {
    let page = "# Kit\n\n## One\n\nA reader refuses it.\n\n| A | B |\n|---|---|\n| x | (case: submission/valid) |\n| y | z |\n\n\
                - Item. (case: submission/no-such)\n- Item. (case: vectors/digests.json#abc)\n\n## Two\n\n*About the kit.*\n\nText.\n";
    let faults = faults(page);
    assert_eq!(faults.len(), 2, "{faults:?}");
}
