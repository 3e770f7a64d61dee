//! `svc verify`, on the real binary: before a deployment, against a real service, and against answers meant for a terminal.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod formats;
mod hosted;
mod kept;
mod lies;
mod local;
mod payloads;
mod submit;
mod submit_failures;
mod terminal;
mod third;

use std::path::Path;
use svc_testkit::{run, running};

use crate::run::{Run, program, repository};

/// The six payloads of seed 4.2, by hand.
pub(crate) const PAYLOADS: [&str; 6] = [
    "svc-registry-acceptance-request.json",
    "svc-registry-index.json",
    "svc-registry-publisher-verification.json",
    "svc-registry-review-evidence.json",
    "svc-registry-signing-request.json",
    "svc-registry-install-policy.json",
];

/// A bundle of an example, in the folder `bundle`.
pub(crate) fn make_bundle(folder: &Path, example: &str) {
    let package = repository("examples").join(example);
    let package = package.to_str().unwrap();
    Run::of(&mut program(folder, &["app", "preflight", package, "--quiet", "--out-dir", "bundle"])).exits(0);
}

/// `svc verify hosted` with the bundle.
pub(crate) fn hosted(folder: &Path, address: &str, arguments: &[&str]) -> Run {
    let words = [&["verify", "hosted", address, "--artifact-dir", "bundle"][..], arguments].concat();
    Run::of(program(folder, &words).env_remove("SVC_TOKEN"))
}
