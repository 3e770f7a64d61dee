//! The blockers: what stands between a package and the next stage, and who can clear it.

use std::sync::LazyLock;

use super::report::{Prose, ReviewReport, RuleCode, in_order, is_rule_code};
use crate::{
    finding::Finding,
    gate::{Clearer, Gate},
    lifecycle::Stage,
    limits, objects,
    rules::{Severity, artifacts},
    text_form,
};

objects! {
    /// What stands between the package and the next stage, and who can clear it.
    Blocker "blocker" {
        /// The stage that is out of reach.
        blocks_stage: Stage,
        /// The rule, gate or choice behind it.
        code: BlockerCode,
        /// The gate, when it is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        gate: Option<Gate>,
        /// What is missing.
        message: Prose,
        /// Who can clear it.
        owner: Clearer,
        /// What clears it.
        remedy: Prose,
        /// The gate's word.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<Prose>,
    }
}

text_form! {
    /// A rule, a gate or a choice that blocks.
    pub struct BlockerCode {
        check: |text| is_rule_code(text) || Gate::parse(text).is_some() || text == PUBLIC_LISTING,
        name: "blocker-code",
        rule: artifacts::B015,
        expected: "the code of a rule, a gate, or `public-listing`",
        pattern: "^(SVC-[A-Z][0-9]{3}|[a-z]+(-[a-z]+)+)$",
        max_length: 40,
    }
}

/// The blocker that comes with `--visibility public`.
const PUBLIC_LISTING: &str = "public-listing";

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
        author_blocker(RuleCode::of(finding.rule), Prose::of(&finding.message), Prose::of(&finding.help))
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

fn author_blocker(code: RuleCode, message: Prose, remedy: Prose) -> Blocker {
    Blocker {
        blocks_stage: Stage::ShowcasePreview,
        code: BlockerCode(code.as_str().to_owned()),
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
        code: BlockerCode(gate.to_string()),
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
        code: BlockerCode(PUBLIC_LISTING.to_owned()),
        gate: Some(Gate::ReviewStorage),
        message: Prose::of("a public listing waits for stored review evidence"),
        owner: Clearer::Registry,
        remedy: Prose::of("a registry that stores the review evidence; until then the package is a showcase preview"),
        status: Some(Prose::of(Gate::ReviewStorage.spec().status)),
    }
}
