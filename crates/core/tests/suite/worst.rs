//! The worst document behind each check: whatever is wrong everywhere, findings, answers and time stay within limits, and
//! the refusal is the same as for one fault.

#![expect(
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm,
    reason = "the test measures time, and changes any JSON value"
)]

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use svc_core::{
    artifact::{index::Index, submission::Submission},
    attacks::reseal,
    finding::Finding,
    findings::Findings,
    pack::{self, Walked},
    package::{artifact::FileEntry, folder::Folder},
    problem::Problem,
    read,
    rules::example_package::ExamplePackage,
    samples::{self, rules},
    scalar::{path::PackagePath, size::Size},
    words::{
        kind::ArtifactKind,
        limits::{ANSWER_BYTES, INDEX_ENTRIES, PACKAGE_FILES, REPORT_FINDINGS},
        rule::Rule,
        rule_code::RuleCode,
        severity::Severity,
    },
};
use svc_json::{canonical, digest::Digest};

/// More elements than a list of findings has room for.
const MANY: usize = REPORT_FINDINGS + 50;

fn problem_of(findings: &Findings) -> Vec<u8> {
    canonical::to_bytes(&Problem::of_findings(findings, "/".into(), "request".into()))
}

fn assert_within_limits(findings: &Findings, place: &str) {
    assert!(findings.has_errors(), "{place} was let in");
    assert!(findings.len() <= REPORT_FINDINGS, "{place}: {} findings", findings.len());
    assert_eq!(findings.is_truncated(), findings.total() > findings.len(), "{place}");
    let answer = problem_of(findings);
    assert!(answer.len() < ANSWER_BYTES / 16, "{place}: {} bytes", answer.len());
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["errorCount"], findings.total(), "{place}");
    assert_eq!(answer["truncated"], findings.is_truncated(), "{place}");
}

/// Every list of a document, as a pointer in which `*` stands for every element of a list around it.
fn lists(node: &Value, place: &str, found: &mut Vec<String>) {
    match node {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| lists(value, &format!("{place}/{name}"), found));
        }
        Value::Array(elements) if !elements.is_empty() => {
            found.push(place.to_owned());
            lists(&elements[0], &format!("{place}/*"), found);
        }
        _ => {}
    }
}

/// Every leaf of a value.
fn leaves(node: &Value, place: &str, found: &mut Vec<String>) {
    match node {
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| leaves(value, &format!("{place}/{name}"), found));
        }
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(at, value)| leaves(value, &format!("{place}/{at}"), found));
        }
        _ => found.push(place.to_owned()),
    }
}

/// Changes every value that a pointer with stars leads to.
fn change(node: &mut Value, pointer: &str, how: &dyn Fn(&mut Value)) {
    let Some(rest) = pointer.strip_prefix('/') else { return how(node) };
    let (name, _) = rest.split_once('/').unwrap_or((rest, ""));
    let inside = &rest[name.len()..];
    match (node, name) {
        (Value::Array(elements), "*") => elements.iter_mut().for_each(|element| change(element, inside, how)),
        (Value::Array(elements), at) => {
            if let Some(element) = elements.get_mut(at.parse::<usize>().unwrap()) {
                change(element, inside, how);
            }
        }
        // Elements of one list may have different members.
        (Value::Object(members), name) => {
            if let Some(member) = members.get_mut(name) {
                change(member, inside, how);
            }
        }
        _ => {}
    }
}

/// Other values of a leaf: of another type, and of the same one.
fn others(value: &Value) -> Vec<Value> {
    let same = match value {
        Value::String(text) => {
            let last = if text.ends_with('0') { '1' } else { '0' };
            json!(format!("{}{last}", &text[..text.len().saturating_sub(1)]))
        }
        Value::Number(number) => json!(number.as_i64().unwrap() + 1),
        Value::Bool(value) => json!(!value),
        _ => json!("x"),
    };
    vec![json!([{}]), same]
}

/// The submission of the base package with a fact for each of many files, and an exception.
fn base() -> Value {
    let patch =
        r#"{ "exceptions": [{ "rule": "SVC-F013", "path": "board.js", "reason": "A sample of an exception." }] }"#;
    serde_json::from_slice(&samples::submission(patch, 0).unwrap().to_file()).unwrap()
}

#[test]
fn every_list_that_is_wrong_everywhere_is_refused_within_limits() {
    let mut places = Vec::new();
    lists(&base(), "", &mut places);
    assert!(places.len() > 15, "{places:?}");
    for list in &places {
        let mut many = base();
        change(&mut many, list, &|list| {
            let Value::Array(elements) = list else { panic!() };
            *elements = elements.iter().cloned().cycle().take(MANY).collect();
        });
        refused_within_limits(&many, list);
        let mut inside = Vec::new();
        let element = many.pointer(&format!("{list}/0").replace("/*", "/0")).unwrap().clone();
        leaves(&element, "", &mut inside);
        for leaf in inside {
            for other in others(element.pointer(&leaf).unwrap()) {
                let mut wrong = many.clone();
                change(&mut wrong, &format!("{list}/*{leaf}"), &|value| *value = other.clone());
                let place = format!("{list}/*{leaf} {other}");
                refused_within_limits(&wrong, &place);
                // With digests that fit, other checks have their say; a text that only people read may be another.
                reseal(&mut wrong);
                if let Err(findings) = read::artifact::<Submission>(rules(), &canonical::to_bytes(&wrong)) {
                    assert_within_limits(&findings, &place);
                }
            }
        }
    }
}

