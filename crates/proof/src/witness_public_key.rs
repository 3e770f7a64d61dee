//! The public key of a witness: a type of its own, which verifies cosignatures and nothing else.
//!
//! The encoding is that of a log's keys with another type byte (C2SP tlog-cosignature, Ed25519): `<name>+<id>+<base64>`. A
//! key has one spelling.

use std::fmt;

use data_encoding::{BASE64, HEXLOWER};
use ed25519_dalek::{Signature, VerifyingKey};
use sha2::{Digest as _, Sha256};

use crate::{
    fault::{JournalFault, JournalFaultKind},
    signed_text::SignedText,
};

/// The type byte of a witness's key.
pub const COSIGNATURE_V1: u8 = 4;
const MAX_NAME_BYTES: usize = 255;

/// The public key of a witness: its name, an id and the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessPublicKey {
    name: String,
    id: [u8; 4],
    key: VerifyingKey,
}

impl WitnessPublicKey {
    /// Reads a public key.
    ///
    /// # Errors
    /// When it is none, or one of a log.
    pub fn parse(text: &str) -> Result<Self, JournalFault> {
        let read = || {
            let (name, _, bytes) = parts(text)?;
            let key = VerifyingKey::from_bytes(<&[u8; 32]>::try_from(bytes.as_slice()).ok()?).ok()?;
            Self::new(name, key).filter(|key| key.to_string() == text)
        };
        read().ok_or_else(|| {
            unusable("the key of a witness must be `NAME+ID+KEY` with the type byte 4 (Ed25519, cosignature/v1)")
        })
    }

    /// The key under this name. None when the name is none, or anybody can sign for the key.
    #[must_use]
    pub fn new(name: &str, key: VerifyingKey) -> Option<Self> {
        let is_name =
            signed_note::is_key_name_valid(name) && name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_control);
        // Anybody can sign anything for a weak key.
        if !is_name || key.is_weak() {
            return None;
        }
        let hash = Sha256::new()
            .chain_update(name.as_bytes())
            .chain_update([b'\n', COSIGNATURE_V1])
            .chain_update(key.as_bytes())
            .finalize();
        let id = hash.first_chunk::<4>().copied()?;
        Some(Self { name: name.to_owned(), id, key })
    }

    /// The witness's own name, which stands in its signature lines.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub const fn id(&self) -> [u8; 4] {
        self.id
    }

    /// The 32 bytes of the key, whatever it is named.
    #[must_use]
    pub fn bytes(&self) -> [u8; 32] {
        self.key.to_bytes()
    }

    /// Whether it signed a text of a witness.
    #[must_use]
    pub fn has_signed(&self, text: &SignedText<'_>, signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        text.of_witness().is_some_and(|text| self.key.verify_strict(&text, &signature).is_ok())
    }
}

impl fmt::Display for WitnessPublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<u8> = std::iter::once(COSIGNATURE_V1).chain(self.bytes()).collect();
        write!(formatter, "{}+{}+{}", self.name, HEXLOWER.encode(&self.id), BASE64.encode(&bytes))
    }
}

/// Name, id and key of `NAME+ID+KEY`, where the key has the type of a witness's.
#[must_use]
pub fn parts(text: &str) -> Option<(&str, &str, Vec<u8>)> {
    let (name, rest) = text.split_once('+')?;
    let (id, key) = rest.split_once('+')?;
    let bytes = BASE64.decode(key.as_bytes()).ok()?;
    let (kind, key) = bytes.split_first()?;
    (*kind == COSIGNATURE_V1).then(|| (name, id, key.to_vec()))
}

fn unusable(detail: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::WrongKey, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_keys_are_refused() {
        for weak in [[0_u8; 32], {
            let mut one = [0; 32];
            one[0] = 1;
            one
        }] {
            let weak = VerifyingKey::from_bytes(&weak).unwrap();
            assert!(WitnessPublicKey::new("a.example", weak).is_none());
        }
    }
}
