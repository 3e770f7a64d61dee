//! A checked artifact, and the one place that makes it.
//!
//! [`Checked`] is the proof that every digest of a document recomputed and that everything that follows from its package
//! was found to follow. Its fields are private: nothing outside this file makes one, and nothing is derived from or
//! answered to anything else.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use svc_json::{canonical, digest::Digest, pointer::Pointer};

use crate::{
    artifact::evaluated::{ComparedRulesets, EvaluatedPackage, SealedEvaluation},
    closed::DigestMatches,
    findings::Findings,
    rules::ruleset::Rules,
    words::{kind::ArtifactSpec, rule_code::RuleCode, verdict::Verdict},
};

/// A type that is an artifact.
pub trait IsArtifact: Serialize + DeserializeOwned + JsonSchema + Clone + 'static {
    /// The kind's row.
    const SPEC: &'static ArtifactSpec;

    /// The declared digest of the document.
    fn document_digest(&self) -> &Digest;
    /// The digest of the document as it is.
    fn recompute_document_digest(&self) -> Digest;
    /// Looks by these rules at everything beyond shape, but for the document digest.
    fn examine(&self, rules: &Rules) -> Examined;
}

/// What an examination found.
#[derive(Debug)]
pub struct Examined {
    /// What is wrong.
    pub faults: Findings,
    /// The rules it was made with, beside our own.
    pub rulesets: ComparedRulesets,
    /// The packages that the artifact speaks of, as our own rules judge them. Without meaning beside a fault.
    pub packages: Vec<ReviewedPackage>,
}

/// A package as our own rules judge it, and why.
#[derive(Clone, Debug)]
pub struct ReviewedPackage {
    pub(crate) evaluated: EvaluatedPackage,
    /// What our own rules found, the heaviest first, as many as there is room for.
    pub(crate) findings: Findings,
    pub(crate) verdict: Verdict,
}

impl ReviewedPackage {
    /// What our own rules found, the heaviest first, as many as there is room for.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The package with no more findings listed than there is room for.
    #[must_use]
    pub(crate) fn with_findings(self, findings: Findings) -> Self {
        Self { findings, ..self }
    }

    /// What our own rules say of the package.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
}

impl Deref for ReviewedPackage {
    type Target = EvaluatedPackage;

    fn deref(&self) -> &EvaluatedPackage {
        &self.evaluated
    }
}

/// An artifact that passed every check a single document allows.
#[derive(Clone, Debug)]
pub struct Checked<A> {
    artifact: A,
    matches: DigestMatches,
    rules: Rules,
    rulesets: ComparedRulesets,
    packages: Vec<ReviewedPackage>,
}

impl<A> Deref for Checked<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.artifact
    }
}

impl<A: IsArtifact> Checked<A> {
    /// The proof that the document's digest recomputed.
    #[must_use]
    pub fn digest_matches(&self) -> &DigestMatches {
        &self.matches
    }

    /// The rules that it was checked by, and that whatever is derived from it is checked by.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The packages that it speaks of, as our own rules judge them: the source of everything that is shown.
    #[must_use]
    pub fn packages(&self) -> &[ReviewedPackage] {
        &self.packages
    }

    /// Whether it was made with the rules that it was checked by.
    #[must_use]
    pub fn has_own_rules(&self) -> bool {
        self.rulesets.equal
    }

    /// What an answer speaks of.
    #[must_use]
    pub fn into_evaluation(self) -> SealedEvaluation {
        let packages = self.packages.into_iter().map(|package| package.evaluated).collect();
        SealedEvaluation::of_sealed(A::SPEC, self.matches, self.rulesets, packages)
    }

    /// The file's bytes.
    #[must_use]
    pub fn to_file(&self) -> Vec<u8> {
        canonical::to_pretty(&self.artifact)
    }
}

/// Checks what a type cannot: digests, bindings, the review. The only maker of [`Checked`].
///
/// # Errors
/// Everything that does not hold.
pub(crate) fn seal<A: IsArtifact>(rules: &Rules, artifact: A) -> Result<Checked<A>, Findings> {
    #[cfg(feature = "counts")]
    crate::counts::note_seal();
    let Examined { faults: mut findings, rulesets, packages } = artifact.examine(rules);
    match DigestMatches::compare(artifact.document_digest(), &artifact.recompute_document_digest()) {
        Some(matches) if findings.is_empty() => {
            return Ok(Checked { artifact, matches, rules: rules.clone(), rulesets, packages });
        }
        Some(_) => {}
        None => findings.push(
            rules
                .finding(RuleCode::B003, "the document digest does not recompute")
                .at(Pointer::root().join("documentDigest")),
        ),
    }
    Err(findings)
}
