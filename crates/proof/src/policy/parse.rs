//! Reading a policy: strictly, within bounds, and every fault with its line and a name that stays.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::{GroupMember, Policy, PolicyLog, PolicyWitness, WitnessGroup};

use crate::{public_key::PublicKey, witness_public_key::WitnessPublicKey};

/// The longest file.
pub const MAX_BYTES: usize = 64 * 1024;
/// The most logs, the most witnesses and the most groups. A signed note has at most a hundred signatures.
const MAX_OF_A_KIND: usize = 64;
const MAX_NAME_BYTES: usize = 255;
const MAX_URL_BYTES: usize = 2048;
const NONE: &str = "none";

/// Why a file is not a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    pub code: PolicyErrorCode,
    /// The line, from 1; the last one for what is missing.
    pub line: usize,
}

/// A class of faults in a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyErrorCode {
    TooLong,
    Text,
    Line,
    Key,
    SameKey,
    Url,
    Name,
    SameName,
    UnknownName,
    SameMember,
    Threshold,
    TooMany,
    SecondQuorum,
    NoQuorum,
}

impl PolicyErrorCode {
    pub const ALL: &'static [Self] = &[
        Self::TooLong,
        Self::Text,
        Self::Line,
        Self::Key,
        Self::SameKey,
        Self::Url,
        Self::Name,
        Self::SameName,
        Self::UnknownName,
        Self::SameMember,
        Self::Threshold,
        Self::TooMany,
        Self::SecondQuorum,
        Self::NoQuorum,
    ];

    /// The name that stays, and what must hold.
    const fn facts(self) -> (&'static str, &'static str) {
        match self {
            Self::TooLong => ("policy-too-long", "a policy has at most 65536 bytes"),
            Self::Text => (
                "policy-text",
                "a policy is UTF-8 whose lines end with a line feed, without other control characters than tabs",
            ),
            Self::Line => (
                "policy-line",
                "a line must be `log KEY [URL]`, `witness NAME KEY [URL]`, `group NAME all|any|NUMBER MEMBER...`, `quorum NAME`, a comment or empty",
            ),
            Self::Key => (
                "policy-key",
                "a key must be `NAME+ID+KEY` with the id in lowercase, of type 1 for a log and of type 4 for a witness",
            ),
            Self::SameKey => ("policy-same-key", "a public key must stand in a policy once"),
            Self::Url => (
                "policy-url",
                "an address must begin with `https://` or `http://`, and have a host and no user, query or fragment",
            ),
            Self::Name => ("policy-name", "a name must be 1 to 255 bytes, and not `none`"),
            Self::SameName => ("policy-same-name", "a witness or group must have a name of its own"),
            Self::UnknownName => ("policy-unknown-name", "a name must stand on a line before the one that uses it"),
            Self::SameMember => ("policy-same-member", "a witness or group may be a member once, in one group"),
            Self::Threshold => (
                "policy-threshold",
                "a threshold must be a number from 1 to that of the members, without leading zeroes",
            ),
            Self::TooMany => ("policy-too-many", "a policy has at most 64 logs, 64 witnesses and 64 groups"),
            Self::SecondQuorum => ("policy-second-quorum", "a policy has one quorum line"),
            Self::NoQuorum => ("policy-no-quorum", "a policy must have a quorum line"),
        }
    }

    #[must_use]
    pub const fn code(self) -> &'static str {
        self.facts().0
    }

    /// What must hold.
    #[must_use]
    pub const fn must(self) -> &'static str {
        self.facts().1
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, must) = self.code.facts();
        write!(formatter, "{code}: line {} of the policy: {must}", self.line)
    }
}

impl std::error::Error for PolicyError {}

impl Policy {
    /// Reads a policy. Every fault has its line.
    ///
    /// # Errors
    /// The first reason why it is none.
    pub fn parse(file: &[u8]) -> Result<Self, PolicyError> {
        let at = |line: usize| move |code: PolicyErrorCode| PolicyError { code, line };
        if file.len() > MAX_BYTES {
            return Err(at(1)(PolicyErrorCode::TooLong));
        }
        let mut reading = Reading::default();
        let lines = file.strip_suffix(b"\n").unwrap_or(file).split(|byte| *byte == b'\n');
        let mut number = 0;
        for line in lines {
            number += 1;
            reading.line(line).map_err(at(number))?;
        }
        let quorum = reading.quorum.ok_or_else(|| at(number)(PolicyErrorCode::NoQuorum))?;
        let Reading { logs, witnesses, groups, .. } = reading;
        Ok(Self { logs, witnesses, groups, quorum })
    }
}

/// What the lines so far say.
#[derive(Default)]
struct Reading {
    logs: Vec<PolicyLog>,
    witnesses: Vec<PolicyWitness>,
    groups: Vec<WitnessGroup>,
    /// Some once there was a quorum line; none within when nobody is asked for.
    quorum: Option<Option<GroupMember>>,
    names: BTreeMap<String, GroupMember>,
    members: BTreeSet<String>,
    keys: BTreeSet<[u8; 32]>,
}

