//! Foreign texts in Markdown: each is a code span, the one form in which no renderer looks for anything.
//!
//! A backslash does not do: renderers look for names after `@`, numbers after `#` and addresses when the escapes are gone.

use super::cut::cut;

/// The most characters of one text: a comment on a pull request has an end.
const MOST_CHARACTERS: usize = 200;

/// A text of the model as a code span, also for a cell of a table.
pub(crate) fn code(text: &str) -> String {
    let text = cut(text, MOST_CHARACTERS);
    if text.trim().is_empty() {
        return "(empty)".to_owned();
    }
    // A cell ends at every bar that a backslash does not hide, and a text can end in backslashes.
    let text = text.replace('|', "\\u{7c}");
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A line of a file as a block of code.
pub(crate) fn block(line: &str, indent: &str) -> String {
    let fence = "`".repeat(longest_run(line).max(2) + 1);
    format!("{indent}{fence}text\n{indent}{line}\n{indent}{fence}\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_span() {
        assert_eq!(code("plain"), "`plain`");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code("a|b\\|c"), "`a\\u{7c}b\\\\u{7c}c`");
        assert_eq!(code(" "), "(empty)");
        assert_eq!(code("@team #1 <b> https://a.example"), "`@team #1 <b> https://a.example`");
        assert_eq!(block("```end", "  "), "  ````text\n  ```end\n  ````\n");
    }
}
