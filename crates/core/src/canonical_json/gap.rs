//! Documents with one value that is not known yet. All else is written while it is at hand, and the value put in later.

use serde::{Serialize, Serializer};

use super::{write, writer};

/// Stands for the value.
#[derive(Clone, Copy, Debug)]
pub struct Gap;

/// The name under which the writer knows it.
pub(super) const NAME: &str = "svc_core::Gap";

impl Serialize for Gap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_struct(NAME)
    }
}

/// The canonical bytes around a gap.
#[derive(Clone, Debug)]
pub struct Unfilled {
    bytes: Vec<u8>,
    gap: usize,
}

impl Unfilled {
    /// Writes a value. None when it has no gap.
    #[must_use]
    pub fn of<T: Serialize>(value: &T) -> Option<Self> {
        let mut around = Around { bytes: super::with_room(), gap: None };
        write(&mut around, value);
        Some(Self { bytes: around.bytes, gap: around.gap? })
    }

    /// The whole, with this value in the gap.
    #[must_use]
    pub fn fill<T: Serialize>(&self, value: &T) -> Vec<u8> {
        let (before, after) = self.bytes.split_at_checked(self.gap).unwrap_or_default();
        let mut bytes = Vec::with_capacity(2 * self.bytes.len());
        bytes.extend_from_slice(before);
        write(&mut bytes, value);
        bytes.extend_from_slice(after);
        bytes
    }
}

struct Around {
    bytes: Vec<u8>,
    gap: Option<usize>,
}

impl writer::Sink for Around {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn leave_gap(&mut self) -> bool {
        self.gap.replace(self.bytes.len()).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical_json::to_bytes;

    #[derive(Serialize)]
    struct Whole<T> {
        first: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        gap: Option<T>,
        last: &'static str,
    }

    #[test]
    fn what_is_put_in_later_stands_where_it_would_have_stood() {
        let unfilled = Unfilled::of(&Whole { first: 1, gap: Some(Gap), last: "x" }).unwrap();
        for inner in [vec![], vec!["a", "b"]] {
            assert_eq!(unfilled.fill(&inner), to_bytes(&Whole { first: 1, gap: Some(inner), last: "x" }));
        }
        assert!(Unfilled::of(&Whole::<Gap> { first: 1, gap: None, last: "x" }).is_none());
    }

    #[test]
    #[should_panic(expected = "a gap")]
    fn a_second_gap_is_refused() {
        let _ = Unfilled::of(&vec![Gap, Gap]);
    }

    #[test]
    #[should_panic(expected = "a gap")]
    fn a_document_that_leaves_now_has_none() {
        let _ = to_bytes(&Gap);
    }
}
