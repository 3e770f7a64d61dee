//! (a) One evaluation in-process, beside the hash of the same bytes and beside the naive way; and how its cost grows.

use std::{hint::black_box, time::Instant};

use anyhow::{Context as _, Result};
use serde_json::Value;
use sha2::{Digest, Sha256};
use svc_core::samples::rules;
use svc_core::{
    pack, samples,
    words::kind::{self, ArtifactSpec},
};
use svc_json::canonical;

use crate::{
    documents::{self, SIZES},
    mode::Mode,
    plot::Plot,
    report::{Bound, Line, Report, Table},
    statistics::{Sample, exponent},
};

/// Bytes that each measurement works through, so that a small document is not measured by a clock's tick.
const WORK: usize = 6 * 1024 * 1024;

pub fn measure(mode: &Mode, report: &mut Report) -> Result<()> {
    sizes(mode, report)?;
    growth(mode, report)
}

fn sizes(mode: &Mode, report: &mut Report) -> Result<()> {
    let spec = spec("acceptance-request")?;
    let mut table = Table {
        title: "(a) One evaluation in-process".to_owned(),
        unit: "µs",
        about: "Strict parse, rules, all digests, decision. The naive way has the tree of `serde_json`, an RFC 8785 crate \
                and the same digests; it checks neither form nor rules.",
        lines: Vec::new(),
    };
    for (name, files) in SIZES {
        let document = documents::acceptance_request(files)?;
        let (mut ours, mut hash, mut plain) = (Sample::default(), Sample::default(), Sample::default());
        for _ in 0..mode.rounds {
            let repeats = (WORK / document.len()).max(4);
            ours.push(timed(repeats, || evaluate(spec, &document)));
            hash.push(timed(4 * repeats, || Sha256::digest(&document).len()));
            plain.push(timed(repeats / 2, || naive(&document)));
        }
        if name != "8 KiB" {
            let what = format!("evaluation over the SHA-256 of the body, {name}");
            report.goal("P1", what, Bound::AtMost(5.0), ours.over(&hash));
            let what = format!("naive way over evaluation, {name}");
            report.goal("P1", what, Bound::AtLeast(3.0), plain.over(&ours));
        }
        for (who, sample) in [("svc", ours), ("SHA-256 of the body", hash), ("tree and RFC 8785 crate", plain)] {
            table.lines.push(Line { name: format!("{name} ({} bytes), {who}", document.len()), sample });
        }
    }
    report.tables.push(table);
    Ok(())
}

/// Strict parse, all digests, rules, and the bytes of the decision.
fn evaluate(spec: &ArtifactSpec, document: &[u8]) -> usize {
    match svc_core::read::decide(rules(), spec.artifact, document) {
        Ok(decision) => canonical::to_bytes(&decision.for_request("0")).len(),
        Err(findings) => findings.len(),
    }
}

/// A tree, and the canonical form and hash of everything that a digest is declared of.
fn naive(document: &[u8]) -> usize {
    let Ok(Value::Object(mut tree)) = serde_json::from_slice(document) else { return 0 };
    let digest = |part: &Value| serde_json_canonicalizer::to_vec(part).map(Sha256::digest);
    let (package, review) = (tree.remove("packageArtifact"), tree.remove("reviewReport"));
    tree.remove("documentDigest");
    let parts = [package.as_ref().and_then(|package| package.get("manifest")), package.as_ref(), review.as_ref()];
    for part in parts.into_iter().flatten() {
        let _ = black_box(digest(part));
    }
    let _ = black_box(digest(&Value::Object(tree)));
    document.len()
}

/// Microseconds of one call.
fn timed(repeats: usize, mut work: impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats.max(1) {
        black_box(work());
    }
    start.elapsed().as_secs_f64() * 1e6 / repeats.max(1) as f64
}

/// What grows, by what it grows with.
struct Growing {
    name: &'static str,
    counted: &'static str,
    counts: &'static [usize],
    make: fn(usize) -> Option<Vec<u8>>,
    work: fn(&[u8]) -> usize,
}

