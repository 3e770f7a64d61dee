//! What a manifest would have to ask for, by what the code of the package was seen to do.
//!
//! It goes by the same matching as the rules on it (F017, P013, P014). Nothing is proposed that code does not show: a mere
//! mention of a power, an address that is computed and code from elsewhere give no row.

use std::collections::BTreeSet;

use crate::{
    package::{
        fact::Fact,
        fact_table::{CALLED, CONTACT, Known, POWER, REFERENCE},
    },
    rules::{declared, package::Package},
    scalar::{subject::Subject, url::Origin},
    words::rule_code::RuleCode,
};

/// Permissions and origins that code uses, and files that the page loads, each once, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proposal {
    /// The permissions. Of two that cover a power, the one that opens less.
    pub permissions: Vec<&'static str>,
    /// The https origins.
    pub origins: Vec<Origin>,
    /// Paths that the page, or what it loads, names and that the patterns take in no file for.
    pub files: Vec<String>,
}

impl Proposal {
    /// What the facts of a package show.
    #[must_use]
    pub(crate) fn from_package(package: &Package<'_>) -> Self {
        let told = |kind: &'static str| {
            let rows =
                package.facts_of(&[CONTACT, POWER, REFERENCE]).filter(|(_, known)| matches!(known, Known::One(_)));
            rows.map(|(fact, _)| fact).filter(move |fact| fact.kind.as_str() == kind)
        };
        let rule = package.rules.row(RuleCode::P014);
        let is_called = |fact: &&Fact| fact.subject.as_ref().map(Subject::as_str) == Some(CALLED);
        let permissions: BTreeSet<&str> = told(POWER)
            .filter(is_called)
            .filter_map(|fact| declared::covering(rule, fact.word.as_str()).next())
            .collect();
        let subjects = told(REFERENCE).filter_map(|fact| fact.subject.as_ref());
        let files: BTreeSet<&str> = subjects.map(Subject::as_str).collect();
        let origins: BTreeSet<String> = told(CONTACT).filter_map(declared::origin_of).map(as_page).collect();
        Self {
            permissions: permissions.into_iter().collect(),
            files: files.into_iter().map(str::to_owned).collect(),
            origins: origins.iter().filter_map(|origin| Origin::parse(origin)).collect(),
        }
    }
}

/// A socket is as its page.
fn as_page(origin: &str) -> String {
    origin.strip_prefix("wss://").map_or_else(|| origin.to_owned(), |host| format!("https://{host}"))
}
