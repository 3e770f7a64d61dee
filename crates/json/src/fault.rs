//! What the strict readers refuse, and where.

/// A stretch of source text in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// A kind of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The text breaks the JSON grammar.
    Syntax,
    /// Bytes that are not UTF-8, a byte order mark, or half of a surrogate pair.
    NotUtf8,
    RootNotObject,
    /// One object names a member twice.
    DuplicateMember,
    /// The document, a string or a member name is too long, or nesting too deep.
    TooLarge,
    /// A number that is not an integer within ±(2^53−1).
    Number,
    /// A character that no string may hold.
    Character,
    /// Something follows the root.
    TrailingData,
}

/// One refusal with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub span: Span,
    /// What was expected or found, without quoting the document.
    pub detail: String,
    /// The first of two places, for a duplicate member.
    pub first: Option<Span>,
}

impl Fault {
    /// Boxed, because every token comes back beside one that is hardly ever there.
    pub(crate) fn new(kind: FaultKind, span: Span, detail: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, span, detail: detail.into(), first: None })
    }
}
