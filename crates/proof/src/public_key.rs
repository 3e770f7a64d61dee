//! The public keys of a log.
//!
//! They have the encoding of C2SP signed notes, `<name>+<id>+<base64>`. The name is the log's origin; a new key of the same
//! log keeps it.

use data_encoding::BASE64;
use signed_note::{StandardVerifier, VerifierList};

use crate::{
    fault::{JournalFault, JournalFaultKind},
    signed_text::is_origin,
};

/// The public key of a log: its name, an id and the key itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(String);

/// Public keys of one log, the newest first: a log whose key was changed has several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKeys(Vec<PublicKey>);

impl PublicKey {
    /// Reads a public key.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, JournalFault> {
        let is_key = StandardVerifier::new(text).is_ok() && text.split('+').next().is_some_and(is_origin);
        let in_small = text.split('+').nth(1).is_some_and(|id| !id.bytes().any(|byte| byte.is_ascii_uppercase()));
        if is_key && in_small {
            Ok(Self(text.to_owned()))
        } else {
            Err(unusable("a public key must be one line, `NAME+ID+KEY`, with the id in lowercase"))
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The log's name.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.0.split('+').next().unwrap_or_default()
    }

    /// What names the key: the log's name and the key's id, `NAME+ID`.
    #[must_use]
    pub fn id(&self) -> String {
        self.0.splitn(3, '+').take(2).collect::<Vec<_>>().join("+")
    }

    /// The 32 bytes of the key, whatever it is named.
    pub(crate) fn bytes(&self) -> Option<[u8; 32]> {
        let bytes = BASE64.decode(self.0.splitn(3, '+').nth(2)?.as_bytes()).ok()?;
        bytes.get(1..)?.try_into().ok()
    }
}

impl PublicKeys {
    #[must_use]
    pub fn one(key: PublicKey) -> Self {
        Self(vec![key])
    }

    /// Reads a file of public keys, one a line. All are of one log.
    ///
    /// # Errors
    /// When a line is no key, or there is none, or the names differ.
    pub fn parse(text: &str) -> Result<Self, JournalFault> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut keys: Vec<PublicKey> = Vec::new();
        for line in lines {
            let key = PublicKey::parse(line)?;
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let Some(first) = keys.first() else {
            return Err(unusable("a file of public keys must hold at least one, and holds none"));
        };
        if keys.iter().any(|key| key.origin() != first.origin()) {
            return Err(unusable("the public keys in one file must be of one log, and have different names"));
        }
        Ok(Self(keys))
    }

    /// The keys, the newest first.
    #[must_use]
    pub fn as_slice(&self) -> &[PublicKey] {
        &self.0
    }

    /// The log's name.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.0.first().map_or("", PublicKey::origin)
    }

    /// Whether a key is among them.
    #[must_use]
    pub fn contains(&self, key: &PublicKey) -> bool {
        self.0.contains(key)
    }

    /// These keys and a newer one.
    ///
    /// # Errors
    /// When it is of another log.
    pub fn with_newer(&self, key: PublicKey) -> Result<Self, JournalFault> {
        let text = format!("{}\n{}", key.as_str(), self.to_file());
        Self::parse(&text)
    }

    /// The keys as their file holds them.
    #[must_use]
    pub fn to_file(&self) -> String {
        self.0.iter().map(|key| format!("{}\n", key.0)).collect()
    }

    pub(crate) fn verifiers(&self) -> VerifierList {
        let verifiers = self.0.iter().filter_map(|key| StandardVerifier::new(&key.0).ok());
        VerifierList::new(verifiers.map(|verifier| Box::new(verifier) as Box<dyn signed_note::Verifier>).collect())
    }
}

fn unusable(detail: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::WrongKey, detail)
}
