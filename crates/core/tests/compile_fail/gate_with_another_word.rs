//! The status of the gates has one value, and no word can be put into it.

use svc_core::{gates::GateStatuses, words::gate::Gate};

fn by_member() -> GateStatuses {
    GateStatuses { publisher_verification: "verified" }
}

fn by_setting(mut gates: GateStatuses) {
    gates.set(Gate::ArtifactSigning, "signed");
}

fn main() {}

// refused: 10 E0599, 6 E0560
