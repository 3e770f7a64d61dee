//! What is evaluated: acceptance requests of given sizes, as svc writes them.

use std::{
    fs,
    path::{Path, PathBuf},
};
use svc_core::samples;

use anyhow::{Context as _, Result};

/// The three sizes of the goals, with the entries that the file table has beyond the sample's own.
pub const SIZES: [(&str, usize); 3] = [("8 KiB", 0), ("64 KiB", 210), ("1 MiB", 4_150)];

/// An acceptance request.
pub fn acceptance_request(more_files: usize) -> Result<Vec<u8>> {
    samples::bundle("{}", more_files)
        .and_then(|mut files| files.remove("svc-registry-acceptance-request.json"))
        .context("the sample has no bundle")
}

/// A file with one.
pub fn write(folder: &Path, more_files: usize) -> Result<PathBuf> {
    let path = folder.join(format!("request-{more_files}.json"));
    fs::write(&path, acceptance_request(more_files)?)?;
    Ok(path)
}
