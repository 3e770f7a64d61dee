//! A place for a journal, in either store.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use svc_core::journal::{draft::EntryDraft, receipt::Receipt, record::Record, scalars::Count, timestamp::Timestamp};
use svc_journal::{
    joining::{Joining, KnownLog},
    open::{Backend, Location},
    postgres::Settings,
    store::{Access, Extension, Fetch, Head, LogRow, Store},
    writer::Journal,
};
use svc_json::{canonical, typed};
use tempfile::TempDir;

use crate::{cluster::Cluster, drafts};

/// Puts a draft on record; the receipt as whoever it is sent to reads it.
pub(crate) fn record(journal: &Journal, draft: EntryDraft) -> Receipt {
    read(&journal.record_blocking(draft).unwrap())
}

pub(crate) fn read(receipt: &Receipt) -> Receipt {
    typed::from_slice(&canonical::to_bytes(receipt)).unwrap()
}

/// Appends this many records in one batch, at this time.
pub(crate) fn append(store: &dyn Store, count: u64, millis: u64) {
    append_as(store, count, millis, |record| record.to_bytes());
}

/// The same in another form.
pub(crate) fn append_as(store: &dyn Store, count: u64, millis: u64, form: fn(&Record) -> Vec<u8>) {
    let mut extend = |head: &Head, _: &dyn Fetch| {
        let start = head.tree.size();
        let at = |place| drafts::mixed(place).record.place(Count::new(place).unwrap(), Timestamp::from_millis(millis));
        let records: Vec<Vec<u8>> = (start..start + count).map(|place| form(&at(place))).collect();
        let grown = head.tree.grow(&records)?;
        let row = |(place, record)| LogRow { place, record: Some(record), hashes: grown.completed_by(place).unwrap() };
        let rows = (start..).zip(records).map(row).collect();
        let head = Head { tree: grown.tree().clone(), root: *grown.root() };
        Ok(Extension { rows, attributions: Vec::new(), head })
    };
    store.append(&mut extend).unwrap();
}

pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) location: Location,
    database: Option<(Arc<Cluster>, String)>,
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location { backend: Backend::Embedded, folder: folder.path().join("data") };
        Self { folder, location, database: None }
    }

    pub(crate) fn postgres() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let cluster = cluster();
        let url = cluster.database(&format!("journal_{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let folder = tempfile::tempdir().unwrap();
        let backend = Backend::Shared(Box::new(Settings::parse(&url, None, None).unwrap()));
        let location = Location { backend, folder: folder.path().join("data") };
        Self { folder, location, database: Some((cluster, url)) }
    }

    pub(crate) fn open(&self) -> Journal {
        self.location.write_joining(&Joining::First).unwrap()
    }

    pub(crate) fn fill(&self, count: u64) -> Vec<Receipt> {
        let journal = self.open();
        (0..count).map(|number| record(&journal, drafts::mixed(number))).collect()
    }

    /// Appends a record as a service whose clock says this.
    pub(crate) fn append_at(&self, millis: u64) {
        append(self.location.store(Access::Write).unwrap().as_ref(), 1, millis);
    }

    /// Runs statements behind the journal's back. Tables have the same names in both stores, but for the schema; those in
    /// the schema `public` lie beside the journal, in a file of their own where there are no schemas.
    pub(crate) fn sql(&self, statements: &str) {
        match &self.database {
            Some((cluster, url)) => {
                let statements = statements.replace("X'", "'\\x");
                cluster.sql(url, &format!("SET search_path = svc_journal; {statements}"));
            }
            None => {
                let connection = rusqlite::Connection::open(self.database()).unwrap();
                let beside = self.folder.path().join("beside.sqlite3").display().to_string();
                connection.execute("ATTACH ?1 AS public", [beside]).unwrap();
                connection.execute_batch(statements).unwrap();
            }
        }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.location.folder.join("journal.sqlite3")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.location.folder.join(name)
    }

    /// Another node of the same log: a folder of its own with the same key.
    pub(crate) fn other_node(&self) -> Location {
        let folder = self.folder.path().join("other");
        std::fs::create_dir(&folder).unwrap();
        std::fs::copy(self.file("journal.key"), folder.join("journal.key")).unwrap();
        Location { backend: self.location.backend.clone(), folder }
    }

    /// The other node, at work: it joined at the state that the first one kept.
    pub(crate) fn open_other(&self) -> Journal {
        let known = std::fs::read_to_string(self.file("journal.checkpoint")).unwrap();
        self.other_node().write_joining(&Joining::AtLeast(KnownLog::state(known))).unwrap()
    }
}

/// One cluster for all tests that run at the same time. It ends with the last of them.
pub(crate) fn cluster() -> Arc<Cluster> {
    static CLUSTER: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());
    let mut running = CLUSTER.lock().unwrap_or_else(PoisonError::into_inner);
    running.upgrade().unwrap_or_else(|| {
        let cluster = Arc::new(Cluster::start());
        *running = Arc::downgrade(&cluster);
        cluster
    })
}
