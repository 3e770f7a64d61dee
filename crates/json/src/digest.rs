//! SHA-256 digests: `sha256:` and 64 lowercase hexadecimal digits, nothing else parses.

use std::{borrow::Cow, fmt};

use data_encoding::HEXLOWER;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

const PREFIX: &str = "sha256:";
const TEXT_BYTES: usize = PREFIX.len() + 64;

/// A SHA-256 digest.
#[derive(Clone, Copy, Debug)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Its name in JSON Schemas.
    pub const NAME: &'static str = "digest";
    /// The written form, in words.
    pub const EXPECTED: &'static str = "sha256: and 64 lowercase hexadecimal digits";
    /// The written form, as a regular expression.
    pub const PATTERN: &'static str = "^sha256:[0-9a-f]{64}$";

    /// Hashes some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest that was computed elsewhere.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads the written form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits: &[u8; 64] = text.strip_prefix(PREFIX)?.as_bytes().try_into().ok()?;
        let mut bytes = [0; 32];
        HEXLOWER.decode_mut(digits, &mut bytes).ok()?;
        Some(Self(bytes))
    }

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

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_text(|text| serializer.serialize_str(text))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;

        impl de::Visitor<'_> for Written {
            type Value = Digest;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(Digest::EXPECTED)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
                Digest::parse(text).ok_or_else(|| E::custom(format_args!("expected {}", Digest::EXPECTED)))
            }
        }

        deserializer.deserialize_str(Written)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> Cow<'static, str> {
        Self::NAME.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "title": Self::NAME, "description": Self::EXPECTED, "pattern": Self::PATTERN,
            "minLength": 1, "maxLength": TEXT_BYTES,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the standard library writes and reads bytes in base sixteen.
    fn spelled(bytes: &[u8; 32]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn digests_are_written_as_an_independent_writer_writes_them() {
        for number in 0..1024_u32 {
            let digest = Digest::of(&number.to_le_bytes());
            assert_eq!(digest.hex(), spelled(digest.as_bytes()));
            assert_eq!(digest.to_string(), format!("sha256:{}", spelled(digest.as_bytes())));
        }
    }

    #[test]
    fn one_other_digit_is_another_digest_and_anything_else_is_none() {
        let good = Digest::of(b"some bytes").to_string();
        assert_eq!(Digest::parse(&good), Some(Digest::of(b"some bytes")));
        for at in PREFIX.len()..TEXT_BYTES {
            for byte in 0..=u8::MAX {
                let mut text = good.clone().into_bytes();
                text[at] = byte;
                let Ok(text) = String::from_utf8(text) else { continue };
                let is_digit = matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                assert_eq!(Digest::parse(&text).map(|digest| digest.to_string()), is_digit.then_some(text));
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
