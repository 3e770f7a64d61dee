//! Passwords that somebody thought out: shorter than what machines draw, of letters, digits and signs.

use svc_core::package::fact_table::{SECRET_ASSIGNED_SECRET, SECRET_DATABASE_PASSWORD};

use super::{
    assigned::{self, Value},
    hit::{Find, Hit},
    judge, password,
};

/// What a name of such a value ends with, in lowercase.
const NAMES: &[&[u8]] = &[b"passphrase", b"passwd", b"password", b"pwd", b"secret"];

/// Signs that neither names, paths nor sentences are made of.
const SIGNS: &[u8] = b"!#$%&*+=?@^~|";

/// Signs that join the words of names and paths.
const JOINTS: &[u8] = b"-./:_";

const LEAST: usize = 12;
const MOST: usize = 40;

/// How long a value may be that has no sign: what is longer is drawn at random, or a name.
const MOST_PLAIN: usize = 19;

/// A password behind a name that says so, or in the settings of a database.
pub(super) fn stands_at(hit: Hit<'_>, start: usize, name: &[u8], value: &Value<'_>) -> Option<Find> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || SIGNS.contains(byte) || JOINTS.contains(byte);
    let length = value.rest.iter().take(MOST + 1).take_while(|byte| is_inside(byte)).count();
    let (body, tail) = value.rest.split_at_checked(length).filter(|_| length <= MOST)?;
    let find = |what| Some(Find { start: value.at, end: value.at + length, what });
    if value.quote.is_none() && is_of_database(hit.text, start) {
        let ends = matches!(tail.first(), None | Some(b';' | b'"' | b'\'' | b'`' | b'\n' | b'\r'));
        return find(&SECRET_DATABASE_PASSWORD).filter(|_| ends && password::is_password(b"", body));
    }
    let is_named = NAMES.iter().any(|end| name.ends_with(end)) && !assigned::is_public_name(name);
    let fits = is_named && value.closes(tail, hit.text, start) && is_thought_out(body);
    find(&SECRET_ASSIGNED_SECRET).filter(|_| fits)
}

/// Keys that stand before a password in the settings of a database, in lowercase.
const DATABASE_KEYS: &[&[u8]] =
    &[b"catalog=", b"data source=", b"database=", b"host=", b"server=", b"uid=", b"user id=", b"user=", b"username="];

/// How far such a key stands before.
const NEAR: usize = 160;

/// Whether the name is one of several of the settings of a database: `Server=db;User Id=app;Password=…;`.
fn is_of_database(text: &[u8], start: usize) -> bool {
    let before = text.get(start.saturating_sub(NEAR)..start).unwrap_or_default().trim_ascii_end();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
    line.ends_with(b";") && DATABASE_KEYS.iter().any(|key| judge::contains(&line, key))
}

/// Parts of what stands for a password, in lowercase.
const NO_PASSWORDS: &[&[u8]] = &[b"//", b"passw", b"p@ssw", b"pwd", b"secret", b"token", b"www."];

/// At least three of small letters, capitals, digits and signs, and not what names, paths and selectors look like.
fn is_thought_out(body: &[u8]) -> bool {
    let signs = body.iter().filter(|byte| SIGNS.contains(byte)).count();
    let kinds = judge::classes(body) + usize::from(signs > 0);
    let lower = body.to_ascii_lowercase();
    let is_long_enough = body.len() >= LEAST && (signs > 0 || body.len() <= MOST_PLAIN);
    let is_word = body.first().is_some_and(|first| b"#$%&*.@[/-:?=".contains(first));
    let is_identifier = body.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let class_changes = judge::class_changes(body);
    is_long_enough
        && kinds >= 3
        && judge::classes(body) >= 2
        && class_changes >= if signs > 0 { 20 } else { 40 }
        && !is_word
        && !is_identifier
        && !NO_PASSWORDS.iter().any(|part| judge::contains(&lower, part))
        && !assigned::has_another_form(body)
        && !judge::is_placeholder(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_told_from_what_names_and_sentences_are() {
        for text in ["hunter2Gh7xQ", "Sommer2024!Berlin", "x9#Lm2$vQ7pZ", "aB3-dE6_gH9.kM"] {
            assert!(is_thought_out(text.as_bytes()), "{text}");
        }
        let harmless = [
            "resetLoginForm2024",
            "newPasswordField1",
            "#login-Field-2a",
            "https://a.Example/1",
            "3f2b8c1e-9d47-4a6b",
            "********************",
            "errors.login.tooShort2",
            "auth/wrong-Login-2",
            "P@ssw0rd1234!",
            "Aa1!Aa1!Aa1!Aa1!",
            "correcthorse!",
            "MINIMUM_LENGTH_8",
        ];
        for text in harmless {
            assert!(!is_thought_out(text.as_bytes()), "{text}");
        }
    }
}
