//! The table of artifacts. Commands, routes, contracts, schemas and the verifier derive from it.

use std::{collections::BTreeMap, sync::LazyLock};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    acceptance_request, checked::Verified, index, install_policy, publisher_verification, review_evidence,
    signing_request, submission,
};
use crate::{
    decision::{Decision, EvaluatedPackage},
    digest::Digest,
    finding::Finding,
    leaf::Leaf,
    rules::ruleset::RulesetRef,
    shape::Form,
};

/// Every artifact, in the order in which the commands make them.
pub static ALL: &[&ArtifactSpec] = &[
    &submission::SPEC,
    &index::SPEC,
    &acceptance_request::SPEC,
    &publisher_verification::SPEC,
    &review_evidence::SPEC,
    &signing_request::SPEC,
    &install_policy::SPEC,
];

/// The row of one kind.
#[derive(Debug)]
pub struct ArtifactSpec {
    /// The kind on the wire.
    pub kind: &'static str,
    /// The file it is written to.
    pub file: &'static str,
    /// The short name: of its schema, its conformance cases and its source file.
    pub name: &'static str,
    /// The schema's URN.
    pub schema: &'static str,
    /// The one status word.
    pub status: &'static str,
    /// What it evidences locally, for people.
    pub evidences: &'static str,
    /// The command that makes it.
    pub make: MakeCommand,
    /// The command that checks it; the submission has none of its own.
    pub check: Option<CheckCommand>,
    /// The endpoint that takes it; the submission has none.
    pub endpoint: Option<Endpoint>,
    /// What it is made from.
    pub source: Source,
    /// The most bytes that are read.
    pub most_bytes: usize,
    /// The leaf types that only this kind has.
    pub leaves: &'static [Leaf],
    /// Reads and checks a document of this kind.
    pub verify: fn(&[u8]) -> Result<Verified, Vec<Finding>>,
    /// Reads, checks and answers a document of this kind.
    pub decide: fn(&[u8]) -> Result<Decision, Vec<Finding>>,
    /// The JSON Schema.
    pub json_schema: fn() -> serde_json::Value,
}

impl ArtifactSpec {
    /// The form of its schema, made once: every refusal is explained beside it. Nothing for a row that is in no table.
    #[must_use]
    pub fn form(&self) -> Option<&'static Form> {
        static FORMS: LazyLock<BTreeMap<&str, LazyForm>> = LazyLock::new(|| {
            let lazy = |spec: &'static ArtifactSpec| -> LazyForm {
                LazyLock::new(Box::new(|| Form::of(&(spec.json_schema)())))
            };
            ALL.iter().map(|spec| (spec.kind, lazy(spec))).collect()
        });
        FORMS.get(self.kind).map(|form| &**form)
    }
}

type LazyForm = LazyLock<Form, Box<dyn FnOnce() -> Form + Send>>;

/// A command that makes an artifact.
#[derive(Clone, Copy, Debug)]
pub struct MakeCommand {
    /// Its place in the order of the thirteen.
    pub order: u8,
    /// Its name below `svc app`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// A command that checks an artifact.
#[derive(Clone, Copy, Debug)]
pub struct CheckCommand {
    /// Its place in the order of the thirteen.
    pub order: u8,
    /// Its name below `svc app`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// An endpoint below the base path.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The operation's id.
    pub operation: &'static str,
    /// The path below the base path.
    pub path: &'static str,
}

/// What an artifact is made from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// A package on disk.
    Package,
    /// One or more submissions.
    Submissions,
    /// One artifact.
    Artifact {
        /// The parent's row.
        parent: &'static ArtifactSpec,
        /// Derives the child from the parent's bytes, which are checked first.
        derive: fn(&[u8]) -> Result<Verified, Vec<Finding>>,
    },
}

/// A type that is an artifact.
pub trait IsArtifact: Serialize + DeserializeOwned + JsonSchema + Clone + 'static {
    /// The kind's row.
    const SPEC: &'static ArtifactSpec;

    /// The declared digest of the document.
    fn document_digest(&self) -> &Digest;
    /// The digest of the document as it is.
    fn recompute_document_digest(&self) -> Digest;
    /// The rules it was made with.
    fn ruleset(&self) -> &RulesetRef;
    /// Looks at everything beyond shape, but for the document digest.
    fn examine(&self) -> Examined;
}

/// What an examination found.
#[derive(Debug, Default)]
pub struct Examined {
    /// What is wrong.
    pub faults: Vec<Finding>,
    /// The packages that the artifact speaks of, as the registry evaluates them. Without meaning beside a fault.
    pub packages: Vec<EvaluatedPackage>,
}

/// The row of a kind.
#[must_use]
pub fn find(kind: &str) -> Option<&'static ArtifactSpec> {
    ALL.iter().copied().find(|spec| spec.kind == kind)
}
