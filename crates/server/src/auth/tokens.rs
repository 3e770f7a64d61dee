//! Tokens: who may ask. A token never changes a decision.
//!
//! `svcr_`, 43 characters of randomness and 6 of checksum, so that scanners find leaked ones and typing errors are told
//! apart from guesses. The file holds only digests, so it is no secret itself.

use std::{io, path::Path};

use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use svc_archive::regular_file;
use svc_json::digest::Digest;
use svc_registry_api::scope::{AuthError, TokenScope};

use crate::clock;

const PREFIX: &str = "svcr_";
const SECRET_BYTES: usize = 32;
const CHECKSUM_CHARACTERS: usize = 6;
const MAX_TOKENS: usize = 10_000;
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
const MAX_NAME_CHARACTERS: usize = 64;

/// What the name of a token must be, for messages.
pub const NAME_FORM: &str = "1 to 64 letters, digits, dots, hyphens and underscores, in ASCII";

/// What the file knows of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TokenRecord {
    /// When it ends, in seconds since 1970; never when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// Its name for people and logs.
    #[serde(deserialize_with = "read_name")]
    pub id: String,
    /// What it allows.
    pub scopes: Vec<TokenScope>,
    /// The digest of the token.
    pub sha256: Digest,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenFile {
    pub tokens: Vec<TokenRecord>,
}

impl TokenFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is not a token file.
    pub fn read(path: &Path) -> io::Result<Self> {
        let bytes = regular_file::read_guarded(path, MAX_FILE_BYTES)?;
        let file: Self = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
        if file.tokens.len() > MAX_TOKENS {
            let count = file.tokens.len();
            return Err(io::Error::other(format!("it must hold at most {MAX_TOKENS} tokens and holds {count}")));
        }
        Ok(file)
    }

    /// Finds the token of a request that allows a scope.
    ///
    /// # Errors
    /// When there is none.
    pub fn authorize(&self, authorization: Option<&str>, scope: TokenScope) -> Result<&TokenRecord, AuthError> {
        let parts = authorization.and_then(|value| value.split_once(' '));
        // The name of a scheme has no case (RFC 9110), the token has.
        let token = parts.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer")).map(|(_, token)| token);
        let token = token.ok_or(AuthError::Unauthenticated)?;
        if !is_well_formed(token) {
            return Err(AuthError::Unauthenticated);
        }
        let given = Sha256::digest(token.as_bytes());
        // Every record is compared, so that time does not tell which one came close.
        let mut found = None;
        for record in &self.tokens {
            if bool::from(record.sha256.as_bytes().ct_eq(given.as_slice())) {
                found = Some(record);
            }
        }
        let record = found.filter(|record| !record.is_over(clock::seconds_now())).ok_or(AuthError::Unauthenticated)?;
        if record.allows(scope) {
            return Ok(record);
        }
        Err(AuthError::TokenScope(scope))
    }

    /// Whether the token with this digest is known, current, and allows a scope.
    pub(super) fn allows(&self, sha256: &Digest, scope: TokenScope) -> bool {
        let now = clock::seconds_now();
        self.tokens.iter().any(|record| record.sha256 == *sha256 && !record.is_over(now) && record.allows(scope))
    }
}

impl TokenRecord {
    fn allows(&self, scope: TokenScope) -> bool {
        self.scopes.contains(&scope) || self.scopes.contains(&TokenScope::Admin)
    }

    fn is_over(&self, now: u64) -> bool {
        self.expires.is_some_and(|end| end <= now)
    }
}

/// Whether a text can be the name of a token. Names go into logs, so that only plain ones are taken.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=MAX_NAME_CHARACTERS).contains(&text.len()) && text.bytes().all(plain)
}

/// The same check for a file that was written by hand; the reader adds the line.
fn read_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    if is_name(&name) { Ok(name) } else { Err(D::Error::custom(format!("the `id` of a token must be {NAME_FORM}"))) }
}

