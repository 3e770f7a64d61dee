//! `conformance/vectors/hand-overs.json`: notes from key to key, and the keys that they lead to from the one that is known.
//!
//! The SDK runs the same cases (`sdk/typescript/test/hand-overs.test.mjs`).

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use svc_journal::log_key::LogKey;
use svc_proof::{
    fault::JournalFaultKind,
    hand_over::HandOverNotes,
    public_key::{PublicKey, PublicKeys},
    tree::MerkleTree,
};

use crate::{conformance::insert_json, tree::Tree as Files};

const FILE: &str = "conformance/vectors/hand-overs.json";
const ORIGIN: &str = "registry.example/journal";

/// The reason why a file of notes cannot be followed.
const MALFORMED: &str = "malformed-hand-over";
const FORKED: &str = "forked-keys";

fn key(seed: u8) -> Result<LogKey> {
    Ok(LogKey::from_seed(ORIGIN, &[seed; 32])?)
}

fn note(from: u8, to: u8) -> Result<String> {
    Ok(key(from)?.hand_over_to(key(to)?.public())?.text().to_owned())
}

/// A note with the signature of another text.
fn wrong(from: u8, to: u8, of: u8) -> Result<String> {
    let (text, other) = (note(from, to)?, note(from, of)?);
    let (body, _) = text.split_once("\n\n").context("a note")?;
    let (_, signature) = other.split_once("\n\n").context("a note")?;
    Ok(format!("{body}\n\n{signature}"))
}

/// Its name, what it tries, the keys that are known, the file, and the keys that it leads to (the newest first) or the reason.
type Case = (&'static str, &'static str, &'static [u8], String, Result<&'static [u8], &'static str>);

fn cases() -> Result<Vec<Case>> {
    let elsewhere = LogKey::from_seed("registry.example/other", &[1; 32])?;
    let elsewhere_next = LogKey::from_seed("registry.example/other", &[2; 32])?;
    let of_another_log = elsewhere.hand_over_to(elsewhere_next.public())?.text().to_owned();
    let state = key(1)?.sign_checkpoint(0, &MerkleTree::empty().root()?)?.text().as_str().to_owned();
    let doubled = {
        let (one, by_stranger) = (note(1, 2)?, note(5, 2)?);
        let (_, signature) = by_stranger.split_once("\n\n").context("a note")?;
        format!("{one}{signature}")
    };
    Ok(vec![
        ("none", "an empty file", &[1], String::new(), Ok(&[1])),
        ("one", "one note of the known key", &[1], note(1, 2)?, Ok(&[2, 1])),
        ("two", "from key to key", &[1], note(1, 2)? + &note(2, 3)?, Ok(&[3, 2, 1])),
        ("in-any-order", "the later note stands first", &[1], note(2, 3)? + &note(1, 2)?, Ok(&[3, 2, 1])),
        ("from-the-second", "the known key is not the first", &[2], note(1, 2)? + &note(2, 3)?, Ok(&[3, 2])),
        ("twice-the-same", "one note stands twice", &[1], note(1, 2)? + &note(1, 2)?, Ok(&[2, 1])),
        ("known-already", "it leads to a key that is known", &[2, 1], note(1, 2)?, Ok(&[2, 1])),
        ("stranger", "a note that no known key signed", &[1], note(5, 6)?, Ok(&[1])),
        ("gap", "the note between is missing", &[1], note(2, 3)?, Ok(&[1])),
        ("stranger-signs-too", "a second signature by a stranger", &[1], doubled, Ok(&[2, 1])),
        ("another-log", "a note of another log", &[1], of_another_log, Ok(&[1])),
        ("fork", "one key signed two next keys", &[1], note(1, 2)? + &note(1, 3)?, Err(FORKED)),
        (
            "later-fork",
            "a key that was led to signed two",
            &[1],
            note(1, 2)? + &note(2, 3)? + &note(2, 4)?,
            Err(FORKED),
        ),
        ("fork-of-a-stranger", "an unknown key signed two", &[1], note(5, 2)? + &note(5, 3)?, Ok(&[1])),
        ("wrong-signature", "a signature of another note", &[1], wrong(1, 2, 3)?, Err(MALFORMED)),
        ("state", "a signed state is no note of this kind", &[1], state, Err(MALFORMED)),
        ("no-note", "a line that is no note", &[1], "next\n".to_owned(), Err(MALFORMED)),
        ("cut-short", "the last line break is missing", &[1], note(1, 2)?.trim_end().to_owned(), Err(MALFORMED)),
    ])
}

/// Adds the file.
pub(crate) fn generate(files: &mut Files) -> Result<()> {
    let mut rows = Vec::new();
    for (name, about, known, notes, expected) in cases()? {
        let known = keys(known)?;
        let found = HandOverNotes::parse(&notes).and_then(|notes| notes.extend(&known));
        let found = found.map_err(|fault| if fault.kind == JournalFaultKind::Rewound { FORKED } else { MALFORMED });
        let expected = expected.map(keys).map_or_else(|reason| Ok(Err(reason)), |keys| keys.map(Ok))?;
        ensure!(found == expected, "{FILE}: {name}: {found:?}");
        let (member, value) = match expected {
            Ok(keys) => ("leadsTo", texts(&keys)),
            Err(reason) => ("reason", reason.into()),
        };
        rows.push(json!({ "name": name, "about": about, "publicKeys": texts(&known), "notes": notes, member: value }));
    }
    insert_json(files, FILE.into(), &rows.into());
    Ok(())
}

fn keys(seeds: &[u8]) -> Result<PublicKeys> {
    let lines: Result<String> = seeds.iter().map(|seed| Ok(format!("{}\n", key(*seed)?.public().as_str()))).collect();
    Ok(PublicKeys::parse(&lines?)?)
}

fn texts(keys: &PublicKeys) -> Value {
    keys.as_slice().iter().map(PublicKey::as_str).collect()
}
