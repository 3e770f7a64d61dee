//! Where the package of a bundle stands: stage, gates and blockers, by our own rules.

use svc_core::{
    artifact::checked::ReviewedPackage,
    bundle::Bundle,
    gates::{Evidenced, GateStatuses},
    review::{self, blocker::Blocker},
    words::{gate::Gate, review_depth::ReviewDepth, stage::Stage},
};

use super::{
    model::{BlockerRow, GateRow, PackageStatus, StageRow, StageState},
    package_files::PackageFiles,
};
use crate::report::PackageLine;
use svc_cli::rules::rules;

/// The status of a bundle that was checked, so that its digests are evidence.
pub(super) fn build(bundle: &Bundle, package: Option<&PackageFiles>) -> PackageStatus {
    let line = PackageLine::of_bundle(bundle);
    let evaluated = bundle.submission.packages().first();
    PackageStatus {
        blockers: evaluated.map(|package| package.blockers()).unwrap_or_default().iter().map(blocker_row).collect(),
        digest: line.digest,
        gates: Gate::ALL.iter().map(|gate| gate_row(*gate, package)).collect(),
        next: line.next_stage.spec().label,
        review: evaluated.map(|package| review_words(package, bundle)).unwrap_or_default(),
        reviewed: depth_words(line.reviewed, package),
        stage: line.stage.spec().label,
        stages: Stage::ALL.iter().copied().map(|stage| stage_row(stage, line.stage)).collect(),
    }
}

/// What stage and verdict are based on. A folder that was given is compared with the file table; no rule runs on it.
fn depth_words(depth: ReviewDepth, package: Option<&PackageFiles>) -> String {
    let meaning = package.map_or(depth.meaning(), |_| "recomputed from the report; no rule ran on the package files");
    format!("{depth}: {meaning}")
}

fn hash_basis(package: Option<&PackageFiles>) -> &'static str {
    match package.map(PackageFiles::is_the_bundles) {
        // Files of a folder were compared with the table; what the gate says is recomputed from the artifact alone.
        None | Some(true) => ReviewDepth::AsClaimed.hash_basis(),
        Some(false) => "digests recomputed; the package folder has other files",
    }
}

fn review_words(package: &ReviewedPackage, bundle: &Bundle) -> String {
    let mut words = package.verdict().to_string();
    words.push_str(", ");
    words.push_str(package.reviewed().as_str());
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

fn gate_row(gate: Gate, package: Option<&PackageFiles>) -> GateRow {
    let word = GateStatuses::<Evidenced>::now().word(gate);
    GateRow {
        cleared_by: gate.spec().cleared_by,
        evidenced: gate.can_be_evidenced(),
        gate: gate.as_str(),
        missing: gate.spec().missing,
        word: if gate.can_be_evidenced() { format!("{word} ({})", hash_basis(package)) } else { word.to_owned() },
    }
}

fn blocker_row(blocker: &Blocker) -> BlockerRow {
    let (what, remedy) = review::in_words(rules(), blocker);
    BlockerRow {
        blocks: blocker.blocks_stage.spec().label,
        code: blocker.code.to_string(),
        owner: blocker.owner.as_str(),
        remedy,
        what,
    }
}
