//! What files tell may change only with the version of facts: reports of two versions cannot be compared.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use svc_core::{package::sighting::Seen, rules::ruleset::FACTS_VERSION};
use svc_json::digest::Digest;

use crate::{results::Outcome, rewrites};

/// Compares what is kept with what was measured, or writes it.
pub(crate) fn check(kept: &Path, outcomes: &[Outcome]) {
    let held = fs::read_to_string(kept).unwrap_or_default();
    let line = |name: &str| held.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or("");
    let (cases, facts) = (cases(outcomes), facts(outcomes));
    let is_same_version = line("version") == FACTS_VERSION.to_string();
    assert!(
        !(is_same_version && line("cases") == cases && line("facts") != facts),
        "the same cases tell other facts: raise FACTS_VERSION in crates/core/src/rules/ruleset.rs, run `cargo xtask \
         generate`, then SVC_REWRITE=1 cargo test -p svc-facts --test corpus"
    );
    let measured = format!("version: {FACTS_VERSION}\ncases: {cases}\nfacts: {facts}\n");
    if rewrites() {
        fs::write(kept, measured).unwrap();
        return;
    }
    assert_eq!(
        held, measured,
        "cases or the version changed: SVC_REWRITE=1 cargo test -p svc-facts --test corpus writes the digests. A change \
         of facts goes into a commit before that of the cases, so that it is noticed"
    );
}

fn cases(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        for (path, bytes) in &outcome.case.files {
            writeln!(text, "{} {path} {}", outcome.case.name(), Digest::of(bytes)).unwrap();
        }
    }
    Digest::of(text.as_bytes()).to_string()
}

fn facts(outcomes: &[Outcome]) -> String {
    let told = outcomes.iter().map(|outcome| lines_of(&outcome.case.name(), &outcome.seen));
    Digest::of(told.collect::<String>().as_bytes()).to_string()
}

/// Everything that was seen in the files of a case, one line each.
fn lines_of(case: &str, seen: &BTreeMap<String, Seen>) -> String {
    let mut text = format!("{case}\n");
    for (path, Seen { sightings, references }) in seen {
        for one in sightings {
            let subject = one.subject.as_ref().map_or("", |subject| subject.as_str());
            let place = one.position.map(|place| (place.line, place.column));
            writeln!(text, "{path} {}/{} {subject:?} {place:?} {}", one.what.kind, one.what.word, one.count).unwrap();
        }
        for one in references {
            let place = one.position.map(|place| (place.line, place.column));
            writeln!(text, "{path} {}/{} {:?} {place:?}", one.what.kind, one.what.word, one.address).unwrap();
        }
    }
    text
}
