//! How deeply languages stand inside each other: a page in a string of a script in a page.

use crate::notes::Notes;

/// Reads markup that stands inside a script.
type PageReader = fn(&str, Nesting) -> Notes;

/// Where a text stands, and who reads the pages inside it: a page knows scripts, so a script is handed the reader of pages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nesting {
    depth: u8,
    page: PageReader,
}

const DEPTH: u8 = 8;

impl Nesting {
    /// A file of its own.
    pub(crate) fn outside(page: PageReader) -> Self {
        Self { depth: 0, page }
    }

    /// One deeper, as far as it is followed.
    pub(crate) fn deeper(self) -> Option<Self> {
        (self.depth < DEPTH).then_some(Self { depth: self.depth + 1, ..self })
    }

    /// What markup inside a script tells, unless it stands too deep.
    pub(crate) fn read_page(self, markup: &str) -> Option<Notes> {
        let deeper = self.deeper()?;
        Some((self.page)(markup, deeper))
    }
}
