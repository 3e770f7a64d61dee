//! Tokens without a prefix, told by the lengths of their parts around one mark.

use svc_core::package::fact_table::{
    SECRET_CHAT_TOKEN, SECRET_CHAT_WEBHOOK, SECRET_CLOUD_STORAGE_KEY, SECRET_DEPLOY_TOKEN, SECRET_MAIL_KEY,
    SECRET_OAUTH_SECRET, SECRET_TICKET_TOKEN,
};

use super::{
    hit::{Find, Hit},
    judge,
    token::{Alphabet, begins_after, run, run_back},
};

/// Whether a part is drawn at random: long enough for its characters to tell.
fn is_random(part: &[u8], entropy: u32) -> bool {
    judge::entropy(part) >= entropy && !judge::is_placeholder(part)
}

fn ends(tail: Option<&u8>) -> bool {
    !tail.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A bot's number, a colon and 35 characters.
pub(super) fn numbered_bot(hit: Hit<'_>) -> Option<Find> {
    let digits = run_back(hit.before(), Alphabet::Digits, 12);
    let start = hit.start - digits;
    if !(8..=11).contains(&digits) {
        return None;
    }
    let before = hit.text.get(..start)?;
    let length = run(hit.after(), Alphabet::Word, 36);
    let secret = hit.after().get(..length).filter(|_| length == 35)?;
    // In the addresses of the service the number follows the word `bot`.
    let begins = begins_after(before) || before.ends_with(b"bot");
    let is_bot = begins && ends(hit.after().get(35)) && judge::classes(secret) == 3 && is_random(secret, 35);
    is_bot.then_some(Find { start, end: hit.end + 35, what: &SECRET_CHAT_TOKEN })
}

/// Three parts joined by points, the first a number in base64, so that it begins with M, N or O.
pub(super) fn pointed_bot(hit: Hit<'_>) -> Option<Find> {
    let first = run_back(hit.before(), Alphabet::Word, 29);
    let second = run(hit.after(), Alphabet::Word, 8);
    if !(23..=28).contains(&first) || !(6..=7).contains(&second) {
        return None;
    }
    let start = hit.start - first;
    let number = hit.text.get(start..hit.start)?;
    let secret = hit.after().get(second..)?.strip_prefix(b".")?;
    let third = run(secret, Alphabet::Word, 46);
    let secret = secret.get(..third).filter(|_| (27..=45).contains(&third))?;
    let begins = matches!(number, [b'M' | b'N' | b'O', ..]) && !hit.text.get(..start)?.ends_with(b".");
    let is_bot = begins && judge::classes(secret) == 3 && judge::classes(number) >= 2 && is_random(secret, 35);
    is_bot.then_some(Find { start, end: hit.end + second + 1 + third, what: &SECRET_CHAT_TOKEN })
}

/// 32 hexadecimal digits before the name of a data centre.
pub(super) fn data_centre(hit: Hit<'_>) -> Option<Find> {
    let number = run(hit.after(), Alphabet::Digits, 3);
    let hex = run_back(hit.before(), Alphabet::Hex, 33);
    let start = hit.start - hex;
    let key = hit.text.get(start..hit.start).filter(|key| key.len() == 32)?;
    let fits = (1..=2).contains(&number) && ends(hit.after().get(number)) && begins_after(hit.text.get(..start)?);
    (fits && is_random(key, 28)).then_some(Find { start, end: hit.end + number, what: &SECRET_MAIL_KEY })
}

/// A team token of a provisioning service: `.atlasv1.` between two parts.
pub(super) fn provisioning(hit: Hit<'_>) -> Option<Find> {
    let first = run_back(hit.before(), Alphabet::Alnum, 15);
    let length = run(hit.after(), Alphabet::Word, 80);
    let secret = hit.after().get(..length)?;
    let fits = first == 14 && (60..=70).contains(&length) && is_random(secret, 35);
    fits.then_some(Find { start: hit.start - first, end: hit.end + length, what: &SECRET_DEPLOY_TOKEN })
}

/// A client secret of a cloud's directory: four characters, `Q~` and 31 to 34 more.
pub(super) fn directory(hit: Hit<'_>) -> Option<Find> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_~.-".contains(byte);
    let first = hit.before().iter().rev().take(5).take_while(|byte| is_inside(byte)).count();
    let digit = hit.before().last().is_some_and(u8::is_ascii_digit);
    let length = hit.after().iter().take(40).take_while(|byte| is_inside(byte)).count();
    let secret = hit.after().get(..length)?;
    let fits =
        first == 4 && digit && (31..=34).contains(&length) && judge::classes(secret) == 3 && is_random(secret, 35);
    fits.then_some(Find { start: hit.start - first, end: hit.end + length, what: &SECRET_OAUTH_SECRET })
}

/// A token of a table service: `pat`, 14 characters, a point and 64 hexadecimal digits.
pub(super) fn table_token(hit: Hit<'_>) -> Option<Find> {
    let first = run(hit.after(), Alphabet::Alnum, 15);
    let rest = hit.after().get(first..).filter(|_| first == 14 && begins_after(hit.before()))?.strip_prefix(b".")?;
    let secret = rest.get(..run(rest, Alphabet::Hex, 65)).filter(|secret| secret.len() == 64)?;
    is_random(secret, 30).then_some(Find { start: hit.start, end: hit.end + 79, what: &SECRET_TICKET_TOKEN })
}

/// The address of a webhook: whoever has it can write into the chat.
pub(super) fn webhook(hit: Hit<'_>) -> Option<Find> {
    let length = run(hit.after(), Alphabet::Path, 400);
    let path = hit.after().get(..length)?;
    let secret = path.rsplit(|byte| *byte == b'/').find(|part| part.len() >= 16)?;
    let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).count();
    let fits = parts >= 2 && judge::classes(secret) >= 2 && is_random(secret, 30);
    fits.then_some(Find { start: hit.start, end: hit.end + length, what: &SECRET_CHAT_WEBHOOK })
}

/// How far the parameters of one address stand apart.
const NEAR: usize = 300;

/// The signature of an address that opens a cloud's storage, beside the version that such addresses name.
pub(super) fn shared_access(hit: Hit<'_>) -> Option<Find> {
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"%+/=".contains(byte);
    let length = hit.after().iter().take(90).take_while(|byte| is_inside(byte)).count();
    let signature = hit.after().get(..length)?;
    let around = hit.text.get(hit.start.saturating_sub(NEAR)..(hit.end + length + NEAR).min(hit.text.len()))?;
    let fits = (43..=80).contains(&length) && is_random(signature, 35) && judge::contains(around, b"sv=20");
    fits.then_some(Find { start: hit.end, end: hit.end + length, what: &SECRET_CLOUD_STORAGE_KEY })
}
