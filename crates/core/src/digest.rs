//! SHA-256 digests: `sha256:` and 64 lowercase hexadecimal digits, nothing else parses.

use std::fmt;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use crate::{form, rules::artifacts};

const PREFIX: &str = "sha256:";
const TEXT_BYTES: usize = PREFIX.len() + 64;

/// What no digit is worth.
const NO_DIGIT: u8 = 0x80;

/// What each byte is worth as a digit.
#[expect(clippy::indexing_slicing, reason = "computed when the program is built, where a wrong index is an error")]
static VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value] as usize] = value as u8;
        value += 1;
    }
    values
};

fn value(digit: u8) -> u8 {
    VALUES.get(usize::from(digit)).copied().unwrap_or(NO_DIGIT)
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
        let mut bytes = [0; 32];
        // All digits are looked at before one of them is refused: a file table has many, and nearly all are right.
        let mut wrong = 0;
        for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks().0) {
            let (high, low) = (value(*high), value(*low));
            wrong |= high | low;
            *byte = high << 4 | low & 0x0F;
        }
        (wrong & NO_DIGIT == 0).then_some(Self(bytes))
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 digits without the prefix.
    #[must_use]
    pub fn hex(&self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// Lends the written form from the stack: a file table has one for every file.
    fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
        let mut text = [0; TEXT_BYTES];
        let (prefix, digits) = text.split_at_mut(PREFIX.len());
        prefix.copy_from_slice(PREFIX.as_bytes());
        HEXLOWER.encode_mut(&self.0, digits);
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
    use super::*;

    #[test]
    fn digits_are_read_as_an_independent_reader_reads_them() {
        let good = Digest::of(b"some bytes").to_string();
        assert_eq!(Digest::parse(&good), Some(Digest::of(b"some bytes")));
        for at in PREFIX.len()..TEXT_BYTES {
            for byte in 0..128_u8 {
                let mut text = good.clone().into_bytes();
                text[at] = byte;
                let text = String::from_utf8(text).unwrap();
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
