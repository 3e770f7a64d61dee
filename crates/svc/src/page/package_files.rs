//! The folder of a package beside the file table of a bundle: what counts are the bytes of the table, file by file.
//!
//! No rule runs on the folder and no code is parsed. Files that the table does not name are not looked for.

use std::collections::BTreeMap;

use svc_cli::files::{document::DocumentSource, read::ReadError};
use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    package::artifact::FileEntry,
    words::limits,
};
use svc_json::digest::Digest;

use super::model::OnDisk;
use svc_cli::rules::rules;

/// A folder that was looked at.
pub(crate) struct PackageFiles {
    source: DocumentSource,
    /// The manifest as it lies there, when it is that of the bundle.
    manifest: Option<Vec<u8>>,
    label: String,
    found: BTreeMap<String, OnDisk>,
}

impl PackageFiles {
    /// Reads every file of the table once, beneath the folder of the manifest.
    pub(crate) fn look(
        source: DocumentSource,
        label: String,
        manifest: Vec<u8>,
        submission: &Checked<Submission>,
    ) -> Self {
        let package = submission.basis().package_artifact;
        let is_the_same = svc_core::pack::read_manifest(rules(), &manifest)
            .is_ok_and(|draft| draft.manifest().is_some_and(|found| *found == package.manifest));
        let mut room = limits::PACKAGE_BYTES;
        let found = package.files.iter().map(|file| (file.path.to_string(), on_disk(&source, file, &mut room)));
        Self { found: found.collect(), manifest: is_the_same.then_some(manifest), label, source }
    }

    pub(super) fn state(&self, path: &str) -> OnDisk {
        self.found.get(path).copied().unwrap_or(OnDisk::Missing)
    }

    /// How many files of the table have its bytes here.
    pub(super) fn same(&self) -> usize {
        self.found.values().filter(|state| **state == OnDisk::Same).count()
    }

    pub(super) fn has_manifest(&self) -> bool {
        self.manifest.is_some()
    }

    /// Whether manifest and files are all those of the bundle.
    pub(crate) fn is_the_bundles(&self) -> bool {
        self.has_manifest() && self.same() == self.found.len()
    }

    /// The bytes of a file, when they are those of the table.
    pub(super) fn bytes(&self, file: &FileEntry) -> Option<Vec<u8>> {
        let bytes = self.source.read_beside(file.path.as_str(), file.size.get().min(limits::FILE_BYTES)).ok()?;
        (Digest::of(&bytes) == file.digest).then_some(bytes)
    }

    /// The manifest's name and bytes, where it is that of the bundle, and the folder that it lies in.
    pub(super) fn into_parts(self) -> (String, Option<Vec<u8>>, DocumentSource) {
        (self.label, self.manifest, self.source)
    }
}

/// Reads a file and compares it. A table can claim more than a package may hold, and no more than that is read.
fn on_disk(source: &DocumentSource, file: &FileEntry, room: &mut u64) -> OnDisk {
    let size = file.size.get();
    if size > limits::FILE_BYTES.min(*room) {
        return OnDisk::NotLookedAt;
    }
    *room -= size;
    match source.read_beside(file.path.as_str(), size) {
        Ok(bytes) if Digest::of(&bytes) == file.digest => OnDisk::Same,
        Ok(_) => OnDisk::Differs,
        Err(ReadError::NotFound) => OnDisk::Missing,
        Err(
            ReadError::IsDirectory
            | ReadError::NotRegular(_)
            | ReadError::PermissionDenied
            | ReadError::TooLarge { .. }
            | ReadError::Io(_),
        ) => OnDisk::Differs,
    }
}
