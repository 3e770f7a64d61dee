//! The rule set `svc.default`: its families, and which of its rules look at packages as a whole.

use std::sync::Arc;

use crate::{
    rules::{
        artifacts, changes, family::Row, files, listing, manifest, package::Check, permissions, ruleset::Rules, syntax,
    },
    scalar::ident::Version,
    words::rule::Rule,
};

/// The version for people. Rule sets are compared by digest.
const VERSION: &str = "1.0.0";

/// The families, in order of their codes.
static FAMILIES: [(&str, &str, &[Row]); 7] = [
    ("artifacts", "Artifacts and bundles", artifacts::ROWS),
    ("changes", "What a new version changes", changes::ROWS),
    ("files", "The files of a package", files::ROWS),
    ("syntax", "The text of any document", syntax::ROWS),
    ("listing", "How a package shows itself", listing::ROWS),
    ("manifest", "The manifest", manifest::ROWS),
    ("permissions", "What a package asks for", permissions::ROWS),
];

impl Rules {
    /// The rule set `svc.default`.
    ///
    /// # Panics
    /// Never: the version is a literal that a test reads.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the version is a literal of this file, read by a test")]
    pub fn svc_default() -> Self {
        let version = Version::parse(VERSION).expect("the rule set's version is a semantic version");
        let rows =
            FAMILIES.iter().map(|(name, title, rows)| (*name, *title, rows.iter().map(|row| &row.rule).collect()));
        Self::of_families(version, rows)
    }

    /// The rules that look at packages as a whole.
    pub fn checked(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.checks().map(|(rule, _)| rule)
    }

    /// The rules that look at packages as a whole, with their checks, in the order they run in.
    pub(super) fn checks(&self) -> impl Iterator<Item = (&Arc<Rule>, Check)> {
        let rows = FAMILIES.iter().flat_map(|(_, _, rows)| rows.iter());
        self.all().zip(rows).filter_map(|(rule, row)| Some((rule, row.check?)))
    }
}
