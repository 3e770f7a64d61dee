//! The bundles of several packages, and one index over all of them.

use std::collections::BTreeMap;

use svc_json::pointer::Pointer;

use crate::{
    artifact::{about_package::AboutPackage as _, checked::Checked, index::Index},
    bundle::{self, Bundle},
    findings::Findings,
    rules::ruleset::Rules,
    words::{kind, rule_code::RuleCode},
};

/// Several bundles and their index.
#[derive(Clone, Debug)]
pub struct Collection {
    pub index: Checked<Index>,
    /// Each with an index of its own beside, so that it is whole wherever it is taken.
    pub bundles: Vec<Bundle>,
}

impl Collection {
    /// The collection of these bundles, by these rules.
    ///
    /// # Errors
    /// When the index would be larger than the registry reads, or holds a package twice.
    pub fn from_bundles(rules: &Rules, bundles: Vec<Bundle>) -> Result<Self, Findings> {
        let submissions: Vec<_> = bundles.iter().map(|bundle| bundle.submission.clone()).collect();
        Ok(Self { index: Index::from_submissions(rules, &submissions, None)?, bundles })
    }

    /// The files by path: the index, and a folder for each package.
    #[must_use]
    pub fn to_files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::from([(kind::INDEX.file.to_owned(), self.index.to_file())]);
        for bundle in &self.bundles {
            let folder = folder_of(bundle);
            files.extend(bundle.to_files().into_iter().map(|(file, bytes)| (format!("{folder}/{file}"), bytes)));
        }
        files
    }
}

/// The folder of a bundle in a collection: the id of its package.
#[must_use]
pub fn folder_of(bundle: &Bundle) -> String {
    bundle.submission.package().id.to_string()
}

/// What is wrong between an index and the bundles beside it, when each holds by itself.
#[must_use]
pub fn faults(index: &Checked<Index>, bundles: &[Bundle]) -> Findings {
    let mut findings: Findings =
        bundles.iter().filter_map(|bundle| bundle::index_edge(index, &bundle.submission)).collect();
    let entries = Pointer::root().join("entries");
    for (position, entry) in index.entries().iter().enumerate() {
        if !bundles.iter().any(|bundle| *bundle.submission == entry.submission) {
            let package = entry.submission.package();
            let message = format!("the index holds `{} {}`, and there is no such bundle", package.id, package.version);
            findings.push(index.rules().finding(RuleCode::B011, message).at(entries.join(position)));
        }
    }
    findings
}
