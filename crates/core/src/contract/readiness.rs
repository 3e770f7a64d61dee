//! The readiness ledger: the state of each gate, as `hosted-registry-readiness-contract.json` records it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    gates::{self, Evidenced, GateStatuses, HashGateStatus as _},
    words::{gate::Gate, kind::SchemaVersion},
};

/// The state of each gate.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "readiness-ledger")]
pub struct ReadinessLedger {
    /// The word of each gate in a decision.
    gate_statuses: GateStatuses,
    /// The gates, in their order.
    gates: Vec<GateRecord>,
    /// The gates that are not cleared.
    missing_gates: Vec<Gate>,
    /// The name of this document.
    name: &'static str,
    /// How a package may be described until every gate is cleared.
    packages_are: &'static [&'static str],
    /// The version of the schemas.
    schema_version: SchemaVersion,
}

/// One gate.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "gate-record")]
struct GateRecord {
    /// Who can clear it.
    cleared_by: &'static str,
    /// What there is.
    evidence: &'static str,
    /// The gate.
    gate: Gate,
    /// Its name for people.
    label: &'static str,
    /// Its word on the author's machine.
    local_status: &'static str,
    /// What is missing.
    missing: &'static str,
    /// The tests that show it.
    shown_by: &'static [&'static str],
    /// Its word in a decision.
    status: &'static str,
    /// Every word that an answer can have for the gate.
    words: Vec<&'static str>,
}

/// How an external package may be described until every gate is cleared.
pub static PACKAGES_ARE: &[&str] = &["validated artifact", "showcase preview"];

impl ReadinessLedger {
    /// The ledger of this build.
    #[must_use]
    pub fn now() -> Self {
        Self {
            gate_statuses: GateStatuses::now(),
            gates: Gate::ALL.iter().map(|gate| record(*gate)).collect(),
            missing_gates: Evidenced::missing(),
            name: "hosted-registry-readiness-contract",
            packages_are: PACKAGES_ARE,
            schema_version: SchemaVersion::V1_0,
        }
    }
}

fn record(gate: Gate) -> GateRecord {
    let spec = gate.spec();
    GateRecord {
        cleared_by: spec.cleared_by,
        evidence: spec.evidence,
        gate,
        label: spec.label,
        local_status: spec.local_status,
        missing: spec.missing,
        shown_by: spec.shown_by,
        status: spec.status,
        words: gates::words(gate),
    }
}
