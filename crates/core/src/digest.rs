//! SHA-256 digests: `sha256:` and 64 lowercase hexadecimal digits, nothing else parses.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use crate::{form, rules::artifacts};

const PREFIX: &str = "sha256:";
const TEXT_BYTES: usize = PREFIX.len() + 64;

/// A word of ones: multiplied by a byte, it repeats it.
const ONES: u64 = u64::from_le_bytes([1; 8]);

/// How far `a` lies beyond the digit that would follow `9`.
const LETTERS: u64 = (b'a' - b'0' - 10) as u64;

/// Eight values below sixteen as eight digits, all at once.
const fn digits(values: u64) -> u64 {
    let letters = (values.wrapping_add(ONES * 6) >> 4) & ONES;
    values.wrapping_add(ONES * b'0' as u64).wrapping_add(letters.wrapping_mul(LETTERS))
}

/// What a digit is worth; more than fifteen when it is none.
const fn value(digit: u8) -> u8 {
    let number = digit.wrapping_sub(b'0');
    let letter = digit.wrapping_sub(b'a');
    if number < 10 {
        number
    } else if letter < 6 {
        letter + 10
    } else {
        0xFF
    }
}

/// Four bytes as eight digits.
fn written(bytes: [u8; 4]) -> [u8; 8] {
    let together = u64::from(u32::from_le_bytes(bytes));
    let halves = (together | together << 16) & 0x0000_FFFF_0000_FFFF;
    let apart = (halves | halves << 8) & 0x00FF_00FF_00FF_00FF;
    let values = (apart >> 4 & 0x000F_000F_000F_000F) | (apart & 0x000F_000F_000F_000F) << 8;
    digits(values).to_le_bytes()
}

/// A SHA-256 digest.
#[derive(Clone, Copy, Debug)]
pub struct Digest([u8; 32]);

form! {
    Digest {
        name: "digest",
        rule: artifacts::B004,
        expected: "sha256: and 64 lowercase hexadecimal digits",
        pattern: "^sha256:[0-9a-f]{64}$",
        max_length: 71,
    }
}

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest that was computed elsewhere, from its raw bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads the written form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits: &[u8; 64] = text.strip_prefix(PREFIX)?.as_bytes().try_into().ok()?;
        // Without a step that depends on another, compilers take many digits at once.
        let values = digits.map(value);
        let is_other = values.iter().fold(0, |other, value| other | value) > 0x0F;
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(values.as_chunks().0) {
            *byte = high << 4 | low;
        }
        (!is_other).then_some(Self(bytes))
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 digits without the prefix.
    #[must_use]
    pub fn hex(&self) -> String {
        self.with_text(|text| text.get(PREFIX.len()..).unwrap_or_default().to_owned())
    }

    /// Lends the written form from the stack: a file table has one for every file.
    fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
        let mut text = [0; TEXT_BYTES];
        let (prefix, digits) = text.split_at_mut(PREFIX.len());
        prefix.copy_from_slice(PREFIX.as_bytes());
        for (four, eight) in self.0.as_chunks().0.iter().zip(digits.as_chunks_mut().0) {
            *eight = written(*four);
        }
        write(std::str::from_utf8(&text).unwrap_or_default())
    }
}

/// Equality takes the same time wherever two digests differ.
impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Digest {}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| formatter.write_str(text))
    }
}

/// How much is collected before it is hashed: enough that the hasher works on whole blocks, little enough to stay near.
pub(crate) const COLLECTED: usize = 4096;

/// Counts and hashes.
#[derive(Debug, Default)]
pub(crate) struct Hasher {
    state: Sha256,
    size: u64,
}

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
        self.size += bytes.len() as u64;
    }

    pub(crate) fn finish(self) -> (Digest, u64) {
        (Digest(self.state.finalize().into()), self.size)
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;

    use super::*;

    #[test]
    fn digits_are_written_as_an_independent_writer_writes_them() {
        for number in 0..1024_u32 {
            let digest = Digest::of(&number.to_le_bytes());
            assert_eq!(digest.hex(), HEXLOWER.encode(digest.as_bytes()));
        }
        for byte in 0..=u8::MAX {
            let digest = Digest::from_bytes([byte; 32]);
            assert_eq!(digest.to_string(), format!("sha256:{}", HEXLOWER.encode(&[byte; 32])));
        }
    }

    #[test]
    fn digits_are_read_as_an_independent_reader_reads_them() {
        let good = Digest::of(b"some bytes").to_string();
        assert_eq!(Digest::parse(&good), Some(Digest::of(b"some bytes")));
        for at in PREFIX.len()..TEXT_BYTES {
            for byte in 0..=u8::MAX {
                let mut text = good.clone().into_bytes();
                text[at] = byte;
                let Ok(text) = String::from_utf8(text) else { continue };
                let expected = HEXLOWER.decode(&text.as_bytes()[PREFIX.len()..]).ok();
                assert_eq!(Digest::parse(&text).map(|digest| digest.0.to_vec()), expected, "{text}");
            }
        }
    }

    #[test]
    fn nothing_shorter_longer_or_foreign_is_a_digest() {
        let good = Digest::of(b"").to_string();
        let wide = format!("{}\u{e9}", &good[..good.len() - 2]);
        for text in ["", PREFIX, &good[1..], &good[..good.len() - 1], &format!("{good}0"), &good.to_uppercase(), &wide]
        {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }
}
