//! JSON pointers (RFC 6901): where in a document something stands.

use std::{borrow::Cow, fmt};

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
        let escaped = part.to_string().replace('~', "~0").replace('/', "~1");
        Self(format!("{}/{escaped}", self.0))
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

    /// The pointer as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The decoded parts of a pointer given as text.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = Cow<'_, str>> + '_ {
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
