//! The tables of the rules.

use std::collections::BTreeSet;

use crate::{
    rules::ruleset::Rules,
    words::{
        exit_code::{Exit, ExitCode},
        rule::Needs,
        rule_code::RuleCode,
        severity::Severity,
    },
};

#[test]
fn codes_are_unique_and_sorted_and_carry_the_letter_of_their_family() {
    let rules = Rules::svc_default();
    let mut codes = BTreeSet::new();
    for (letter, family) in ['B', 'D', 'F', 'J', 'L', 'M', 'P'].into_iter().zip(rules.families()) {
        assert!(family.rules.is_sorted_by(|left, right| left.code < right.code), "{letter}");
        for rule in family.rules {
            assert!(codes.insert(rule.code.as_ref()), "{} stands twice", rule.code);
            let digits = rule.code.strip_prefix(&format!("SVC-{letter}")).expect(&rule.code);
            assert!(digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{}", rule.code);
        }
    }
    assert_eq!(rules.all().map(|rule| rule.code.as_ref()).collect::<Vec<_>>(), codes.into_iter().collect::<Vec<_>>());
}

#[test]
fn every_rule_is_explained_in_sentences() {
    let rules = Rules::svc_default();
    for rule in rules.all() {
        for sentence in [&rule.why, &rule.fix] {
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
    let rules = Rules::svc_default();
    for rule in rules.all() {
        let short = rule.code.strip_prefix("SVC-").unwrap();
        for spelling in [rule.code.to_string(), short.to_owned(), rule.code.to_lowercase(), short.to_lowercase()] {
            assert_eq!(rules.find(&spelling), Some(rule), "{spelling}");
        }
    }
    for unknown in ["", "SVC-", "M", "M01", "M0100", "SVC-Z001", "SVC-SVC-M010", "M010 ", " M010", "-M010", "SVC_M010"]
    {
        assert!(rules.find(unknown).is_none(), "{unknown:?}");
    }
}

#[test]
fn what_a_finding_does_follows_from_its_severity() {
    let rules = Rules::svc_default();
    for rule in rules.all() {
        let fails = rule.exit != Exit::None;
        assert_eq!(fails, rule.severity == Severity::Error, "{}", rule.code);
        assert_eq!(ExitCode::from_exit(rule.exit).code() == 0, !fails, "{}", rule.code);
    }
    let with = |exit: Exit| {
        rules.all().filter(move |rule| rule.exit == exit).map(|rule| rule.code.as_ref()).collect::<Vec<_>>()
    };
    assert_eq!(with(Exit::OpenClaim), ["SVC-B006", "SVC-B007"]);
    assert_eq!(with(Exit::Digest), ["SVC-B003", "SVC-B005", "SVC-B010"]);
}

#[test]
fn refusals_of_the_reader_are_400_and_all_others_422() {
    let rules = Rules::svc_default();
    for rule in rules.all() {
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
fn a_parameter_has_one_value() {
    let rules = Rules::svc_default();
    for rule in rules.all() {
        let names: BTreeSet<&str> = rule.parameters.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), rule.parameters.len(), "{}", rule.code);
        assert!(rule.revision >= 1, "{}", rule.code);
    }
}

#[test]
fn a_report_lists_every_rule_about_packages_once_in_order() {
    let rules = Rules::svc_default();
    let listed: Vec<&str> = rules.about_packages().map(|rule| rule.code.as_ref()).collect();
    assert!(listed.is_sorted_by(|left, right| left < right));
    let expected: Vec<&str> =
        rules.all().filter(|rule| rule.needs != Needs::Artifact).map(|rule| rule.code.as_ref()).collect();
    assert_eq!(listed, expected);
}

#[test]
fn every_code_has_one_row_and_every_row_its_code() {
    let rules = Rules::svc_default();
    let rows: Vec<&str> = rules.all().map(|rule| rule.code.as_ref()).collect();
    let codes: Vec<&str> = RuleCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(rows, codes);
    assert!(RuleCode::ALL.iter().all(|code| rules.row(*code).is(*code)));
}
