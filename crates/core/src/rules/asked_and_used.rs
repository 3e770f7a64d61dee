//! What a package asks for beside what its code was seen to use: a table for whoever shows a package.
//!
//! It goes by the same matching as the rules on it (P013, P014, P016), so no table says other than they do.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{
    package::{
        fact::Fact,
        fact_table::{CONTACT, Known, POWER, REMOTE_CODE},
    },
    rules::{
        declared::{self, NETWORK},
        package::Package,
    },
    scalar::path::PackagePath,
    words::rule_code::RuleCode,
};

/// What is asked for, used, or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedAndUsed {
    /// Whether code was not read, so that more may be used than stands here.
    pub incomplete: bool,
    pub origins: Vec<UseRow>,
    pub permissions: Vec<UseRow>,
}

/// An origin, a permission, or a power that no permission covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UseRow {
    /// Whether the manifest asks for it.
    pub asked: bool,
    /// The first file that uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PackagePath>,
    /// How many files use it.
    pub files: usize,
    pub name: String,
    pub seen: UseSeen,
}

/// What reading the code told of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UseSeen {
    /// It is used.
    Used,
    /// It was looked for and not seen.
    NotSeen,
    /// The host grants it, and code shows no trace of it.
    NotVisible,
    /// An address that only the running code knows.
    Computed,
}

impl UseRow {
    fn new<'f>(name: impl Into<String>, asked: bool, facts: impl Iterator<Item = &'f Fact>) -> Self {
        let files: BTreeSet<&str> = facts.filter_map(|fact| Some(fact.file.as_ref()?.as_str())).collect();
        let seen = if files.is_empty() { UseSeen::NotSeen } else { UseSeen::Used };
        let file = files.first().and_then(|path| PackagePath::parse(path));
        Self { asked, file, files: files.len(), name: name.into(), seen }
    }

    /// Whether it is used and not asked for.
    #[must_use]
    pub fn is_undeclared(&self) -> bool {
        !self.asked && self.seen == UseSeen::Used
    }
}

impl AskedAndUsed {
    /// The table of a package. Nothing without the facts of a report.
    #[must_use]
    pub fn from_package(package: &Package<'_>) -> Option<Self> {
        package.facts?;
        let is_blind = |code| package.is_blind(package.rules.row(code));
        Some(Self {
            incomplete: is_blind(RuleCode::P013) || is_blind(RuleCode::P014),
            origins: origins(package),
            permissions: permission_rows(package),
        })
    }
}

/// The origins that are allowed, in their order, then those that are contacted all the same.
fn origins(package: &Package<'_>) -> Vec<UseRow> {
    let contacts: Vec<&Fact> = known_facts(package, &[CONTACT, REMOTE_CODE]).collect();
    let allowed: Vec<&str> = package.list("/network/allow").filter_map(|(_, node)| node.as_str()).collect();
    let origin_of = |fact: &Fact| declared::origin_of(fact).map(str::to_owned);
    let mut rows: Vec<UseRow> = allowed
        .iter()
        .map(|allowed| {
            let covers = |fact: &&Fact| origin_of(fact).is_some_and(|origin| declared::covers(allowed, &origin));
            UseRow::new(*allowed, true, contacts.iter().copied().filter(covers))
        })
        .collect();
    let is_covered = |origin: &String| allowed.iter().any(|allowed| declared::covers(allowed, origin));
    let others: BTreeSet<String> =
        contacts.iter().filter_map(|fact| origin_of(fact)).filter(|origin| !is_covered(origin)).collect();
    for origin in others {
        let is_it = |fact: &&Fact| origin_of(fact).as_ref() == Some(&origin);
        rows.push(UseRow::new(origin.clone(), false, contacts.iter().copied().filter(is_it)));
    }
    let computed = UseRow::new("computed", false, contacts.iter().copied().filter(|fact| declared::is_computed(fact)));
    if computed.files > 0 {
        rows.push(UseRow { seen: UseSeen::Computed, ..computed });
    }
    rows
}

/// The facts of these kinds that a report has room for.
fn known_facts<'p>(package: &'p Package<'_>, kinds: &'static [&'static str]) -> impl Iterator<Item = &'p Fact> {
    package.facts_of(kinds).filter(|(_, known)| matches!(known, Known::One(_))).map(|(fact, _)| fact)
}

/// The permissions that are asked for, in their order, then what is used without.
fn permission_rows(package: &Package<'_>) -> Vec<UseRow> {
    let powers: Vec<&Fact> = known_facts(package, &[POWER]).collect();
    let contacts = || known_facts(package, &[CONTACT, REMOTE_CODE]);
    let asked: Vec<&str> =
        package.list("/permissions").filter_map(|(_, node)| node.get("permission")?.as_str()).collect();
    let rule = package.rules.row(RuleCode::P014);
    let mut rows = Vec::new();
    for permission in &asked {
        let covers = |fact: &&Fact| declared::covering(rule, fact.word.as_str()).any(|word| word == *permission);
        let row = UseRow::new(*permission, true, powers.iter().copied().filter(covers));
        let is_visible =
            rule.words("covered").iter().any(|row| row.split_once('=').is_some_and(|(_, word)| word == *permission));
        rows.push(match *permission {
            NETWORK => UseRow::new(NETWORK, true, contacts()),
            _ if is_visible => row,
            _ => UseRow { seen: UseSeen::NotVisible, ..row },
        });
    }
    if !asked.contains(&NETWORK) && contacts().next().is_some() {
        rows.push(UseRow::new(NETWORK, false, contacts()));
    }
    let words: BTreeSet<&str> = powers.iter().map(|fact| fact.word.as_str()).collect();
    for word in words {
        let covering: Vec<&str> = declared::covering(rule, word).collect();
        if covering.iter().any(|permission| asked.contains(permission)) {
            continue;
        }
        let name = match covering.as_slice() {
            [] => format!("{word} (no permission covers it)"),
            names => format!("{} ({word})", names.join(" or ")),
        };
        rows.push(UseRow::new(name, false, powers.iter().copied().filter(|fact| fact.word.as_str() == word)));
    }
    rows
}
