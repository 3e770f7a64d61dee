//! Every rule fires on its example, and on no other.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use svc_json::{canonical, digest::Digest, tree};

use svc_core::{
    artifact::{
        checked::Checked,
        head::{Owner, Visibility},
        index::Index,
        submission::Submission,
    },
    attacks::{self, SeenIn},
    bundle::{self, Bundle},
    finding::Finding,
    findings::Findings,
    pack::{self, Draft, Reviewed, Walked},
    package::{artifact::FileEntry, folder::Folder},
    read,
    rules::example_package::{BASE, ExamplePackage},
    samples::rules,
    scalar::{
        ident::{OwnerId, OwnerName},
        path::PackagePath,
        size::Size,
    },
    words::{
        example::Example,
        kind::{self, ArtifactSpec, Source},
        limits,
        rule::Rule,
        rule_code::RuleCode,
    },
};

/// The rules whose examples are told in words. Their tests stand below; those of F014 and F015, which need a disk, stand
/// with the walk in the command line: `a_link_is_found_under_its_rule` and
/// `a_file_that_changed_under_the_read_is_found_under_its_rule`. Those of the family D need two versions of a package, and
/// stand with `svc app diff` there.
const TOLD_IN_WORDS: [RuleCode; 15] = [
    RuleCode::B009,
    RuleCode::B011,
    RuleCode::B016,
    RuleCode::B017,
    RuleCode::D001,
    RuleCode::D002,
    RuleCode::D003,
    RuleCode::D004,
    RuleCode::D005,
    RuleCode::D006,
    RuleCode::F004,
    RuleCode::F005,
    RuleCode::F014,
    RuleCode::F015,
    RuleCode::F016,
];

#[test]
fn no_rule_fires_on_the_base() {
    let base = Example::Files("").package().unwrap();
    assert_eq!(codes(&review(&base).findings), BTreeSet::new());
}

#[test]
fn every_rule_fires_on_its_example_and_no_other_rule_does() {
    let fired = |rule: &Arc<Rule>| (code_of(rule), codes(&findings_on(rule.fires)));
    let wrong: Vec<_> = shown().map(fired).filter(|(code, fired)| *fired != BTreeSet::from([*code])).collect();
    assert_eq!(wrong, []);
}

#[test]
fn every_rule_lets_its_other_example_pass_and_so_does_every_other_rule() {
    let fired = |rule: &Arc<Rule>| (code_of(rule), codes(&findings_on(rule.passes)));
    let wrong: Vec<_> = shown().map(fired).filter(|(_, fired)| !fired.is_empty()).collect();
    assert_eq!(wrong, []);
}

