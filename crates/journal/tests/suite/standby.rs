//! A database with a synchronous standby: what is signed outlives a failover, whatever the database shows in between.

use std::time::{Duration, Instant};

use svc_journal::{
    joining::Joining,
    open::{Backend, Location},
    postgres::Settings,
    writer::Journal,
};
use svc_proof::fault::{JournalFault, JournalFaultKind};
use svc_testkit::standby::Replication;

use crate::{cluster::Cluster, drafts};

/// PostgreSQL flushes a commit, and then waits for the standby. If it crashes in between, it shows after its recovery what the
/// standby never got, and a failover takes it away again.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn what_a_crashed_database_shows_is_not_signed_before_its_standby_has_it() {
    let clusters = [Cluster::start(), Cluster::nowhere()];
    clusters[0].database("journal");
    let url = Cluster::address(&[&clusters[0], &clusters[1]], "journal");
    let folder = tempfile::tempdir().unwrap();
    let backend = Backend::Shared(Box::new(Settings::parse(&url, None, None).unwrap()));
    let location = Location { backend, folder: folder.path().to_owned() };
    let journal = location.write_joining(&Joining::First).unwrap();
    clusters[1].follow(&clusters[0], Replication::Synchronous);
    (0..3).for_each(|at| drop(journal.record_blocking(drafts::mixed(at)).unwrap()));
    clusters[1].kill();
    let unanswered = journal.record_blocking(drafts::mixed(3)).unwrap_err();
    assert_eq!(unanswered.kind, JournalFaultKind::Unreachable, "{unanswered}");
    clusters[0].kill();
    clusters[0].up();
    // It is there to be read, and nobody signs it.
    let shown = in_time(&journal, || journal.store().head()).unwrap();
    assert_eq!(shown.tree.size(), 4);
    let unsigned = journal.newest().unwrap_err();
    assert_eq!(unsigned.kind, JournalFaultKind::Unreachable, "{unsigned}");
    assert_eq!(journal.checkpoint().size(), 3);
    drop(journal);
    let refused = location.write().map(drop).unwrap_err();
    assert_eq!(refused.kind, JournalFaultKind::Unreachable, "a start signs as well: {refused}");
    clusters[0].kill();
    clusters[1].up();
    clusters[1].promote();
    let journal = location.write().unwrap();
    assert_eq!(journal.newest().unwrap().size(), 3);
    assert_eq!(journal.record_blocking(drafts::mixed(4)).unwrap().index.get(), 3);
}

/// Asks again while the database comes up.
fn in_time<T>(journal: &Journal, ask: impl Fn() -> Result<T, JournalFault>) -> Result<T, JournalFault> {
    let start = Instant::now();
    loop {
        match ask() {
            Err(fault) if start.elapsed() > Duration::from_secs(30) => return Err(fault),
            Err(_) if journal.stopped().is_none() => std::thread::sleep(Duration::from_millis(50)),
            told => return told,
        }
    }
}