/// Makes a token and the record that stands for it. The token is shown once and kept nowhere.
///
/// # Errors
/// When the system has no randomness to give.
pub fn create(id: String, scopes: Vec<TokenScope>, valid_seconds: Option<u64>) -> io::Result<(String, TokenRecord)> {
    let mut secret = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    let body = format!("{PREFIX}{}", BASE64URL_NOPAD.encode(&secret));
    let token = format!("{body}{}", checksum(&body));
    let expires = valid_seconds.map(|seconds| clock::seconds_now().saturating_add(seconds));
    let sha256 = Digest::of(token.as_bytes());
    Ok((token, TokenRecord { expires, id, scopes, sha256 }))
}

/// Whether a text has the form of a token and its checksum fits.
#[must_use]
pub fn is_well_formed(token: &str) -> bool {
    let Some(at) = token.len().checked_sub(CHECKSUM_CHARACTERS) else { return false };
    let (Some(body), Some(sum)) = (token.get(..at), token.get(at..)) else { return false };
    let secret = body.strip_prefix(PREFIX).and_then(|secret| BASE64URL_NOPAD.decode(secret.as_bytes()).ok());
    secret.is_some_and(|secret| secret.len() == SECRET_BYTES) && checksum(body) == sum
}

fn checksum(body: &str) -> String {
    BASE64URL_NOPAD.encode(&Sha256::digest(body.as_bytes())).chars().take(CHECKSUM_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(record: TokenRecord) -> TokenFile {
        TokenFile { tokens: vec![record] }
    }

    #[test]
    fn only_the_token_itself_opens_and_only_its_scope() {
        let (token, record) = create("ci".into(), vec![TokenScope::Preflight], None).unwrap();
        let file = file(record);
        let with = |text: &str, scope| file.authorize(Some(text), scope).map(|record| record.id.clone());
        for scheme in ["Bearer", "bearer", "BEARER"] {
            assert_eq!(with(&format!("{scheme} {token}"), TokenScope::Preflight).unwrap(), "ci");
        }
        assert_eq!(with(&format!("Bearer {token}"), TokenScope::Read), Err(AuthError::TokenScope(TokenScope::Read)));
        for wrong in [
            token.clone(),
            format!("Basic {token}"),
            format!("Bearer  {token}"),
            format!("Bearer {token}x"),
            "Bearer ".into(),
            String::new(),
        ] {
            assert_eq!(with(&wrong, TokenScope::Preflight), Err(AuthError::Unauthenticated), "{wrong}");
        }
        assert_eq!(file.authorize(None, TokenScope::Preflight).map(|_| ()), Err(AuthError::Unauthenticated));
        let (other, _) = create("other".into(), vec![TokenScope::Admin], None).unwrap();
        assert_eq!(with(&format!("Bearer {other}"), TokenScope::Preflight), Err(AuthError::Unauthenticated));
    }

    #[test]
    fn a_file_holds_only_names_that_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let read = |name: &str| {
            let (_, mut record) = create("ci".into(), vec![TokenScope::Read], None).unwrap();
            record.id = name.to_owned();
            std::fs::write(&path, serde_json::to_string_pretty(&file(record)).unwrap()).unwrap();
            TokenFile::read(&path).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(read(&"a".repeat(64)), Ok(()));
        for name in ["", "two words", "a\u{1b}[2J", "caf\u{e9}", "a/b", &"a".repeat(65)] {
            let refused = read(name).unwrap_err();
            assert!(refused.contains(NAME_FORM) && refused.contains(" at line 4 "), "{refused}");
        }
    }

    #[test]
    fn an_expired_token_is_no_token() {
        let (token, record) = create("old".into(), vec![TokenScope::Admin], Some(0)).unwrap();
        let denied = file(record).authorize(Some(&format!("Bearer {token}")), TokenScope::Read).map(|_| ());
        assert_eq!(denied, Err(AuthError::Unauthenticated));
    }

    #[test]
    fn a_mistyped_token_is_not_well_formed() {
        let (token, _) = create("ci".into(), vec![TokenScope::Read], None).unwrap();
        assert!(is_well_formed(&token));
        for at in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            assert!(!is_well_formed(&String::from_utf8(changed).unwrap()), "{at}");
        }
    }
}
