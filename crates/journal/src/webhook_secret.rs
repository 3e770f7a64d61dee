//! The secret that a receiver of webhooks shares with the service: `whsec_` and 32 random bytes in Base64.

use std::fmt;

use data_encoding::BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use svc_proof::fault::{JournalFault, JournalFaultKind};

const PREFIX: &str = "whsec_";

/// The bytes of a secret. It is written down by the store, and shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl WebhookSecret {
    /// A new one.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn generate() -> Result<Self, JournalFault> {
        random().map(Self)
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64.decode(text.strip_prefix(PREFIX)?.as_bytes()).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// The text, for the one who is to have it.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", BASE64.encode(&self.0))
    }

    /// What signatures are made with.
    #[must_use]
    pub const fn key(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Never with its bytes.
impl fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WebhookSecret")
    }
}

impl Serialize for WebhookSecret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.reveal())
    }
}

impl<'de> Deserialize<'de> for WebhookSecret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The text itself is never part of a message.
        Self::parse(&String::deserialize(deserializer)?).ok_or_else(|| de::Error::custom("no secret of a webhook"))
    }
}

/// Random bytes.
///
/// # Errors
/// When the system gives none.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], JournalFault> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        JournalFault::new(JournalFaultKind::Storage, format!("the system gives no random bytes: {error}"))
    })?;
    Ok(bytes)
}
