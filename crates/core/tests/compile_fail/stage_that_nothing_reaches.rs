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
