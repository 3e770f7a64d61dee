//! The secret key of a witness: a type of its own, which signs cosignatures and nothing else, as a log's key never does.
//!
//! It is one line, `PRIVATE+KEY+<name>+<id>+<base64>`, and has one spelling.

use std::fmt;

use data_encoding::{BASE64, HEXLOWER};
use ed25519_dalek::{Signer as _, SigningKey};
use svc_proof::{
    checkpoint::Checkpoint,
    cosignature::{Cosignature, CosignatureLine, is_time},
    fault::{JournalFault, JournalFaultKind},
    signed_text::SignedText,
    witness_public_key::{COSIGNATURE_V1, WitnessPublicKey, parts},
};

/// The secret key of a witness.
pub struct WitnessKey {
    signing: SigningKey,
    public: WitnessPublicKey,
}

impl WitnessKey {
    /// A new key for a witness of this name.
    ///
    /// # Errors
    /// When the system has no randomness to give, or the name is none.
    pub fn generate(name: &str) -> Result<Self, JournalFault> {
        let mut seed = [0_u8; 32];
        getrandom::fill(&mut seed).map_err(|error| {
            JournalFault::new(JournalFaultKind::Unusable, format!("the system gives no random bytes: {error}"))
        })?;
        Self::from_seed(name, &seed)
    }

    /// The key that these bytes give: for tests and published cases, which need the same key again.
    ///
    /// # Errors
    /// When the name is none.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, JournalFault> {
        let signing = SigningKey::from_bytes(seed);
        let public = WitnessPublicKey::new(name, signing.verifying_key());
        let public = public.ok_or_else(|| {
            unusable("the name of a witness must be 1 to 255 bytes without blanks, control characters and `+`")
        })?;
        Ok(Self { signing, public })
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, JournalFault> {
        let refused =
            || unusable("the secret key of a witness must be one line, as `svc-registry witness init` writes it");
        let line = text.strip_suffix('\n').unwrap_or(text);
        let (name, _, bytes) = line.strip_prefix("PRIVATE+KEY+").and_then(parts).ok_or_else(refused)?;
        let seed = <[u8; 32]>::try_from(bytes.as_slice()).map_err(|_| refused())?;
        let key = Self::from_seed(name, &seed)?;
        if key.to_file().strip_suffix('\n') == Some(line) { Ok(key) } else { Err(refused()) }
    }

    /// The key as its file holds it.
    #[must_use]
    pub fn to_file(&self) -> String {
        let bytes: Vec<u8> = std::iter::once(COSIGNATURE_V1).chain(self.signing.to_bytes()).collect();
        let (name, id) = (self.public.name(), HEXLOWER.encode(&self.public.id()));
        format!("PRIVATE+KEY+{name}+{id}+{}\n", BASE64.encode(&bytes))
    }

    #[must_use]
    pub fn public(&self) -> &WitnessPublicKey {
        &self.public
    }

    /// Signs what a witness saw. It must have been written down before: a signature cannot be taken back.
    ///
    /// # Errors
    /// When the time has no form, or the key does not sign.
    pub fn cosign(&self, checkpoint: &Checkpoint, time: u64) -> Result<Cosignature, JournalFault> {
        let failed = || unusable("the witness cannot sign at this time");
        let text = SignedText::Cosignature { time, checkpoint: checkpoint.body() };
        let signature = self.sign(&text).filter(|_| is_time(time)).ok_or_else(failed)?;
        let bytes = [&self.public.id()[..], &time.to_be_bytes(), &signature].concat();
        let line = format!("\u{2014} {} {}", self.public.name(), BASE64.encode(&bytes));
        match Cosignature::read(&line, &self.public, checkpoint) {
            CosignatureLine::Good(cosignature) => Ok(cosignature),
            CosignatureLine::Bad | CosignatureLine::Foreign => Err(failed()),
        }
    }

    /// Signs a text of a witness. There is no function that takes other bytes.
    fn sign(&self, text: &SignedText<'_>) -> Option<[u8; 64]> {
        Some(self.signing.try_sign(&text.of_witness()?).ok()?.to_bytes())
    }
}

/// Shows the public half alone.
impl fmt::Debug for WitnessKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("WitnessKey").field(&self.public.to_string()).finish()
    }
}

fn unusable(detail: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::WrongKey, detail)
}

#[cfg(test)]
mod tests {
    use svc_proof::public_key::PublicKey;

    use super::*;
    use crate::log_key::LogKey;

    #[test]
    fn a_changed_key_is_no_key_and_secrets_do_not_show() {
        let key = WitnessKey::generate("witness.example/w1").unwrap();
        let (file, public) = (key.to_file(), key.public().to_string());
        assert_eq!(WitnessKey::parse(&file).unwrap().public(), key.public());
        assert_eq!(WitnessPublicKey::parse(&public).as_ref(), Ok(key.public()));
        let changed = |text: &str, at: usize| {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            String::from_utf8(bytes).unwrap()
        };
        for at in 0..file.len() - 1 {
            assert!(WitnessKey::parse(&changed(&file, at)).is_err(), "{at}");
        }
        for at in 0..public.len() {
            assert!(WitnessPublicKey::parse(&changed(&public, at)).is_err(), "{at}");
        }
        for text in [format!("{public}\n"), format!(" {public}"), public.replacen('+', "+0", 1), public.to_uppercase()]
        {
            assert!(WitnessPublicKey::parse(&text).is_err(), "{text:?}");
        }
        let secret = file.splitn(5, '+').nth(4).unwrap().trim();
        assert!(!format!("{key:?}").contains(secret) && !public.contains(secret));
    }

    #[test]
    fn the_key_of_a_log_is_none_of_a_witness_and_the_other_way_round() {
        let seed = [7; 32];
        let log = LogKey::from_seed("a.example", &seed).unwrap();
        let witness = WitnessKey::from_seed("a.example", &seed).unwrap();
        assert!(WitnessKey::parse(&log.to_file()).is_err());
        assert!(LogKey::parse(&witness.to_file()).is_err());
        assert!(WitnessPublicKey::parse(log.public().as_str()).is_err());
        assert!(PublicKey::parse(&witness.public().to_string()).is_err());
    }

    #[test]
    fn names_that_end_a_line_are_refused() {
        let long = "a".repeat(256);
        for name in ["", "a b", "a\u{a0}b", "a\n", "a\u{0}", "a\u{85}", "a+b", &long] {
            assert!(WitnessKey::from_seed(name, &[1; 32]).is_err(), "{name:?}");
        }
        for name in ["a", "wïtness.example", &long[1..]] {
            assert!(WitnessKey::from_seed(name, &[1; 32]).is_ok(), "{name:?}");
        }
    }
}
