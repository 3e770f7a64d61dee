//! The package artifact: the manifest and the table of files. Its digest commits to every byte of the package.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    canonical_json,
    digest::Digest,
    leaf::{IsLeaf, Leaf},
    limits,
    manifest::model::Manifest,
    media_type,
    path::PackagePath,
    rules::artifacts,
    strict_json::tree::Value,
    words,
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
        Self { digest, media_type: MediaType(media_type::of_path(&path).into()), path, size }
    }

    /// Whether the media type is the one that the path gives.
    #[must_use]
    pub fn media_type_fits(&self) -> bool {
        self.media_type.0 == media_type::of_path(&self.path)
    }
}

/// A media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType(Cow<'static, str>);

impl MediaType {
    /// A media type of a table of ours.
    pub(crate) const fn of(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
        write(&self.0)
    }

    /// Reads a type and a subtype.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_name = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte))
        };
        if let Some(known) = media_type::known(text) {
            return Some(Self::of(known));
        }
        let (kind, subtype) = text.split_once('/')?;
        (text.len() <= 100 && is_name(kind) && is_name(subtype)).then(|| Self(Cow::Owned(text.to_owned())))
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

crate::form! {
    MediaType {
        name: "media-type",
        rule: artifacts::B015,
        expected: "a media type in lowercase, such as `text/css`",
        pattern: "^[a-z0-9.+-]+/[a-z0-9.+-]+$",
        max_length: 100,
    }
}

/// A length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u64);

impl Size {
    /// The largest number that JSON carries exactly.
    pub const MOST: Self = Self(limits::JSON_INTEGER as u64);

    /// A length, when JSON can carry it exactly.
    #[must_use]
    pub fn new(bytes: u64) -> Option<Self> {
        i64::try_from(bytes).is_ok_and(|bytes| bytes <= limits::JSON_INTEGER).then_some(Self(bytes))
    }

    /// The number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl IsLeaf for Size {
    const LEAF: Leaf = Leaf {
        name: "size",
        rule: |_| &artifacts::B015,
        expected: "a number of bytes",
        pattern: "",
        accepts: |value| matches!(value, Value::Integer(number) if *number >= 0),
        words: &[],
    };
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(u64::deserialize(deserializer)?).ok_or_else(|| de::Error::custom("a size beyond 2^53−1"))
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        Self::LEAF.name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "title": Self::LEAF.name, "minimum": 0, "maximum": limits::JSON_INTEGER })
    }
}

words! {
    /// What a descriptor describes.
    pub enum DescriptorName("descriptor-name", artifacts::B015) {
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
            Self::Manifest => MediaType::of("application/vnd.svc.app-manifest+json"),
            Self::PackageArtifact => MediaType::of("application/vnd.svc.package-artifact+json"),
            Self::ReviewReport => MediaType::of("application/vnd.svc.review-report+json"),
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
    pub fn of<T: Serialize>(name: DescriptorName, value: &T) -> Self {
        let (digest, size) = canonical_json::digest(value);
        Self { digest, media_type: name.media_type(), name, size: Size(size) }
    }
}
