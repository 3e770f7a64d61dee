//! What an artifact says of the digests of its parts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_json::{canonical, digest::Digest};

use crate::{
    scalar::{media_type::MediaType, size::Size},
    wire_enum,
};

wire_enum! {
    /// What a descriptor describes.
    pub enum DescriptorName("descriptor-name", B015) {
        /// The manifest.
        Manifest = "manifest",
        /// The package artifact.
        PackageArtifact = "package-artifact",
        /// The review report.
        ReviewReport = "review-report",
    }
}

impl DescriptorName {
    pub(crate) const fn media_type(self) -> MediaType {
        match self {
            Self::Manifest => MediaType::from_static("application/vnd.svc.app-manifest+json"),
            Self::PackageArtifact => MediaType::from_static("application/vnd.svc.package-artifact+json"),
            Self::ReviewReport => MediaType::from_static("application/vnd.svc.review-report+json"),
        }
    }
}

/// The digest of a part of an artifact: one row of `artifactDigests`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "descriptor")]
pub struct Descriptor {
    /// SHA-256 over the RFC 8785 form.
    pub digest: Digest,
    /// What the bytes are.
    pub media_type: MediaType,
    /// What is described.
    pub name: DescriptorName,
    /// The length of the RFC 8785 form.
    pub size: Size,
}

impl Descriptor {
    /// Describes a value.
    #[must_use]
    pub fn new<T: Serialize>(name: DescriptorName, value: &T) -> Self {
        let (digest, size) = canonical::digest(value);
        Self { digest, media_type: name.media_type(), name, size: Size::bounded(size) }
    }
}
