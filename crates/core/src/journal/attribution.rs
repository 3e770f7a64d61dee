//! Who asked for an answer, and about which package: what stands beside a record and never in it.
//!
//! A record goes into a log that may be public and can never be cleaned. These three name people, so that they are kept in
//! a table of their own, for those who may read it, and can be deleted. The tree does not cover them: nothing proves them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    closed::False,
    journal::{record::Record, scalars::TokenName},
    scalar::ident::{OwnerId, PackageRef},
};

/// The URN of the schema of an entry.
pub const ENTRY_SCHEMA: &str = "urn:svc:registry:schema:journal-entry:1.0";

/// Who asked, and about which package. It names something, or says that what it named cannot be read any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "journal-attribution")]
pub struct Attribution {
    /// The owner: as checked when denied, as declared when refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<OwnerId>,
    /// The package, as the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<PackageRef>,
    /// Says so wherever it is shown.
    proven: False,
    /// The token that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<TokenName>,
    /// True where names are kept and cannot be read: then none is shown. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<bool>,
}

impl Attribution {
    /// What is known of an asker; nothing when that is nothing.
    #[must_use]
    pub fn new(owner: Option<OwnerId>, package: Option<PackageRef>, token: Option<TokenName>) -> Option<Self> {
        let names_something = owner.is_some() || package.is_some() || token.is_some();
        names_something.then_some(Self { owner, package, proven: False, token, unreadable: None })
    }

    /// What is kept has lost its form. No part of it is shown: the parts that still read may be damaged too.
    #[must_use]
    pub fn unreadable() -> Self {
        Self { owner: None, package: None, proven: False, token: None, unreadable: Some(true) }
    }

    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.unreadable.is_some()
    }

    /// The owner.
    #[must_use]
    pub fn owner(&self) -> Option<&OwnerId> {
        self.owner.as_ref()
    }

    /// The package. An index has many, so none is named.
    #[must_use]
    pub fn package(&self) -> Option<&PackageRef> {
        self.package.as_ref()
    }

    /// The token that was used.
    #[must_use]
    pub fn token(&self) -> Option<&TokenName> {
        self.token.as_ref()
    }
}

/// A record as it is listed for those who may read what stands beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "journal-entry")]
pub struct JournalEntry {
    /// Who asked; absent when nobody was named, or when it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Attribution>,
    /// What is proven.
    pub record: Record,
}
