//! A scan of sixteen bytes at a time: a question that is asked of every byte, answered for a whole chunk at once.

use std::ops::{BitOr, Not};

use wide::u8x16;

const CHUNK: usize = 16;

/// The longest text whose mask fits into one number.
pub const MAX_BITS: usize = u128::BITS as usize;

/// Sixteen bytes of a text.
#[derive(Clone, Copy, Debug)]
pub struct Chunk(u8x16);

/// For each byte of a chunk, whether something holds for it.
#[derive(Clone, Copy, Debug)]
pub struct Mask(u8x16);

impl Chunk {
    #[inline]
    fn new(bytes: &[u8; CHUNK]) -> Self {
        Self(u8x16::new(*bytes))
    }

    /// Fewer bytes than a chunk has, and zeros behind them.
    #[inline]
    fn of_rest(rest: &[u8]) -> Self {
        let mut bytes = [0; CHUNK];
        for (place, byte) in bytes.iter_mut().zip(rest) {
            *place = *byte;
        }
        Self::new(&bytes)
    }

    /// The bytes that are this one.
    #[inline]
    #[must_use]
    pub fn equal(self, byte: u8) -> Mask {
        Mask(self.0.simd_eq(u8x16::splat(byte)))
    }

    /// The bytes within a range, both ends included.
    #[inline]
    #[must_use]
    pub fn within(self, first: u8, last: u8) -> Mask {
        let from_first = self.0 - u8x16::splat(first);
        Mask(from_first.min(u8x16::splat(last - first)).simd_eq(from_first))
    }

    /// The chunk with these bits set in every byte.
    #[inline]
    #[must_use]
    pub fn with(self, bits: u8) -> Self {
        Self(self.0 | u8x16::splat(bits))
    }
}

impl Mask {
    /// A bit for each byte, that of the first the lowest.
    #[inline]
    fn bits(self) -> u32 {
        self.0.to_bitmask()
    }
}

impl BitOr for Mask {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Mask {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// How many bytes there are before the first that something holds for.
#[inline]
#[must_use]
pub fn find_first(text: &[u8], holds: impl Fn(Chunk) -> Mask) -> usize {
    let (chunks, rest) = text.as_chunks();
    for (number, chunk) in chunks.iter().enumerate() {
        let found = holds(Chunk::new(chunk)).bits();
        if found != 0 {
            return CHUNK * number + found.trailing_zeros() as usize;
        }
    }
    let (last, from) = match text.last_chunk() {
        _ if rest.is_empty() => return text.len(),
        // The end of a longer text is a chunk too, of which the first bytes were asked before.
        Some(last) => (Chunk::new(last), text.len() - CHUNK),
        None => (Chunk::of_rest(rest), 0),
    };
    (from + holds(last).bits().trailing_zeros() as usize).min(text.len())
}

/// A bit for each byte of a text that is not too long, that of the first the lowest, for each of several questions.
#[inline]
#[must_use]
pub fn bits<const QUESTIONS: usize>(
    text: &[u8],
    holds: impl Fn(Chunk) -> [Mask; QUESTIONS],
) -> Option<[u128; QUESTIONS]> {
    // Four chunks a word.
    let mut words = [[0_u64; 2]; QUESTIONS];
    let mut add = |chunk: Chunk, beyond: usize, at: usize| {
        for (words, mask) in words.iter_mut().zip(holds(chunk)) {
            if let Some(word) = words.get_mut(at / 64) {
                *word |= u64::from(mask.bits() >> beyond) << (at % 64);
            }
        }
    };
    if text.len() > MAX_BITS {
        return None;
    }
    let (chunks, rest) = text.as_chunks();
    for (number, chunk) in chunks.iter().enumerate() {
        add(Chunk::new(chunk), 0, CHUNK * number);
    }
    match text.last_chunk() {
        _ if rest.is_empty() => {}
        // The end of a longer text is a chunk too, of which the first bytes were asked before.
        Some(last) => add(Chunk::new(last), CHUNK - rest.len(), text.len() - rest.len()),
        None => add(Chunk::of_rest(rest), 0, 0),
    }
    let known = u128::MAX.unbounded_shr((MAX_BITS - text.len()) as u32);
    Some(words.map(|[low, high]| (u128::from(high) << 64 | u128::from(low)) & known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_is_judged_as_it_would_be_alone() {
        let holds = |chunk: Chunk| {
            [chunk.equal(b'/'), chunk.within(b'a', b'z'), !chunk.within(0, 0x7F), chunk.with(0x20).equal(b'k')]
        };
        let alone: [fn(u8) -> bool; 4] = [
            |byte| byte == b'/',
            |byte| byte.is_ascii_lowercase(),
            |byte| !byte.is_ascii(),
            |byte| b"Kk".contains(&byte),
        ];
        for length in (0..40).chain([MAX_BITS - 1, MAX_BITS]) {
            for at in 0..length {
                for byte in [0, b'/', b'a', b'k', b'K', b'z', b'{', b'`', 0x7F, 0x80, 0xFF] {
                    let mut text = vec![b'z'; length];
                    text[at] = byte;
                    let bits = bits(&text, holds).unwrap();
                    for (mask, alone) in bits.into_iter().zip(alone) {
                        let expected = text.iter().rev().fold(0, |bits, byte| bits << 1 | u128::from(alone(*byte)));
                        assert_eq!(mask, expected, "{text:?}");
                    }
                    let first = text.iter().position(|byte| !byte.is_ascii()).unwrap_or(length);
                    assert_eq!(find_first(&text, |chunk| !chunk.within(0, 0x7F)), first, "{text:?}");
                }
            }
        }
        assert!(bits(&[0; MAX_BITS + 1], holds).is_none());
    }

    #[test]
    fn what_is_behind_the_end_is_not_asked() {
        for length in 0..40 {
            let text = vec![b'x'; length];
            assert_eq!(find_first(&text, |chunk| chunk.equal(0)), length);
            assert_eq!(bits(&text, |chunk| [chunk.equal(0)]), Some([0]));
        }
    }
}
