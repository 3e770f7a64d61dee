//! How much memory a service holds: idle, and for one request.

use std::fs;

use svc_json::canonical;
use svc_testkit::samples;

use crate::{
    campaign::{self, Record},
    running::{ENDPOINT, INDEX_ENDPOINT, Running, document, post, post_to},
};

const KIBIBYTE: usize = 1024;

/// A line of what the system knows of a process, in KiB.
pub(crate) fn memory(id: u32, line: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{id}/status")).expect("memory is measured on Linux");
    let line = status.lines().find(|there| there.starts_with(line)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// The bound is that of a release build; a debug build is held to three times as much.
#[test]
fn an_idle_service_is_small() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &[]);
    let bound = if cfg!(debug_assertions) { 60 } else { 20 } * KIBIBYTE;
    for round in ["before the first request", "after a hundred"] {
        let resident = memory(running.id(), "VmRSS:");
        assert!(resident < bound, "{resident} KiB {round}");
        let request = post("", &document());
        (0..100).for_each(|_| assert_eq!(running.status(&request), 200));
    }
}

/// How far a service that is warm grows for one request, in KiB. Pages of the program itself that the request is the
/// first to touch are not its memory: a debug build has megabytes of them, and which are there already is chance.
fn growth(endpoint: &str, body: &[u8]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &[]);
    (0..20).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
    let before = memory(running.id(), "VmRSS:");
    let program = memory(running.id(), "RssFile:");
    // Makes the system forget the highest mark so far.
    fs::write(format!("/proc/{}/clear_refs", running.id()), "5").unwrap();
    assert_eq!(running.status(&post_to(endpoint, "", body)), 200);
    let touched = memory(running.id(), "RssFile:").saturating_sub(program);
    memory(running.id(), "VmHWM:").saturating_sub(before + touched)
}

#[test]
fn a_request_takes_no_more_than_three_times_its_body() {
    let bundle_of = |files| samples::bundle("{}", files).unwrap()["svc-registry-acceptance-request.json"].clone();
    let (most_files, most_entries) = (campaign::count(2_000, 9_000), campaign::count(100, 1_000));
    let index = canonical::to_pretty(&*samples::index(most_entries).unwrap());
    let mut counts = Vec::new();
    let mut found = Vec::new();
    for (endpoint, body) in [
        (ENDPOINT, bundle_of(0)),
        (ENDPOINT, bundle_of(300)),
        (ENDPOINT, bundle_of(most_files)),
        (INDEX_ENDPOINT, index),
    ] {
        let kibibytes = body.len().div_ceil(KIBIBYTE);
        // Whatever else the process does meanwhile can only add to it.
        let grown = (0..3).map(|_| growth(endpoint, &body)).min().unwrap();
        let bound = 3 * kibibytes + 256;
        if grown > bound {
            found.push(format!("{grown} KiB for a body of {kibibytes} KiB"));
        }
        counts.push((format!("KiB for a body of {kibibytes} KiB"), grown));
    }
    let tried = "The highest mark of memory that one request leaves in a warm service; at most three times the body and \
                 256 KiB.";
    Record { name: "memory", tried, counts, found }.close();
}
