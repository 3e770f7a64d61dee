//! What SECURITY.md promises names tests, and those tests exist.

use std::fs;

use svc_registry_api::scope::Scope;

use crate::run::repository;

/// The promises of a page, each with the files and names of its tests.
fn promises(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let table = page.lines().skip_while(|line| *line != "| Promise | Tests |").skip(2);
    let rows = table.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let tests = cells.last().unwrap().trim_end_matches('|').split("; ").map(|test| {
            let mut spans = test.split('`').skip(1).step_by(2);
            (spans.next().unwrap_or_default().to_owned(), spans.next().unwrap_or_default().to_owned())
        });
        (cells[0].trim_start_matches("| ").to_owned(), tests.collect())
    });
    rows.collect()
}

/// Whether a file has a test of this name: a function under `#[test]`, or a call of `test`.
fn has_test(file: &str, name: &str) -> bool {
    let Ok(source) = fs::read_to_string(repository(file)) else { return false };
    if file.ends_with(".mjs") {
        return source.contains(&format!("test(\"{name}\","));
    }
    let Some((before, _)) = source.split_once(&format!("fn {name}(")) else { return false };
    let above = before.rsplit_once('\n').map_or("", |(above, _)| above);
    let attributes: Vec<&str> = above.lines().rev().map(str::trim).take_while(|line| line.starts_with("#[")).collect();
    attributes.contains(&"#[test]") && !attributes.iter().any(|it| it.starts_with("#[ignore"))
}

#[test]
fn every_promise_of_the_security_page_names_tests_that_exist() {
    let page = fs::read_to_string(repository("SECURITY.md")).unwrap();
    let promises = promises(&page);
    assert!(promises.len() >= 20, "{}", promises.len());
    for (promise, tests) in &promises {
        assert!(!tests.is_empty(), "{promise} names no test");
        for (file, name) in tests {
            assert!(has_test(file, name), "{promise}\nnames `{file}` `{name}`, which is no test");
        }
    }
}

#[test]
fn glossary_and_guide_name_every_scope_of_a_token() {
    let glossary = fs::read_to_string(repository("GLOSSARY.md")).unwrap();
    let entry = glossary.split_once("**Scope.**").unwrap().1.split_once("\n\n").unwrap().0;
    let guide = fs::read_to_string(repository("docs/guides/operators.md")).unwrap();
    for scope in Scope::ALL {
        let word = format!("`{}`", scope.as_str());
        assert!(entry.contains(&word), "GLOSSARY.md: {word}");
        assert!(guide.contains(&format!("| {word} |")), "operators.md: {word}");
    }
}

#[test]
fn a_promise_without_a_test_is_found() {
    let page = "| Promise | Tests |\n|---|---|\n| It holds. | `crates/none.rs` `nothing` |\n| It too. | |\n";
    let promises = promises(page);
    assert_eq!(promises.len(), 2);
    assert!(!has_test(&promises[0].1[0].0, &promises[0].1[0].1));
    assert!(!has_test(&promises[1].1[0].0, &promises[1].1[0].1));
    assert!(!has_test("crates/cli/tests/wording/promises.rs", "promises"), "it is no test");
    assert!(has_test("crates/cli/tests/wording/promises.rs", "a_promise_without_a_test_is_found"));
}
