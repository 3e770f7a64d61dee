//! Whether a manifest can be shown as a listing: the evidence of the second stage, for a manifest by itself and inside any
//! document alike.

use crate::{
    finding::Finding,
    findings::Findings,
    rules::package::Package,
    words::{rule::Needs, severity::Severity},
};

/// What keeps a manifest from being a listing.
pub(crate) enum ListingLacks {
    /// Errors of rules that need the manifest alone.
    Errors(Findings),
    /// It names no icon.
    Icon,
}

/// What keeps a package's manifest from being a listing, by what our rules found. Nothing keeps it when nothing is returned.
pub(crate) fn lacks_for_listing(package: &Package<'_>, findings: &Findings) -> Option<ListingLacks> {
    if findings.iter().any(is_manifest_error) {
        let mut errors = findings.clone();
        errors.retain(is_manifest_error);
        return Some(ListingLacks::Errors(errors));
    }
    package.list("/icons").next().is_none().then_some(ListingLacks::Icon)
}

fn is_manifest_error(finding: &Finding) -> bool {
    let needs_manifest_alone = match finding.rule.needs {
        Needs::Text | Needs::Manifest => true,
        Needs::FileTable | Needs::Facts | Needs::Folder | Needs::Artifact => false,
    };
    needs_manifest_alone && finding.severity() == Severity::Error
}
