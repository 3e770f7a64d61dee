//! A document that stands for a package: a manifest, or an artifact made of one.
//!
//! Whoever wrote the package chose what lies in its folder, so the document is opened as the package's files are: beneath
//! its folder, which is held open, no link followed. Findings show lines of a document; a link would let them show any
//! file that the user may read.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::{
    kind::SpecialKind,
    open::{Root, entry::OpenFault},
    read::{Input, ReadError, read_open, read_stdin},
};

/// The folder of a document, held open, and the document's name in it. The user named the folder, so it may itself lie
/// behind links.
#[derive(Debug)]
pub struct DocumentSource {
    root: Root,
    folder: PathBuf,
    /// None is standard input; the current folder is then the document's.
    name: Option<OsString>,
}

impl DocumentSource {
    pub fn open(input: &Input) -> Result<Self, ReadError> {
        let name = match input {
            Input::Stdin => None,
            Input::Path(path) => Some(path.file_name().ok_or_else(|| without_name(path))?.to_owned()),
        };
        let folder = folder_of(input);
        Ok(Self { root: Root::open(&folder)?, folder, name })
    }

    /// A document that is not there yet, in a folder that is open already.
    pub fn planned(root: Root, folder: PathBuf, name: &str) -> Self {
        Self { root, folder, name: Some(name.into()) }
    }

    /// The folder, for the files beside the document.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The folder's path, to tell what lies beneath it. Nothing is opened by it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The whole document, if it is a regular file (or standard input) of at most `limit` bytes.
    pub fn read(&self, limit: u64) -> Result<Vec<u8>, ReadError> {
        match &self.name {
            None => read_stdin(limit),
            Some(name) => self.read_named(name, limit),
        }
    }

    /// The whole of a file beside the document, beneath its folder.
    pub fn read_beside(&self, path: &str, limit: u64) -> Result<Vec<u8>, ReadError> {
        read_open(self.root.file(path).map_err(of_opening)?, limit)
    }

    /// Looked at before opening, because opening a device can act on it; only the open file's own kind counts.
    fn read_named(&self, name: &OsStr, limit: u64) -> Result<Vec<u8>, ReadError> {
        self.root.kind_of(name).map_err(of_opening)?.require_regular()?;
        read_open(self.root.file(name).map_err(of_opening)?, limit)
    }
}

/// The folder that a document lies in, or the current one for standard input.
pub fn folder_of(input: &Input) -> PathBuf {
    let parent = match input {
        Input::Stdin => None,
        Input::Path(path) => path.parent(),
    };
    let parent = parent.filter(|parent| !parent.as_os_str().is_empty());
    parent.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Reads a document that is looked at by itself.
pub fn read_document(input: &Input, limit: u64) -> Result<Vec<u8>, ReadError> {
    DocumentSource::open(input)?.read(limit)
}

fn without_name(path: &Path) -> ReadError {
    if path.as_os_str().is_empty() { ReadError::NotFound } else { ReadError::IsDirectory }
}

fn of_opening(fault: OpenFault) -> ReadError {
    match fault {
        OpenFault::Missing => ReadError::NotFound,
        // The look saw no link: one was put there since.
        OpenFault::Blocked => ReadError::NotRegular(SpecialKind::Symlink),
        OpenFault::Io(error) => error.into(),
    }
}
