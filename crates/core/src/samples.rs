//! Whole bundles made without a disk, of any size: what the self-test, the tests and the benchmarks submit.

use std::sync::LazyLock;

use svc_json::{digest::Digest, position::Position};

use crate::{
    artifact::{
        checked::Checked,
        head::{Owner, Visibility},
        index::Index,
        submission::Submission,
    },
    bundle::{Bundle, Files},
    pack::{self, Walked},
    package::{
        artifact::FileEntry,
        fact_table::{CONTACT_FETCH, IMAGE_PNG, PAGE_DOCUMENT},
        folder::Folder,
        sighting::{Seen, Sighting},
    },
    rules::{
        example_package::{BASE, ExamplePackage},
        ruleset::Rules,
    },
    scalar::{
        ident::{OwnerId, OwnerName},
        path::PackagePath,
        size::Size,
        subject::Subject,
    },
};

/// The rules that samples are made by: `svc.default`, made once.
pub fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> = LazyLock::new(Rules::svc_default);
    &RULES
}

/// The bundle of the base package under a merge patch of its manifest, with more entries in its file table: about 170
/// bytes each.
#[must_use]
pub fn bundle(patch: &str, more_files: usize) -> Option<Files> {
    Some(Bundle::from_submission(submission(patch, more_files)?).ok()?.to_files())
}

/// The texts of a submission that are in no manifest.
#[derive(Clone, Copy, Debug)]
pub struct Outside<'t> {
    /// The owner's id.
    pub owner: &'t str,
    /// The owner's name.
    pub owner_name: &'t str,
    /// The path of one more file.
    pub file: &'t str,
}

/// The bundle of the base package under a merge patch, with these texts outside of the manifest.
#[must_use]
pub fn bundle_with(patch: &str, texts: Outside<'_>) -> Option<Files> {
    Some(Bundle::from_submission(submission_with(patch, texts)?).ok()?.to_files())
}

/// The submission in it.
#[must_use]
pub fn submission_with(patch: &str, texts: Outside<'_>) -> Option<Checked<Submission>> {
    let mut package = ExamplePackage::with_manifest(patch)?;
    package.files.insert(texts.file.to_owned(), b"{}".to_vec());
    let owner = Owner { id: OwnerId::parse(texts.owner)?, name: OwnerName::parse(texts.owner_name)? };
    packed(rules(), &package, owner, 0)
}

/// The submission of the base package under a merge patch, with more entries in its file table.
#[must_use]
pub fn submission(patch: &str, more_files: usize) -> Option<Checked<Submission>> {
    submission_by(rules(), patch, more_files)
}

/// The same by other rules.
#[must_use]
pub fn submission_by(rules: &Rules, patch: &str, more_files: usize) -> Option<Checked<Submission>> {
    let owner = Owner { id: OwnerId::parse(BASE.owner)?, name: OwnerName::parse(BASE.owner)? };
    packed(rules, &ExamplePackage::with_manifest(patch)?, owner, more_files)
}

fn packed(rules: &Rules, package: &ExamplePackage, owner: Owner, more_files: usize) -> Option<Checked<Submission>> {
    let draft = pack::read_manifest(rules, &package.manifest).ok()?;
    let packed = draft.review(walked(package, more_files)).pack(owner, Visibility::Private);
    Some(packed.ok()?.submission)
}

/// An index of so many packages.
#[must_use]
pub fn index(entries: usize) -> Option<Checked<Index>> {
    let named = |number: usize| submission(&format!(r#"{{"id": "dev.acme.board-{number:04}"}}"#), 0);
    Index::from_submissions(rules(), &(0..entries).map(named).collect::<Option<Vec<_>>>()?, None).ok()
}

fn walked(package: &ExamplePackage, more: usize) -> Walked {
    let mut folder = Folder { matched: vec![true], ..Folder::default() };
    let mut entries = Vec::new();
    let added = (0..more).map(|number| (format!("data/forecasts/region-{number:05}.json"), b"{}".to_vec()));
    for (path, bytes) in package.files.clone().into_iter().chain(added) {
        let entry = PackagePath::parse(&path).zip(Size::new(bytes.len() as u64));
        entries.extend(entry.map(|(path, size)| FileEntry::new(path, size, Digest::of(&bytes))));
        folder.seen.insert(path.clone(), seen(&path));
    }
    entries.sort_by(|left, right| left.path.as_str().cmp(right.path.as_str()));
    Walked { files: Some(entries), folder, ..Walked::default() }
}

/// What reading a file of the base package tells. Who reads files is not reached from here, so that the service, which
/// submits samples to itself, holds no parser.
fn seen(path: &str) -> Seen {
    let picture = |pixels| Sighting::of_file(&IMAGE_PNG).about(Subject::pixels(pixels, pixels));
    let sightings = match path {
        "assets/board.png" | "assets/icon.png" => vec![picture(512)],
        "assets/icon-256.png" => vec![picture(256)],
        "board.js" => vec![contact()],
        "index.html" => vec![Sighting::of_file(&PAGE_DOCUMENT)],
        _ => Vec::new(),
    };
    Seen { sightings, ..Seen::default() }
}

/// The one call of the base package's script.
fn contact() -> Sighting {
    let origin = Subject::word("https://api.acme.dev");
    let position = Some(Position { line: 1, column: 7 });
    Sighting { position, ..Sighting::of_file(&CONTACT_FETCH).about(origin) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_any_size_is_a_whole_bundle() {
        for more in [0, 300] {
            let files = bundle("{}", more).unwrap();
            assert!(crate::bundle::verify(rules(), &files).is_ok(), "{more}");
        }
        assert!(bundle(r#"{"id": "no id"}"#, 0).is_none());
        assert_eq!(index(3).unwrap().entries().len(), 3);
    }
}
