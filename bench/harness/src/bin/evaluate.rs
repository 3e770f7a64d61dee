//! Times one evaluation in-process, beside the hash of the same bytes and beside the naive way: `evaluate ROUNDS`.
//!
//! Each round measures all of them in turn, so that a slow moment of the machine meets each. One JSON line a round.

use std::{hint::black_box, time::Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use svc_core::{artifact::table, canonical_json, sample};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Entries of the file table beyond the sample's own, so that the document has about 10 KiB, 64 KiB and 1 MiB.
const SIZES: [usize; 3] = [0, 240, 4_800];

fn main() {
    let rounds: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    let documents: Vec<Vec<u8>> = SIZES.iter().map(|files| acceptance_request(*files)).collect();
    for round in 0..rounds {
        for document in &documents {
            let repeats = (8 * 1024 * 1024 / document.len()).max(4);
            println!(
                "{}",
                json!({
                    "round": round,
                    "bytes": document.len(),
                    "evaluation": timed(repeats, || ours(document)),
                    "sha256": timed(4 * repeats, || black_box(Sha256::digest(document)).len()),
                    "naive": timed(repeats, || naive(document)),
                })
            );
        }
    }
}

/// Strict parse, all digests, rules, and the bytes of the decision.
fn ours(document: &[u8]) -> usize {
    let spec = table::ALL.iter().find(|spec| spec.name == "acceptance-request").expect("the kind");
    let decision = (spec.decide)(document).expect("a good document");
    canonical_json::to_bytes(&decision.for_request("0")).len()
}

/// A tree, one canonical form of the package artifact and its hash. It checks neither form nor rules nor other digests.
fn naive(document: &[u8]) -> usize {
    let tree: Value = serde_json::from_slice(document).expect("JSON");
    let canonical = serde_json_canonicalizer::to_vec(&tree["packageArtifact"]).expect("a canonical form");
    black_box(Sha256::digest(canonical)).len()
}

/// Microseconds of one call.
fn timed(repeats: usize, mut work: impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        black_box(work());
    }
    start.elapsed().as_secs_f64() * 1e6 / repeats as f64
}

fn acceptance_request(files: usize) -> Vec<u8> {
    sample::bundle("{}", files).expect("a bundle").remove("svc-registry-acceptance-request.json").expect("the file")
}
