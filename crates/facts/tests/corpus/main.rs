//! The review corpus: small packages on which a rule must fire, or must not. `tests/review/README.md` says how a case is
//! written; `KNOWN.md` beside it lists what is not told right, and why.
//!
//! `SVC_REWRITE=1` writes what is measured into the table of `tests/review/README.md` and into `facts.digest`.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and reads the corpus from the disk"
)]

mod case;
mod facts_version;
mod known;
mod marker;
mod results;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use svc_core::samples::rules;
use svc_core::words::rule::Needs;

use crate::{
    case::{Case, Side},
    results::Outcome,
};

/// The rules that go by what files tell, and those of the manifest that judge words: each has cases of both sides.
const COVERED: &[&str] = &[
    "F006", "F008", "F013", "F017", "F018", "F019", "F020", "F021", "F022", "F023", "L009", "L010", "L011", "M017",
    "P008", "P012", "P013", "P014", "P015", "P016", "P017",
];

const LEAST: usize = 420;

#[test]
fn every_rule_has_cases_of_both_sides() {
    let sides: BTreeSet<(&str, Side)> = outcomes().iter().map(|it| (it.case.rule.as_str(), it.case.side)).collect();
    for rule in COVERED {
        for side in [Side::Fires, Side::Passes] {
            assert!(sides.contains(&(*rule, side)), "{rule} has no case that {}", side.as_str());
        }
    }
    let known: BTreeSet<&str> = sides.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(known.len(), COVERED.len(), "{known:?}");
    assert!(outcomes().len() >= LEAST, "{} cases", outcomes().len());
}

#[test]
fn what_is_told_wrong_is_listed_and_nothing_else() {
    let measured: BTreeSet<String> = outcomes().iter().filter(|it| it.is_wrong()).map(|it| it.case.name()).collect();
    let listed = known::listed(&corpus().join("KNOWN.md"));
    let unlisted: Vec<&String> = measured.difference(&listed).collect();
    let mended: Vec<&String> = listed.difference(&measured).collect();
    assert!(
        unlisted.is_empty() && mended.is_empty(),
        "told wrong, and not listed: {unlisted:#?}\nlisted, and told right: {mended:#?}\nmend the one, or change KNOWN.md"
    );
}

#[test]
fn the_counts_are_those_of_the_page() {
    results::check(&repository().join("tests/review/README.md"), outcomes());
}

#[test]
fn facts_do_not_change_under_one_version() {
    facts_version::check(&corpus().join("facts.digest"), outcomes());
}

#[test]
fn the_base_of_all_cases_breaks_no_rule_that_is_covered() {
    let base = Case::base();
    let seen = base.look();
    let fired: Vec<&str> = COVERED.iter().copied().filter(|rule| seen.fires(rule)).collect();
    assert_eq!(fired, [""; 0]);
    for rule in COVERED {
        let found = rules().find(rule).unwrap();
        assert!(matches!(found.needs, Needs::Facts | Needs::Manifest), "{rule}");
    }
}

/// What came of every case: measured once, on a stack that holds what the parsers read.
fn outcomes() -> &'static [Outcome] {
    static OUTCOMES: OnceLock<Vec<Outcome>> = OnceLock::new();
    OUTCOMES.get_or_init(|| {
        let reader = std::thread::Builder::new().stack_size(svc_facts::STACK_BYTES);
        reader.spawn(|| case::all(&corpus()).into_iter().map(Outcome::from_case).collect()).unwrap().join().unwrap()
    })
}

fn corpus() -> PathBuf {
    repository().join("tests/review")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether what is measured is to be written down.
fn rewrites() -> bool {
    std::env::var_os("SVC_REWRITE").is_some()
}
