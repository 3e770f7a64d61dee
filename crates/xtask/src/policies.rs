//! `conformance/policies/<case>/`: policies of witnesses and checkpoints, and whether the one holds for the other.
//!
//! All keys are made from fixed seeds and the times are fixed, so that the same bytes come out every time. The SDK runs the same
//! cases (`sdk/typescript/test/policies.test.mjs`).

use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::json;
use svc_journal::{log_key::LogKey, witness_key::WitnessKey};
use svc_proof::{
    checkpoint::Checkpoint,
    cosignature::TimeWindow,
    policy::{Policy, Unwitnessed},
    public_key::PublicKeys,
    tree::MerkleTree,
};

use crate::{conformance::insert_json, tree::Tree as Files};

const FOLDER: &str = "conformance/policies";
const ORIGIN: &str = "registry.example/journal";
/// 2026-01-01.
const TIME: u64 = 1_767_225_600;
/// When the cases are checked.
const NOW: u64 = TIME + 86_400;

/// A case: its name, what it tries, the lines behind those of the log and the witnesses `a` to `e`, who cosigns, the reason of a refusal.
type Case = (&'static str, &'static str, &'static str, &'static [u8], Option<&'static str>);

const CASES: &[Case] = &[
    ("nobody-asked", "a quorum of nobody", "quorum none\n", b"", None),
    ("one-witness", "a witness alone is a quorum", "quorum a\n", b"a", None),
    ("one-other-witness", "another witness than the quorum", "quorum a\n", b"b", Some("quorum-lacking")),
    ("any-of-three", "one of three", "group g any a b c\nquorum g\n", b"c", None),
    ("any-of-three-none", "none of three", "group g any a b c\nquorum g\n", b"d", Some("quorum-lacking")),
    ("all-of-three", "three of three", "group g all a b c\nquorum g\n", b"abc", None),
    ("all-of-three-two", "two of three, all asked for", "group g all a b c\nquorum g\n", b"ac", Some("quorum-lacking")),
    ("two-of-three", "two of three", "group g 2 a b c\nquorum g\n", b"ca", None),
    (
        "two-of-three-one-twice",
        "one witness twice counts once",
        "group g 2 a b c\nquorum g\n",
        b"aa",
        Some("quorum-lacking"),
    ),
    ("nested", "both of two groups", "group g any a b\ngroup h 2 c d e\ngroup q all g h\nquorum q\n", b"bde", None),
    (
        "nested-short",
        "one of two groups is short",
        "group g any a b\ngroup h 2 c d e\ngroup q all g h\nquorum q\n",
        b"abe",
        Some("quorum-lacking"),
    ),
    ("nested-beside-a-witness", "a group and a witness", "group g 2 a b c\ngroup q any g e\nquorum q\n", b"e", None),
    ("unused-group", "a group that nobody asks for", "group g all a b\nquorum c\n", b"c", None),
    (
        "comments-and-blanks",
        "comments, tabs and empty lines",
        "# a comment\n\n\t group\tg  any a\t \n  quorum g\n#",
        b"a",
        None,
    ),
    ("address", "an address of a witness", "witness f W6 https://witness.example/f/\nquorum f\n", b"f", None),
    ("unknown-word", "a line of no kind", "vote a\nquorum a\n", b"a", Some("policy-line")),
    ("group-without-members", "a group of nobody", "group g any\nquorum g\n", b"a", Some("policy-line")),
    ("quorum-of-two-names", "two names in a quorum", "quorum a b\n", b"a", Some("policy-line")),
    ("no-quorum", "no quorum line", "group g any a b\n", b"a", Some("policy-no-quorum")),
    ("two-quorums", "two quorum lines", "quorum a\nquorum b\n", b"a", Some("policy-second-quorum")),
    (
        "unknown-member",
        "a member that no line before names",
        "group g any a z\nquorum g\n",
        b"a",
        Some("policy-unknown-name"),
    ),
    (
        "member-of-later",
        "a group that stands below",
        "group g any h\ngroup h any a\nquorum g\n",
        b"a",
        Some("policy-unknown-name"),
    ),
    ("member-twice", "a member twice in a group", "group g 2 a a\nquorum g\n", b"a", Some("policy-same-member")),
    (
        "member-of-two-groups",
        "a member of two groups",
        "group g any a\ngroup h any a\nquorum h\n",
        b"a",
        Some("policy-same-member"),
    ),
    ("name-twice", "a group with the name of a witness", "group a any b\nquorum a\n", b"b", Some("policy-same-name")),
    ("name-none", "a group with the name of nobody", "group none any a\nquorum none\n", b"a", Some("policy-name")),
    ("threshold-zero", "none of some", "group g 0 a b\nquorum g\n", b"a", Some("policy-threshold")),
    ("threshold-above", "three of two", "group g 3 a b\nquorum g\n", b"ab", Some("policy-threshold")),
    (
        "threshold-spelling",
        "a number with a leading zero",
        "group g 01 a b\nquorum g\n",
        b"a",
        Some("policy-threshold"),
    ),
    ("key-of-a-log", "a witness with the key of a log", "witness f LOG\nquorum f\n", b"", Some("policy-key")),
    ("key-of-a-witness-as-log", "a log with the key of a witness", "log W6\nquorum a\n", b"a", Some("policy-key")),
    ("key-in-capitals", "an id in capitals", "witness f CAPITALS\nquorum a\n", b"a", Some("policy-key")),
    ("weak-key", "a key that anybody can sign for", "witness f WEAK\nquorum a\n", b"a", Some("policy-key")),
    ("key-twice", "one key under two names", "witness f W1\nquorum f\n", b"a", Some("policy-same-key")),
    (
        "address-without-host",
        "an address without a host",
        "witness f W6 https:///f\nquorum a\n",
        b"a",
        Some("policy-url"),
    ),
    (
        "address-with-user",
        "an address with a user",
        "witness f W6 https://u@w.example\nquorum a\n",
        b"a",
        Some("policy-url"),
    ),
    (
        "address-with-query",
        "an address with a query",
        "witness f W6 https://w.example/?a\nquorum a\n",
        b"a",
        Some("policy-url"),
    ),
    ("control-character", "a control character", "quorum a\r\n", b"a", Some("policy-text")),
    ("log-of-another-key", "a policy of another log", "OTHER-LOG quorum a\n", b"a", Some("policy-other-log")),
    ("no-log-named", "a policy that names no log", "NO-LOG quorum a\n", b"a", None),
];

/// Changes of a cosigned checkpoint under `quorum a`, and the reason of the refusal.
const CHANGES: &[(&str, &str, Option<&str>)] = &[
    ("stranger-between", "a line of a stranger is passed over", None),
    ("older-line-too", "two lines of one witness, the newer counts", None),
    ("other-state", "a cosignature of another state", Some("cosignature-wrong")),
    ("other-time", "a cosignature whose time was changed", Some("cosignature-wrong")),
    ("no-time", "a cosignature of the time zero", Some("cosignature-wrong")),
    ("cut-short", "a cosignature that is cut short", Some("cosignature-wrong")),
    ("dated-ahead", "a cosignature dated 601 seconds ahead does not count", Some("quorum-lacking")),
    ("dated-a-little-ahead", "a cosignature dated 600 seconds ahead counts", None),
    ("dated-1970", "a cosignature from before there were logs does not count", Some("quorum-lacking")),
    ("dated-ahead-and-now", "a line that is dated ahead hides none that counts", None),
    ("wrong-beside-right", "a wrong line of a witness beside a right one", Some("cosignature-wrong")),
    ("log-did-not-sign", "the line of the log is missing", Some("checkpoint-refused")),
    ("log-signed-wrong", "the line of the log is of another state", Some("checkpoint-refused")),
];

fn log(seed: u8) -> Result<LogKey> {
    Ok(LogKey::from_seed(ORIGIN, &[seed; 32])?)
}

fn witness(number: u8) -> Result<WitnessKey> {
    Ok(WitnessKey::from_seed(&format!("witness.example/w{number}"), &[100 + number; 32])?)
}

fn state(size: u64) -> Result<Checkpoint> {
    let records: Vec<[u8; 8]> = (0..size).map(u64::to_be_bytes).collect();
    let root = MerkleTree::empty().grow(&records)?.tree().root()?;
    Ok(log(1)?.sign_checkpoint(size, &root)?)
}

fn line(number: u8, state: &Checkpoint, time: u64) -> Result<String> {
    Ok(format!("{}\n", witness(number)?.cosign(state, time)?.line()))
}

/// Adds the files.
pub(crate) fn generate(files: &mut Files) -> Result<()> {
    for (name, about, lines, by, reason) in CASES {
        let mut checkpoint = state(5)?.text().as_str().to_owned();
        for (letter, at) in by.iter().zip(TIME..) {
            checkpoint += &line(letter - b'a' + 1, &state(5)?, at)?;
        }
        insert(files, (name, about), &policy(lines)?, &checkpoint, *reason)?;
    }
    for (name, about, reason) in CHANGES {
        insert(files, (name, about), &policy("quorum a\n")?, &changed(name)?, *reason)?;
    }
    Ok(())
}

/// A policy of the log and five witnesses, with these lines; words in capitals stand for keys.
fn policy(lines: &str) -> Result<String> {
    let own = format!("log {}\n", log(1)?.public().as_str());
    let (head, lines) = match lines.split_once(' ') {
        Some(("OTHER-LOG", rest)) => (format!("log {}\n", log(2)?.public().as_str()), rest),
        Some(("NO-LOG", rest)) => (String::new(), rest),
        Some(_) | None => (own, lines),
    };
    let sixth = witness(6)?.public().to_string();
    let lines = lines
        .replace("W6", &sixth)
        .replace("W1", &witness(1)?.public().to_string())
        .replace("LOG", log(3)?.public().as_str())
        .replace("CAPITALS", &in_capitals(&sixth))
        .replace("WEAK", WEAK);
    let mut file = head;
    for (name, number) in ["a", "b", "c", "d", "e"].into_iter().zip(1..) {
        file += &format!("witness {name} {}\n", witness(number)?.public());
    }
    Ok(file + &lines)
}

/// The point one, under the name `weak.example`.
const WEAK: &str = "weak.example+b8528257+BAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn in_capitals(key: &str) -> String {
    let parts: Vec<&str> = key.splitn(3, '+').collect();
    let id = parts.get(1).copied().unwrap_or_default();
    key.replacen(id, &id.to_uppercase(), 1)
}

