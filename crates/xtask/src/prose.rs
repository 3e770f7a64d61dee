//! What prose says about the code is so: every path, task and name in the pages that lead a reader through it.

use std::fs;

use crate::sources::{self, tracked};
use svc_gates::process::root;

const PAGES: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "GLOSSARY.md", "README.md"];
/// Endings by which a name without a folder is one of a file.
const ENDINGS: [&str; 7] = [".json", ".md", ".mjs", ".py", ".rs", ".toml", ".ts"];

#[test]
fn every_path_task_and_name_in_prose_exists() {
    let files = tracked(".").unwrap();
    let sources: String = sources::of_workspace().unwrap().into_values().collect();
    let words: Vec<&str> = sources.split(|sign: char| !is_of_a_name(sign)).collect();
    let mut faults = Vec::new();
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for span in spans(&text) {
            let is_file =
                |file: &String| is_at_end(file, span) || file.contains(&format!("{}/", span.trim_end_matches('/')));
            let is_wrong = if let Some(task) = span.strip_prefix("cargo xtask ") {
                let task = format!("cargo xtask {}", task.split(' ').next().unwrap_or_default());
                !crate::USAGE.lines().any(|line| line.starts_with(&task))
            } else if has_form_of_a_path(span) {
                !files.iter().any(is_file) && !sources.contains(&format!("\"{span}\""))
            } else {
                // Elsewhere a name may be one of the wire.
                page == "ARCHITECTURE.md" && name_in(span).is_some_and(|name| !words.contains(&name))
            };
            if is_wrong {
                faults.push(format!("{page}: `{span}` is no file, task or name of this repository"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_glossary_is_in_order_and_explains_a_word_once() {
    let text = fs::read_to_string(root().join("GLOSSARY.md")).unwrap();
    let words = text.lines().filter_map(|line| line.strip_prefix("**")?.split_once(".**"));
    let words: Vec<String> = words.map(|(word, _)| word.to_lowercase()).collect();
    assert!(words.len() > 20 && words.is_sorted_by(|first, second| first < second), "{words:?}");
}

/// What stands between backticks, blocks aside.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    let prose = text.split("\n```").step_by(2);
    prose.flat_map(|part| part.split("\n\n")).flat_map(|part| part.split('`').skip(1).step_by(2))
}

/// No signs of a command, with a folder or the ending of a file, and nothing that a build makes or that stands for a name.
fn has_form_of_a_path(text: &str) -> bool {
    let is_plain = text.chars().all(|sign| sign.is_ascii_alphanumeric() || "._-/".contains(sign));
    let has_folder = text.contains('/') && !text.starts_with('/') && !text.contains("//");
    is_plain && !text.starts_with("target/") && (has_folder || ENDINGS.iter().any(|end| is_named_with(text, end)))
}

fn is_named_with(text: &str, end: &str) -> bool {
    text.strip_suffix(end).is_some_and(|stem| !stem.is_empty())
}

fn is_at_end(file: &str, text: &str) -> bool {
    file.strip_suffix(text).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The last part of what is clearly a name of code: with `::`, with `_`, in `CamelCase`, called, or a macro.
fn name_in(text: &str) -> Option<&str> {
    let name = text.trim_end_matches(['(', ')', '!']);
    let last = name.rsplit("::").next().filter(|last| !last.is_empty() && last.chars().all(is_of_a_name))?;
    let is_camel = last.starts_with(|first: char| first.is_ascii_uppercase())
        && last.contains(|sign: char| sign.is_ascii_lowercase());
    (name != text || name.contains("::") || last.contains('_') || is_camel).then_some(last)
}

fn is_of_a_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_'
}
