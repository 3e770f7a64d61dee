//! (f) The journal: appending, checking the whole log, and opening it after a kill, at three sizes.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
    time::Instant,
};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};
use svc_core::samples::rules;
use svc_core::{
    journal::{
        draft::{EntryDraft, RequestIdentity},
        scalars::{Count, RequestId, TokenName},
        timestamp::Timestamp,
    },
    problem::Problem,
    words::kind,
};
use svc_journal::{
    attribution::AttributionRow,
    open::{Backend, Location},
    store::{Access, Extension, Fetch, Head, LogRow, Store},
    store_source::StoreSource,
    writer::Journal,
};
use svc_proof::audit;

use crate::{
    documents,
    mode::Mode,
    plot::Plot,
    report::{Bound, Line, Report, Table},
    statistics::{Sample, exponent},
};

const CLIENTS: usize = 64;

pub fn measure(mode: &Mode, report: &mut Report) -> Result<()> {
    let mut table = Table {
        title: "(f) The journal on SQLite".to_owned(),
        unit: "value",
        about: "Each record is durable before it is acknowledged. Reading and hashing is what nobody can avoid who checks a \
                log.",
        lines: Vec::new(),
    };
    append(mode, report, &mut table)?;
    check(mode, report, &mut table)?;
    report.tables.push(table);
    Ok(())
}

fn append(mode: &Mode, report: &mut Report, table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let journal = Arc::new(place(folder.path()).write()?);
    let (mut one, mut many) = (Sample::default(), Sample::default());
    for _ in 0..mode.rounds {
        one.push(rate(&journal, 1, 2_000)?);
        many.push(rate(&journal, CLIENTS, 1_000)?);
    }
    let what = "group commit: 64 clients over one, in records a second";
    report.goal("P9", what, Bound::AtLeast(8.0), many.over(&one));
    table.lines.push(Line { name: "records a second, one client".to_owned(), sample: one });
    table.lines.push(Line { name: "records a second, 64 clients".to_owned(), sample: many });
    Ok(())
}

fn check(mode: &Mode, report: &mut Report, table: &mut Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let location = place(folder.path());
    drop(location.write()?);
    let mut written = 0;
    let (mut whole_line, mut open_line, mut bare_line) = (Vec::new(), Vec::new(), Vec::new());
    let sizes = mode.log_sizes;
    for size in sizes {
        grow(&location, size - written)?;
        written = *size;
        let (mut bare, mut whole, mut opened) = (Sample::default(), Sample::default(), Sample::default());
        for _ in 0..mode.rounds.min(5) {
            let store = location.read()?.store;
            bare.push(seconds(|| read_and_hash(store.as_ref()))?);
            let every = &mut |_| {};
            whole.push(seconds(|| audit::audit(&mut StoreSource::new(store.as_ref()), Vec::new(), every))?);
            drop(store);
            opened.push(seconds(|| location.write())?);
        }
        if Some(size) == sizes.last() {
            let what = format!("full verification of {size} records over reading and hashing them");
            report.goal("P9", what, Bound::AtMost(3.0), whole.over(&bare));
            let what = format!("opening a log of {size} records over reading and hashing them");
            report.goal("P9", what, Bound::AtMost(3.0), opened.over(&bare));
        }
        for (line, sample) in [(&mut bare_line, &bare), (&mut whole_line, &whole), (&mut open_line, &opened)] {
            line.push((*size as f64, sample.median()));
        }
        for (name, sample) in [("reading and hashing", bare), ("full verification", whole), ("opening", opened)] {
            table.lines.push(Line { name: format!("{name}, {size} records: seconds"), sample });
        }
    }
    report.goal("P6", "exponent of journal verification", Bound::AtMost(1.05), Sample(vec![exponent(&whole_line)]));
    report.goal("P6", "exponent of opening a journal", Bound::AtMost(1.05), Sample(vec![exponent(&open_line)]));
    let lines = [("reading and hashing", bare_line), ("full verification", whole_line), ("opening", open_line)];
    let lines = lines.map(|(name, line)| (name.to_owned(), line)).into();
    let title = "Time to check a log by its length";
    report.plots.push(Plot { name: "journal", title, across: "records", up: "seconds", lines });
    Ok(())
}

