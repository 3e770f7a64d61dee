//! What the bytes of a file tell: magic numbers, pictures, secrets and code that loads more code.
//!
//! A scanner is fed while the file is being hashed, so each file is read once. Text is kept up to 1 MiB and looked at
//! when the file ends; of anything larger only the head is known.

use crate::{limits, strict_json::tree::Position};

mod code;
mod magic;
mod png;
mod secrets;

pub use png::Picture;

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

/// Something seen in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What it is.
    pub what: &'static str,
    /// Where.
    pub position: Position,
}

/// The sentence that `svc app init` leaves in a README for the author to replace.
pub const TEMPLATE_MARK: &str = "Replace this line with what your package does.";

/// Looks at one file.
#[derive(Debug)]
pub struct Scanner {
    path: String,
    head: Vec<u8>,
}

impl Scanner {
    /// A scanner for the file at this path.
    #[must_use]
    pub fn new(path: &str) -> Self {
        Self { path: path.to_owned(), head: Vec::new() }
    }

    /// The next bytes.
    pub fn chunk(&mut self, bytes: &[u8]) {
        let room = (limits::SCANNED_BYTES + 1).saturating_sub(self.head.len());
        self.head.extend(bytes.iter().take(room));
    }

    /// What was seen.
    #[must_use]
    pub fn finish(self) -> FileFacts {
        let mut facts = FileFacts {
            native: magic::native_program(&self.path, &self.head),
            picture: png::read(&self.head),
            ..FileFacts::default()
        };
        let whole = self.head.len() <= limits::SCANNED_BYTES;
        if let Some(text) = std::str::from_utf8(&self.head).ok().filter(|_| whole) {
            facts.secrets = secrets::find(text);
            facts.dynamic_code = code::find(&self.path, text);
            facts.is_template = text.contains(TEMPLATE_MARK);
        }
        facts
    }
}
