//! The package artifact: the manifest and the table of files. Its digest commits to every byte of the package.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_json::digest::Digest;

use crate::{
    manifest::model::Manifest,
    scalar::{media_type::MediaType, path::PackagePath, size::Size},
};

/// What a package is, completely.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "package-artifact")]
pub struct PackageArtifact {
    /// The files, sorted by the bytes of their paths.
    #[schemars(length(max = 10_000))]
    pub files: Vec<FileEntry>,
    /// The manifest.
    pub manifest: Manifest,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "file-entry")]
pub struct FileEntry {
    /// The digest of the file's raw bytes.
    pub digest: Digest,
    /// The media type, told by the extension.
    pub media_type: MediaType,
    /// The path.
    pub path: PackagePath,
    /// The length in bytes.
    pub size: Size,
}

impl FileEntry {
    /// The entry of a file that was read.
    #[must_use]
    pub fn new(path: PackagePath, size: Size, digest: Digest) -> Self {
        Self { digest, media_type: MediaType::of_path(&path), path, size }
    }

    /// Whether the media type is the one that the path gives.
    #[must_use]
    pub fn media_type_fits(&self) -> bool {
        self.media_type == MediaType::of_path(&self.path)
    }
}
