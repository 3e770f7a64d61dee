//! Two bundles that are part of the program: one to drive the routes of this build with, one to mix in.

use svc_core::{
    artifact::{checked, index::Index, submission, table::ArtifactSpec},
    bundle::Files,
};
use svc_server::self_test;

/// The two bundles.
#[derive(Debug)]
pub(crate) struct Samples {
    good: Files,
    other: Files,
}

impl Samples {
    /// Makes both.
    ///
    /// # Errors
    /// When the program's own packages do not hold.
    pub(crate) fn make() -> Result<Self, String> {
        let (good, other) = self_test::sample_bundles()?;
        Ok(Self { good, other })
    }

    /// All files of the first.
    pub(crate) fn files(&self) -> &Files {
        &self.good
    }

    /// A document of the first.
    pub(crate) fn good(&self, spec: &ArtifactSpec) -> Result<Vec<u8>, String> {
        self.good.get(spec.file).cloned().ok_or_else(|| format!("{} is missing", spec.file))
    }

    /// A document of the other.
    pub(crate) fn other(&self, spec: &ArtifactSpec) -> Result<&[u8], String> {
        self.other.get(spec.file).map(Vec::as_slice).ok_or_else(|| format!("{} is missing", spec.file))
    }

    /// An index with the submissions of both.
    pub(crate) fn index_of_both(&self) -> Result<Vec<u8>, String> {
        let checked = [self.good(&submission::SPEC)?, self.other(&submission::SPEC)?.to_vec()]
            .iter()
            .map(|bytes| checked::check::<submission::Submission>(bytes))
            .collect::<Result<Vec<_>, _>>();
        let index = checked.and_then(|submissions| Index::of(&submissions, None));
        index.map(|index| index.to_file()).map_err(|_| "the index of both samples cannot be made".to_owned())
    }
}
