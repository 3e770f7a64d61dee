//! Every text that a key of svc signs. There are no others: the key of a log and the key of a witness sign values of this
//! type alone, and neither signs a text of the other.
//!
//! | text | first line | then | signed by |
//! |---|---|---|---|
//! | the state of the log | `<origin>` | its size, its root | the log |
//! | where the log begins | `<origin>/minimum-index` | the number of its first record | the log |
//! | which key comes next | `<origin>/next-key` | that public key | the log |
//! | which state was seen | `cosignature/v1` | when, and the text of that state | a witness |
//!
//! Each has a first line of its own, and no log may have a name that is or ends like one of them, so that no text of one kind
//! can be read as another.

use tlog_tiles::{checkpoint, tlog::Hash};

/// A text to sign.
#[derive(Clone, Copy, Debug)]
pub enum SignedText<'a> {
    /// The log has this many records, and this root.
    Checkpoint { size: u64, root: &'a Hash },
    /// Records before this one are gone.
    MinimumIndex { index: u64 },
    /// This public key is the next one of the log.
    NextKey { public: &'a str },
    /// At this time (seconds of POSIX) this was the newest state of a log that the witness had seen, without its signatures.
    Cosignature { time: u64, checkpoint: &'a str },
}

pub const MINIMUM_INDEX: &str = "/minimum-index";
pub const NEXT_KEY: &str = "/next-key";
const COSIGNATURE: &str = "cosignature/v1";

impl SignedText<'_> {
    /// The text as it is signed by the log of this name. None when it has no form: a name that is none, a line that is two,
    /// or what only a witness signs.
    pub fn of_log(&self, origin: &str) -> Option<Vec<u8>> {
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
            Self::Cosignature { .. } => None,
        }
    }

    /// The text as a witness signs it. None for what only a log signs.
    pub fn of_witness(&self) -> Option<Vec<u8>> {
        match self {
            Self::Cosignature { time, checkpoint } => {
                Some(format!("{COSIGNATURE}\ntime {time}\n{checkpoint}").into_bytes())
            }
            Self::Checkpoint { .. } | Self::MinimumIndex { .. } | Self::NextKey { .. } => None,
        }
    }
}

/// Whether a log may have this name.
pub fn is_origin(name: &str) -> bool {
    name != COSIGNATURE && ![MINIMUM_INDEX, NEXT_KEY].iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_signs_a_text_of_the_other_and_no_log_is_named_like_one() {
        let root = Hash([0; 32]);
        let of_logs = [
            SignedText::Checkpoint { size: 1, root: &root },
            SignedText::MinimumIndex { index: 1 },
            SignedText::NextKey { public: "k" },
        ];
        for text in of_logs {
            assert!(text.of_witness().is_none() && text.of_log("a.example").is_some(), "{text:?}");
            for name in ["cosignature/v1", "a.example/next-key", "a.example/minimum-index"] {
                assert!(text.of_log(name).is_none(), "{name}");
            }
        }
        let seen = SignedText::Cosignature { time: 1, checkpoint: "a.example\n0\n\n" };
        assert!(seen.of_log("a.example").is_none() && seen.of_witness().is_some());
    }
}
