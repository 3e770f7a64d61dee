//! Eight bytes at a time: questions that are asked of every byte of a text, answered for a whole word at once.
//!
//! An answer is a word again, with the high bit set in each byte that it holds for. The first byte of a text is the lowest
//! of its word.

/// A word of ones: multiplied by a byte, it repeats it.
pub(crate) const ONES: u64 = u64::from_le_bytes([1; 8]);

/// The high bit of every byte.
pub(crate) const HIGH_BITS: u64 = ONES * 0x80;

/// The bytes that are this one.
pub(crate) const fn equal(word: u64, byte: u8) -> u64 {
    let other = word ^ (ONES * byte as u64);
    !(((other & !HIGH_BITS) + !HIGH_BITS) | other) & HIGH_BITS
}

/// The bytes within a range of ASCII, both ends included.
pub(crate) const fn within(word: u64, first: u8, last: u8) -> u64 {
    let seven = word & !HIGH_BITS;
    let from_first = seven + ONES * (0x80 - first as u64);
    let beyond_last = seven + ONES * (0x7F - last as u64);
    from_first & !beyond_last & !word & HIGH_BITS
}

/// The place of the first byte that an answer holds for; eight when there is none.
pub(crate) const fn first(answer: u64) -> usize {
    answer.trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_judged_as_it_would_be_alone() {
        let answer = |holds: fn(u8) -> bool, bytes: [u8; 8]| {
            u64::from_le_bytes(bytes.map(|byte| if holds(byte) { 0x80 } else { 0 }))
        };
        for byte in 0..=u8::MAX {
            for around in [0, 1, b'a', b'z', b'{', b'`', b'/', 0x7F, 0x80, 0xFF] {
                for at in 0..8 {
                    let mut bytes = [around; 8];
                    bytes[at] = byte;
                    let word = u64::from_le_bytes(bytes);
                    assert_eq!(equal(word, b'/'), answer(|byte| byte == b'/', bytes), "{bytes:?}");
                    assert_eq!(within(word, b'a', b'z'), answer(|byte| byte.is_ascii_lowercase(), bytes), "{bytes:?}");
                    assert_eq!(within(word, 0, 0x7F), answer(|byte| byte.is_ascii(), bytes), "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn the_first_is_the_lowest() {
        assert_eq!(first(equal(u64::from_le_bytes(*b"ab/cd/ef"), b'/')), 2);
        assert_eq!(first(0), 8);
    }
}
