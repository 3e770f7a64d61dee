//! Two bundles that are part of the program: one to drive the routes of this build with, one to mix in.

use serde_json::{Value, json};
use svc_core::{
    artifact::{checked::Checked, index::Index, submission::Submission},
    bundle::{Bundle, Files},
    read,
    words::kind::{self, ArtifactSpec},
};
use svc_json::{canonical, digest::Digest};
use svc_testkit::{adversary, samples};

/// The sample package as it is, and another made of it.
const GOOD: &str = "{}";
const OTHER: &str = r#"{"id": "dev.acme.other-board", "version": "2.0.0", "repository": null}"#;

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
        let bundle = |patch| samples::bundle(patch, 0).ok_or_else(|| "this build's own samples do not hold".to_owned());
        Ok(Self { good: bundle(GOOD)?, other: bundle(OTHER)? })
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

    /// An index of the sample package under each of these changes of its manifest.
    pub(crate) fn index_of(&self, patches: &[&str]) -> Result<Vec<u8>, String> {
        let made = patches.iter().map(|patch| samples::submission(patch, 0)).collect::<Option<Vec<_>>>();
        let index = made.and_then(|submissions| Index::of(&submissions, None).ok());
        index.map(|index| index.to_file()).ok_or_else(|| "the index of a few samples cannot be made".to_owned())
    }

    /// The first as somebody with rules that this build does not know would have made it.
    pub(crate) fn under_other_rules(&self) -> Result<Files, String> {
        let failed = || "the sample under other rules cannot be made".to_owned();
        let mut document: Value = serde_json::from_slice(&self.good(&kind::SUBMISSION)?).map_err(|_| failed())?;
        let members = document.as_object_mut().ok_or_else(failed)?;
        let digest = Digest::of(b"rules that nobody has").to_string();
        members.insert("ruleset".to_owned(), json!({ "digest": digest, "version": "1.0.0" }));
        adversary::reseal(&mut document);
        let submission = read::artifact(&canonical::to_pretty(&document)).map_err(|_| failed())?;
        Ok(Bundle::of(submission).map_err(|_| failed())?.to_files())
    }

    /// An index with the submissions of both.
    pub(crate) fn index_of_both(&self) -> Result<Vec<u8>, String> {
        let both = [self.good(&kind::SUBMISSION)?, self.other(&kind::SUBMISSION)?.to_vec()];
        let checked: Result<Vec<Checked<Submission>>, _> = both.iter().map(|bytes| read::artifact(bytes)).collect();
        let index = checked.and_then(|submissions| Index::of(&submissions, None));
        index.map(|index| index.to_file()).map_err(|_| "the index of both samples cannot be made".to_owned())
    }
}
