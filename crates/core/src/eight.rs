//! Eight bytes at a time: questions that are asked of every byte of a text, answered for a whole word at once.
//!
//! An answer is a word again, with the high bit set in each byte that it holds for. The first byte of a text is the lowest
//! of its word. Sums stay within their bytes; they are written as wrapping ones because a check of each would cost more
//! than the sum.

/// A word of ones: multiplied by a byte, it repeats it.
pub(crate) const ONES: u64 = u64::from_le_bytes([1; 8]);

/// The high bit of every byte.
pub(crate) const HIGH_BITS: u64 = ONES * 0x80;

/// The bytes that are this one.
pub(crate) const fn equal(word: u64, byte: u8) -> u64 {
    let other = word ^ (ONES * byte as u64);
    !((other & !HIGH_BITS).wrapping_add(!HIGH_BITS) | other) & HIGH_BITS
}

/// The bytes within a range of ASCII, both ends included.
pub(crate) const fn within(word: u64, first: u8, last: u8) -> u64 {
    let seven = word & !HIGH_BITS;
    let from_first = seven.wrapping_add(ONES * (0x80 - first as u64));
    let beyond_last = seven.wrapping_add(ONES * (0x7F - last as u64));
    from_first & !beyond_last & !word & HIGH_BITS
}

/// Whether something holds for every word of a text, each with the place of its first byte. Bytes of the last word that
/// are beyond the end are this one.
#[inline]
pub(crate) fn all(bytes: &[u8], beyond: u8, mut holds: impl FnMut(usize, u64) -> bool) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        if !holds(8 * number, u64::from_le_bytes(*word)) {
            return false;
        }
    }
    rest.is_empty() || holds(8 * words.len(), last_word(bytes, rest, beyond))
}

/// The bytes behind the last whole word, as a word.
fn last_word(bytes: &[u8], rest: &[u8], beyond: u8) -> u64 {
    let bits = 8 * rest.len() as u32;
    let known = match bytes.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last).unbounded_shr(64 - bits),
        None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    known | (ONES * u64::from(beyond)).unbounded_shl(bits)
}

/// Whether two texts are the same. Short ones, as names are, take two steps.
pub(crate) fn same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        8..=16 => left.first_chunk::<8>() == right.first_chunk() && left.last_chunk::<8>() == right.last_chunk(),
        4..8 => left.first_chunk::<4>() == right.first_chunk() && left.last_chunk::<4>() == right.last_chunk(),
        _ => left == right,
    }
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
    fn a_difference_is_seen_wherever_it_is() {
        for length in 0..24 {
            let text: Vec<u8> = (b'a'..=b'z').take(length).collect();
            assert!(same(&text, &text.clone()));
            assert!(!same(&text, &[text.as_slice(), b"z"].concat()));
            for at in 0..length {
                let mut other = text.clone();
                other[at] = b'!';
                assert!(!same(&text, &other) && !same(&other, &text), "{length} {at}");
            }
        }
    }

    #[test]
    fn a_text_comes_in_whole_words() {
        let text = b"abcdefghijklmnopqrstuvwxyz";
        for length in 0..text.len() {
            let mut seen = Vec::new();
            let whole = all(&text[..length], b'-', |at, word| {
                assert_eq!(at, seen.len());
                seen.extend_from_slice(&word.to_le_bytes());
                true
            });
            assert!(whole && seen.len() == length.next_multiple_of(8), "{length}");
            assert_eq!(&seen[..length], &text[..length]);
            assert!(seen[length..].iter().all(|byte| *byte == b'-'), "{length}");
        }
        assert!(!all(text, b'-', |at, _| at < 16) && all(b"", b'-', |_, _| false));
    }

    #[test]
    fn the_first_is_the_lowest() {
        assert_eq!(first(equal(u64::from_le_bytes(*b"ab/cd/ef"), b'/')), 2);
        assert_eq!(first(0), 8);
    }
}
