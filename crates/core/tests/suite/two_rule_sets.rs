//! Two rule sets in one process: what is evaluated is judged by the rules that are given, and by no others.

use std::borrow::Cow;

use svc_core::samples;
use svc_core::{
    artifact::{checked::Checked, submission::Submission},
    bundle::{self, Bundle, Files},
    finding::Finding,
    findings::Findings,
    lifecycle, read, review,
    rules::{example_package::ExamplePackage, package::Package, ruleset::Rules, run},
    words::{
        kind::{ACCEPTANCE_REQUEST, SUBMISSION},
        rule::{Parameter, Rule},
        rule_code::RuleCode,
        severity::Severity,
        stage::Reached,
        verdict::Verdict,
    },
};
use svc_json::tree;

const WAY_OUT: &str = "Ask the host which categories it has.";

/// `svc.default` with a change of one rule.
fn with(code: RuleCode, change: impl FnOnce(&mut Rule)) -> Rules {
    let rules = Rules::svc_default();
    let mut rule = Rule::clone(rules.row(code));
    change(&mut rule);
    rules.with_rule(rule).unwrap()
}

/// Rules to which a package without screenshots blocks its author.
fn strict() -> Rules {
    with(RuleCode::L006, |rule| {
        rule.severity = Severity::Blocker;
        rule.fix = Cow::Owned(WAY_OUT.to_owned());
    })
}

fn found(findings: &[Finding], code: RuleCode) -> Option<&Finding> {
    findings.iter().find(|finding| finding.rule.is(code))
}

/// What rules find in the manifest of the example package under a merge patch.
fn findings_of(rules: &Rules, patch: &str) -> Findings {
    let package = ExamplePackage::with_manifest(patch).unwrap();
    let manifest = tree::read(&package.manifest).unwrap();
    run::findings(&Package::of_manifest(rules, &manifest.root))
}

/// The example package without screenshots, as rules pack it.
fn submission_of(rules: &Rules) -> Checked<Submission> {
    samples::submission_by(rules, r#"{ "screenshots": [] }"#, 0).unwrap()
}

#[test]
fn a_changed_rule_has_another_digest_and_the_same_change_the_same() {
    let own = Rules::svc_default();
    assert_eq!(own.ruleset(), Rules::svc_default().ruleset());
    assert_eq!(strict().ruleset(), strict().ruleset());
    assert_ne!(own.ruleset().digest, strict().ruleset().digest);
    let reworded = with(RuleCode::L006, |rule| rule.fix = Cow::Owned(WAY_OUT.to_owned()));
    assert_eq!(own.ruleset().digest, reworded.ruleset().digest, "words are not part of what rules do");
}

#[test]
fn a_severity_and_a_parameter_count_under_the_rules_that_have_them_alone() {
    let own = Rules::svc_default();
    let patch = r#"{ "network": { "purpose": "Reads places." }, "screenshots": [] }"#;
    let strict = strict();
    let wordy = with(RuleCode::P003, |rule| rule.parameters = Cow::Owned(vec![("length", Parameter::Number(40))]));
    // Twice, so that nothing of one stays for the other.
    for _ in 0..2 {
        let (by_own, by_strict, by_wordy) =
            (findings_of(&own, patch), findings_of(&strict, patch), findings_of(&wordy, patch));
        assert_eq!(found(&by_own, RuleCode::L006).unwrap().severity(), own.row(RuleCode::L006).severity);
        let blocking = found(&by_strict, RuleCode::L006).unwrap();
        assert_eq!((blocking.severity(), blocking.help.as_str()), (Severity::Blocker, WAY_OUT));
        assert!(found(&by_own, RuleCode::P003).is_none() && found(&by_wordy, RuleCode::P003).is_some());
    }
}

#[test]
fn each_rule_set_packs_checks_and_answers_under_its_own_name() {
    let (own, strict) = (Rules::svc_default(), strict());
    let [by_own, by_strict] = [&own, &strict].map(submission_of);
    for (rules, submission) in [(&own, &by_own), (&strict, &by_strict)] {
        assert_eq!(submission.rules().ruleset(), rules.ruleset());
        assert!(submission.has_own_rules());
        let files: Files = Bundle::from_submission(submission.clone()).unwrap().to_files();
        // What is derived keeps the rules of its parent.
        let verified = bundle::verify(rules, &files).unwrap();
        assert_eq!(verified.bundle.install_policy.rules().ruleset(), rules.ruleset());
        assert!(verified.warnings.iter().all(|(_, warnings)| warnings.is_empty()));
        let decision = read::decide(rules, ACCEPTANCE_REQUEST.artifact, &files[ACCEPTANCE_REQUEST.file]).unwrap();
        assert_eq!(decision.ruleset(), rules.ruleset());
    }
    assert_eq!(by_own.packages()[0].verdict(), Verdict::ValidatedWithWarnings);
    assert_eq!(by_strict.packages()[0].verdict(), Verdict::Blocked);
}

#[test]
fn a_document_of_other_rules_is_judged_by_those_at_hand() {
    let (own, strict) = (Rules::svc_default(), strict());
    let document = submission_of(&own).to_file();
    // No screenshots keep it out under the strict rules alone; its report is that of the others, and not compared.
    let read::Verified { checked, warnings } = read::verify(&strict, SUBMISSION.artifact, &document).unwrap();
    assert!(!checked.has_own_rules() && found(&warnings, RuleCode::B017).is_some());
    let [package] = checked.packages() else { panic!("one package") };
    assert_eq!(package.verdict(), Verdict::Blocked);
    let blocker = package.blockers().iter().find(|blocker| blocker.code.as_str() == RuleCode::L006.as_str()).unwrap();
    assert_eq!(review::in_words(&strict, blocker).1, WAY_OUT);
    assert_ne!(review::in_words(&own, blocker).1, WAY_OUT);
    // A document that names rules which it does not keep is refused by them, and passes with those that it does keep.
    let text = String::from_utf8(document.clone()).unwrap();
    let renamed = text.replace(&own.ruleset().digest.to_string(), &strict.ruleset().digest.to_string());
    assert!(read::verify(&strict, SUBMISSION.artifact, renamed.as_bytes()).is_err());
    assert!(read::verify(&own, SUBMISSION.artifact, &document).unwrap().warnings.is_empty());
}

#[test]
fn a_stage_follows_from_the_rules_at_hand() {
    let own = Rules::svc_default();
    let refusing = with(RuleCode::L006, |rule| rule.severity = Severity::Error);
    let package = ExamplePackage::with_manifest(r#"{ "screenshots": [] }"#).unwrap();
    let stage = |rules| lifecycle::resolve_stage(rules, &package.manifest).resolution.stage;
    assert_eq!((stage(&own), stage(&refusing)), (Reached::ShowcasePreview, Reached::Blueprint));
}
