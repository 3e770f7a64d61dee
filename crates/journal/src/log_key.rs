//! The log's key. It signs the texts of [`signed_text`](svc_proof::signed_text) and nothing else: there is no function that takes
//! other bytes.
//!
//! Keys have the encodings of C2SP signed notes. A secret key is one line, `PRIVATE+KEY+<name>+<id>+<base64>`, a public
//! key `<name>+<id>+<base64>`. The name is the log's origin; a new key of the same log keeps it.

use std::fmt;

use data_encoding::{BASE64, HEXLOWER};
use ed25519_dalek::SigningKey;
use signed_note::{Note, Signer as _, StandardSigner};
use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    hand_over::KeyHandOver,
    minimum_index::MinimumIndex,
    public_key::{PublicKey, PublicKeys},
    signed_text::SignedText,
    tree::Hash,
};

const ED25519: u8 = 1;
const ORIGIN: &str = "svc-journal-";

/// The secret key of a log.
pub struct LogKey {
    signer: StandardSigner,
    secret: String,
    public: PublicKey,
    /// The key that comes next, while both sign.
    announced: Option<Box<Self>>,
}

impl LogKey {
    /// A new key for a new log, with a name that no other log has.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn generate() -> Result<Self, JournalFault> {
        let mut name = [0_u8; 8];
        getrandom::fill(&mut name).map_err(no_randomness)?;
        Self::generate_for(&format!("{ORIGIN}{}", HEXLOWER.encode(&name)))
    }

    /// A new key for a log that has a name.
    ///
    /// # Errors
    /// When the system has no randomness to give, or the name is not one of a log.
    pub fn generate_for(origin: &str) -> Result<Self, JournalFault> {
        let mut seed = [0_u8; 32];
        getrandom::fill(&mut seed).map_err(no_randomness)?;
        Self::from_seed(origin, &seed)
    }

    /// The key that these bytes give: for tests and published cases, which need the same key again.
    ///
    /// # Errors
    /// When the name is not one of a log.
    pub fn from_seed(origin: &str, seed: &[u8; 32]) -> Result<Self, JournalFault> {
        let key = SigningKey::from_bytes(seed);
        let public = signed_note::new_ed25519_verifier_key(origin, &key.verifying_key());
        let id = public.strip_prefix(origin).and_then(|rest| rest.get(1..9)).unwrap_or_default();
        let mut bytes = vec![ED25519];
        bytes.extend(seed);
        Self::parse(&format!("PRIVATE+KEY+{origin}+{id}+{}", BASE64.encode(&bytes)))
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, JournalFault> {
        let secret = text.trim_end_matches('\n').to_owned();
        let signer = StandardSigner::new(&secret)
            .map_err(|_| unusable("the secret key must be one line, `PRIVATE+KEY+NAME+ID+KEY`, as svc wrote it"))?;
        let bytes = secret.splitn(5, '+').nth(4).and_then(|encoded| BASE64.decode(encoded.as_bytes()).ok());
        let seed = bytes.as_deref().and_then(|bytes| bytes.get(1..)).and_then(|seed| <&[u8; 32]>::try_from(seed).ok());
        let seed =
            seed.ok_or_else(|| unusable("the secret key must be 32 bytes of Ed25519, and has another length"))?;
        let verifying = SigningKey::from_bytes(seed).verifying_key();
        let public = PublicKey::parse(&signed_note::new_ed25519_verifier_key(signer.name(), &verifying))?;
        // One key has one spelling; the library would also take the id in capitals.
        let spelled = secret.split('+').nth(3) == public.as_str().split('+').nth(1);
        if spelled {
            Ok(Self { signer, secret, public, announced: None })
        } else {
            Err(unusable("the id in the secret key must be the one of the key, in lowercase"))
        }
    }

    /// The key as its file holds it.
    #[must_use]
    pub fn to_file(&self) -> String {
        format!("{}\n", self.secret)
    }

    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The log's name.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.signer.name()
    }

    /// This key with the one that was announced as the next: from now on both sign what the log says of itself, so that
    /// whoever knows either can read it.
    #[must_use]
    pub(crate) fn with_announced(self, next: Self) -> Self {
        Self { announced: Some(Box::new(next)), ..self }
    }

    /// Signs the state of the log. The state must be durable: a signature cannot be taken back.
    ///
    /// # Errors
    /// When the key does not sign.
    pub fn sign_checkpoint(&self, size: u64, root: &Hash) -> Result<Checkpoint, JournalFault> {
        let text = self.sign(&SignedText::Checkpoint { size, root })?;
        Ok(Checkpoint::open(&text, &self.known())?)
    }

    /// Signs that records before this one are gone.
    ///
    /// # Errors
    /// When it is not on the border of a tile, or the key does not sign.
    pub fn sign_minimum_index(&self, index: u64) -> Result<MinimumIndex, JournalFault> {
        let text = self.sign(&SignedText::MinimumIndex { index })?;
        MinimumIndex::open(&text, &self.known())
    }

    /// Signs the next key of the log.
    ///
    /// # Errors
    /// When the key does not sign, or the next one is of another log.
    pub fn hand_over_to(&self, next: &PublicKey) -> Result<KeyHandOver, JournalFault> {
        if next.origin() != self.origin() || *next == self.public {
            return Err(unusable("the next key must be another one of the same log"));
        }
        let text = self.sign(&SignedText::NextKey { public: next.as_str() })?;
        KeyHandOver::open(&text, &self.known())
    }

    /// This key as what is signed with it is read.
    fn known(&self) -> PublicKeys {
        PublicKeys::one(self.public.clone())
    }

    /// Signs one of the texts that there are. There is no function that takes other bytes.
    pub(crate) fn sign(&self, text: &SignedText<'_>) -> Result<String, JournalFault> {
        let failed = || unusable("the secret key cannot sign for this log");
        // Which key comes next is said by the key before it alone.
        let announced = self.announced.as_ref().filter(|_| !matches!(text, SignedText::NextKey { .. }));
        let signed = text.of_log(self.origin()).and_then(|text| self.sign_bytes(&text, announced.map(AsRef::as_ref)));
        signed.ok_or_else(failed)
    }

    fn sign_bytes(&self, text: &[u8], announced: Option<&Self>) -> Option<String> {
        let mut note = Note::new(text, &[]).ok()?;
        note.add_sigs(&[&self.signer]).ok()?;
        if let Some(next) = announced {
            note.add_sigs(&[&next.signer]).ok()?;
        }
        String::from_utf8(note.to_bytes()).ok()
    }
}

/// Shows the public half alone.
impl fmt::Debug for LogKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("LogKey").field(&self.public.as_str()).finish()
    }
}

fn unusable(detail: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::WrongKey, detail)
}

fn no_randomness(error: getrandom::Error) -> JournalFault {
    JournalFault::new(JournalFaultKind::Unusable, format!("the system gives no random bytes for a key: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_key_is_no_key_and_secrets_do_not_show() {
        let key = LogKey::generate().unwrap();
        let file = key.to_file();
        let again = LogKey::parse(&file).unwrap();
        assert_eq!(again.public(), key.public());
        for at in 0..file.len() - 1 {
            let mut changed = file.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(LogKey::parse(&changed).is_err(), "{at}");
        }
        let secret = file.splitn(5, '+').nth(4).unwrap().trim();
        assert!(!format!("{key:?}").contains(secret));
        assert!(!key.public().as_str().contains(secret));
    }
}
