//! The blockers: what stands between a package and the next stage, and who can clear it.

use std::sync::LazyLock;

use crate::{
    finding::Finding,
    review::{
        blocker::{Blocker, BlockerCode, PUBLIC_LISTING},
        report::{ReviewReport, in_order},
    },
    scalar::{any_rule_code::AnyRuleCode, prose::Prose},
    words::{
        gate::{Clearer, Gate},
        limits,
        severity::Severity,
        stage::Stage,
    },
};

/// The blockers that follow from a report and the asked-for visibility: what a submission must declare. Never empty.
#[must_use]
pub fn blockers(report: &ReviewReport, listed_publicly: bool) -> Vec<Blocker> {
    let author = report.findings.iter().filter(|finding| finding.severity == Severity::Blocker);
    let author = author.map(|finding| author_blocker(finding.code, finding.message.clone(), finding.help.clone()));
    with_gates(author, listed_publicly)
}

/// The blockers that follow from what our own rules found: what is shown and answered. Never empty.
#[must_use]
pub fn own_blockers(findings: &[Finding], listed_publicly: bool) -> Vec<Blocker> {
    let listed = in_order(findings).into_iter().take(limits::REPORT_FINDINGS);
    let author = listed.filter(|finding| finding.severity() == Severity::Blocker).map(|finding| {
        author_blocker(AnyRuleCode::of(finding.rule.code), Prose::of(&finding.message), Prose::of(&finding.help))
    });
    with_gates(author, listed_publicly)
}

fn with_gates(author: impl Iterator<Item = Blocker>, listed_publicly: bool) -> Vec<Blocker> {
    author.chain(GATES.iter().cloned()).chain(listed_publicly.then(public_listing)).collect()
}

/// The gates that nothing clears are the same for every package.
static GATES: LazyLock<Vec<Blocker>> = LazyLock::new(|| {
    let gates = Gate::ALL.iter().filter(|gate| !gate.can_be_evidenced());
    gates.map(|gate| gate_blocker(*gate)).collect()
});

fn author_blocker(code: AnyRuleCode, message: Prose, remedy: Prose) -> Blocker {
    Blocker {
        blocks_stage: Stage::ShowcasePreview,
        code: BlockerCode::of(code.as_str()),
        gate: None,
        message,
        owner: Clearer::Author,
        remedy,
        status: None,
    }
}

fn gate_blocker(gate: Gate) -> Blocker {
    let spec = gate.spec();
    Blocker {
        blocks_stage: Stage::SignedPackage,
        code: BlockerCode::of(gate.as_str()),
        gate: Some(gate),
        message: Prose::of(&format!("the gate needs {}", spec.evidence)),
        owner: spec.owner,
        remedy: Prose::of(&format!("needed: {}; nothing the author can do clears it", spec.missing)),
        status: Some(Prose::of(spec.status)),
    }
}

fn public_listing() -> Blocker {
    Blocker {
        blocks_stage: Stage::SignedPackage,
        code: BlockerCode::of(PUBLIC_LISTING),
        gate: Some(Gate::ReviewStorage),
        message: Prose::of("a public listing waits for stored review evidence"),
        owner: Clearer::Registry,
        remedy: Prose::of("a registry that stores the review evidence; until then the package is a showcase preview"),
        status: Some(Prose::of(Gate::ReviewStorage.spec().status)),
    }
}
