//! Who asked, as a store keeps it beside the log: rows of their own that come with their records and can be deleted.

use svc_core::{
    journal::{attribution::Attribution, scalars::TokenName, timestamp::Timestamp},
    scalar::ident::{OwnerId, PackageId, PackageRef, Version},
};

use crate::fault::JournalFault;

/// One attribution as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributionRow {
    /// The place of its record.
    pub place: u64,
    /// The time of its record, again: to delete by, also when the record was pruned.
    pub time: Timestamp,
    pub attribution: Attribution,
}

/// The names of an attribution, as the columns of a table hold them.
#[derive(Debug)]
pub(crate) struct NameColumns<T> {
    pub(crate) owner: Option<T>,
    pub(crate) token: Option<T>,
    pub(crate) package_id: Option<T>,
    pub(crate) package_version: Option<T>,
}

impl<'a> NameColumns<&'a str> {
    pub(crate) fn of(attribution: &'a Attribution) -> Self {
        let package = attribution.package();
        Self {
            owner: attribution.owner().map(OwnerId::as_str),
            token: attribution.token().map(TokenName::as_str),
            package_id: package.map(|package| package.id.as_str()),
            package_version: package.map(|package| package.version.as_str()),
        }
    }
}

impl NameColumns<String> {
    /// Reads what is kept for a record.
    ///
    /// # Errors
    /// When a name has lost its form, or none is there.
    pub(crate) fn read(&self, place: u64) -> Result<Attribution, JournalFault> {
        let other = || JournalFault::corrupt(format!("what is kept beside record {place} is not what was written"));
        let owner = self.owner.as_deref().map(|text| OwnerId::parse(text).ok_or_else(other)).transpose()?;
        let token = self.token.as_deref().map(|text| TokenName::parse(text).ok_or_else(other)).transpose()?;
        let package = match (self.package_id.as_deref(), self.package_version.as_deref()) {
            (None, None) => None,
            (id, version) => {
                let (id, version) = (id.and_then(PackageId::parse), version.and_then(Version::parse));
                Some(PackageRef { id: id.ok_or_else(other)?, version: version.ok_or_else(other)? })
            }
        };
        Attribution::new(owner, package, token).ok_or_else(other)
    }
}