/// Sources of a policy that browsers read in another way than they look, and other things once let through or told twice.
#[test]
fn what_was_once_missed_fires_exactly_its_rule() {
    let missed = [
        ("SVC-P006", Example::Manifest(r#"{ "entry": { "csp": { "connect-src": ["*:443"] } } }"#)),
        ("SVC-P006", Example::Manifest(r#"{ "entry": { "csp": { "connect-src": ["*.com"] } } }"#)),
        ("SVC-P006", Example::Manifest(r#"{ "entry": { "csp": { "connect-src": ["localhost:8080"] } } }"#)),
        ("SVC-P008", Example::Manifest(r#"{ "entry": { "csp": { "connect-src": ["none"] } } }"#)),
        ("SVC-P008", Example::Manifest(r#"{ "entry": { "csp": { "connect-src": ["wss:"] } } }"#)),
        ("SVC-P008", Example::Manifest(r#"{ "entry": { "csp": { "style-src": ["'self' 'unsafe-inline'"] } } }"#)),
        ("SVC-P008", Example::Manifest(r#"{ "entry": { "csp": { "style-src": ["'none'; script-src *"] } } }"#)),
        ("SVC-P008", Example::Manifest(r#"{ "entry": { "csp": { "script-src": ["'strict-dynamic'"] } } }"#)),
        ("SVC-F002", Example::Manifest(r#"{ "entry": { "renderer": "../index.html" } }"#)),
        ("SVC-F009", Example::Files(".svc/app-manifest.schema.json: {}")),
        ("SVC-L001", Example::Manifest(r#"{ "icons": [] }"#)),
        ("SVC-P012", Example::Files(r#"app.js: import{a}from"https://api.acme.dev/a.js""#)),
    ];
    for (code, example) in missed {
        assert_eq!(codes(&findings_on(example)), BTreeSet::from([code]), "{example:?}");
    }
}

#[test]
fn every_document_of_the_kit_is_caught_by_the_rule_that_names_it() {
    let kit = Kit::new();
    for rule in rules().all() {
        let (Example::Conformance(fires), Example::Conformance(passes)) = (rule.fires, rule.passes) else { continue };
        assert!(codes(&kit.findings_on(fires)).contains(code_of(rule)), "{} on {fires}", rule.code);
        assert_eq!(codes(&kit.findings_on(passes)), BTreeSet::new(), "{} on {passes}", rule.code);
    }
}

#[test]
fn only_cases_too_large_to_show_are_told_in_words() {
    let told: Vec<&Arc<Rule>> = rules().all().filter(|rule| is_case(rule.fires) || is_case(rule.passes)).collect();
    assert_eq!(told, TOLD_IN_WORDS.map(|code| rules().row(code)));
    assert!(told.iter().all(|rule| is_case(rule.fires) && is_case(rule.passes)));
}

#[test]
fn examples_differ_and_are_short() {
    for rule in rules().all() {
        assert_ne!(rule.fires, rule.passes, "{}", rule.code);
        for text in [rule.fires.text(), rule.passes.text()] {
            assert!((1..=180).contains(&text.len()) && !text.contains(['\n', '`']), "{} {text}", rule.code);
        }
    }
}

#[test]
fn a_document_on_one_line_fires_b009() {
    let file = submission_of(&[]).to_file();
    let on_one_line = canonical::to_bytes(&serde_json::from_slice::<Value>(&file).unwrap());
    assert_eq!(codes(&verify(&kind::SUBMISSION, &on_one_line)), BTreeSet::from(["SVC-B009"]));
    assert_eq!(codes(&verify(&kind::SUBMISSION, &file)), BTreeSet::new());
}

#[test]
fn a_bundle_without_one_of_its_files_fires_b011() {
    let mut files = Bundle::from_submission(submission_of(&[])).unwrap().to_files();
    assert!(bundle::verify(rules(), &files).is_ok());
    files.remove(kind::INDEX.file);
    let broken = bundle::verify(rules(), &files).unwrap_err();
    assert_eq!(codes(broken.findings.iter().flat_map(|(_, findings)| findings)), BTreeSet::from(["SVC-B011"]));
}

#[test]
fn a_document_over_the_limit_fires_b016() {
    let mut file = submission_of(&[]).to_file();
    file.resize(limits::ARTIFACT_BYTES, b' ');
    assert!(!codes(&verify(&kind::SUBMISSION, &file)).contains("SVC-B016"));
    file.push(b' ');
    assert_eq!(codes(&verify(&kind::SUBMISSION, &file)), BTreeSet::from(["SVC-B016"]));
}

#[test]
fn a_document_made_with_other_rules_fires_b017() {
    let mut document: Value = serde_json::from_slice(&submission_of(&[]).to_file()).unwrap();
    document["ruleset"]["digest"] = Digest::of(b"other rules").to_string().into();
    let mut view = document.clone();
    for covered in ["documentDigest", "packageArtifact", "reviewReport"] {
        view.as_object_mut().unwrap().remove(covered);
    }
    document["documentDigest"] = canonical::digest(&view).0.to_string().into();
    let findings = verify(&kind::SUBMISSION, &canonical::to_pretty(&document));
    assert_eq!(codes(&findings), BTreeSet::from(["SVC-B017"]));
}

#[test]
fn a_file_over_the_limit_fires_f004() {
    let with = |size| review_with(&[row("large.bin", size)]).findings;
    assert_eq!(codes(&with(limits::FILE_BYTES)), BTreeSet::new());
    assert_eq!(codes(&with(limits::FILE_BYTES + 1)), BTreeSet::from(["SVC-F004"]));
}

#[test]
fn a_file_too_many_fires_f005() {
    let beside = Example::Files("").package().unwrap().files.len();
    let with = |count| review_with(&rows(count - beside, 40)).findings;
    assert_eq!(codes(&with(limits::PACKAGE_FILES)), BTreeSet::new());
    assert_eq!(codes(&with(limits::PACKAGE_FILES + 1)), BTreeSet::from(["SVC-F005"]));
}

#[test]
fn a_file_table_that_makes_the_submission_too_large_fires_f016() {
    let beside = Example::Files("").package().unwrap().files.len();
    let with = |path_bytes| pack(review_with(&rows(limits::PACKAGE_FILES - beside, path_bytes)));
    assert!(with(40).is_ok());
    assert_eq!(codes(&with(400).unwrap_err()), BTreeSet::from(["SVC-F016"]));
}

/// The rules whose examples are texts, manifests and files.
fn shown() -> impl Iterator<Item = &'static Arc<Rule>> {
    rules().all().filter(|rule| match rule.fires {
        Example::Text(_) | Example::Manifest(_) | Example::Files(_) => true,
        Example::Case(_) | Example::Conformance(_) => false,
    })
}

/// The code of a rule of ours.
fn code_of(rule: &Rule) -> &'static str {
    RuleCode::parse(&rule.code).unwrap().as_str()
}

fn is_case(example: Example) -> bool {
    matches!(example, Example::Case(_))
}

fn codes<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> BTreeSet<&'static str> {
    findings.into_iter().map(|finding| code_of(&finding.rule)).collect()
}

fn findings_on(example: Example) -> Findings {
    if let Example::Text(text) = example {
        let faults = tree::read(text.as_bytes()).map_or_else(|faults| faults, |document| document.faults);
        return svc_core::rules::syntax::findings(rules(), &faults);
    }
    review(&example.package().unwrap()).findings
}

fn owner() -> Owner {
    Owner { id: OwnerId::parse(BASE.owner).unwrap(), name: OwnerName::parse(BASE.owner).unwrap() }
}

fn review(package: &ExamplePackage) -> Reviewed {
    let draft = pack::read_manifest(rules(), &package.manifest).unwrap();
    let walked = walk(package, &draft);
    draft.review(walked)
}

/// The base with more rows in its file table, whose bytes nobody has.
fn review_with(rows: &[FileEntry]) -> Reviewed {
    let package = Example::Files("").package().unwrap();
    let draft = pack::read_manifest(rules(), &package.manifest).unwrap();
    let mut walked = walk(&package, &draft);
    let table = walked.files.as_mut().unwrap();
    table.extend_from_slice(rows);
    table.sort_by(|left, right| left.path.cmp(&right.path));
    draft.review(walked)
}

/// What the command line's walk brings, without a disk. All patterns of the examples end in `**`.
fn walk(package: &ExamplePackage, draft: &Draft<'_>) -> Walked {
    let patterns = draft.patterns();
    let mut matched = vec![true; patterns.iter().map(|(place, _)| place + 1).max().unwrap_or_default()];
    for (place, pattern) in &patterns {
        let folder = pattern.strip_suffix("**").unwrap();
        matched[*place] = package.files.keys().any(|path| path.starts_with(folder));
    }
    let mut folder = Folder { matched, ..Folder::default() };
    let mut table = Vec::new();
    for (path, bytes) in &package.files {
        folder.seen.insert(path.clone(), svc_facts::of_file(path, bytes));
        let size = Size::new(bytes.len() as u64).unwrap();
        table.push(FileEntry::new(PackagePath::parse(path).unwrap(), size, Digest::of(bytes)));
    }
    Walked { files: Some(table), folder, ..Walked::default() }
}

fn row(path: &str, bytes: u64) -> FileEntry {
    FileEntry::new(PackagePath::parse(path).unwrap(), Size::new(bytes).unwrap(), Digest::of(b"x"))
}

fn rows(count: usize, path_bytes: usize) -> Vec<FileEntry> {
    let folder = "a".repeat(199);
    let folders = format!("{folder}/").repeat(path_bytes / 200);
    let rest = path_bytes - folders.len();
    let name = |number: usize| if rest == 0 { format!("{number:05}") } else { format!("{number:0rest$}") };
    (0..count).map(|number| row(&format!("{folders}{}", name(number)), 1)).collect()
}

fn pack(reviewed: Reviewed) -> Result<Checked<Submission>, Findings> {
    reviewed.pack(owner(), Visibility::Private).map(|packed| packed.submission)
}

fn submission_of(rows: &[FileEntry]) -> Checked<Submission> {
    pack(review_with(rows)).unwrap()
}

/// All findings on a document, whether they stop it or not.
fn verify(spec: &ArtifactSpec, bytes: &[u8]) -> Findings {
    read::verify(rules(), spec.artifact, bytes).map_or_else(|findings| findings, |verified| verified.warnings.into())
}

/// A bundle, one about another package, and the attacks that turn the first into cases of the conformance kit.
struct Kit {
    good: bundle::Files,
    other: bundle::Files,
}

impl Kit {
    fn new() -> Self {
        let this = submission_of(&[]);
        let another = Example::Manifest(r#"{ "id": "dev.acme.another-board" }"#).package().unwrap();
        let another = pack(review(&another)).unwrap();
        let mut good = Bundle::from_submission(this.clone()).unwrap().to_files();
        let other = Bundle::from_submission(another.clone()).unwrap().to_files();
        good.insert(kind::INDEX.file, Index::from_submissions(rules(), &[this, another], None).unwrap().to_file());
        Self { good, other }
    }

    fn findings_on(&self, case: &str) -> Findings {
        let (kind, name) = case.split_once(".json#").unwrap();
        let spec = kind::ALL.iter().find(|spec| spec.name == kind).unwrap();
        let good = &self.good[spec.file];
        if name == "valid" {
            return verify(spec, good);
        }
        let attack = attacks::ALL.iter().find(|attack| attack.name == name).unwrap();
        assert!(attack.applies_to(spec), "{case}");
        let forged = attack.forge(spec, good, &self.other[spec.file]).unwrap();
        match (attack.seen_in, spec.source) {
            (SeenIn::Chain, Source::Artifact { parent }) => {
                let child = read::any(rules(), spec.artifact, &forged).unwrap();
                let parent = read::any(rules(), parent.artifact, &self.good[parent.file]).unwrap();
                bundle::edge_fault(&child, &parent).into_iter().collect()
            }
            _ => verify(spec, &forged),
        }
    }
}
