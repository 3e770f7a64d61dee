//! The digests of an artifact's parts: from its own text, or from what was read.

use std::borrow::Cow;

use serde::Serialize;

use crate::{
    canonical_json,
    digest::Digest,
    manifest::model::Manifest,
    package::DescriptorName,
    strict_json::digested::{Digested, Part},
};

/// The members that a document's digest does not cover: itself, and the parts that have digests of their own. The rules
/// read the manifest again.
pub(crate) static PARTS: [Part; 4] = [
    Part { outer: None, name: "documentDigest", with_text: false },
    Part { outer: None, name: "packageArtifact", with_text: false },
    Part { outer: Some("packageArtifact"), name: "manifest", with_text: true },
    Part { outer: None, name: "reviewReport", with_text: false },
];

/// The canonical form of one document.
#[derive(Debug)]
pub struct Canon(Option<Digested>);

impl Canon {
    /// That of a document that has no text, or none in canonical order: what was read is written again.
    #[must_use]
    pub const fn anew() -> Self {
        Self(None)
    }

    /// That of a document as it came.
    pub(crate) const fn of(digested: Option<Digested>) -> Self {
        Self(digested)
    }

    /// The form of the manifest.
    pub(crate) fn manifest(&self, manifest: &Manifest) -> Cow<'_, [u8]> {
        let kept = self.0.as_ref().and_then(|digested| digested.part(part(DescriptorName::Manifest)));
        kept.map_or_else(|| canonical_json::to_bytes(manifest).into(), |kept| kept.text.as_slice().into())
    }

    /// The digest and the length of a part.
    pub(crate) fn digest<T: Serialize>(&self, name: DescriptorName, value: &T) -> (Digest, u64) {
        let Some(kept) = self.0.as_ref().and_then(|digested| digested.part(part(name))) else {
            return canonical_json::digest(value);
        };
        debug_assert_eq!(
            (kept.digest, kept.size),
            canonical_json::digest(value),
            "the text of the {name} is another's"
        );
        (kept.digest, kept.size)
    }

    /// The digest of everything but the parts. The view is what is left of the document.
    pub(crate) fn document<T: Serialize>(&self, view: &T) -> Digest {
        let Some(kept) = self.0.as_ref().and_then(Digested::document) else {
            return canonical_json::digest(view).0;
        };
        debug_assert_eq!(kept, canonical_json::digest(view).0, "the text is another document's");
        kept
    }
}

fn part(name: DescriptorName) -> &'static Part {
    let [_, package_artifact, manifest, review_report] = &PARTS;
    match name {
        DescriptorName::Manifest => manifest,
        DescriptorName::PackageArtifact => package_artifact,
        DescriptorName::ReviewReport => review_report,
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
        let (artifact, digested) = typed::with_digests::<A>(document, &PARTS).unwrap();
        let (kept, anew) = (Canon::of(digested), Canon::anew());
        let facts = artifact.facts();
        let digests = |canon: &Canon| crate::artifact::head::descriptors(facts.package_artifact, None, canon);
        assert_eq!(digests(&kept), digests(&anew), "{}", A::SPEC.kind);
        assert_eq!(artifact.recompute_document_digest(&kept), artifact.recompute_document_digest(&anew));
        assert_eq!(artifact.recompute_document_digest(&kept), *artifact.document_digest());
        assert_eq!(kept.manifest(&facts.package_artifact.manifest), anew.manifest(&facts.package_artifact.manifest));
        kept.0.is_some_and(|kept| kept.document().is_some() && kept.part(part(DescriptorName::Manifest)).is_some())
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
            let plain = !bits.contains(&true);
            let text = shuffled(&document, &mut bits.into_iter());
            prop_assert!(has_text::<AcceptanceRequest>(text.as_bytes()) || !plain);
        }
    }
}
