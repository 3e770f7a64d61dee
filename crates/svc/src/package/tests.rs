//! The rules' own examples in a real folder, on a file system that keeps `Icon.png` and `icon.png` apart.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fs::{self, File},
    os::unix::fs::symlink,
};

use svc_cli::files::read::Input;
use svc_core::{
    artifact::{
        checked::Checked,
        head::{Owner, Visibility},
        submission::Submission,
    },
    findings::Findings,
    manifest::FILE_NAME,
    pack,
    rules::example_package::{BASE, ExamplePackage},
    scalar::ident::{OwnerId, OwnerName},
    words::{default_ignores::DefaultIgnore, example::Example, rule_code::RuleCode, severity::Severity},
};
use tempfile::{TempDir, tempdir};

use super::*;
use svc_cli::rules::rules;

#[test]
fn every_rule_fires_on_its_example_in_a_real_folder() {
    for rule in rules().all() {
        let Some(package) = rule.fires.package() else { continue };
        assert_eq!(codes(&written(&package)), BTreeSet::from([rule.code.clone()]), "{:?}", rule.fires);
    }
}

#[test]
fn every_rule_lets_its_other_example_pass_in_a_real_folder() {
    for rule in rules().all() {
        let Some(package) = rule.passes.package() else { continue };
        assert_eq!(codes(&written(&package)), BTreeSet::new(), "{} {:?}", rule.code, rule.passes);
    }
}

/// Of every rule that may stand in a report, also of those that read bytes, which nobody else can run again.
#[test]
fn every_report_says_the_same_when_our_rules_evaluate_it_again() {
    let mut looked_at = BTreeSet::new();
    for rule in rules().all().filter(|rule| rule.severity != Severity::Error) {
        let Some(package) = rule.fires.package() else { continue };
        for manifest in [package.manifest.clone(), turned_round(&package.manifest)] {
            let (findings, packed) = packed(&written(&ExamplePackage { manifest, ..package.clone() }));
            let submission = packed.unwrap_or_else(|| panic!("{} is not packed: {findings:?}", rule.code));
            let [evaluated] = submission.packages() else { panic!("one package") };
            let said =
                |finding: &Finding| (finding.rule.code.clone(), finding.pointer.to_string(), finding.message.clone());
            let again: BTreeSet<_> = evaluated.findings().iter().map(said).collect();
            assert_eq!(again, findings.iter().map(said).collect(), "{}", rule.code);
            looked_at.insert(rule.code.as_ref());
        }
    }
    for of_bytes in ["SVC-F012", "SVC-L001", "SVC-L003", "SVC-L010", "SVC-P012"] {
        assert!(looked_at.contains(of_bytes), "{of_bytes}");
    }
}

/// The same manifest with its members in another order.
fn turned_round(manifest: &[u8]) -> Vec<u8> {
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(manifest).unwrap();
    let members: Vec<String> = members.iter().rev().map(|(name, value)| format!("{name:?}: {value}")).collect();
    format!("{{ {} }}", members.join(", ")).into_bytes()
}

#[test]
fn a_link_is_found_under_its_rule() {
    let folder = base();
    symlink("icon.png", folder.path().join("assets/icon-2.png")).unwrap();
    assert_eq!(codes(&folder), BTreeSet::from(["SVC-F014".into()]));
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
    assert_eq!(codes(&folder), BTreeSet::from(["SVC-F004".into()]));
}

#[test]
fn a_file_that_changed_under_the_read_is_found_under_its_rule() {
    let finding = tree_finding(&TreeFault::ChangedWhileReading { path: "index.html".to_owned() });
    assert!(finding.rule.is(RuleCode::F015));
    assert_eq!(finding.file.as_deref(), Some("index.html"));
}

#[test]
fn a_secret_in_any_text_of_the_manifest_is_found_where_it_stands() {
    let token = "svcr_0123456789abcdef0123456789abcdef";
    let of_base: serde_json::Value = serde_json::from_slice(&Example::Files("").package().unwrap().manifest).unwrap();
    for pointer in ["/summary", "/permissions/0/purpose", "/icons/0/src"] {
        let mut manifest = of_base.clone();
        let Some(text) = manifest.pointer_mut(pointer) else { panic!("{pointer} is not in the base package") };
        *text = format!("{} {token}", text.as_str().unwrap()).into();
        let package = Example::Files("").package().unwrap();
        let manifest = manifest.to_string().into_bytes();
        let (findings, submission) = packed(&written(&ExamplePackage { manifest, ..package }));
        let found: Vec<_> = findings.iter().filter(|finding| finding.rule.is(RuleCode::F008)).collect();
        assert_eq!(found.iter().map(|finding| finding.pointer.to_string()).collect::<Vec<_>>(), [pointer]);
        assert!(submission.is_none() && !found[0].message.contains(token), "{}", found[0].message);
    }
}

fn base() -> TempDir {
    written(&Example::Files("").package().unwrap())
}

/// Examples are about the files of a table, so what goes into none by default is named by its whole path.
fn written(package: &ExamplePackage) -> TempDir {
    let folder = tempdir().unwrap();
    let left_out: Vec<&String> = package.files.keys().filter(|path| DefaultIgnore::of_path(path).is_some()).collect();
    let mut manifest = package.manifest.clone();
    if !left_out.is_empty() {
        let mut changed: serde_json::Value = serde_json::from_slice(manifest.as_ref()).unwrap();
        changed["files"].as_array_mut().unwrap().extend(left_out.into_iter().map(|path| path.as_str().into()));
        manifest = changed.to_string().into();
    }
    fs::write(folder.path().join(FILE_NAME), &manifest).unwrap();
    for (path, bytes) in &package.files {
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, bytes).unwrap();
    }
    folder
}

fn codes(folder: &TempDir) -> BTreeSet<Cow<'static, str>> {
    packed(folder).0.iter().map(|finding| finding.rule.code.clone()).collect()
}

fn packed(folder: &TempDir) -> (Findings, Option<Checked<Submission>>) {
    let source = DocumentSource::open(&Input::Path(folder.path().join(FILE_NAME))).unwrap();
    let manifest = source.read(1 << 20).unwrap();
    let draft = pack::read_manifest(rules(), &manifest).unwrap();
    let walked = walk(&source, &draft, &[]);
    let owner = Owner { id: OwnerId::parse(BASE.owner).unwrap(), name: OwnerName::parse(BASE.owner).unwrap() };
    match draft.review(walked).pack(owner, Visibility::Private) {
        Ok(packed) => (packed.findings, Some(packed.submission)),
        Err(findings) => (findings, None),
    }
}
