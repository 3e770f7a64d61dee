//! Every text that a key of a log signs. There are no others: a [`LogKey`](crate::key::LogKey) signs values of this type alone.
//!
//! | text | first line | then |
//! |---|---|---|
//! | the state of the log | `<origin>` | its size, its root |
//! | where the log begins | `<origin>/minimum-index` | the number of its first record |
//! | which key comes next | `<origin>/next-key` | that public key |
//!
//! Each has a first line of its own, and no log may have a name that ends like one of them, so that no text of one kind can
//! be read as another.

use tlog_tiles::{checkpoint, tlog::Hash};

/// A text to sign.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SignedText<'a> {
    /// The log has this many records, and this root.
    Checkpoint { size: u64, root: &'a Hash },
    /// Records before this one are gone.
    MinimumIndex { index: u64 },
    /// This public key is the next one of the log.
    NextKey { public: &'a str },
}

pub(crate) const MINIMUM_INDEX: &str = "/minimum-index";
pub(crate) const NEXT_KEY: &str = "/next-key";

impl SignedText<'_> {
    /// The text as it is signed by the log of this name. None when it has no form: a name that is none, a line that is two.
    pub(crate) fn of_log(&self, origin: &str) -> Option<Vec<u8>> {
        if !is_origin(origin) {
            return None;
        }
        let two_lines = |suffix: &str, line: &str| {
            (!line.contains('\n')).then(|| format!("{origin}{suffix}\n{line}\n").into_bytes())
        };
        match self {
            Self::Checkpoint { size, root } => {
                let unsigned = checkpoint::Checkpoint::new(origin, *size, **root, "").ok()?;
                Some(unsigned.to_bytes())
            }
            Self::MinimumIndex { index } => two_lines(MINIMUM_INDEX, &index.to_string()),
            Self::NextKey { public } => two_lines(NEXT_KEY, public),
        }
    }
}

/// Whether a log may have this name.
pub(crate) fn is_origin(name: &str) -> bool {
    ![MINIMUM_INDEX, NEXT_KEY].iter().any(|suffix| name.ends_with(suffix))
}
