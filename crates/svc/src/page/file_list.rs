//! The files of a package, the largest first.

use std::{cmp::Reverse, collections::BTreeMap};

use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    package::artifact::FileEntry,
};

use super::{
    model::{FileList, FileRow, FolderRow, OnDisk},
    package_files::PackageFiles,
    text::{grouped, shown},
};

/// The most files that are listed one by one, and the most folders that the others are summed in.
const MOST_FILES: usize = 100;
const MOST_FOLDERS: usize = 20;

/// The files beside the manifest. An empty name is no folder's.
const TOP: &str = "";

pub(super) fn build(submission: &Checked<Submission>, package: Option<&PackageFiles>) -> FileList {
    let files = &submission.basis().package_artifact.files;
    let mut ordered: Vec<&FileEntry> = files.iter().collect();
    ordered.sort_by_key(|file| (Reverse(file.size.get()), file.path.as_str().to_owned()));
    let (listed, rest) = ordered.split_at(ordered.len().min(MOST_FILES));
    let row = |file: &&FileEntry| FileRow {
        bytes: file.size.get(),
        digest: file.digest.hex().chars().take(12).collect(),
        on_disk: package.map_or(OnDisk::NotLookedAt, |package| package.state(file.path.as_str())),
        path: shown(file.path.as_str()),
    };
    FileList {
        bytes: bytes_of(files.iter()),
        count: files.len(),
        on_disk: on_disk(files.len(), package),
        rest: folders(rest),
        rows: listed.iter().map(row).collect(),
    }
}

fn bytes_of<'f>(files: impl Iterator<Item = &'f FileEntry>) -> u64 {
    files.map(|file| file.size.get()).fold(0, u64::saturating_add)
}

fn on_disk(count: usize, package: Option<&PackageFiles>) -> String {
    let Some(package) = package else {
        return "Files were not looked at: the table is the bundle's word. `svc app report --package` compares them."
            .to_owned();
    };
    let manifest = if package.has_manifest() { "its manifest is" } else { "its manifest is not" };
    let (same, all) = (grouped(package.same() as u64), grouped(count as u64));
    format!(
        "Of {all} files of the table, {same} have the same bytes in the folder that was given; {manifest} that of the bundle."
    )
}

/// Files summed by their first folder, those with the most bytes first; what has no room is one row more.
fn folders(files: &[&FileEntry]) -> Vec<FolderRow> {
    let mut sums: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for file in files {
        let folder = file.path.as_str().split_once('/').map_or(TOP, |(folder, _)| folder);
        let sum = sums.entry(folder).or_default();
        *sum = (sum.0 + 1, sum.1.saturating_add(file.size.get()));
    }
    let mut rows: Vec<FolderRow> = sums
        .into_iter()
        .map(|(folder, (files, bytes))| FolderRow {
            bytes,
            files,
            folder: if folder == TOP { "(beside the manifest)".to_owned() } else { format!("{}/", shown(folder)) },
        })
        .collect();
    rows.sort_by_key(|row| Reverse(row.bytes));
    let others = rows.split_off(rows.len().min(MOST_FOLDERS));
    if !others.is_empty() {
        let (bytes, files) = others.iter().fold((0, 0), |sum, row| (sum.0 + row.bytes, sum.1 + row.files));
        rows.push(FolderRow { bytes, files, folder: "other folders".to_owned() });
    }
    rows
}
