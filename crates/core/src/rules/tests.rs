//! The tables of the rules.

use std::collections::BTreeSet;

use crate::{
    rules::{artifacts, changes, files, listing, manifest, permissions, ruleset, run::package_rules, syntax},
    scalar::ident::Version,
    words::{
        exit_code::{Exit, ExitCode},
        rule::{Needs, Rule},
        rule_code::RuleCode,
        severity::Severity,
    },
};

const FAMILIES: &[(char, &[&Rule])] = &[
    ('B', artifacts::ALL),
    ('D', changes::ALL),
    ('F', files::ALL),
    ('J', syntax::ALL),
    ('L', listing::ALL),
    ('M', manifest::ALL),
    ('P', permissions::ALL),
];

#[test]
fn codes_are_unique_and_sorted_and_carry_the_letter_of_their_family() {
    let mut codes = BTreeSet::new();
    for (letter, family) in FAMILIES {
        assert!(family.is_sorted_by(|left, right| left.code < right.code), "{letter}");
        for rule in *family {
            assert!(codes.insert(rule.code), "{} stands twice", rule.code);
            let digits = rule.code.strip_prefix(&format!("SVC-{letter}")).expect(rule.code);
            assert!(digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{}", rule.code);
        }
    }
    assert_eq!(ruleset::all().map(|rule| rule.code).collect::<Vec<_>>(), codes.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_rule_is_explained_in_sentences() {
    for rule in ruleset::all() {
        for sentence in [rule.why, rule.fix] {
            assert!(sentence.ends_with('.'), "{}: {sentence}", rule.code);
            assert!(
                sentence.starts_with(|first: char| first.is_uppercase() || first == '`'),
                "{}: {sentence}",
                rule.code
            );
            assert!(!sentence.contains("  ") && sentence.len() > 5, "{}: {sentence}", rule.code);
        }
        assert!(!rule.title.ends_with('.') && !rule.title.is_empty(), "{}: {}", rule.code, rule.title);
        assert!(!rule.title.starts_with("The "), "{}: {}", rule.code, rule.title);
    }
}

#[test]
fn a_rule_is_found_with_and_without_its_prefix_and_nothing_else_is() {
    for rule in ruleset::all() {
        let short = rule.code.strip_prefix("SVC-").unwrap();
        for spelling in [rule.code.to_owned(), short.to_owned(), rule.code.to_lowercase(), short.to_lowercase()] {
            assert_eq!(ruleset::find(&spelling).map(|rule| rule.code), Some(rule.code), "{spelling}");
        }
    }
    for unknown in ["", "SVC-", "M", "M01", "M0100", "SVC-Z001", "SVC-SVC-M010", "M010 ", " M010", "-M010", "SVC_M010"]
    {
        assert!(ruleset::find(unknown).is_none(), "{unknown:?}");
    }
}

#[test]
fn what_a_finding_does_follows_from_its_severity() {
    for rule in ruleset::all() {
        let fails = rule.exit != Exit::None;
        assert_eq!(fails, rule.severity == Severity::Error, "{}", rule.code);
        assert_eq!(ExitCode::from_exit(rule.exit).code() == 0, !fails, "{}", rule.code);
    }
    let with =
        |exit: Exit| ruleset::all().filter(move |rule| rule.exit == exit).map(|rule| rule.code).collect::<Vec<_>>();
    assert_eq!(with(Exit::OpenClaim), ["SVC-B006", "SVC-B007"]);
    assert_eq!(with(Exit::Digest), ["SVC-B003", "SVC-B005", "SVC-B010"]);
}

#[test]
fn refusals_of_the_reader_are_400_and_all_others_422() {
    for rule in ruleset::all() {
        let status = if rule.needs == Needs::Text { 400 } else { 422 };
        assert_eq!(rule.problem.spec().status, status, "{}", rule.code);
        assert_eq!(rule.needs == Needs::Text, rule.code.starts_with("SVC-J"), "{}", rule.code);
        assert_eq!(
            rule.needs == Needs::Artifact,
            ["SVC-B", "SVC-D"].iter().any(|family| rule.code.starts_with(family)),
            "{}",
            rule.code
        );
    }
}

#[test]
fn the_rule_set_has_one_version_and_one_digest() {
    assert!(Version::parse(ruleset::VERSION).is_some());
    let own = ruleset::own();
    assert_eq!(own, ruleset::own());
    assert_eq!(own.version.as_str(), ruleset::VERSION);
    for rule in ruleset::all() {
        let names: BTreeSet<&str> = rule.parameters.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), rule.parameters.len(), "{}", rule.code);
        assert!(rule.revision >= 1, "{}", rule.code);
    }
}

#[test]
fn a_report_lists_every_rule_about_packages_once_in_order() {
    let listed: Vec<&str> = package_rules().map(|rule| rule.code).collect();
    assert!(listed.is_sorted_by(|left, right| left < right));
    let expected: Vec<&str> =
        ruleset::all().filter(|rule| rule.needs != Needs::Artifact).map(|rule| rule.code).collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_code_has_one_row_and_every_row_its_code() {
    let rows: Vec<&str> = ruleset::all().map(|rule| rule.code).collect();
    let codes: Vec<&str> = RuleCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(rows, codes);
    assert!(RuleCode::ALL.iter().all(|code| ruleset::row(*code).code == code.as_str()));
}
