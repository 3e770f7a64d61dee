//! What the bytes of a file tell: magic numbers, pictures, secrets and code that loads more code.
//!
//! A scanner is fed while the file is being hashed, so each file is read once. Text is kept up to 1 MiB and looked at
//! when the file ends; of anything larger only the head is known.

use crate::{
    package::{
        fact_table::{PNG, UNTOUCHED},
        scan::sighting::Sighting,
    },
    scalar::subject::Subject,
    words::limits,
};

mod code;
mod magic;
mod marks;
mod png;
mod secrets;
pub mod sighting;

/// The sentence that `svc app init` leaves in a README for the author to replace.
pub const TEMPLATE_MARK: &str = "Replace this line with what your package does.";

/// Looks at one file.
#[derive(Debug)]
pub struct Scanner {
    path: String,
    head: Vec<u8>,
    /// Nothing more is kept: what is there tells the kind of file, and it is no text.
    is_binary: bool,
}

/// As much as magic numbers and pictures are told by.
const HEAD_BYTES: usize = 4096;

impl Scanner {
    /// A scanner for the file at this path.
    #[must_use]
    pub fn new(path: &str) -> Self {
        Self { path: path.to_owned(), head: Vec::new(), is_binary: false }
    }

    /// The next bytes.
    pub fn chunk(&mut self, bytes: &[u8]) {
        if self.is_binary {
            return;
        }
        let is_first = self.head.len() < HEAD_BYTES;
        let room = (limits::SCANNED_BYTES + 1).saturating_sub(self.head.len());
        self.head.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        if is_first && self.head.len() >= HEAD_BYTES {
            // A character that the next bytes complete is no fault yet.
            self.is_binary = std::str::from_utf8(&self.head).is_err_and(|fault| fault.error_len().is_some());
        }
    }

    /// What was seen.
    #[must_use]
    pub fn finish(self) -> Vec<Sighting> {
        let program = magic::native_program(&self.path, &self.head).map(Sighting::of_file);
        let picture = png::read(&self.head).map(|size| Sighting {
            subject: Some(Subject::pixels(size.width, size.height)),
            ..Sighting::of_file(&PNG)
        });
        let mut seen: Vec<Sighting> = program.into_iter().chain(picture).collect();
        let whole = !self.is_binary && self.head.len() <= limits::SCANNED_BYTES;
        if let Some(text) = std::str::from_utf8(&self.head).ok().filter(|_| whole) {
            seen.extend(secrets::find(text));
            seen.extend(code::find(&self.path, text));
            seen.extend(text.contains(TEMPLATE_MARK).then(|| Sighting::of_file(&UNTOUCHED)));
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use svc_json::position::Position;

    use super::*;

    #[test]
    fn places_are_told_as_everywhere_else_however_many_there_are() {
        let text = "eval(a)\n\u{e9}\u{1f326} eval(b); eval(c)\n\neval(d)";
        let places: Vec<Option<Position>> = code::find("a.js", text).iter().map(|sighting| sighting.position).collect();
        let expected = text.match_indices("eval").map(|(at, _)| Some(Position::of(text, at)));
        let expected: Vec<Option<Position>> = expected.collect();
        assert_eq!(places, expected);
        let many = ";eval(".repeat(limits::SCANNED_BYTES / 6);
        assert_eq!(code::find("a.js", &many).len(), limits::SCANNED_BYTES / 6);
    }

    #[test]
    fn what_is_seen_does_not_depend_on_how_the_bytes_come() {
        let text = format!("{}\u{e9}\u{1f326} eval(a) AKIA{}", ";".repeat(HEAD_BYTES - 1), "A".repeat(16));
        let binary = [text.as_bytes(), &[0xFF], b" eval(b)"].concat();
        for bytes in [text.as_bytes(), &binary] {
            let seen = |size: usize| {
                let mut scanner = Scanner::new("a.js");
                bytes.chunks(size).for_each(|chunk| scanner.chunk(chunk));
                scanner.finish()
            };
            let whole = seen(bytes.len());
            assert_eq!(whole.len(), 2 * usize::from(bytes == text.as_bytes()));
            for size in [1, 7, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1] {
                assert_eq!(seen(size), whole, "{size}");
            }
        }
    }

    #[test]
    fn code_from_elsewhere_is_seen_in_the_forms_that_bundlers_and_people_write() {
        let lines = [
            r#"import{a}from"https://cdn.example/a.js""#,
            r#"import a from 'https://cdn.example/a.js'"#,
            r#"import "https://cdn.example/a.js""#,
            "const a = await import(`https://cdn.example/a.js`)",
            r#"<script src="//cdn.example/a.js"></script>"#,
            r#"<script type="module" src='https://cdn.example/a.js'></script>"#,
            "<script async src=https://cdn.example/a.js></script>",
        ];
        for line in lines {
            assert_eq!(code::find("a.html", line).len(), 1, "{line}");
        }
        for line in [r#"import{a}from"./a.js""#, r#"<script src="a.js"></script><a href="https://a.example">"#] {
            assert_eq!(code::find("a.html", line), [], "{line}");
        }
    }
}
