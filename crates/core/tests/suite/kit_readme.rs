//! Every block of the kit's README that asks something of a reader names cases, and the cases exist. Its tables have what the
//! cases have.

use std::{collections::BTreeSet, fs};

use serde_json::Value;
use svc_testkit::kit;

use crate::documents::{KINDS, parsed, read, root};

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

/// Whether the kit has the case: a file, or a row of a table by its name.
fn exists(case: &str) -> bool {
    let (file, row) = case.split_once('#').unwrap_or((case, ""));
    if !root().join(format!("conformance/{file}")).is_file() {
        return false;
    }
    let rows = parsed(&read(&format!("conformance/{file}")));
    row.is_empty() || rows.as_array().is_some_and(|rows| rows.iter().any(|known| known["name"] == row))
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

/// What the cases of a table expect, by name.
fn expectations(table: &str) -> Vec<(String, Value)> {
    kit::names(table).into_iter().map(|name| (name.clone(), kit::expected(table, &name).clone())).collect()
}

fn kinds() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.spec.name).collect()
}

/// The rows of the first table of a section, as cells.
fn table(section: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join("conformance/README.md")).unwrap();
    let text = page.split("\n## ").find_map(|text| text.strip_prefix(section)).unwrap();
    let rows =
        text.lines().skip_while(|line| !line.starts_with("|--")).skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').map(|cell| cell.trim().replace('`', "")).collect()).collect()
}

#[test]
fn the_table_of_every_expectation_has_exactly_the_members_of_the_cases() {
    let sections = [
        ("an artifact", kinds()),
        ("a lifecycle case", vec!["lifecycle"]),
        ("a receipt", vec!["receipts"]),
        ("a policy", vec!["policies"]),
    ];
    for (section, tables) in sections {
        let cases = tables.into_iter().flat_map(expectations);
        let members: BTreeSet<String> =
            cases.flat_map(|(_, expect)| expect.as_object().unwrap().keys().cloned().collect::<Vec<_>>()).collect();
        let listed: BTreeSet<String> =
            table(&format!("What is expected of {section}\n")).into_iter().map(|row| row[1].clone()).collect();
        assert_eq!(members, listed, "{section}");
    }
}

#[test]
fn every_reason_of_a_receipt_and_a_policy_is_on_the_page_of_the_journal() {
    let page = String::from_utf8(read("conformance/reference/journal.md")).unwrap();
    for (name, expect) in ["receipts", "policies"].into_iter().flat_map(expectations) {
        let Some(reason) = expect.get("reason") else { continue };
        assert!(page.contains(&format!("\n| `{}` | ", reason.as_str().unwrap())), "{name}: {reason}");
    }
}

#[test]
fn every_rule_that_a_case_names_is_in_the_list_of_rules() {
    let rules = parsed(&read("conformance/vectors/rules.json"));
    let listed: BTreeSet<&str> = rules.as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap()).collect();
    let mut named: BTreeSet<String> = BTreeSet::new();
    for (_, expect) in kinds().into_iter().chain(["lifecycle"]).flat_map(expectations) {
        let text = expect.to_string();
        named.extend(text.split('"').filter(|word| word.starts_with("SVC-")).map(str::to_owned));
    }
    let missing: Vec<&String> = named.iter().filter(|rule| !listed.contains(rule.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(["SVC-B017", "SVC-L009", "SVC-M022"].iter().all(|rule| named.contains(*rule)), "{named:?}");
}

/// A document is one of them if its rule compares a report with rules that the reader has.
#[test]
fn the_cases_that_need_package_rules_are_listed_with_these_rules() {
    let mut needed = Vec::new();
    for (name, expect) in expectations("lifecycle") {
        if let Some(rows) = expect.get("needsPackageRules") {
            let rules: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["rule"].as_str().unwrap()).collect();
            needed.push((format!("lifecycle.json#{name}"), rules.join(", ")));
        }
    }
    for kind in kinds() {
        let cases = expectations(kind).into_iter();
        let cases = cases.filter(|(name, expect)| name.starts_with("own-rules-") && expect["caughtBy"] == "SVC-B013");
        needed.extend(cases.map(|(name, _)| (format!("{kind}.json#{name}"), "those that read facts".to_owned())));
    }
    needed.sort();
    let listed: Vec<(String, String)> =
        table("Files\n").into_iter().map(|row| (row[1].clone(), row[2].clone())).collect();
    assert_eq!(needed, listed);
}

#[test]
fn the_table_of_the_members_of_a_row_has_exactly_those_of_the_cases() {
    let rows = kit::committed().tables.values().flatten();
    let members: BTreeSet<&str> = rows.flat_map(|row| row.as_object().unwrap().keys().map(String::as_str)).collect();
    let listed = table("Rows\n").into_iter().map(|row| row[1].clone());
    assert_eq!(members.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), listed.collect());
}

#[test]
fn a_block_without_a_case_and_a_case_that_does_not_exist_are_found() {
    let page = "# Kit\n\n## One\n\nA reader refuses it.\n\n| A | B |\n|---|---|\n| x | (case: submission.json#valid) |\n| y | z |\n\n\
                - Item. (case: submission.json#no-such)\n- Item. (case: vectors/digests.json#abc)\n\n## Two\n\n*About the kit.*\n\nText.\n";
    let faults = faults(page);
    assert_eq!(faults.len(), 2, "{faults:?}");
}