fn changed(name: &str) -> Result<String> {
    let (now, other) = (state(5)?, state(6)?);
    let own = now.text().as_str().to_owned();
    let (body, signature) = own.split_once("\n\n").unwrap_or_default();
    let good = line(1, &now, TIME)?;
    let with_time = |time: u64| -> Result<String> {
        let mut bytes = decoded(&good)?;
        bytes.splice(4..12, time.to_be_bytes());
        Ok(format!("\u{2014} witness.example/w1 {}\n", data_encoding::BASE64.encode(&bytes)))
    };
    Ok(match name {
        "dated-ahead" => format!("{own}{}", line(1, &now, NOW + 601)?),
        "dated-a-little-ahead" => format!("{own}{}", line(1, &now, NOW + 600)?),
        "dated-1970" => format!("{own}{}", line(1, &now, 1)?),
        "dated-ahead-and-now" => format!("{own}{}{good}", line(1, &now, NOW + 601)?),
        "stranger-between" => format!("{own}{}{good}", line(9, &now, TIME)?),
        "older-line-too" => format!("{own}{good}{}", line(1, &now, TIME - 1)?),
        "other-state" => format!("{own}{}", line(1, &other, TIME)?),
        "other-time" => format!("{own}{}", with_time(TIME + 1)?),
        "no-time" => format!("{own}{}", with_time(0)?),
        "cut-short" => {
            let bytes = decoded(&good)?;
            let cut = bytes.get(..70).unwrap_or_default();
            format!("{own}\u{2014} witness.example/w1 {}\n", data_encoding::BASE64.encode(cut))
        }
        "wrong-beside-right" => format!("{own}{good}{}", line(1, &other, TIME)?),
        "log-did-not-sign" => format!("{body}\n\n{good}"),
        _ => {
            let (_, wrong) = other.text().as_str().split_once("\n\n").unwrap_or_default();
            ensure!(wrong != signature, "two states with one signature");
            format!("{body}\n\n{wrong}{good}")
        }
    })
}

