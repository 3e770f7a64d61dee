//! Examples: for each rule something that it fires on and something that it lets pass.
//!
//! They stand in the rules' own rows, the tests run them, and `svc explain` and the reference show them.

use serde::Serialize;

/// One example. Where both ends of a limit are too large to show, it is told in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "form", content = "text", rename_all = "kebab-case")]
pub enum Example {
    /// A whole JSON text.
    Text(&'static str),
    /// Members put into the base manifest; `null` takes one out (RFC 7396).
    Manifest(&'static str),
    /// Files put into the base package, one a line: `path`, `path: text` with `\n` for a line break, or `path: hex:00ff`;
    /// `- path` takes one out.
    Files(&'static str),
    /// A case in words.
    Case(&'static str),
    /// A case of the conformance kit, as `TABLE.json#NAME`.
    Conformance(&'static str),
}

impl Example {
    /// The text as it stands in the rule's row.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Text(text)
            | Self::Manifest(text)
            | Self::Files(text)
            | Self::Case(text)
            | Self::Conformance(text) => text,
        }
    }
}
