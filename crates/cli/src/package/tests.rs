//! The rules' own examples in a real folder, on a file system that keeps `Icon.png` and `icon.png` apart.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    os::unix::fs::symlink,
};

use svc_core::{
    artifact::head::Owner,
    ident::{OwnerId, OwnerName},
    manifest::FILE_NAME,
    pack,
    rules::{
        Example,
        example::{BASE, ExamplePackage},
        ruleset,
    },
};
use tempfile::{TempDir, tempdir};

use super::*;

#[test]
fn every_rule_fires_on_its_example_in_a_real_folder() {
    for rule in ruleset::all() {
        let Some(package) = rule.fires.package() else { continue };
        assert_eq!(codes(&written(&package)), BTreeSet::from([rule.code]), "{:?}", rule.fires);
    }
}

#[test]
fn every_rule_lets_its_other_example_pass_in_a_real_folder() {
    for rule in ruleset::all() {
        let Some(package) = rule.passes.package() else { continue };
        assert_eq!(codes(&written(&package)), BTreeSet::new(), "{} {:?}", rule.code, rule.passes);
    }
}

#[test]
fn a_link_is_found_under_its_rule() {
    let folder = base();
    symlink("icon.png", folder.path().join("assets/icon-2.png")).unwrap();
    assert_eq!(codes(&folder), BTreeSet::from(["SVC-F014"]));
    fs::remove_file(folder.path().join("assets/icon-2.png")).unwrap();
    fs::copy(folder.path().join("assets/icon.png"), folder.path().join("assets/icon-2.png")).unwrap();
    assert_eq!(codes(&folder), BTreeSet::new());
}

#[test]
fn a_file_over_the_limit_is_found_under_its_rule() {
    let folder = base();
    let large = File::create(folder.path().join("large.bin")).unwrap();
    large.set_len(limits::FILE_BYTES).unwrap();
    assert_eq!(codes(&folder), BTreeSet::new());
    large.set_len(limits::FILE_BYTES + 1).unwrap();
    assert_eq!(codes(&folder), BTreeSet::from(["SVC-F004"]));
}

#[test]
fn a_file_that_changed_under_the_read_is_found_under_its_rule() {
    let finding = tree_finding(&TreeFault::ChangedWhileReading { path: "index.html".to_owned() });
    assert_eq!(finding.rule, &files::F015);
    assert_eq!(finding.file.as_deref(), Some("index.html"));
}

fn base() -> TempDir {
    written(&Example::Files("").package().unwrap())
}

fn written(package: &ExamplePackage) -> TempDir {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join(FILE_NAME), &package.manifest).unwrap();
    for (path, bytes) in &package.files {
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
    folder
}

fn codes(folder: &TempDir) -> BTreeSet<&'static str> {
    let manifest = fs::read(folder.path().join(FILE_NAME)).unwrap();
    let draft = pack::read_manifest(&manifest).unwrap();
    let walked = walk(folder.path(), &draft, &[]);
    let owner = Owner { id: OwnerId::parse(BASE.owner).unwrap(), name: OwnerName::parse(BASE.owner).unwrap() };
    draft.review(walked, Some(&owner)).findings.iter().map(|finding| finding.rule.code).collect()
}
