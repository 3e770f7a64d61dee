//! Where the package of a bundle stands: stage, gates and blockers, by our own rules.

use svc_core::{
    artifact::{checked::ReviewedPackage, evaluated::ReviewDepth},
    bundle::Bundle,
    gates::{Evidenced, GateStatuses},
    review::{self, blocker::Blocker},
    words::{gate::Gate, stage::Stage},
};

use super::model::{BlockerRow, GateRow, StageRow, StageState, Standing};
use crate::report::PackageLine;

/// The standing of a bundle that was checked, so that its digests are evidence.
pub(super) fn of(bundle: &Bundle) -> Standing {
    let line = PackageLine::of_bundle(bundle);
    let evaluated = bundle.submission.packages().first();
    Standing {
        blockers: evaluated.map(|package| package.blockers()).unwrap_or_default().iter().map(blocker_row).collect(),
        digest: line.digest,
        gates: Gate::ALL.iter().copied().map(gate_row).collect(),
        next: line.next_stage.spec().label,
        review: evaluated.map(|package| review_words(package, bundle)).unwrap_or_default(),
        stage: line.stage.spec().label,
        stages: Stage::ALL.iter().copied().map(|stage| stage_row(stage, line.stage)).collect(),
    }
}

fn review_words(package: &ReviewedPackage, bundle: &Bundle) -> String {
    let mut words = package.verdict().to_string();
    match package.reviewed() {
        ReviewDepth::Whole => {}
        ReviewDepth::WithoutFacts => words.push_str(", without the rules that need the report's facts"),
    }
    if !bundle.submission.has_own_rules() {
        words.push_str(" by the rules of this svc; the bundle was made with others");
    }
    words
}

fn stage_row(stage: Stage, reached: Stage) -> StageRow {
    let state = match stage {
        Stage::SignedPackage => StageState::OutOfReach,
        _ if stage <= reached => StageState::Reached,
        Stage::Blueprint | Stage::ShowcasePreview | Stage::ReviewReport | Stage::CollectionEntry => {
            StageState::NotReached
        }
    };
    StageRow { id: stage, label: stage.spec().label, meaning: stage.spec().meaning, state }
}

fn gate_row(gate: Gate) -> GateRow {
    GateRow {
        cleared_by: gate.spec().cleared_by,
        evidenced: gate.can_be_evidenced(),
        gate: gate.as_str(),
        missing: gate.spec().missing,
        word: GateStatuses::<Evidenced>::now().word(gate),
    }
}

fn blocker_row(blocker: &Blocker) -> BlockerRow {
    let (what, remedy) = review::in_words(blocker);
    BlockerRow {
        blocks: blocker.blocks_stage.spec().label,
        code: blocker.code.to_string(),
        owner: blocker.owner.as_str(),
        remedy,
        what,
    }
}
