//! SHA-256 digests: `sha256:` and 64 lowercase hexadecimal digits, nothing else parses.

use std::fmt;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use crate::{form, rules::artifacts};

const PREFIX: &str = "sha256:";
const TEXT_BYTES: usize = PREFIX.len() + 64;

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
        let hex = text.strip_prefix(PREFIX)?;
        let mut bytes = [0; 32];
        if hex.len() != 2 * bytes.len() {
            return None;
        }
        HEXLOWER.decode_mut(hex.as_bytes(), &mut bytes).ok()?;
        Some(Self(bytes))
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
