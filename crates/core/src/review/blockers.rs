//! The blockers: what stands between a package and the next stage, and who can clear it.

use std::sync::LazyLock;

use crate::{
    finding::Finding,
    review::{
        blocker::{Blocker, BlockerCode, PUBLIC_LISTING},
        report::{ReviewReport, in_order},
    },
    rules::ruleset,
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
    let author = report.findings.iter().filter(|finding| finding.severity == Severity::Blocker);
    with_gates(author.map(|finding| finding.code).collect(), listed_publicly)
}

/// The blockers that follow from what our own rules found: what is shown and answered. Never empty.
#[must_use]
pub fn own_blockers(findings: &[Finding], listed_publicly: bool) -> Vec<Blocker> {
    let listed = in_order(findings).into_iter().take(limits::REPORT_FINDINGS);
    // An error of ours stands only in a package that other rules let through: it is the author's to mend as well.
    let author = listed.filter(|finding| matches!(finding.severity(), Severity::Error | Severity::Blocker));
    with_gates(author.map(|finding| AnyRuleCode::of(finding.rule.code)).collect(), listed_publicly)
}

/// One for each rule that blocks the author, however often; then the gates.
fn with_gates(mut author: Vec<AnyRuleCode>, listed_publicly: bool) -> Vec<Blocker> {
    author.dedup();
    let author = author.into_iter().map(author_blocker);
    author.chain(GATES.iter().cloned()).chain(listed_publicly.then(public_listing)).collect()
}

/// The gates that nothing clears are the same for every package.
static GATES: LazyLock<Vec<Blocker>> = LazyLock::new(|| {
    let gates = Gate::ALL.iter().filter(|gate| !gate.can_be_evidenced());
    gates.map(|gate| gate_blocker(gate.as_str(), *gate)).collect()
});

fn author_blocker(code: AnyRuleCode) -> Blocker {
    Blocker {
        blocks_stage: Stage::CollectionEntry,
        code: BlockerCode::of(code.as_str()),
        gate: None,
        owner: Clearer::Author,
        status: None,
    }
}

fn gate_blocker(code: &str, gate: Gate) -> Blocker {
    Blocker {
        blocks_stage: Stage::SignedPackage,
        code: BlockerCode::of(code),
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
pub fn in_words(blocker: &Blocker) -> (String, String) {
    let code = blocker.code.as_str();
    if code == PUBLIC_LISTING {
        let remedy = "a registry that stores the review evidence; until then nobody else sees the package";
        return ("a public listing waits for stored review evidence".to_owned(), remedy.to_owned());
    }
    match (blocker.gate, ruleset::exact(code)) {
        (Some(gate), _) => {
            let missing = gate.spec().missing;
            (format!("the gate needs {}", gate.spec().evidence), format!("needed: {missing}; no author clears it"))
        }
        (None, Some(rule)) => (rule.title.to_owned(), rule.fix.to_owned()),
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
