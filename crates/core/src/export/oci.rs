//! An OCI image layout: one manifest whose layers are the seven artifacts and the subjects of the statement, so that every
//! digest of the bundle is a blob that a registry of images can hold.

use serde::Serialize;
use svc_json::{canonical, digest::Digest};

use crate::{
    artifact::about_package::AboutPackage as _,
    bundle::Bundle,
    export::{
        exported::{ExportedFiles, OUTCOME},
        in_toto,
    },
    words::kind,
};

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";

/// What the whole is, for those who look before they fetch.
pub const ARTIFACT_TYPE: &str = "application/vnd.svc.registry-bundle.v1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OciDescriptor {
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact_type: Option<&'static str>,
    digest: String,
    media_type: String,
    size: usize,
}

#[derive(Serialize)]
struct Annotations {
    #[serde(rename = "dev.svc.outcome", skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(rename = "org.opencontainers.image.ref.name", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(rename = "org.opencontainers.image.title", skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(rename = "org.opencontainers.image.version", skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

impl Annotations {
    const NONE: Self = Self { outcome: None, reference: None, title: None, version: None };

    fn titled(title: String) -> Self {
        Self { title: Some(title), ..Self::NONE }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImageManifest {
    annotations: Annotations,
    artifact_type: &'static str,
    config: OciDescriptor,
    layers: Vec<OciDescriptor>,
    media_type: &'static str,
    schema_version: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImageIndex {
    manifests: Vec<OciDescriptor>,
    media_type: &'static str,
    schema_version: u8,
}

/// The files of a layout with one manifest, which is named by the version of the package.
#[must_use]
pub fn files(bundle: &Bundle) -> ExportedFiles {
    let mut files = ExportedFiles::new();
    let config = blob(&mut files, EMPTY, b"{}".to_vec(), None);
    let mut layers = Vec::new();
    let artifacts = bundle.to_files();
    for spec in kind::ALL {
        let bytes = artifacts.get(spec.file).cloned().unwrap_or_default();
        let media_type = format!("application/vnd.svc.registry.{}+json", spec.name);
        layers.push(blob(&mut files, &media_type, bytes, Some(Annotations::titled(spec.file.to_owned()))));
    }
    for (name, bytes, _) in in_toto::subjects(bundle) {
        let title = Annotations::titled(format!("subjects/{name}.json"));
        layers.push(blob(&mut files, name.media_type().as_str(), bytes, Some(title)));
    }
    let package = bundle.submission.basis().package();
    let manifest = ImageManifest {
        annotations: Annotations {
            outcome: Some(OUTCOME),
            title: Some(package.id.to_string()),
            version: Some(package.version.to_string()),
            ..Annotations::NONE
        },
        artifact_type: ARTIFACT_TYPE,
        config,
        layers,
        media_type: MANIFEST,
        schema_version: 2,
    };
    let reference = Annotations { reference: Some(tag(package.version.as_str())), ..Annotations::NONE };
    let manifest = blob(&mut files, MANIFEST, canonical::to_bytes(&manifest), Some(reference));
    let manifest = OciDescriptor { artifact_type: Some(ARTIFACT_TYPE), ..manifest };
    let index = ImageIndex { manifests: vec![manifest], media_type: INDEX, schema_version: 2 };
    files.insert("index.json".to_owned(), canonical::to_bytes(&index));
    files.insert("oci-layout".to_owned(), br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec());
    files
}

/// Adds bytes under their digest.
fn blob(
    files: &mut ExportedFiles,
    media_type: &str,
    bytes: Vec<u8>,
    annotations: Option<Annotations>,
) -> OciDescriptor {
    let digest = Digest::of(&bytes);
    let size = bytes.len();
    files.insert(format!("blobs/sha256/{}", digest.hex()), bytes);
    OciDescriptor {
        annotations,
        artifact_type: None,
        digest: digest.to_string(),
        media_type: media_type.to_owned(),
        size,
    }
}

/// A version as a tag: `+` has no place in one.
fn tag(version: &str) -> String {
    version.replace('+', "_").chars().take(128).collect()
}
