//! A bill of materials (CycloneDX 1.6, JSON): the package, and each of its files with its digest. The same bundle gives the
//! same bytes: there is no time in it, and its number follows from the digest of the package.

use serde::Serialize;
use svc_json::{digest::Digest, printable};

use crate::{
    artifact::about_package::AboutPackage as _, bundle::Bundle, export::exported::OUTCOME,
    package::descriptor::DescriptorName,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bom<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    bom_format: &'static str,
    components: Vec<FileComponent<'a>>,
    metadata: Metadata<'a>,
    serial_number: String,
    spec_version: &'static str,
    version: u8,
}

#[derive(Serialize)]
struct Metadata<'a> {
    component: PackageComponent<'a>,
    properties: Vec<Property>,
    tools: Tools,
}

#[derive(Serialize)]
struct Tools {
    components: [Tool; 1],
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    r#type: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct PackageComponent<'a> {
    #[serde(rename = "bom-ref")]
    bom_ref: String,
    description: &'a str,
    hashes: Vec<Hash>,
    licenses: [Licensed<'a>; 1],
    name: &'a str,
    publisher: &'a str,
    r#type: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Licensed<'a> {
    expression: &'a str,
}

#[derive(Serialize)]
struct FileComponent<'a> {
    #[serde(rename = "bom-ref")]
    bom_ref: String,
    hashes: [Hash; 1],
    #[serde(rename = "mime-type")]
    mime_type: &'a str,
    name: &'a str,
    r#type: &'static str,
}

#[derive(Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

impl Hash {
    fn from_digest(digest: &Digest) -> Self {
        Self { alg: "SHA-256", content: digest.hex() }
    }
}

#[derive(Serialize)]
struct Property {
    name: &'static str,
    value: String,
}

/// The document.
#[must_use]
pub fn document(bundle: &Bundle) -> Vec<u8> {
    let basis = bundle.submission.basis();
    let (artifact, manifest) = (basis.package_artifact, &basis.package_artifact.manifest);
    let digest = basis.digest(DescriptorName::PackageArtifact);
    let [(_, submission), ..] = bundle.digests();
    let components = artifact.files.iter().map(|file| FileComponent {
        bom_ref: format!("file:{}", file.path),
        hashes: [Hash::from_digest(&file.digest)],
        mime_type: file.media_type.as_str(),
        name: file.path.as_str(),
        r#type: "file",
    });
    let bom = Bom {
        schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
        bom_format: "CycloneDX",
        components: components.collect(),
        metadata: Metadata {
            component: PackageComponent {
                bom_ref: format!("package:{}@{}", manifest.id, manifest.version),
                description: manifest.summary.as_str(),
                hashes: digest.iter().map(|digest| Hash::from_digest(digest)).collect(),
                licenses: [Licensed { expression: manifest.license.as_str() }],
                name: manifest.id.as_str(),
                publisher: manifest.publisher.id.as_str(),
                r#type: "application",
                version: manifest.version.as_str(),
            },
            properties: vec![
                Property { name: "svc:outcome", value: OUTCOME.to_owned() },
                Property { name: "svc:submission", value: submission.to_string() },
            ],
            tools: Tools {
                components: [Tool { name: "svc", r#type: "application", version: env!("CARGO_PKG_VERSION") }],
            },
        },
        serial_number: serial_number(submission),
        spec_version: "1.6",
        version: 1,
    };
    printable::pretty(&bom)
}

/// A UUID of version 8 (RFC 9562), whose bits are those of the digest.
fn serial_number(digest: &Digest) -> String {
    let hex = digest.hex();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default().to_owned();
    format!("urn:uuid:{}-{}-8{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}
