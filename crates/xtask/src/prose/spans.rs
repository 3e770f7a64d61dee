//! A page of Markdown: what stands between backticks, and its running words, each with its line. Fenced blocks are aside.

/// What is read of a page.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) spans: Vec<Span>,
    pub(super) words: Vec<Span>,
}

/// A piece of text and its line, counted from one.
#[derive(Debug)]
pub(super) struct Span {
    pub(super) line: usize,
    pub(super) text: String,
}

impl Page {
    pub(super) fn of(text: &str) -> Self {
        let mut page = Self::default();
        let mut fenced = false;
        // A span may go on in the next line; a blank line ends it.
        let mut open: Option<Span> = None;
        for (text, line) in text.lines().zip(1..) {
            if text.starts_with("```") {
                fenced = !fenced;
            }
            if fenced || text.starts_with("```") || text.trim().is_empty() {
                open = None;
                continue;
            }
            page.words.extend(text.split_whitespace().map(|word| Span { line, text: word.to_owned() }));
            let mut parts = text.split('`');
            let first = parts.next().unwrap_or_default();
            if let Some(open) = &mut open {
                open.text = format!("{} {}", open.text, first.trim_start());
            }
            for part in parts {
                match open.take() {
                    Some(span) => page.spans.push(span),
                    None => open = Some(Span { line, text: part.to_owned() }),
                }
            }
        }
        page
    }
}

#[test]
fn spans_have_their_lines_and_blocks_are_aside() {
    let page = Page::of("one `a` two\n```text\n`b`\n```\n\nthree `c\nd` four `e`\n");
    let spans: Vec<(usize, &str)> = page.spans.iter().map(|span| (span.line, span.text.as_str())).collect();
    assert_eq!(spans, [(1, "a"), (6, "c d"), (7, "e")]);
}