fn decoded(line: &str) -> Result<Vec<u8>> {
    let encoded = line.trim_end().rsplit(' ').next().unwrap_or_default();
    Ok(data_encoding::BASE64.decode(encoded.as_bytes())?)
}

fn insert(
    files: &mut Files,
    (name, about): (&str, &str),
    policy: &str,
    checkpoint: &str,
    expected: Option<&str>,
) -> Result<()> {
    let key = log(1)?.public().clone();
    let (mut reason, mut at, mut cosigned) = (None, None, None);
    match Policy::parse(policy.as_bytes()) {
        Err(error) => (reason, at) = (Some(error.code.code()), Some(error.line)),
        Ok(policy) => match policy.check(checkpoint, &PublicKeys::one(key.clone()), TimeWindow::until(NOW)) {
            Err(refused) => {
                ensure!(!matches!(refused, Unwitnessed::UnnamedLog) || expected.is_some(), "policies/{name}");
                reason = Some(refused.code());
            }
            Ok(seen) => {
                let by = seen.seen().cosigned.iter();
                let by = by.map(|by| json!({ "name": by.name, "time": by.cosignature.time() }));
                cosigned = Some(by.collect::<Vec<_>>());
            }
        },
    }
    ensure!(reason == expected, "policies/{name}: {reason:?} instead of {expected:?}");
    let folder = Path::new(FOLDER).join(name);
    files.insert(folder.join("policy"), policy.as_bytes().to_vec());
    files.insert(folder.join("checkpoint"), checkpoint.as_bytes().to_vec());
    let mut expect = json!({ "about": about, "holds": reason.is_none(), "now": NOW, "publicKeys": [key.as_str()] });
    if let Some(members) = expect.as_object_mut() {
        members.extend(reason.map(|reason| ("reason".to_owned(), reason.into())));
        members.extend(at.map(|line| ("line".to_owned(), line.into())));
        members.extend(cosigned.map(|cosigned| ("cosigned".to_owned(), cosigned.into())));
    }
    insert_json(files, folder.join("expect.json"), &expect);
    Ok(())
}
