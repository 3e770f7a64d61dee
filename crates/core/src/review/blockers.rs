//! The blockers: what stands between a package and the next stage, and who can clear it.

use std::sync::LazyLock;

use crate::{
    findings::Findings,
    review::{
        blocker::{Blocker, BlockerCode, PUBLIC_LISTING},
        report::{ReviewReport, bounded},
    },
    rules::ruleset::Rules,
    scalar::any_rule_code::AnyRuleCode,
    words::{
        gate::{Clearer, Gate, GateWord},
        limits,
        severity::Severity,
        stage::Stage,
    },
};

/// The blockers that follow from a report and the asked-for visibility: what a submission must declare. Never empty.
#[must_use]
pub fn blockers(report: &ReviewReport, listed_publicly: bool) -> Vec<Blocker> {
    let blocking = report.findings.iter().filter(|finding| finding.severity == Severity::Blocker);
    with_gates(blocking.map(|finding| (finding.code, finding.exception.is_some())).collect(), listed_publicly)
}

/// The blockers that follow from what our own rules found: what is shown and answered. Never empty.
#[must_use]
pub fn own_blockers(findings: &Findings, listed_publicly: bool) -> Vec<Blocker> {
    let listed = bounded(findings, limits::REPORT_FINDINGS).into_iter();
    // An error of ours stands only in a package that other rules let through: it is the author's to mend as well.
    let blocking = listed.filter(|finding| matches!(finding.severity(), Severity::Error | Severity::Blocker));
    let blocking = blocking.map(|finding| (AnyRuleCode::from_rule(&finding.rule), finding.exception.is_some()));
    with_gates(blocking.collect(), listed_publicly)
}

/// One for each rule that blocks, however often: the author, or the registry whose reviewer is asked to look at an
/// exception; then the gates.
fn with_gates(mut blocking: Vec<(AnyRuleCode, bool)>, listed_publicly: bool) -> Vec<Blocker> {
    blocking.sort_by(|left, right| (left.1, left.0.as_str()).cmp(&(right.1, right.0.as_str())));
    blocking.dedup();
    let blocking = blocking.into_iter().map(|(code, is_excepted)| rule_blocker(code, is_excepted));
    blocking.chain(GATES.iter().cloned()).chain(listed_publicly.then(public_listing)).collect()
}

/// The gates that nothing clears are the same for every package.
static GATES: LazyLock<Vec<Blocker>> = LazyLock::new(|| {
    let gates = Gate::ALL.iter().filter(|gate| !gate.can_be_evidenced());
    gates.map(|gate| gate_blocker(gate.as_str(), *gate)).collect()
});

fn rule_blocker(code: AnyRuleCode, is_excepted: bool) -> Blocker {
    Blocker {
        blocks_stage: Stage::CollectionEntry,
        code: BlockerCode::new(code.as_str()),
        gate: None,
        owner: if is_excepted { Clearer::Registry } else { Clearer::Author },
        status: None,
    }
}

fn gate_blocker(code: &str, gate: Gate) -> Blocker {
    Blocker {
        blocks_stage: Stage::SignedPackage,
        code: BlockerCode::new(code),
        gate: Some(gate),
        owner: gate.spec().owner,
        status: GateWord::parse(gate.spec().status),
    }
}

/// A public listing waits for the same gate as the evidence.
fn public_listing() -> Blocker {
    gate_blocker(PUBLIC_LISTING, Gate::ReviewStorage)
}

/// What a blocker means and what clears it, in our words: an artifact has none.
#[must_use]
pub fn in_words(rules: &Rules, blocker: &Blocker) -> (String, String) {
    let code = blocker.code.as_str();
    if code == PUBLIC_LISTING {
        let remedy = "a registry that stores the review evidence; until then nobody else sees the package";
        return ("a public listing waits for stored review evidence".to_owned(), remedy.to_owned());
    }
    match (blocker.gate, rules.find(code)) {
        (Some(gate), _) => {
            let missing = gate.spec().missing;
            (format!("the gate needs {}", gate.spec().evidence), format!("needed: {missing}; no author clears it"))
        }
        (None, Some(rule)) if blocker.owner == Clearer::Registry => {
            let remedy = "a reviewer who looks at the exception; the author can remove what it speaks of";
            (format!("an exception was asked for: {}", rule.title), remedy.to_owned())
        }
        (None, Some(rule)) => (rule.title.clone().into_owned(), rule.fix.clone().into_owned()),
        (None, None) => {
            ("a rule that this svc does not know".to_owned(), "read it with the svc that made it".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gate_that_blocks_has_its_word_and_every_word_its_gate() {
        let words: Vec<GateWord> = GATES.iter().filter_map(|blocker| blocker.status).collect();
        assert_eq!(words, GateWord::ALL);
    }
}
