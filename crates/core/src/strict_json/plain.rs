//! Bytes of a JSON string that stand for themselves: all but `"`, `\` and the control characters. Read and written text
//! consists of little else, so they are looked for eight at a time.

use crate::eight::{self, HIGH_BITS, ONES};

/// How many bytes from the start stand for themselves.
pub(crate) fn run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let found = special(u64::from_le_bytes(*word));
        if found != 0 {
            return 8 * at + eight::first(found);
        }
    }
    let tail = rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20);
    8 * words.len() + tail.unwrap_or(rest.len())
}

/// How many bytes from the start stand for themselves and are printable ASCII, of which nothing is ever refused.
#[inline]
pub(crate) fn printable_run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // Adding one sets the high bit of 0x7F; a carry out of 0xFF only reaches bytes above it.
        let found = special(word) | ((word | word.wrapping_add(ONES)) & HIGH_BITS);
        if found != 0 {
            return 8 * at + eight::first(found);
        }
    }
    let tail = rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || !matches!(byte, 0x20..0x7F));
    8 * words.len() + tail.unwrap_or(rest.len())
}

/// How many blanks there are at the start.
#[inline]
pub(crate) fn blank_run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let other = u64::from_le_bytes(*word) ^ (ONES * b' ' as u64);
        if other != 0 {
            return 8 * at + eight::first(other);
        }
    }
    8 * words.len() + rest.iter().position(|&byte| byte != b' ').unwrap_or(rest.len())
}

/// The lowest set bit is in the first byte that does not stand for itself. A borrow can set bits above it, never below.
const fn special(word: u64) -> u64 {
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = zero_bytes(word ^ (ONES * b'"' as u64));
    let backslash = zero_bytes(word ^ (ONES * b'\\' as u64));
    (control | quote | backslash) & HIGH_BITS
}

const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_run(bytes: &[u8]) -> usize {
        bytes.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count()
    }

    fn plain_printable_run(bytes: &[u8]) -> usize {
        bytes.iter().take_while(|byte| matches!(byte, 0x20..0x7F) && !matches!(byte, b'"' | b'\\')).count()
    }

    fn plain_blank_run(bytes: &[u8]) -> usize {
        bytes.iter().take_while(|byte| **byte == b' ').count()
    }

    #[test]
    fn every_byte_at_every_place_is_judged_as_it_would_be_alone() {
        for length in 0..20 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    for around in [b'a', 0x80, 0xFF, b'!', b'#', b' '] {
                        let mut bytes = vec![around; length];
                        bytes[at] = byte;
                        assert_eq!(run(&bytes), plain_run(&bytes), "{bytes:?}");
                        assert_eq!(printable_run(&bytes), plain_printable_run(&bytes), "{bytes:?}");
                        assert_eq!(blank_run(&bytes), plain_blank_run(&bytes), "{bytes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_first_of_several_is_found() {
        for pair in [[b'"', 0x1F], [0x1F, b'"'], [b'\\', b'"'], [0, 0], [b'"', b'#'], [b'\\', b']']] {
            for at in 0..14 {
                let mut bytes = [b'x'; 16];
                bytes[at] = pair[0];
                bytes[at + 1] = pair[1];
                assert_eq!(run(&bytes), at);
            }
        }
    }
}
