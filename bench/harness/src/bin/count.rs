//! Evaluates one document again and again, for whoever counts instructions: `count KIND FILES ROUNDS`.
//!
//! `FILES` is how many entries the file table has beyond the sample's own. The document is made before the first round, so
//! the difference between two counts of rounds is the evaluation alone.

use svc_core::{artifact::table, canonical_json, sample};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, files, rounds] = arguments.as_slice() else { panic!("count KIND FILES ROUNDS") };
    let spec = table::ALL.iter().find(|spec| spec.name == kind).expect("a kind");
    let document = sample::bundle("{}", files.parse().expect("a number")).expect("a bundle");
    let document = &document[spec.file];
    eprintln!("{} bytes", document.len());
    for _ in 0..rounds.parse().expect("a number") {
        let decision = (spec.decide)(document).expect("a good document");
        std::hint::black_box(canonical_json::to_bytes(&decision.for_request("0")));
    }
}
