//! Files of the folder that is adopted, read beneath it: no link is followed, and every read is bounded.

use std::io::Read as _;

use svc_cli::files::{
    document::DocumentSource,
    kind::FileKind,
    open::{Root, stamp::Stamp},
    read::ReadError,
};
use svc_core::scalar::path::PackagePath;

/// The most names of a folder that are looked at.
const MOST_NAMES: usize = 10_000;

/// The most folders that are.
const MOST_FOLDERS: usize = 100;

/// Folders beside a page that are about making it.
const WORKSHOP: &[&str] = &[
    "__tests__",
    "bench",
    "coverage",
    "doc",
    "docs",
    "e2e",
    "example",
    "examples",
    "node_modules",
    "script",
    "scripts",
    "spec",
    "svc-registry",
    "target",
    "test",
    "tests",
    "tools",
    "types",
    "typings",
];

/// Enough of a picture to know its size.
const HEAD_BYTES: u64 = 64;

/// The folder, and what lies right beneath it.
pub(super) struct ProjectFolder<'g> {
    source: &'g DocumentSource,
    /// Names and kinds, sorted. Names that are not UTF-8 are no names of a package.
    pub(super) names: Vec<(String, FileKind)>,
}

impl<'g> ProjectFolder<'g> {
    pub(super) fn new(source: &'g DocumentSource) -> Self {
        let mut names = Vec::new();
        if let Ok(mut folder) = source.root().folder() {
            while let Some(Ok(entry)) = folder.next_entry() {
                let kind = entry.kind.or_else(|| folder.kind_of(&entry.name).ok());
                names.extend(entry.name.into_string().ok().zip(kind));
                if names.len() >= MOST_NAMES {
                    break;
                }
            }
        }
        names.sort_by(|left, right| left.0.cmp(&right.0));
        Self { source, names }
    }

    /// The folders that may hold a part of what is shown, each a name that means itself in a pattern.
    pub(super) fn work_folders(&self) -> impl Iterator<Item = &str> {
        let folders = self.names.iter().filter(|(_, kind)| *kind == FileKind::Folder).map(|(name, _)| name.as_str());
        folders.filter(|name| !name.starts_with('.') && !WORKSHOP.contains(name) && is_plain(name)).take(MOST_FOLDERS)
    }

    pub(super) fn root(&self) -> &Root {
        self.source.root()
    }

    /// The whole of a file.
    pub(super) fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, ReadError> {
        self.source.read_beside(path, limit)
    }

    /// Whether a package could hold the file of this path, and it is there.
    pub(super) fn is_file(&self, path: &str) -> bool {
        PackagePath::parse(path).is_some()
            && self
                .root()
                .file(path)
                .is_ok_and(|file| Stamp::of(&file).is_ok_and(|stamp| stamp.kind == FileKind::Regular))
    }

    /// The first bytes of a file.
    pub(super) fn head(&self, path: &str) -> Option<Vec<u8>> {
        let file = self.is_file(path).then(|| self.root().file(path).ok())??;
        let mut bytes = Vec::new();
        file.take(HEAD_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// Whether a name means itself in a pattern.
pub(super) fn is_plain(name: &str) -> bool {
    name.chars().all(|character| character.is_alphanumeric() || "._- ".contains(character))
}
