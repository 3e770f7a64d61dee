//! Where the canonical form of an artifact's parts comes from: its own text, or what was read from it.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    canonical_json,
    digest::{Digest, Hasher},
    manifest::model::Manifest,
    package::DescriptorName,
    strict_json::written::Written,
};

/// The members of a document that its digest does not cover: itself, and the parts that have digests of their own.
const BESIDE: [&str; 3] = ["documentDigest", "packageArtifact", "reviewReport"];

/// The canonical form of one document.
#[derive(Debug)]
pub struct Canon(Option<Written>);

impl Canon {
    /// That of a document that has no text, or none in canonical order: what was read is written again.
    #[must_use]
    pub const fn anew() -> Self {
        Self(None)
    }

    /// That of a document as it came.
    pub(crate) const fn of(written: Option<Written>) -> Self {
        Self(written)
    }

    /// The form of a manifest.
    pub(crate) fn manifest(&self, manifest: &Manifest) -> Cow<'_, [u8]> {
        self.part(DescriptorName::Manifest).map_or_else(|| canonical_json::to_bytes(manifest).into(), Cow::Borrowed)
    }

    /// The digest and the length of a part.
    pub(crate) fn digest<T: Serialize>(&self, part: DescriptorName, value: &T) -> (Digest, u64) {
        match self.part(part) {
            Some(text) => {
                debug_assert!(canonical_json::is_form_of(text, value), "the text of the {part} is another value's");
                (Digest::of(text), text.len() as u64)
            }
            None => canonical_json::digest(value),
        }
    }

    /// The digest of everything but the members that it does not cover. The view is what is left of the document.
    pub(crate) fn document<T: Serialize>(&self, view: &T) -> Digest {
        let Some(pieces) = self.0.as_ref().and_then(|written| written.without(&BESIDE)) else {
            return canonical_json::digest(view).0;
        };
        debug_assert!(canonical_json::is_form_of(&pieces.concat(), view), "the text is another document's");
        let mut hasher = Hasher::default();
        pieces.iter().for_each(|piece| hasher.update(piece));
        hasher.finish().0
    }

    fn part(&self, part: DescriptorName) -> Option<&[u8]> {
        let written = self.0.as_ref()?;
        match part {
            DescriptorName::Manifest => written.inner("packageArtifact", "manifest"),
            DescriptorName::PackageArtifact => written.member("packageArtifact"),
            DescriptorName::ReviewReport => written.member("reviewReport"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::{
        artifact::{
            acceptance_request::AcceptanceRequest, head::AboutPackage, install_policy::InstallPolicy,
            publisher_verification::PublisherVerification, review_evidence::ReviewEvidence,
            signing_request::SigningRequest, submission::Submission,
        },
        sample,
        strict_json::typed,
    };

    fn file<A: AboutPackage>() -> Vec<u8> {
        sample::bundle("{}", 3).unwrap().remove(A::SPEC.file).unwrap()
    }

    /// Reads a document, and holds what its text gives against what writing it anew gives.
    fn has_text<A: AboutPackage>(document: &[u8]) -> bool {
        let (artifact, written) = typed::with_text::<A>(document).unwrap();
        let (kept, anew) = (Canon::of(written), Canon::anew());
        let facts = artifact.facts();
        let digests = |canon: &Canon| crate::artifact::head::descriptors(facts.package_artifact, None, canon);
        assert_eq!(digests(&kept), digests(&anew), "{}", A::SPEC.kind);
        assert_eq!(artifact.recompute_document_digest(&kept), artifact.recompute_document_digest(&anew));
        assert_eq!(artifact.recompute_document_digest(&kept), *artifact.document_digest());
        kept.part(DescriptorName::Manifest).is_some() && kept.0.is_some_and(|kept| kept.without(&BESIDE).is_some())
    }

    #[test]
    fn every_file_that_svc_writes_is_its_own_form() {
        assert!(has_text::<AcceptanceRequest>(&file::<AcceptanceRequest>()));
        assert!(has_text::<InstallPolicy>(&file::<InstallPolicy>()));
        assert!(has_text::<PublisherVerification>(&file::<PublisherVerification>()));
        assert!(has_text::<ReviewEvidence>(&file::<ReviewEvidence>()));
        assert!(has_text::<SigningRequest>(&file::<SigningRequest>()));
        assert!(has_text::<Submission>(&file::<Submission>()));
    }

    /// The document with the members of an object turned around, or its names set apart, where bits say so.
    fn shuffled(value: &Value, bits: &mut impl Iterator<Item = bool>) -> String {
        match value {
            Value::Object(members) => {
                let (turned, apart) = (bits.next().unwrap_or(false), bits.next().unwrap_or(false));
                let colon = if apart { " :\n" } else { ":" };
                let mut written: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("{}{colon}{}", Value::from(name.as_str()), shuffled(value, bits)))
                    .collect();
                if turned {
                    written.reverse();
                }
                format!("{{{}}}", written.join(","))
            }
            Value::Array(elements) => {
                let written: Vec<String> = elements.iter().map(|element| shuffled(element, bits)).collect();
                format!("[{}]", written.join(" ,\t"))
            }
            leaf @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => leaf.to_string(),
        }
    }

    proptest! {
        #[test]
        fn the_digests_do_not_depend_on_where_the_form_comes_from(bits in prop::collection::vec(any::<bool>(), 0..60)) {
            let document: Value = serde_json::from_slice(&file::<AcceptanceRequest>()).unwrap();
            let ordered = !bits.iter().step_by(2).any(|turned| *turned);
            let text = shuffled(&document, &mut bits.into_iter());
            prop_assert!(has_text::<AcceptanceRequest>(text.as_bytes()) || !ordered);
        }
    }
}