/// A journal of so many records in a folder.
pub fn make(folder: &Path, records: u64) -> Result<()> {
    let location = Location { backend: Backend::Embedded, folder: folder.to_owned() };
    drop(location.write()?);
    grow(&location, records)
}

pub fn place(folder: &Path) -> Location {
    Location { backend: Backend::Embedded, folder: folder.join("data") }
}

pub fn seconds<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<f64, E> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

pub fn rate(journal: &Arc<Journal>, clients: usize, each: u64) -> Result<f64> {
    let took = seconds(|| -> Result<()> {
        let threads: Vec<_> = (0..clients)
            .map(|_| {
                let journal = Arc::clone(journal);
                std::thread::spawn(move || -> Result<()> {
                    (0..each).try_for_each(|number| {
                        journal.record_blocking(draft(number)?)?;
                        Ok(())
                    })
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("a client"))
    })?;
    Ok(clients as f64 * each as f64 / took)
}

pub fn read_and_hash(store: &dyn Store) -> Result<()> {
    let mut from = 0;
    loop {
        let rows = store.rows(from, 2048)?;
        if rows.is_empty() {
            return Ok(());
        }
        from += rows.len() as u64;
        for row in rows {
            std::hint::black_box(Sha256::digest(row.record.unwrap_or_default()));
        }
    }
}

/// Appends records, ten thousand in a flush.
pub fn grow(location: &Location, count: u64) -> Result<()> {
    let store = location.store(Access::Write)?;
    let mut left = count;
    while left > 0 {
        let some = left.min(10_000);
        store.append(&mut |head: &Head, _: &dyn Fetch| {
            let start = head.tree.size();
            let drafts: Vec<EntryDraft> = (start..start + some).filter_map(|place| draft(place).ok()).collect();
            let (mut records, mut attributions) = (Vec::new(), Vec::new());
            for (draft, place) in drafts.into_iter().zip(start..) {
                let time = Timestamp::from_millis(0);
                attributions.extend(draft.attribution.map(|attribution| AttributionRow { place, time, attribution }));
                records.extend(Count::new(place).map(|place| draft.record.place(place, time).to_bytes()));
            }
            let grown = head.tree.grow(&records)?;
            let rows = records.into_iter().zip(start..).map(|(record, place)| LogRow {
                place,
                record: Some(record),
                hashes: grown.completed_by(place).unwrap_or_default(),
            });
            let head = Head { tree: grown.tree().clone(), root: *grown.root() };
            Ok(Extension { rows: rows.collect(), attributions, head })
        })?;
        left -= some;
    }
    Ok(())
}

/// Every third is a refusal. Evaluating takes longer than everything that is measured here, so that it is done once.
fn draft(number: u64) -> Result<EntryDraft> {
    static BOTH: OnceLock<Option<(EntryDraft, EntryDraft)>> = OnceLock::new();
    let both = BOTH.get_or_init(|| {
        let spec = kind::find("svc-registry-acceptance-request")?;
        let asker = || {
            Some(RequestIdentity { request: RequestId::parse("request")?, token: TokenName::parse("ci"), probe: None })
        };
        let document = documents::acceptance_request(0).ok()?;
        let decision = svc_core::read::decide(rules(), spec.artifact, &document).ok()?.for_request("request");
        let denied = EntryDraft::denied(&decision, asker()?)?;
        let claim = String::from_utf8(document).ok()?.replacen("\"accepted\": false", "\"accepted\": true", 1);
        let findings = svc_core::read::decide(rules(), spec.artifact, claim.as_bytes()).err()?;
        let problem = Problem::of_findings(&findings, "/".to_owned(), "request".to_owned());
        Some((denied, EntryDraft::refused(rules(), spec, claim.as_bytes(), &problem, asker()?)?))
    });
    let (denied, refused) = both.as_ref().context("the sample cannot be put on record")?;
    Ok(if number.is_multiple_of(3) { refused.clone() } else { denied.clone() })
}
