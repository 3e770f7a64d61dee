//! Markdown that nothing in a package can act in.

use crate::{
    desk::Desk,
    hostile::{NAUGHTY, fill},
};

#[test]
fn no_text_of_a_package_stands_outside_code() {
    for text in NAUGHTY {
        let desk = Desk::new();
        fill(&desk, text);
        let markdown = desk.markdown(&["--package", "app"]);
        let rest = without_code(&markdown);
        for word in ["alert", "evil", "@", "__proto__", "7*7", "CDATA", "<", "](", "{{"] {
            assert!(!rest.contains(word), "{word} for {text} in\n{rest}");
        }
    }
}

#[test]
fn every_row_of_a_table_has_the_cells_of_its_head() {
    for text in NAUGHTY {
        let desk = Desk::new();
        fill(&desk, text);
        let markdown = desk.markdown(&[]);
        let mut cells = None;
        for line in markdown.lines() {
            // As the strictest reader counts: every bar, hidden or not.
            let bars = line.matches('|').count();
            match (line.starts_with('|'), cells) {
                (true, None) => cells = Some(bars),
                (true, Some(expected)) => assert_eq!(bars, expected, "{line}"),
                (false, _) => cells = None,
            }
        }
    }
}

#[test]
fn a_report_fits_into_a_comment() {
    let desk = Desk::new();
    for number in 0..400 {
        let name = format!("app/dist/{}-{number}.js", "long-name-".repeat(15));
        desk.append(&name, &format!("fetch('https://host-{number}.example/');\n"));
    }
    desk.preflight();
    let markdown = desk.markdown(&["--package", "app"]);
    assert!(markdown.chars().count() < 65_536, "{}", markdown.len());
    for cut in ["more; `svc app inspect` lists all", "more; the bundle lists all", "more finding"] {
        assert!(markdown.contains(cut), "{cut} in\n{markdown}");
    }
}

/// The text without code spans and blocks, read as CommonMark reads them: a run of backticks is closed by the next run of the
/// same length, and one that is not closed is text.
fn without_code(text: &str) -> String {
    let mut rest = String::new();
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|offset| at + offset) {
        rest.push_str(&text[at..start]);
        let run = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        at = match closing(&text[start + run..], run) {
            Some(length) => start + run + length,
            None => {
                rest.push_str(&text[start..start + run]);
                start + run
            }
        };
    }
    rest + &text[at..]
}

/// Where the span behind a run of so many backticks ends.
fn closing(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|offset| at + offset) {
        let length = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        at = start + length;
        if length == run {
            return Some(at);
        }
    }
    None
}

#[test]
fn the_reader_of_code_sees_what_is_outside() {
    assert_eq!(without_code("a `b` c ``d ` e`` f ` g"), "a  c  f ` g");
}