const GROWING: &[Growing] = &[
    Growing {
        name: "many files",
        counted: "files",
        counts: &[10, 100, 1_000, 9_000],
        make: |files| documents::acceptance_request(files).ok(),
        work: |document| evaluate_as("acceptance-request", document),
    },
    Growing {
        name: "index of many submissions",
        counted: "submissions",
        counts: &[1, 10, 100, 1_000],
        make: |entries| Some(samples::index(entries)?.to_file()),
        work: |document| evaluate_as("index", document),
    },
    Growing {
        name: "many findings",
        counted: "unknown members",
        counts: &[10, 100, 1_000, 10_000],
        make: |count| {
            let members: String = (0..count).map(|number| format!(r#""unknown{number:05}": 0, "#)).collect();
            Some(format!("{{{members}\"kind\": \"svc-registry-acceptance-request\"}}").into_bytes())
        },
        work: |document| evaluate_as("acceptance-request", document),
    },
    Growing {
        name: "one long string",
        counted: "bytes",
        counts: &[60, 600, 6_000, 60_000],
        make: |bytes| Some(format!(r#"{{"description": "{}"}}"#, "word ".repeat(bytes / 5)).into_bytes()),
        work: |document| pack::read_manifest(rules(), document).err().map_or(0, |findings| findings.len()),
    },
    Growing {
        name: "many strings with escapes",
        counted: "strings",
        counts: &[100, 1_000, 10_000, 100_000],
        make: |count| {
            let strings = vec![r#""a\u00e9\n\"b\"""#; count].join(",");
            Some(format!(r#"{{"entries": [{strings}]}}"#).into_bytes())
        },
        work: |document| evaluate_as("acceptance-request", document),
    },
    Growing {
        name: "many globs",
        counted: "patterns",
        counts: &[10, 100, 1_000],
        make: |count| {
            let patterns: Vec<String> = (0..count).map(|number| format!(r#""**/deep{number}/**/*.js""#)).collect();
            Some(format!(r#"{{"files": [{}]}}"#, patterns.join(",")).into_bytes())
        },
        work: |document| pack::read_manifest(rules(), document).err().map_or(0, |findings| findings.len()),
    },
];

fn growth(mode: &Mode, report: &mut Report) -> Result<()> {
    let mut table = Table {
        title: "Cost growth in-process".to_owned(),
        unit: "µs",
        about: "The fitted exponent of each is a row of P6.",
        lines: Vec::new(),
    };
    let mut lines = Vec::new();
    for growing in GROWING {
        let documents: Option<Vec<Vec<u8>>> = growing.counts.iter().map(|count| (growing.make)(*count)).collect();
        let documents = documents.with_context(|| format!("{} cannot be made", growing.name))?;
        let mut samples = vec![Sample::default(); documents.len()];
        let mut exponents = Sample::default();
        for _ in 0..mode.rounds {
            let mut points = Vec::new();
            for (document, sample) in documents.iter().zip(&mut samples) {
                let took = timed((WORK / 4 / document.len()).clamp(1, 2_000), || (growing.work)(document));
                sample.push(took);
                points.push((document.len() as f64, took));
            }
            exponents.push(exponent(&points));
        }
        report.goal("P6", format!("exponent of {}", growing.name), Bound::AtMost(1.05), exponents);
        let points = documents.iter().zip(&samples).map(|(document, sample)| (document.len() as f64, sample.median()));
        lines.push((growing.name.to_owned(), points.collect()));
        for (count, sample) in growing.counts.iter().zip(samples) {
            table.lines.push(Line { name: format!("{}: {count} {}", growing.name, growing.counted), sample });
        }
    }
    report.tables.push(table);
    let (across, up) = ("bytes of the document", "µs");
    report.plots.push(Plot { name: "growth", title: "Time of one evaluation by size", across, up, lines });
    Ok(())
}

fn evaluate_as(kind: &str, document: &[u8]) -> usize {
    spec(kind).map_or(0, |spec| evaluate(spec, document))
}

fn spec(kind: &str) -> Result<&'static ArtifactSpec> {
    kind::ALL.iter().copied().find(|spec| spec.name == kind).context("no such kind")
}
