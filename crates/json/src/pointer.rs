//! JSON pointers (RFC 6901): where in a document something stands.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
};

use crate::bounds;

/// A pointer to a value. The empty pointer is the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The root.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// A pointer given as text, as in our own tables.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The pointer one step further in.
    #[must_use]
    pub fn join(&self, part: impl fmt::Display) -> Self {
        // A name may be as long as the document: its length is counted first, so that it is written once and fits.
        let mut length = EscapedLength(0);
        // Neither counting nor writing to a string fails.
        let _ = write!(length, "{part}");
        let mut text = String::with_capacity(self.0.len() + 1 + length.0);
        text.push_str(&self.0);
        text.push('/');
        let _ = write!(Escaping(&mut text), "{part}");
        Self(text)
    }

    /// The pointer that has `self` in front of `rest`.
    #[must_use]
    pub fn append(&self, rest: &Pointer) -> Self {
        Self(format!("{}{}", self.0, rest.0))
    }

    /// The parts, decoded.
    pub fn parts(&self) -> impl Iterator<Item = Cow<'_, str>> + '_ {
        parts(&self.0)
    }

    /// The parent and the last part, decoded; nothing for the root.
    #[must_use]
    pub fn split_last(&self) -> Option<(Pointer, String)> {
        let (parent, last) = self.0.rsplit_once('/')?;
        Some((Self(parent.to_owned()), last.replace("~1", "/").replace("~0", "~")))
    }

    /// The pointer to what holds the value; nothing for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Pointer> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// The pointer as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Counts the bytes of a part as it is written in a pointer.
struct EscapedLength(usize);

impl fmt::Write for EscapedLength {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 += part.len() + part.matches(['~', '/']).count();
        Ok(())
    }
}

/// Writes a part as it is written in a pointer.
struct Escaping<'t>(&'t mut String);

impl fmt::Write for Escaping<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        for piece in part.split_inclusive(['~', '/']) {
            match piece.strip_suffix('~').map(|rest| (rest, "~0")).or_else(|| Some((piece.strip_suffix('/')?, "~1"))) {
                Some((rest, escape)) => {
                    self.0.push_str(rest);
                    self.0.push_str(escape);
                }
                None => self.0.push_str(piece),
            }
        }
        Ok(())
    }
}

/// The path from the root to a value, on the stack of the reader; a pointer is made of it when one is needed.
#[derive(Clone, Copy, Debug)]
pub enum NodePath<'w> {
    /// The root.
    Root,
    /// One step further, to a member.
    Member(&'w NodePath<'w>, &'w str),
    /// One step further, to an element.
    Element(&'w NodePath<'w>, usize),
}

impl NodePath<'_> {
    /// The path as a pointer. It ends before a name that is longer than any text may be, which would only be repeated.
    pub fn pointer(&self) -> Pointer {
        match self {
            Self::Root => Pointer::root(),
            Self::Member(before, name) if name.len() > bounds::STRING_BYTES => before.pointer(),
            Self::Member(before, name) => before.pointer().join(name),
            Self::Element(before, index) => before.pointer().join(index),
        }
    }
}

/// The decoded parts of a pointer given as text.
pub fn parts(text: &str) -> impl Iterator<Item = Cow<'_, str>> + '_ {
    text.split('/').skip(1).map(|part| match part.contains('~') {
        true => Cow::Owned(part.replace("~1", "/").replace("~0", "~")),
        false => Cow::Borrowed(part),
    })
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
