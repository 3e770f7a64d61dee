//! A checked artifact whose kind is known at run time only.

use svc_json::digest::Digest;

use crate::{
    artifact::{
        acceptance_request::AcceptanceRequest,
        checked::{Checked, IsArtifact, ReviewedPackage},
        derive::derive,
        evaluated::SealedEvaluation,
        index::Index,
        install_policy::InstallPolicy,
        publisher_verification::PublisherVerification,
        review_evidence::ReviewEvidence,
        signing_request::SigningRequest,
        submission::Submission,
    },
    findings::Findings,
    rules::ruleset::Rules,
    schema,
    words::{
        kind::{ArtifactKind, ArtifactSpec},
        rule_code::RuleCode,
    },
};

macro_rules! any_checked {
    ($($kind:ident,)+) => {
        /// One of the seven, checked.
        #[derive(Clone, Debug)]
        pub enum AnyChecked {
            $($kind(Checked<$kind>),)+
        }

        $(impl From<Checked<$kind>> for AnyChecked {
            fn from(checked: Checked<$kind>) -> Self {
                Self::$kind(checked)
            }
        })+

        /// Asks whatever the seven kinds have in common.
        macro_rules! ask {
            ($any:expr, $checked:ident => $answer:expr) => {
                match $any {
                    $(AnyChecked::$kind($checked) => $answer,)+
                }
            };
        }

        /// The JSON Schema of a kind.
        #[must_use]
        pub fn json_schema(kind: ArtifactKind) -> serde_json::Value {
            let spec = kind.spec();
            match kind {
                $(ArtifactKind::$kind => schema::for_type::<$kind>(spec.schema, spec.kind),)+
            }
        }
    };
}

any_checked! {
    Submission,
    Index,
    AcceptanceRequest,
    PublisherVerification,
    ReviewEvidence,
    SigningRequest,
    InstallPolicy,
}

impl AnyChecked {
    /// The kind's row.
    #[must_use]
    pub fn spec(&self) -> &'static ArtifactSpec {
        fn spec_of<A: IsArtifact>(_: &Checked<A>) -> &'static ArtifactSpec {
            A::SPEC
        }
        ask!(self, checked => spec_of(checked))
    }

    /// The document digest, recomputed.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        ask!(self, checked => checked.digest_matches().digest())
    }

    /// The file in the layout that svc writes.
    #[must_use]
    pub fn to_file(&self) -> Vec<u8> {
        ask!(self, checked => checked.to_file())
    }

    /// The packages that it speaks of, as our own rules judge them.
    #[must_use]
    pub fn packages(&self) -> &[ReviewedPackage] {
        ask!(self, checked => checked.packages())
    }

    /// The rules that it was checked by.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        ask!(self, checked => checked.rules())
    }

    /// Whether it was made with the rules that it was checked by.
    #[must_use]
    pub fn has_own_rules(&self) -> bool {
        ask!(self, checked => checked.has_own_rules())
    }

    /// What an answer speaks of.
    #[must_use]
    pub fn into_evaluation(self) -> SealedEvaluation {
        ask!(self, checked => checked.into_evaluation())
    }

    /// Derives the child of this kind.
    ///
    /// # Errors
    /// When this is not the kind's parent, or the child would be larger than the registry reads.
    pub fn derive(&self, child: ArtifactKind) -> Result<Self, Findings> {
        match (child, self) {
            (ArtifactKind::AcceptanceRequest, Self::Submission(parent)) => {
                derive::<AcceptanceRequest>(parent).map(Self::from)
            }
            (ArtifactKind::PublisherVerification, Self::Submission(parent)) => {
                derive::<PublisherVerification>(parent).map(Self::from)
            }
            (ArtifactKind::ReviewEvidence, Self::Submission(parent)) => {
                derive::<ReviewEvidence>(parent).map(Self::from)
            }
            (ArtifactKind::SigningRequest, Self::AcceptanceRequest(parent)) => {
                derive::<SigningRequest>(parent).map(Self::from)
            }
            (ArtifactKind::InstallPolicy, Self::SigningRequest(parent)) => {
                derive::<InstallPolicy>(parent).map(Self::from)
            }
            (child, parent) => {
                let message = format!("no `{child}` is derived from a `{}`", parent.spec().kind);
                Err(self.rules().finding(RuleCode::B001, message).into())
            }
        }
    }
}