/// Refused as the command line reads it, and as the registry does.
fn refused_within_limits(document: &Value, place: &str) {
    let bytes = canonical::to_bytes(document);
    let Err(findings) = read::artifact::<Submission>(rules(), &bytes) else { panic!("{place} was let in") };
    assert_within_limits(&findings, place);
    let Err(findings) = read::decide(rules(), ArtifactKind::Submission, &bytes) else { panic!("{place} was let in") };
    assert_within_limits(&findings, place);
}

/// An index whose every file row, of every entry, was changed.
fn wrong_index(entries: usize, files: usize, how: &dyn Fn(&mut Value)) -> Vec<u8> {
    let entry: Value = serde_json::from_slice(&samples::index(1).unwrap().to_file()).unwrap();
    let submission: Value = serde_json::from_slice(&samples::submission("{}", files).unwrap().to_file()).unwrap();
    let mut index = entry.clone();
    let entries: Vec<Value> = (0..entries)
        .map(|number| {
            let mut entry = entry["entries"][0].clone();
            entry["submission"] = submission.clone();
            let id = json!(format!("dev.acme.board-{number:04}"));
            entry["submission"]["package"]["id"] = id.clone();
            entry["submission"]["packageArtifact"]["manifest"]["id"] = id;
            change(&mut entry, "/submission/packageArtifact/files/*", how);
            entry
        })
        .collect();
    index["entries"] = json!(entries);
    canonical::to_bytes(&index)
}

