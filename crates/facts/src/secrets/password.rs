//! Whether a text is a password that somebody issued or thought out, and no word that stands for one.

use super::judge;

/// No password is longer.
const MOST_BYTES: usize = 256;

/// Passwords that stand for one, and those that every developer has, in lowercase.
const NO_PASSWORDS: &[&[u8]] = &[
    b"admin123",
    b"hunter",
    b"mypass",
    b"mypassword",
    b"pass123",
    b"pass1234",
    b"passw0rd",
    b"password",
    b"password1",
    b"password123",
    b"postgres",
    b"rootpass",
    b"secret123",
    b"test123",
    b"test1234",
    b"token123",
    b"user123",
    b"userpass",
    b"userpassword",
    b"p4ssw0rd",
    b"p@ssw0rd",
    b"my-password",
    b"db_password",
    b"dbpassword",
];

pub(super) fn is_password(user: &[u8], password: &[u8]) -> bool {
    let lower = password.to_ascii_lowercase();
    let is_filled_in = password.iter().any(|byte| b"${}<>*".contains(byte)) || judge::contains(&lower, b"%s");
    // A word is a placeholder, a number a port; what is issued or thought out has more than one kind of character.
    let has_letter = password.iter().any(u8::is_ascii_alphabetic);
    let is_mixed = judge::classes(password) >= 2 || password.iter().any(|byte| b"!^&+=~%".contains(byte));
    (6..=MOST_BYTES).contains(&password.len())
        && has_letter
        && is_mixed
        && !is_filled_in
        && user != password
        && !NO_PASSWORDS.contains(&lower.as_slice())
        && !is_camel_word(password)
        && !judge::is_placeholder(password)
}

/// `yourPassword`, `Password`: no digit, and capitals only where words begin.
fn is_camel_word(password: &[u8]) -> bool {
    let ends_as_word: &[&[u8]] = &[b"password", b"passwd", b"pass", b"secret", b"token", b"key", b"pwd"];
    let lower = password.to_ascii_lowercase();
    !password.iter().any(u8::is_ascii_digit) && ends_as_word.iter().any(|word| lower.ends_with(word))
}