impl Reading {
    fn line(&mut self, line: &[u8]) -> Result<(), PolicyErrorCode> {
        let text = str::from_utf8(line).map_err(|_| PolicyErrorCode::Text)?;
        if text.bytes().any(|byte| (byte < 0x20 && byte != b'\t') || byte == 0x7f) {
            return Err(PolicyErrorCode::Text);
        }
        let words: Vec<&str> = text.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        match words.as_slice() {
            [] => Ok(()),
            [first, ..] if first.starts_with('#') => Ok(()),
            ["log", key] => self.log(key, None),
            ["log", key, url] => self.log(key, Some(url)),
            ["witness", name, key] => self.witness(name, key, None),
            ["witness", name, key, url] => self.witness(name, key, Some(url)),
            ["group", name, threshold, members @ ..] if !members.is_empty() => self.group(name, threshold, members),
            ["quorum", name] => self.quorum(name),
            _ => Err(PolicyErrorCode::Line),
        }
    }

    fn log(&mut self, key: &str, url: Option<&str>) -> Result<(), PolicyErrorCode> {
        let key = PublicKey::parse(key).map_err(|_| PolicyErrorCode::Key)?;
        self.claim_key(key.bytes().ok_or(PolicyErrorCode::Key)?)?;
        push(&mut self.logs, PolicyLog { key, url: address(url)? })
    }

    fn witness(&mut self, name: &str, key: &str, url: Option<&str>) -> Result<(), PolicyErrorCode> {
        let key = WitnessPublicKey::parse(key).map_err(|_| PolicyErrorCode::Key)?;
        // A line of a note says the name and the id: two keys that share both could not be told apart.
        let is_like = |other: &PolicyWitness| other.key.name() == key.name() && other.key.id() == key.id();
        if self.witnesses.iter().any(is_like) {
            return Err(PolicyErrorCode::SameKey);
        }
        self.claim_key(key.bytes())?;
        self.claim_name(name, GroupMember::Witness(self.witnesses.len()))?;
        push(&mut self.witnesses, PolicyWitness { name: name.to_owned(), key, url: address(url)? })
    }

    fn group(&mut self, name: &str, threshold: &str, members: &[&str]) -> Result<(), PolicyErrorCode> {
        let threshold = match threshold {
            "any" => 1,
            "all" => members.len(),
            digits => {
                let number = digits.parse().ok().filter(|number: &usize| number.to_string() == digits);
                number.filter(|number| (1..=members.len()).contains(number)).ok_or(PolicyErrorCode::Threshold)?
            }
        };
        let mut found = Vec::with_capacity(members.len());
        for member in members {
            found.push(*self.names.get(*member).ok_or(PolicyErrorCode::UnknownName)?);
            if !self.members.insert((*member).to_owned()) {
                return Err(PolicyErrorCode::SameMember);
            }
        }
        self.claim_name(name, GroupMember::Group(self.groups.len()))?;
        push(&mut self.groups, WitnessGroup { threshold, members: found })
    }

    fn quorum(&mut self, name: &str) -> Result<(), PolicyErrorCode> {
        if self.quorum.is_some() {
            return Err(PolicyErrorCode::SecondQuorum);
        }
        let quorum = if name == NONE { None } else { Some(*self.names.get(name).ok_or(PolicyErrorCode::UnknownName)?) };
        self.quorum = Some(quorum);
        Ok(())
    }

    fn claim_name(&mut self, name: &str, member: GroupMember) -> Result<(), PolicyErrorCode> {
        if name == NONE || name.len() > MAX_NAME_BYTES {
            return Err(PolicyErrorCode::Name);
        }
        let is_new = self.names.insert(name.to_owned(), member).is_none();
        if is_new { Ok(()) } else { Err(PolicyErrorCode::SameName) }
    }

    /// A key that is a log's and a witness's would witness itself.
    fn claim_key(&mut self, key: [u8; 32]) -> Result<(), PolicyErrorCode> {
        if self.keys.insert(key) { Ok(()) } else { Err(PolicyErrorCode::SameKey) }
    }
}

fn push<T>(list: &mut Vec<T>, one: T) -> Result<(), PolicyErrorCode> {
    if list.len() >= MAX_OF_A_KIND {
        return Err(PolicyErrorCode::TooMany);
    }
    list.push(one);
    Ok(())
}

/// An address without a slash at its end, to which a path is added.
fn address(url: Option<&str>) -> Result<Option<String>, PolicyErrorCode> {
    let Some(url) = url else { return Ok(None) };
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).ok_or(PolicyErrorCode::Url)?;
    let authority = rest.split('/').next().unwrap_or_default();
    let is_plain = rest.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#\\\"<>^`{|}".contains(&byte));
    let is_address = is_plain && !authority.is_empty() && !authority.contains('@') && url.len() <= MAX_URL_BYTES;
    if is_address { Ok(Some(url.trim_end_matches('/').to_owned())) } else { Err(PolicyErrorCode::Url) }
}
