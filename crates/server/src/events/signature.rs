//! What a delivery is signed with: Standard Webhooks 1.0, symmetric.

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use svc_journal::webhook_secret::WebhookSecret;

/// A message as it is sent once. The time is that of the try; all else is the same in every one.
#[derive(Clone, Debug)]
pub struct WebhookMessage {
    pub id: String,
    /// Seconds since 1970.
    pub timestamp: u64,
    pub body: Vec<u8>,
}

impl WebhookMessage {
    /// The headers of a delivery that is signed with each of these secrets.
    #[must_use]
    pub fn headers(&self, secrets: &[&WebhookSecret]) -> [(&'static str, String); 3] {
        [
            ("webhook-id", self.id.clone()),
            ("webhook-timestamp", self.timestamp.to_string()),
            ("webhook-signature", self.signatures(secrets)),
        ]
    }

    /// The value of `webhook-signature`: a signature for each secret, with blanks between them.
    #[must_use]
    pub fn signatures(&self, secrets: &[&WebhookSecret]) -> String {
        let each: Vec<String> = secrets.iter().filter_map(|secret| self.signature(secret)).collect();
        each.join(" ")
    }

    fn signature(&self, secret: &WebhookSecret) -> Option<String> {
        // A key of any length will do, so that this never fails.
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.key()).ok()?;
        mac.update(format!("{}.{}.", self.id, self.timestamp).as_bytes());
        mac.update(&self.body);
        Some(format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed by `openssl dgst -sha256 -mac HMAC`, and by the libraries of others in the gate `webhooks`.
    #[test]
    fn a_known_message_has_its_known_signature() {
        let secret = WebhookSecret::parse("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").unwrap();
        let other = WebhookSecret::parse("whsec_HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHgA=").unwrap();
        let message =
            WebhookMessage { id: "msg_1_40-43".into(), timestamp: 1_700_000_000, body: b"{\"a\":1}".to_vec() };
        let one = message.signatures(&[&secret]);
        assert_eq!(one, "v1,K3hkyC86EJqIGxouoJR5tRq95QFhQDbLomnrhSm1BBI=");
        let two = message.signatures(&[&secret, &other]);
        assert!(two.starts_with(&format!("{one} v1,")) && two.split(' ').count() == 2, "{two}");
    }
}
