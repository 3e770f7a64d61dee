//! A log in a folder, file by file.

use std::path::{Path, PathBuf};

use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    source::LogFiles,
    tiles::{self, TilePath},
};

use crate::regular_file;

/// The most bytes of a file of an exported log: 256 records with lengths of 16 bits have half of it.
const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct FolderFiles(PathBuf);

impl FolderFiles {
    /// The files below a folder.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl LogFiles for FolderFiles {
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
        // Tiles and checkpoints have paths of our own making; a name from elsewhere could leave the folder.
        let is_named =
            [tiles::CHECKPOINT, tiles::WITNESSED_CHECKPOINT, tiles::MINIMUM_INDEX, tiles::HAND_OVERS].contains(&path);
        if !is_named && TilePath::parse(path).is_none() {
            return Err(JournalFault::new(JournalFaultKind::Missing, "no such file in a log"));
        }
        let bytes = regular_file::read(&self.0.join(path), MAX_FILE_BYTES);
        bytes.map_err(|error| JournalFault::io(&format!("read {path}"), &error))
    }
}
