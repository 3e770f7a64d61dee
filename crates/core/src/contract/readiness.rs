//! The readiness ledger: the state of each gate, as `hosted-registry-readiness-contract.json` records it.

use serde::Serialize;

use crate::{
    gates::{self, Evidenced, GateStatuses, HashStanding as _},
    words::{gate::Gate, kind::SchemaVersion},
};

/// The ledger.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadinessLedger {
    gate_statuses: GateStatuses,
    gates: Vec<GateRecord>,
    missing_gates: Vec<Gate>,
    name: &'static str,
    packages_are: &'static [&'static str],
    schema_version: SchemaVersion,
}

/// One row of the ledger.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GateRecord {
    cleared_by: &'static str,
    evidence: &'static str,
    gate: Gate,
    local_status: &'static str,
    missing: &'static str,
    shown_by: &'static [&'static str],
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
        local_status: spec.local_status,
        missing: spec.missing,
        shown_by: spec.shown_by,
        status: spec.status,
        words: gates::words(gate),
    }
}
