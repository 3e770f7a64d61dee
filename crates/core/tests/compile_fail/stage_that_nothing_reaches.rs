//! The last stage is in the catalog, and nothing resolves to it.

use svc_core::words::stage::{Reached, Stage};

fn reached() -> Reached {
    Reached::SignedPackage
}

fn turned(stage: Stage) -> Reached {
    stage.into()
}

fn main() {
    let _ = Stage::SignedPackage;
}

// refused: 10 E0277, 6 E0599
