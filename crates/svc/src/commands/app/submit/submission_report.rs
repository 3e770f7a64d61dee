//! The report on a submission: what was sent and answered, in full, for people and machines.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use svc_cli::output::escape::{Safe, shell_word};
use svc_core::{
    closed::False,
    diagnostics::RunScope,
    gates::{Evidenced, GateStatuses},
    words::{gate::Gate, kind::ArtifactSpec, review_depth::ReviewDepth},
};
use svc_json::printable;

use crate::kept_answers::CheckedAnswer;

/// What came of it, for people and machines.
#[derive(Serialize)]
pub(super) struct SubmissionReport {
    pub(super) accepted: False,
    pub(super) answers: Vec<KeptLine>,
    pub(super) installable: False,
    pub(super) kept: String,
    /// The gates that are missing for whatever a registry may say.
    #[serde(rename = "missingGates")]
    pub(super) missing_gates: Vec<Gate>,
    /// How many receipts there are, and which keys they were checked with.
    pub(super) note: String,
    pub(super) registry: String,
    /// What was stated about the package before it was sent. A registry states no more.
    pub(super) reviewed: ReviewDepth,
    pub(super) scope: RunScope<'static>,
    pub(super) signed: False,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeptLine {
    artifact: &'static str,
    /// Whether it was answered in an earlier run.
    pub(super) before: bool,
    decision_id: String,
    #[serde(skip)]
    pub(super) order: u8,
    outcome: &'static str,
    /// The number of its record, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) record: Option<u64>,
}

impl KeptLine {
    pub(super) fn known(answer: &CheckedAnswer) -> Self {
        Self::new(answer.spec, &answer.answer, true)
    }

    pub(super) fn new(spec: &'static ArtifactSpec, body: &[u8], before: bool) -> Self {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Shown {
            decision_id: String,
            receipt: Option<Place>,
        }
        #[derive(Deserialize)]
        struct Place {
            index: u64,
        }

        // It was checked; only what is shown of it is read.
        let shown: Shown = serde_json::from_slice(body).unwrap_or_default();
        let (decision_id, record) = (shown.decision_id, shown.receipt.map(|receipt| receipt.index));
        Self { artifact: spec.name, before, decision_id, order: spec.make.order, outcome: "denied", record }
    }
}

impl SubmissionReport {
    pub(super) fn to_json(&self) -> Vec<u8> {
        printable::pretty(self)
    }

    pub(super) fn in_words(&self, bundle: &str) -> String {
        let mut text = format!("Registry  {}\n", Safe(&self.registry));
        for line in &self.answers {
            let record = line.record.map_or_else(|| "not on record".to_owned(), |record| format!("record {record}"));
            let before = if line.before { ", answered before" } else { "" };
            let _ = writeln!(text, "{:<9} {:<23} {record}{before}", line.outcome, line.artifact);
        }
        let _ = writeln!(text, "Reviewed  {}: {}", self.reviewed, self.reviewed.meaning());
        text.push_str("Outcome   accepted no, signed no, installable no\n");
        for gate in Gate::ALL.iter().filter(|gate| !gate.can_be_evidenced()) {
            let word = GateStatuses::<Evidenced>::now().word(*gate);
            let _ = writeln!(text, "Missing   {:<23} {word}, cleared by the {}", gate.as_str(), gate.spec().cleared_by);
        }
        text.push_str(
            "Why       no is the right answer: nothing here can verify a publisher, store a review, sign or isolate\n",
        );
        let _ = writeln!(text, "Log       {}", Safe(&self.note));
        let _ = writeln!(text, "Kept      {}", Safe(&self.kept));
        let _ = writeln!(text, "Next      svc app verify {}", Safe(&shell_word(bundle)));
        text
    }
}
