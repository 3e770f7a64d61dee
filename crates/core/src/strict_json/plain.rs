//! Bytes of a JSON string that stand for themselves: all but `"`, `\` and the control characters. Read and written text
//! consists of little else, so they are looked for sixteen at a time.

use crate::sixteen::{self, Answer, Block};

/// How many bytes from the start stand for themselves.
pub(crate) fn run(bytes: &[u8]) -> usize {
    sixteen::before(bytes, |block| block.within(0, 0x1F) | is_special(block))
}

/// How many bytes from the start stand for themselves and are printable ASCII, of which nothing is ever refused.
#[inline]
pub(crate) fn printable_run(bytes: &[u8]) -> usize {
    sixteen::before(bytes, |block| !block.within(0x20, 0x7E) | is_special(block))
}

fn is_special(block: Block) -> Answer {
    block.equal(b'"') | block.equal(b'\\')
}

/// A number of one to nine digits that a comma, the end of a line or a bracket follows, and its length: what nearly all
/// numbers are.
#[inline]
pub(crate) fn small_number(bytes: &[u8]) -> Option<(u64, usize)> {
    let (mut number, mut length) = (0, 0);
    while let Some(digit @ b'0'..=b'9') = bytes.get(length) {
        number = 10 * number + u64::from(digit - b'0');
        length += 1;
        if length > 9 {
            return None;
        }
    }
    let has_zeros = length > 1 && bytes.first() == Some(&b'0');
    let ends = matches!(bytes.get(length), Some(b',' | b'\n' | b'}' | b']'));
    (length > 0 && !has_zeros && ends).then_some((number, length))
}

/// Whether all bytes are blanks. Indentation is even, and mostly of eight or fewer.
#[inline]
pub(crate) fn are_blanks(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let (pairs, odd) = rest.as_chunks::<2>();
    let blank = words.iter().all(|word| *word == [b' '; 8]) && pairs.iter().all(|pair| *pair == [b' '; 2]);
    blank && matches!(odd, [] | [b' '])
}

/// How many blanks there are at the start.
#[inline]
pub(crate) fn blank_run(bytes: &[u8]) -> usize {
    sixteen::before(bytes, |block| !block.equal(b' '))
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
        for length in 0..36 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    for around in [b'a', 0x80, 0xFF, b'!', b'#', b' '] {
                        let mut bytes = vec![around; length];
                        bytes[at] = byte;
                        assert_eq!(run(&bytes), plain_run(&bytes), "{bytes:?}");
                        assert_eq!(printable_run(&bytes), plain_printable_run(&bytes), "{bytes:?}");
                        assert_eq!(blank_run(&bytes), plain_blank_run(&bytes), "{bytes:?}");
                        assert_eq!(are_blanks(&bytes), plain_blank_run(&bytes) == length, "{bytes:?}");
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
                assert_eq!((run(&bytes), printable_run(&bytes)), (at, at));
            }
        }
    }
}
