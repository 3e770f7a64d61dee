//! Runs of bytes that the tokenizer and the writer pass in one step. Text consists of little else.

use crate::simd_scan::find_first;

/// How many bytes from the start stand for themselves inside a JSON string: all but `"`, `\` and the control characters.
#[inline]
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    find_first(bytes, |chunk| chunk.within(0, 0x1F) | chunk.equal(b'"') | chunk.equal(b'\\'))
}

/// How many of them are printable ASCII besides, of which no character is ever refused.
#[inline]
pub(crate) fn printable_run(bytes: &[u8]) -> usize {
    find_first(bytes, |chunk| !chunk.within(0x20, 0x7E) | chunk.equal(b'"') | chunk.equal(b'\\'))
}

/// How many bytes from the start are white space between tokens.
#[inline]
pub(crate) fn space_run(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_plain(byte: u8) -> bool {
        !matches!(byte, b'"' | b'\\' | 0..0x20)
    }

    fn is_space(byte: u8) -> bool {
        matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
    }

    #[test]
    fn every_byte_at_every_place_is_judged_as_it_would_be_alone() {
        for length in 0..36 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    for around in [b'a', 0x80, 0xFF, b'!', b'#', b' ', b'\n', b'\t', b'\r'] {
                        let mut bytes = vec![around; length];
                        bytes[at] = byte;
                        let run = |holds: fn(u8) -> bool| bytes.iter().take_while(|byte| holds(**byte)).count();
                        assert_eq!(plain_run(&bytes), run(is_plain), "{bytes:?}");
                        assert_eq!(space_run(&bytes), run(is_space), "{bytes:?}");
                        let printable = |byte| is_plain(byte) && byte < 0x7F;
                        assert_eq!(printable_run(&bytes), run(printable), "{bytes:?}");
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
                assert_eq!(plain_run(&bytes), at);
            }
        }
    }
}
