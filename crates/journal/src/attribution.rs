//! Who asked, as a store keeps it beside the log: rows of their own that come with their records and can be deleted.

use svc_core::{
    journal::{attribution::Attribution, scalars::TokenName, timestamp::Timestamp},
    scalar::ident::{OwnerId, PackageId, PackageRef, Version},
};

/// One attribution as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributionRow {
    /// The place of its record.
    pub place: u64,
    /// The time of its record, again: to delete by, also when the record was pruned.
    pub time: Timestamp,
    pub attribution: Attribution,
}

/// Which attributions are meant: those that fit everything that is given. One that gives nothing means all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributionFilter {
    pub before: Option<Before>,
    pub owner: Option<OwnerId>,
    pub package: Option<PackageId>,
    pub token: Option<TokenName>,
}

/// Where or when a record is that others are before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    Place(u64),
    Time(Timestamp),
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
    /// Reads what is kept for a record. The log is whole without it, so that a name that has lost its form is told beside
    /// its record and stops nothing.
    pub(crate) fn read(&self) -> Attribution {
        self.parse().unwrap_or_else(Attribution::unreadable)
    }

    fn parse(&self) -> Option<Attribution> {
        let owner = match self.owner.as_deref() {
            None => None,
            Some(text) => Some(OwnerId::parse(text)?),
        };
        let token = match self.token.as_deref() {
            None => None,
            Some(text) => Some(TokenName::parse(text)?),
        };
        let package = match (self.package_id.as_deref(), self.package_version.as_deref()) {
            (None, None) => None,
            (id, version) => Some(PackageRef { id: PackageId::parse(id?)?, version: Version::parse(version?)? }),
        };
        Attribution::new(owner, package, token)
    }
}

/// A filter as the parameters of a statement: place, time, owner, token, package.
#[derive(Debug)]
pub(crate) struct FilterParameters<'f> {
    pub(crate) place: Option<i64>,
    pub(crate) time: Option<i64>,
    pub(crate) owner: Option<&'f str>,
    pub(crate) token: Option<&'f str>,
    pub(crate) package_id: Option<&'f str>,
}

impl<'f> FilterParameters<'f> {
    pub(crate) fn of(filter: &'f AttributionFilter) -> Self {
        let (place, time) = match filter.before {
            None => (None, None),
            Some(Before::Place(place)) => (Some(place), None),
            Some(Before::Time(time)) => (None, Some(time.millis())),
        };
        // Nothing is kept beyond what is counted, so that a larger bound is no other one.
        let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Self {
            place: place.map(bound),
            time: time.map(bound),
            owner: filter.owner.as_ref().map(OwnerId::as_str),
            token: filter.token.as_ref().map(TokenName::as_str),
            package_id: filter.package.as_ref().map(PackageId::as_str),
        }
    }
}
