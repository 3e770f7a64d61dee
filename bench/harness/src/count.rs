//! Does one fixed piece of work again and again, for whoever counts instructions: `count WORK ROUNDS`; `count names`
//! names all of it.
//!
//! The input is made before the first round, so that the difference between two counts of rounds is the work alone. It
//! prints how often memory was asked for in the last round and for how many bytes, and with the feature `counts` how often
//! artifacts were sealed and documents read strictly.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
};

use svc_core::samples::rules;
use svc_core::{bundle, pack, rules::example_package::ExamplePackage, samples, words::kind};
use svc_json::canonical;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static REQUESTS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, with a count.
struct Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count(bytes: usize) {
    REQUESTS.fetch_add(1, Ordering::Relaxed);
    BYTES.fetch_add(bytes as u64, Ordering::Relaxed);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["names"] {
        return println!("{}", NAMES.join("\n"));
    }
    let [work, rounds] = arguments.as_slice() else { panic!("count names | count WORK ROUNDS") };
    let mut work = named(work).unwrap_or_else(|| panic!("no such work; one of: {}", NAMES.join(", ")));
    let mut before = seals_and_reads();
    for _ in 0..rounds.parse().expect("a number") {
        REQUESTS.store(0, Ordering::Relaxed);
        BYTES.store(0, Ordering::Relaxed);
        before = seals_and_reads();
        work();
    }
    let (seals, reads) = seals_and_reads();
    let (requests, bytes) = (REQUESTS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed));
    println!("{requests} {bytes} {} {}", seals - before.0, reads - before.1);
}

#[cfg(feature = "counts")]
fn seals_and_reads() -> (u64, u64) {
    (svc_core::counts::seals(), svc_json::counts::reads())
}

#[cfg(not(feature = "counts"))]
fn seals_and_reads() -> (u64, u64) {
    (0, 0)
}

const NAMES: [&str; 10] = [
    "evaluate-small",
    "evaluate-64k",
    "evaluate-1m",
    "evaluate-index",
    "refuse",
    "open-claim",
    "many-findings",
    "read-manifest",
    "bundle",
    "preflight",
];

fn named(name: &str) -> Option<Box<dyn FnMut()>> {
    Some(match name {
        "evaluate-small" => evaluation("acceptance-request", acceptance_request(0)?),
        "evaluate-64k" => evaluation("acceptance-request", acceptance_request(200)?),
        "evaluate-1m" => evaluation("acceptance-request", acceptance_request(4_000)?),
        "evaluate-index" => evaluation("index", samples::index(20)?.to_file()),
        "refuse" => {
            let mut document = acceptance_request(200)?;
            let at = document.windows(8).position(|part| part == b"region-0")?;
            document[at] = b'R';
            evaluation("acceptance-request", document)
        }
        "open-claim" => {
            let document = String::from_utf8(acceptance_request(0)?).ok()?;
            let claim = document.replacen("\"accepted\": false", "\"accepted\": true", 1);
            evaluation("acceptance-request", claim.into_bytes())
        }
        "many-findings" => {
            let members: String = (0..1_000).map(|number| format!("\"unknown{number}\": 0, ")).collect();
            evaluation("acceptance-request", format!("{{{members}\"kind\": 0}}").into_bytes())
        }
        "read-manifest" => {
            let package = ExamplePackage::with_manifest("{}")?;
            Box::new(move || drop(black_box(pack::read_manifest(rules(), &package.manifest))))
        }
        "bundle" => Box::new(|| drop(black_box(samples::bundle("{}", 100)))),
        // As `svc app preflight` does it: seven files made, read back and held against each other.
        "preflight" => {
            Box::new(|| drop(black_box(samples::bundle("{}", 3).map(|files| bundle::verify(rules(), &files)))))
        }
        _ => return None,
    })
}

fn evaluation(kind: &str, document: Vec<u8>) -> Box<dyn FnMut()> {
    let spec = kind::ALL.iter().find(|spec| spec.name == kind).expect("a kind");
    Box::new(move || match svc_core::read::decide(rules(), spec.artifact, &document) {
        Ok(decision) => drop(black_box(canonical::to_bytes(&decision.for_request("0")))),
        Err(findings) => drop(black_box(findings)),
    })
}

fn acceptance_request(files: usize) -> Option<Vec<u8>> {
    samples::bundle("{}", files)?.remove("svc-registry-acceptance-request.json")
}
