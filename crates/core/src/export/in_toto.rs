//! The statement of a signing request and the bytes that its subjects are the digests of. There is no envelope: one without
//! a signature is none.

use std::fmt::Write as _;

use svc_json::canonical;

use crate::{
    artifact::about_package::AboutPackage as _, bundle::Bundle, export::exported::ExportedFiles,
    package::descriptor::DescriptorName,
};

/// The statement, its subjects, and a list of digests that `sha256sum --check` reads.
#[must_use]
pub fn files(bundle: &Bundle) -> ExportedFiles {
    let mut files = ExportedFiles::new();
    let mut sums = String::new();
    for (name, bytes, digest) in subjects(bundle) {
        let path = format!("subjects/{name}.json");
        let _ = writeln!(sums, "{digest}  {path}");
        files.insert(path, bytes);
    }
    files.insert("statement.json".to_owned(), canonical::to_bytes(bundle.signing_request.statement()));
    files.insert("SHA256SUMS".to_owned(), sums.into_bytes());
    files
}

/// Each part that the statement names: its name, its bytes, and the hex of its digest.
pub(super) fn subjects(bundle: &Bundle) -> [(DescriptorName, Vec<u8>, String); 2] {
    let artifact = bundle.submission.basis().package_artifact;
    let part = |name, bytes: Vec<u8>| {
        let digest = svc_json::digest::Digest::of(&bytes).hex();
        (name, bytes, digest)
    };
    [
        part(DescriptorName::Manifest, canonical::to_bytes(&artifact.manifest)),
        part(DescriptorName::PackageArtifact, canonical::to_bytes(artifact)),
    ]
}