#[test]
fn an_index_of_sixteen_mebibytes_with_every_row_wrong_gets_a_short_answer_in_the_time_of_a_right_one() {
    let timed = |bytes: &[u8]| {
        let start = Instant::now();
        let findings = read::decide(rules(), ArtifactKind::Index, bytes).map(|_| ()).unwrap_err();
        (start.elapsed(), findings)
    };
    // Right but for its digests, which are all computed.
    let (right, _) = timed(&wrong_index(12, 5_000, &|_| ()));
    type Fault = (&'static str, fn(&mut Value), RuleCode);
    let faults: [Fault; 5] = [
        ("media type", |row| row["mediaType"] = json!("text/html"), RuleCode::B010),
        ("digest of nothing", |row| row["size"] = json!(0), RuleCode::B010),
        ("digest", |row| row["digest"] = json!(Digest::of(b"other").to_string()), RuleCode::B003),
        ("shape", |row| row["size"] = json!("1"), RuleCode::B015),
        ("unknown member", |row| row["why"] = json!(1), RuleCode::B012),
    ];
    for (name, fault, code) in faults {
        let bytes = wrong_index(12, 5_000, &fault);
        assert!(bytes.len() > 8 << 20, "{name}: {}", bytes.len());
        let (time, findings) = timed(&bytes);
        assert_within_limits(&findings, name);
        assert!(findings.iter().any(|finding| finding.rule.is(code)), "{name}");
        let small = read::decide(rules(), ArtifactKind::Index, &wrong_index(1, 0, &fault)).map(|_| ()).unwrap_err();
        assert_eq!(findings.problem_code(), small.problem_code(), "{name}");
        assert_eq!(findings.exit_code(), small.exit_code(), "{name}");
        assert!(time < 6 * right + Duration::from_secs(1), "{name}: {time:?}, right {right:?}");
    }
}

#[test]
fn many_wrong_entries_are_counted_and_few_are_listed() {
    let index = samples::index(MANY).unwrap();
    let mut wrong: Value = serde_json::from_slice(&index.to_file()).unwrap();
    change(&mut wrong, "/entries/*/submissionDigest", &|digest| *digest = json!(Digest::of(b"").to_string()));
    let findings = read::artifact::<Index>(rules(), &canonical::to_bytes(&wrong)).unwrap_err();
    assert_within_limits(&findings, "submissionDigest");
    assert!(findings.total() >= MANY && findings.is_truncated());
    // One of each broken rule is listed, also where it comes last.
    assert!(findings.iter().any(|finding| finding.rule.is(RuleCode::B005)));
}

/// A package with as many copies of an example's files as a package may have.
fn amplified(package: &ExamplePackage) -> (Vec<u8>, Walked) {
    let mut manifest: Value = serde_json::from_slice(&package.manifest).unwrap();
    if let Value::Object(members) = &mut manifest {
        for value in members.values_mut() {
            if let Value::Array(elements) = value {
                *elements = elements.iter().cloned().cycle().take(if elements.is_empty() { 0 } else { 20 }).collect();
            }
        }
    }
    let mut walked = Walked { folder: Folder { matched: vec![false; 100], ..Folder::default() }, ..Walked::default() };
    let copies = PACKAGE_FILES / package.files.len().max(1) / 10;
    let mut table = Vec::new();
    for (path, bytes) in &package.files {
        let seen = svc_facts::of_file(path, bytes);
        for copy in 0..copies {
            let name = if copy == 0 { path.clone() } else { format!("copy-{copy:04}/{path}") };
            let Some(parsed) = PackagePath::parse(&name) else { continue };
            walked.folder.seen.insert(name, seen.clone());
            table.push(FileEntry::new(parsed, Size::new(bytes.len() as u64).unwrap(), Digest::of(bytes)));
        }
    }
    table.sort_by(|left, right| left.path.as_str().cmp(right.path.as_str()));
    walked.files = Some(table);
    (serde_json::to_vec(&manifest).unwrap(), walked)
}

/// Rules whose example is no package: a file of 25 MiB, ten thousand files.
const WITHOUT_COPIES: &[RuleCode] = &[RuleCode::F004, RuleCode::F005];

#[test]
fn every_rule_that_fires_on_every_file_lists_two_hundred_and_counts_the_rest() {
    for rule in rules().checked() {
        let Some(package) = rule.fires.package() else {
            assert!(
                WITHOUT_COPIES.iter().any(|code| rule.is(*code)),
                "{} needs an example that is a package",
                rule.code
            );
            continue;
        };
        let (manifest, walked) = amplified(&package);
        let start = Instant::now();
        let Ok(draft) = pack::read_manifest(rules(), &manifest) else { panic!("{}", rule.code) };
        let findings = draft.review(walked).findings;
        let listed = findings.iter().filter(|finding| finding.rule == *rule).count();
        assert!(listed > 0 || WITHOUT_COPIES.iter().any(|code| rule.is(*code)), "{} does not fire", rule.code);
        for other in rules().checked() {
            let listed = findings.iter().filter(|finding| finding.rule == *other).count();
            assert!(listed <= REPORT_FINDINGS, "{} lists {listed}", other.code);
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{}: {:?}", rule.code, start.elapsed());
    }
}

#[test]
fn no_list_that_was_cut_says_anything_milder() {
    let families = rules().families().filter(|family| matches!(family.name, "artifacts" | "files" | "permissions"));
    let rules: Vec<&Arc<Rule>> = families.flat_map(|family| family.rules).collect();
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..300 {
        let kinds = 1 + random(8);
        let chosen: Vec<&Arc<Rule>> = (0..kinds).map(|_| rules[random(rules.len())]).collect();
        let count = random(600);
        let all: Vec<Finding> = (0..count).map(|_| Finding::new(chosen[random(kinds)], "x")).collect();
        let mut parts: Findings = Findings::default();
        all.chunks(97).for_each(|part| parts.append(part.iter().cloned().collect()));
        for cut in [all.iter().cloned().collect::<Findings>(), parts] {
            assert_eq!(cut.total(), all.len());
            assert!(cut.len() <= REPORT_FINDINGS);
            assert_eq!(cut.has_errors(), all.iter().any(|finding| finding.severity() == Severity::Error));
            for finding in &all {
                assert!(cut.iter().any(|listed| listed.rule == finding.rule), "{} is not listed", finding.rule.code);
            }
            let whole: Vec<_> = all.iter().map(|finding| Findings::from(finding.clone())).collect();
            let worst = whole.iter().map(Findings::exit_code).reduce(svc_core::words::exit_code::ExitCode::worse);
            assert_eq!(worst.unwrap_or(cut.exit_code()), cut.exit_code());
            let named: Option<_> = whole
                .iter()
                .filter_map(Findings::problem_code)
                .min_by_key(|code| (code.spec().status, std::cmp::Reverse(code.weight())));
            assert_eq!(named, cut.problem_code());
        }
    }
}

#[test]
fn the_answer_to_the_worst_index_is_one_that_our_clients_read() {
    // Each entry with every rule that can block, twice, as an exception has a blocker of its own; the rest by the longest
    // words that its form allows.
    let index = samples::index(1).unwrap();
    let decision = read::decide(rules(), ArtifactKind::Index, &index.to_file()).unwrap();
    let answer: Value = serde_json::from_slice(&canonical::to_bytes(&decision)).unwrap();
    let mut entry = answer["entries"][0].clone();
    let blocker = json!({ "blocksStage": "collection-entry", "code": "SVC-F000", "owner": "registry" });
    let blocking = rules().about_packages().filter(|rule| matches!(rule.severity, Severity::Error | Severity::Blocker));
    let exceptions = svc_core::manifest::vocabulary::ExceptedRule::ALL.len();
    let count = blocking.count() + exceptions;
    let gates = entry["blockers"].as_array().unwrap().len();
    entry["blockers"].as_array_mut().unwrap().extend(std::iter::repeat_n(blocker, count + 1));
    entry["package"]["id"] = json!("x".repeat(200));
    entry["package"]["version"] = json!("1".repeat(128));
    let most = canonical::to_bytes(&entry).len() * INDEX_ENTRIES + 16 * 1024;
    assert!(most <= ANSWER_BYTES, "{most} bytes, {count} rules that block, {gates} gates");
}
