//! What the bytes of a file tell: magic numbers, pictures, secrets and code that loads more code.
//!
//! A scanner is fed while the file is being hashed, so each file is read once. Text is kept up to 1 MiB and looked at
//! when the file ends; of anything larger only the head is known.

use crate::{
    package::scan::{png::Picture, sighting::Sighting},
    words::limits,
};

mod code;
mod magic;
mod marks;
pub mod png;
mod secrets;
pub mod sighting;

/// What a file's bytes told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    /// The kind of native program it is.
    pub native: Option<&'static str>,
    /// The picture it is, should it be a PNG.
    pub picture: Option<Picture>,
    /// Where secrets stand, and of which kind; never what they are.
    pub secrets: Vec<Sighting>,
    /// Where code is loaded or made at run time.
    pub dynamic_code: Vec<Sighting>,
    /// Whether the text is still the one of a template.
    pub is_template: bool,
}

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
    pub fn finish(self) -> FileFacts {
        let mut facts = FileFacts {
            native: magic::native_program(&self.path, &self.head),
            picture: png::read(&self.head),
            ..FileFacts::default()
        };
        let whole = !self.is_binary && self.head.len() <= limits::SCANNED_BYTES;
        if let Some(text) = std::str::from_utf8(&self.head).ok().filter(|_| whole) {
            facts.secrets = secrets::find(text);
            facts.dynamic_code = code::find(&self.path, text);
            facts.is_template = text.contains(TEMPLATE_MARK);
        }
        facts
    }
}

/// What a scan calls a way to make or fetch code at run time, when this is one of its names.
#[must_use]
pub fn dynamic_code_named(name: &str) -> Option<&'static str> {
    code::kinds().find(|kind| *kind == name)
}

#[cfg(test)]
mod tests {
    use svc_json::position::Position;

    use super::*;

    #[test]
    fn places_are_told_as_everywhere_else_however_many_there_are() {
        let text = "eval(a)\n\u{e9}\u{1f326} eval(b); eval(c)\n\neval(d)";
        let places: Vec<Position> = code::find("a.js", text).iter().map(|sighting| sighting.position).collect();
        let expected: Vec<Position> = text.match_indices("eval").map(|(at, _)| Position::of(text, at)).collect();
        assert_eq!(places, expected);
        let many = ";eval(".repeat(limits::SCANNED_BYTES / 6);
        assert_eq!(code::find("a.js", &many).len(), limits::SCANNED_BYTES / 6);
    }

    #[test]
    fn what_is_seen_does_not_depend_on_how_the_bytes_come() {
        let text = format!("{}\u{e9}\u{1f326} eval(a) AKIA{}", ";".repeat(HEAD_BYTES - 1), "A".repeat(16));
        let binary = [text.as_bytes(), &[0xFF], b" eval(b)"].concat();
        for bytes in [text.as_bytes(), &binary] {
            let facts = |size: usize| {
                let mut scanner = Scanner::new("a.js");
                bytes.chunks(size).for_each(|chunk| scanner.chunk(chunk));
                scanner.finish()
            };
            let whole = facts(bytes.len());
            assert_eq!(whole.dynamic_code.len(), usize::from(bytes == text.as_bytes()));
            for size in [1, 7, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 1] {
                assert_eq!(facts(size), whole, "{size}");
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
