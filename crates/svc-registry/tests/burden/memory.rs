//! How much memory a service holds: idle, and for one request.

use std::{fs, time::Instant};
use svc_core::samples;

use svc_json::canonical;

use crate::{
    campaign::{self, Record},
    refused_bodies::{self, RefusedBody},
    running::{ENDPOINT, INDEX_ENDPOINT, Running, document, post, post_to},
};

const KIBIBYTE: usize = 1024;
const MEBIBYTE: usize = 1024 * KIBIBYTE;

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

/// What one request to a warm service brings.
struct Growth {
    /// How far the service grows, in KiB. Pages of the program itself that the request is the first to touch are not its
    /// memory: a debug build has megabytes of them, and which are there already is chance.
    kibibytes: usize,
    milliseconds: usize,
    status: u16,
}

fn growth(arguments: &[&str], endpoint: &str, body: &[u8]) -> Growth {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), arguments);
    (0..20).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
    let before = memory(running.id(), "VmRSS:");
    let program = memory(running.id(), "RssFile:");
    // Makes the system forget the highest mark so far.
    fs::write(format!("/proc/{}/clear_refs", running.id()), "5").unwrap();
    let request = post_to(endpoint, "", body);
    let sent = Instant::now();
    let status = running.status(&request);
    let milliseconds = usize::try_from(sent.elapsed().as_millis()).unwrap();
    let touched = memory(running.id(), "RssFile:").saturating_sub(program);
    let kibibytes = memory(running.id(), "VmHWM:").saturating_sub(before + touched);
    Growth { kibibytes, milliseconds, status }
}

/// The most that a body of so many bytes may take, in KiB.
fn bound(body: &[u8]) -> usize {
    3 * body.len().div_ceil(KIBIBYTE) + 256
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
        let grown = (0..3).map(|_| growth(&[], endpoint, &body));
        let grown = grown.inspect(|grown| assert_eq!(grown.status, 200)).map(|grown| grown.kibibytes).min().unwrap();
        if grown > bound(&body) {
            found.push(format!("{grown} KiB for a body of {kibibytes} KiB"));
        }
        counts.push((format!("KiB for a body of {kibibytes} KiB"), grown));
    }
    let bodies = refused_bodies::all(
        campaign::count(MEBIBYTE, 16 * MEBIBYTE - KIBIBYTE),
        campaign::count(MEBIBYTE, 4 * MEBIBYTE - KIBIBYTE),
        most_entries,
    );
    for RefusedBody { name, endpoint, bytes } in bodies {
        let journal = ["--journal", "sqlite", "--data-dir", "data"];
        let mut grown = growth(&journal, endpoint, &bytes);
        for _ in 0..2 {
            if grown.kibibytes > bound(&bytes) {
                grown = growth(&journal, endpoint, &bytes);
            }
        }
        let Growth { kibibytes, milliseconds, status } = grown;
        let body = format!("a refused body of {} KiB, {name}", bytes.len().div_ceil(KIBIBYTE));
        if !matches!(status, 400 | 422) {
            found.push(format!("{status} for {body}"));
        }
        if kibibytes > bound(&bytes) {
            found.push(format!("{kibibytes} KiB for {body}"));
        }
        counts.push((format!("KiB for {body}"), kibibytes));
        counts.push((format!("ms for {body}"), milliseconds));
    }
    let tried = "The highest mark of memory that one request leaves in a warm service, answered or refused; at most three \
                 times the body and 256 KiB. The times are told and not bounded.";
    Record { name: "memory", tried, counts, found }.close();
}
