//! Sixteen bytes at a time: questions that are asked of every byte of a text, answered for a whole block at once.

use std::ops::{BitOr, Not};

use wide::u8x16;

/// The bytes of a block.
const BYTES: usize = 16;

/// The longest text whose answers fit into one number.
pub(crate) const MOST: usize = u128::BITS as usize;

/// Sixteen bytes of a text.
#[derive(Clone, Copy)]
pub(crate) struct Block(u8x16);

/// For each byte of a block, whether something holds for it.
#[derive(Clone, Copy)]
pub(crate) struct Answer(u8x16);

impl Block {
    #[inline]
    fn of(bytes: &[u8; BYTES]) -> Self {
        Self(u8x16::new(*bytes))
    }

    /// Fewer bytes than a block has, and zeros behind them.
    #[inline]
    fn of_rest(rest: &[u8]) -> Self {
        let mut bytes = [0; BYTES];
        for (place, byte) in bytes.iter_mut().zip(rest) {
            *place = *byte;
        }
        Self::of(&bytes)
    }

    /// The bytes that are this one.
    #[inline]
    pub(crate) fn equal(self, byte: u8) -> Answer {
        Answer(self.0.simd_eq(u8x16::splat(byte)))
    }

    /// The bytes within a range, both ends included.
    #[inline]
    pub(crate) fn within(self, first: u8, last: u8) -> Answer {
        let from_first = self.0 - u8x16::splat(first);
        Answer(from_first.min(u8x16::splat(last - first)).simd_eq(from_first))
    }

    /// The block with these bits set in every byte.
    #[inline]
    pub(crate) fn with(self, bits: u8) -> Self {
        Self(self.0 | u8x16::splat(bits))
    }
}

impl Answer {
    /// A bit for each byte, that of the first the lowest.
    #[inline]
    fn bits(self) -> u32 {
        self.0.to_bitmask()
    }
}

impl BitOr for Answer {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Answer {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// How many bytes there are before the first that something holds for.
#[inline]
pub(crate) fn before(text: &[u8], holds: impl Fn(Block) -> Answer) -> usize {
    let (blocks, rest) = text.as_chunks();
    for (number, block) in blocks.iter().enumerate() {
        let found = holds(Block::of(block)).bits();
        if found != 0 {
            return BYTES * number + found.trailing_zeros() as usize;
        }
    }
    let found = holds(Block::of_rest(rest)).bits().trailing_zeros() as usize;
    BYTES * blocks.len() + found.min(rest.len())
}

/// A bit for each byte of a text that is not too long, that of the first the lowest, for each of several questions.
#[inline]
pub(crate) fn bits<const QUESTIONS: usize>(
    text: &[u8],
    holds: impl Fn(Block) -> [Answer; QUESTIONS],
) -> Option<[u128; QUESTIONS]> {
    // Four blocks a word.
    let mut words = [[0_u64; 2]; QUESTIONS];
    let mut add = |block: Block, beyond: usize, at: usize| {
        for (words, answer) in words.iter_mut().zip(holds(block)) {
            if let Some(word) = words.get_mut(at / 64) {
                *word |= u64::from(answer.bits() >> beyond) << (at % 64);
            }
        }
    };
    if text.len() > MOST {
        return None;
    }
    let (blocks, rest) = text.as_chunks();
    for (number, block) in blocks.iter().enumerate() {
        add(Block::of(block), 0, BYTES * number);
    }
    match text.last_chunk() {
        _ if rest.is_empty() => {}
        // The end of a longer text is a block too, of which the first bytes were asked before.
        Some(last) => add(Block::of(last), BYTES - rest.len(), text.len() - rest.len()),
        None => add(Block::of_rest(rest), 0, 0),
    }
    let known = u128::MAX.unbounded_shr((MOST - text.len()) as u32);
    Some(words.map(|[low, high]| (u128::from(high) << 64 | u128::from(low)) & known))
}

/// Whether two texts are the same. Short ones, as names are, take two steps.
#[inline]
pub(crate) fn same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        8..=16 => left.first_chunk::<8>() == right.first_chunk() && left.last_chunk::<8>() == right.last_chunk(),
        17..=32 => left.first_chunk::<16>() == right.first_chunk() && left.last_chunk::<16>() == right.last_chunk(),
        4..8 => left.first_chunk::<4>() == right.first_chunk() && left.last_chunk::<4>() == right.last_chunk(),
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_is_judged_as_it_would_be_alone() {
        let holds = |block: Block| {
            [block.equal(b'/'), block.within(b'a', b'z'), !block.within(0, 0x7F), block.with(0x20).equal(b'k')]
        };
        let alone: [fn(u8) -> bool; 4] = [
            |byte| byte == b'/',
            |byte| byte.is_ascii_lowercase(),
            |byte| !byte.is_ascii(),
            |byte| b"Kk".contains(&byte),
        ];
        for length in (0..40).chain([MOST - 1, MOST]) {
            for at in 0..length {
                for byte in [0, b'/', b'a', b'k', b'K', b'z', b'{', b'`', 0x7F, 0x80, 0xFF] {
                    let mut text = vec![b'z'; length];
                    text[at] = byte;
                    let bits = bits(&text, holds).unwrap();
                    for (answer, alone) in bits.into_iter().zip(alone) {
                        let expected = text.iter().rev().fold(0, |bits, byte| bits << 1 | u128::from(alone(*byte)));
                        assert_eq!(answer, expected, "{text:?}");
                    }
                    let first = text.iter().position(|byte| !byte.is_ascii()).unwrap_or(length);
                    assert_eq!(before(&text, |block| !block.within(0, 0x7F)), first, "{text:?}");
                }
            }
        }
        assert!(bits(&[0; MOST + 1], holds).is_none());
    }

    #[test]
    fn what_is_behind_the_end_is_not_asked() {
        for length in 0..40 {
            let text = vec![b'x'; length];
            assert_eq!(before(&text, |block| block.equal(0)), length);
            assert_eq!(bits(&text, |block| [block.equal(0)]), Some([0]));
        }
    }

    #[test]
    fn a_difference_is_seen_wherever_it_is() {
        for length in 0..36 {
            let text: Vec<u8> = (b'a'..=b'z').cycle().take(length).collect();
            assert!(same(&text, &text.clone()));
            assert!(!same(&text, &[text.as_slice(), b"z"].concat()));
            for at in 0..length {
                let mut other = text.clone();
                other[at] = b'!';
                assert!(!same(&text, &other) && !same(&other, &text), "{length} {at}");
            }
        }
    }
}
