//! Documents with values that are not known yet. All else is written while it is at hand, and the values put in later.

use serde::{Serialize, Serializer};

use super::{write, writer, written::Written};

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

/// The canonical bytes around a number of gaps.
#[derive(Clone, Debug)]
pub struct Unfilled<const GAPS: usize = 1> {
    bytes: Vec<u8>,
    gaps: [usize; GAPS],
}

impl<const GAPS: usize> Unfilled<GAPS> {
    /// Writes a value, with room for so many bytes, those of the gaps among them. None when it has another number of gaps.
    #[must_use]
    pub fn of<T: Serialize>(value: &T, room: usize) -> Option<Self> {
        let mut around = Around { bytes: Vec::with_capacity(room), gaps: Vec::with_capacity(GAPS) };
        write(&mut around, value);
        Some(Self { gaps: around.gaps.try_into().ok()?, bytes: around.bytes })
    }

    /// What stands between two places.
    fn between(&self, from: usize, to: usize) -> &[u8] {
        self.bytes.get(from..to).unwrap_or_default()
    }
}

impl Unfilled {
    /// The whole, with this value in the gap.
    #[must_use]
    pub fn fill<T: Serialize>(mut self, value: &T) -> Written {
        let [gap] = self.gaps;
        // Most of what was written stands before the gap, and stays where it is.
        let after = self.bytes.split_off(gap.min(self.bytes.len()));
        write(&mut self.bytes, value);
        self.bytes.extend_from_slice(&after);
        Written(self.bytes)
    }
}

impl Unfilled<2> {
    /// The whole, with these values in the gaps.
    #[must_use]
    pub fn fill<T: Serialize, U: Serialize>(&self, one: &T, two: &U) -> Written {
        let [first, second] = self.gaps;
        let mut bytes = Vec::with_capacity(self.bytes.len() + ROOM);
        bytes.extend_from_slice(self.between(0, first));
        write(&mut bytes, one);
        bytes.extend_from_slice(self.between(first, second));
        write(&mut bytes, two);
        bytes.extend_from_slice(self.between(second, self.bytes.len()));
        Written(bytes)
    }
}

/// Room for two numbers or times.
const ROOM: usize = 64;

struct Around {
    bytes: Vec<u8>,
    gaps: Vec<usize>,
}

impl writer::Sink for Around {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn leave_gap(&mut self) -> bool {
        self.gaps.push(self.bytes.len());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::to_bytes;

    #[derive(Serialize)]
    struct Whole<T> {
        first: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        gap: Option<T>,
        last: &'static str,
    }

    #[test]
    fn what_is_put_in_later_stands_where_it_would_have_stood() {
        let unfilled = Unfilled::<1>::of(&Whole { first: 1, gap: Some(Gap), last: "x" }, 0).unwrap();
        for inner in [vec![], vec!["a", "b"]] {
            let whole = to_bytes(&Whole { first: 1, gap: Some(inner.clone()), last: "x" });
            assert_eq!(unfilled.clone().fill(&inner).as_bytes(), whole);
            assert_eq!(unfilled.clone().fill(&Written::of(&inner)).as_bytes(), whole, "written before");
        }
        assert_eq!(Unfilled::<2>::of(&vec![Gap, Gap], 0).unwrap().fill(&1, &"x").into_bytes(), b"[1,\"x\"]");
    }

    #[test]
    fn a_document_has_as_many_gaps_as_it_says() {
        assert!(Unfilled::<1>::of(&Whole::<Gap> { first: 1, gap: None, last: "x" }, 0).is_none());
        assert!(Unfilled::<1>::of(&vec![Gap, Gap], 0).is_none());
        assert!(Unfilled::<2>::of(&vec![Gap], 0).is_none());
    }

    #[test]
    #[should_panic(expected = "a gap")]
    fn a_document_that_leaves_now_has_none() {
        let _ = to_bytes(&Gap);
    }
}
