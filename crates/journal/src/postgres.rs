//! The shared store: tables in a database that speaks PostgreSQL's protocol, written by several nodes.
//!
//! Each node appends batches. A batch is one transaction that first takes an advisory lock and the row of the head, so
//! that batches of all nodes stand one behind the other: the log has one order and no gaps. A node that dies gives both
//! back with its connection. What one transaction cannot tell (was it committed, when the connection broke?) is not tried
//! again: those requests are answered 503, and the record may or may not be in the log, once.

mod attribution;
mod database;
mod endpoints;
mod fault;
mod primary;
mod settings;
mod tls;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use deadpool_postgres::{GenericClient, Object, Transaction};
use svc_core::journal::attribution::Attribution;
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    minimum_index::MinimumIndex,
    public_key::{PublicKey, PublicKeys},
    tree::{Hash, MerkleTree, kept_with},
};
use tokio_postgres::{IsolationLevel, Row as SqlRow, types::ToSql};

use self::{database::Database, fault::cell};
pub use self::{endpoints::PostgresEndpoints, settings::Settings};
use crate::{
    attribution::AttributionFilter,
    migration::{self, Migration},
    store::{
        Access, Extend, Extension, Fetch, HEARTBEAT_DEADLINE, Head, LogRow, Store, StoreProbe, StoreWork, check_order,
        pick, stored_keys,
    },
    timeline::Timeline,
};

/// The advisory lock of everyone who appends: `svcj`.
const LOCK: i64 = 0x7376_636a;

/// Connections of one node: one writes, the others read. One more asks how the database does.
const POOL_SIZE: usize = 4;

/// Keeps the note of a key, unless there is one.
const ANNOUNCE: &str = "INSERT INTO svc_journal.hand_over (number, note) VALUES ($1, $2) ON CONFLICT DO NOTHING";

/// A write that changes nothing: its commit returns when the log would be durable.
const SAME_HEAD: &str = "UPDATE svc_journal.head SET size = size WHERE id = 1";

/// Whether the server takes writes, and has the head of the log.
const TAKES_WRITES_OF_HEAD: &str = "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' \
                                    FROM svc_journal.head WHERE id = 1";

/// What a work needs of the tables, and what to do where it is not granted. The parts of the head that move are granted one by
/// one.
const fn rights_for(work: StoreWork) -> (&'static [(&'static str, &'static str)], &'static str) {
    match work {
        StoreWork::Recording => (NODE_RIGHTS, "grant it with deploy/postgresql-rights.sql"),
        StoreWork::ChangingKeys => (
            KEY_RIGHTS,
            "give `--journal` with the role that owns the tables, svc_registry_owner in deploy/postgresql.sql",
        ),
        StoreWork::Pruning => {
            (PRUNING_RIGHTS, "give `--journal` with the role svc_registry_pruner of deploy/postgresql.sql")
        }
    }
}

const KEY_RIGHTS: &[(&str, &str)] = &[
    ("INSERT", "svc_journal.log_key"),
    ("INSERT", "svc_journal.hand_over"),
    ("INSERT", "svc_journal.minimum_index"),
    ("UPDATE", "svc_journal.minimum_index"),
];

const PRUNING_RIGHTS: &[(&str, &str)] = &[
    ("UPDATE", "svc_journal.entry"),
    ("INSERT", "svc_journal.minimum_index"),
    ("UPDATE", "svc_journal.minimum_index"),
];

const NODE_RIGHTS: &[(&str, &str)] = &[
    ("SELECT", "svc_journal.entry"),
    ("INSERT", "svc_journal.entry"),
    ("INSERT", "svc_journal.attribution"),
    ("SELECT", "svc_journal.head"),
    ("UPDATE", "svc_journal.head"),
    ("SELECT", "svc_journal.log_key"),
    ("SELECT", "svc_journal.minimum_index"),
    ("SELECT", "svc_journal.hand_over"),
];

const MIGRATIONS: &[Migration] = &[
    Migration {
    number: 1,
    sql: "CREATE TABLE svc_journal.entry (place int8 PRIMARY KEY, record bytea, hashes bytea NOT NULL);
          CREATE TABLE svc_journal.head (id int4 PRIMARY KEY CHECK (id = 1), size int8 NOT NULL, edge bytea NOT NULL, root bytea NOT NULL);
          CREATE TABLE svc_journal.log_key (number int8 PRIMARY KEY, public text NOT NULL UNIQUE);
          CREATE TABLE svc_journal.attribution (place int8 PRIMARY KEY, time int8 NOT NULL, owner text, token text, package_id text, package_version text);
          ALTER TABLE svc_journal.entry ALTER COLUMN record SET STORAGE PLAIN;",
    },
    Migration {
        number: 2,
        sql: "CREATE TABLE svc_journal.minimum_index (id int4 PRIMARY KEY CHECK (id = 1), note text NOT NULL);
          CREATE TABLE svc_journal.hand_over (number int8 PRIMARY KEY, note text NOT NULL);",
    },
];

#[derive(Debug)]
pub struct Postgres {
    database: Database,
    /// Connections, by the moment that they were made, on which a commit has returned after what they showed first.
    settled: Mutex<BTreeSet<Instant>>,
}

impl Postgres {
    /// Connects, checks that commits are durable, and brings the tables up to date.
    ///
    /// # Errors
    /// When the database cannot be reached or used.
    pub fn open(settings: &Settings, access: Access) -> Result<Self, JournalFault> {
        let database = Database::new(settings, POOL_SIZE, "svc-journal-db")?;
        let store = Self { database, settled: Mutex::default() };
        store.check_durable()?;
        store.migrate(access)?;
        Ok(store)
    }

    /// A database that does not flush loses what it has acknowledged.
    fn check_durable(&self) -> Result<(), JournalFault> {
        let client = self.database.client()?;
        for setting in ["fsync", "synchronous_commit"] {
            let rows = self.database.wait(client.query("SELECT current_setting($1, true)", &[&setting]))?;
            let word: Option<String> = rows.first().map(|row| cell(row, 0)).transpose()?.flatten();
            // Engines without the setting have no way to turn flushing off.
            if word.is_some_and(|word| word != "on") {
                return Err(JournalFault::new(
                    JournalFaultKind::Unusable,
                    format!("the database must run with `{setting}` on, and it is off"),
                ));
            }
        }
        Ok(())
    }

    fn migrate(&self, access: Access) -> Result<(), JournalFault> {
        let mut client = self.database.client()?;
        let transaction = self.database.wait(client.transaction())?;
        let [begun, attributions] = self.tables(&transaction)?;
        let done = if begun.is_some() { self.applied(&transaction)? } else { Vec::new() };
        if attributions.is_none() && migration::began_otherwise(MIGRATIONS, &done) {
            return Err(migration::unreleased());
        }
        if attributions.is_none() && !done.is_empty() {
            return Err(JournalFault::corrupt("the table `attribution` of the journal is missing"));
        }
        let is_current = migration::pending(MIGRATIONS, &done)?.is_empty();
        match access {
            Access::Read | Access::Check if begun.is_none() => {
                return Err(JournalFault::new(
                    JournalFaultKind::Missing,
                    "the database holds no journal; `svc-registry journal init --first-node` begins one",
                ));
            }
            Access::Read if !is_current => {
                return Err(JournalFault::new(
                    JournalFaultKind::Drift,
                    "the tables of the journal are those of an older version; start `svc-registry serve` or `svc-registry journal init` once to bring them up to date",
                ));
            }
            Access::Check => return self.refuse_foreign(&transaction),
            Access::Read => return Ok(()),
            Access::Write if is_current => return Ok(()),
            Access::Write => {}
        }
        self.lock(&transaction)?;
        let table = "CREATE SCHEMA IF NOT EXISTS svc_journal;
                     CREATE TABLE IF NOT EXISTS svc_journal.migration (number int8 PRIMARY KEY, checksum text NOT NULL)";
        self.database.wait(transaction.batch_execute(table))?;
        for step in migration::pending(MIGRATIONS, &self.applied(&transaction)?)? {
            self.database.wait(transaction.batch_execute(step.sql))?;
            let remember = "INSERT INTO svc_journal.migration (number, checksum) VALUES ($1, $2)";
            self.database.wait(transaction.execute(remember, &[&step.number, &step.checksum()]))?;
        }
        let empty = MerkleTree::empty();
        let first = "INSERT INTO svc_journal.head (id, size, edge, root) VALUES (1, 0, $1, $2) ON CONFLICT DO NOTHING";
        self.database.wait(transaction.execute(first, &[&empty.edge(), &empty.root()?.0.as_slice()]))?;
        self.database.wait(transaction.commit())
    }

    /// The names of the first table and of the one that came last, as far as they are there.
    fn tables(&self, transaction: &Transaction<'_>) -> Result<[Option<String>; 2], JournalFault> {
        let query = "SELECT to_regclass('svc_journal.migration')::text, to_regclass('svc_journal.attribution')::text";
        match self.database.wait(transaction.query(query, &[]))?.first() {
            Some(row) => Ok([cell(row, 0)?, cell(row, 1)?]),
            None => Ok([None, None]),
        }
    }

    /// Triggers and rules of somebody else would take part in what is written.
    fn refuse_foreign(&self, transaction: &Transaction<'_>) -> Result<(), JournalFault> {
        let query = "SELECT 'trigger `' || t.tgname::text || '` on `' || c.relname::text || '`' FROM pg_trigger t \
                     JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
                     WHERE n.nspname = 'svc_journal' AND NOT t.tgisinternal \
                     UNION ALL SELECT 'rule `' || rulename::text || '` on `' || tablename::text || '`' FROM pg_rules \
                     WHERE schemaname = 'svc_journal'";
        match self.database.wait(transaction.query(query, &[]))?.first() {
            None => Ok(()),
            Some(row) => {
                let name: String = cell(row, 0)?;
                let detail = format!("the {name} is not one of the journal's: somebody changed the database");
                Err(JournalFault::corrupt(detail))
            }
        }
    }

    fn applied(&self, transaction: &Transaction<'_>) -> Result<Vec<(i64, String)>, JournalFault> {
        let query = "SELECT number, checksum FROM svc_journal.migration ORDER BY number";
        let rows = self.database.wait(transaction.query(query, &[]))?;
        rows.iter().map(|row| Ok((cell(row, 0)?, cell(row, 1)?))).collect()
    }

    /// Tables of an earlier version lack some; a start looks at them before it brings them up to date.
    fn has_table(&self, client: &Object, name: &str) -> Result<bool, JournalFault> {
        let rows =
            self.database.wait(client.query("SELECT to_regclass('svc_journal.' || $1) IS NOT NULL", &[&name]))?;
        rows.first().map_or(Ok(false), |row| cell(row, 0))
    }

    fn lock(&self, transaction: &Transaction<'_>) -> Result<(), JournalFault> {
        self.database.wait(transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])).map(|_| ())
    }

    /// Waits until everything that this connection shows is where commits wait for. What was flushed before a crash of the
    /// database is shown after it, whether its standby has it or not, and a crash ends every connection: so it is enough to
    /// do this once on each. The row stays as it is, and its commit returns after all that were flushed before it.
    fn settle(&self, client: &Object) -> Result<(), JournalFault> {
        let made = Object::metrics(client).created;
        let settled = || self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        if settled().contains(&made) {
            return Ok(());
        }
        self.database.wait(client.execute(SAME_HEAD, &[]))?;
        let mut settled = settled();
        while settled.len() >= 2 * POOL_SIZE {
            settled.pop_first();
        }
        settled.insert(made);
        Ok(())
    }

    /// Deletes, and writes the table anew: in PostgreSQL a deleted row stays in its file until then.
    fn forget_with(&self, client: &Object, of: &AttributionFilter) -> Result<u64, JournalFault> {
        let deleted = self.database.wait_long(attribution::delete(client, of))?;
        if self.database.wait_long(attribution::rewrite(client))? {
            return Ok(deleted);
        }
        let detail = "the names are deleted, and still in the table's file: the role may not rewrite it; use the one that owns it";
        Err(JournalFault::new(JournalFaultKind::Unusable, detail))
    }

    fn append_with(&self, client: &mut Object, extend: &mut Extend<'_>) -> Result<(), JournalFault> {
        let start = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted).start();
        let transaction = self.database.wait(start)?;
        let head = self.locked_head(&transaction)?;
        let extension = extend(&head, &Within { store: self, transaction: &transaction })?;
        self.insert(&transaction, &extension, &head)?;
        self.database.wait(transaction.commit())
    }

    /// Waits for the lock and reads the head, sent together: every answer that is waited for costs all processes a turn.
    /// Where advisory locks are not kept, the row of the head puts the batches in order.
    fn locked_head(&self, transaction: &Transaction<'_>) -> Result<Head, JournalFault> {
        let head = "SELECT size, edge, root FROM svc_journal.head WHERE id = 1 FOR UPDATE";
        let rows = self.database.wait(async {
            let lock = transaction.prepare_cached("SELECT pg_advisory_xact_lock($1)").await?;
            let head = transaction.prepare_cached(head).await?;
            tokio::try_join!(transaction.execute(&lock, &[&LOCK]), transaction.query(&head, &[]))
        });
        head_of(&rows?.1)
    }

    fn insert(&self, transaction: &Transaction<'_>, extension: &Extension, before: &Head) -> Result<(), JournalFault> {
        let places: Vec<i64> = extension.rows.iter().map(|row| number(row.place)).collect::<Result<_, _>>()?;
        let records: Vec<Option<&[u8]>> = extension.rows.iter().map(|row| row.record.as_deref()).collect();
        let hashes: Vec<&[u8]> = extension.rows.iter().map(|row| row.hashes.as_slice()).collect();
        let add = "INSERT INTO svc_journal.entry (place, record, hashes) \
                   SELECT * FROM UNNEST($1::int8[], $2::bytea[], $3::bytea[])";
        let rows: [&(dyn ToSql + Sync); 3] = [&places, &records, &hashes];
        let head = &extension.head;
        let change = "UPDATE svc_journal.head SET size = $1, edge = $2, root = $3 WHERE id = 1 AND size = $4";
        let values: [&(dyn ToSql + Sync); 4] =
            [&number(head.tree.size())?, &head.tree.edge(), &head.root.0.as_slice(), &number(before.tree.size())?];
        let done = self.database.wait(async {
            let add = transaction.prepare_cached(add).await?;
            let change = transaction.prepare_cached(change).await?;
            let attributions = attribution::insert(transaction, &extension.attributions);
            tokio::try_join!(transaction.execute(&add, &rows), transaction.execute(&change, &values), attributions)
        });
        let (_, changed, _) = done?;
        if changed == 1 { Ok(()) } else { Err(JournalFault::corrupt("the journal's head changed under the lock")) }
    }

    fn hashes_in(&self, client: &impl GenericClient, indexes: &[u64]) -> Result<Vec<Hash>, JournalFault> {
        let mut places: Vec<i64> = indexes.iter().map(|index| number(kept_with(*index).0)).collect::<Result<_, _>>()?;
        places.sort_unstable();
        places.dedup();
        let query = "SELECT place, hashes FROM svc_journal.entry WHERE place = ANY($1)";
        let rows = self.database.wait(client.query(query, &[&places]))?;
        let kept = rows.iter().map(|row| Ok((cell::<i64>(row, 0)?, cell::<Vec<u8>>(row, 1)?)));
        let kept: BTreeMap<i64, Vec<u8>> = kept.collect::<Result<_, JournalFault>>()?;
        pick(indexes, |place| kept.get(&i64::try_from(place).ok()?).cloned())
    }
}

impl Fetch for Postgres {
    fn hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, JournalFault> {
        if indexes.is_empty() {
            return Ok(Vec::new());
        }
        let client = self.database.client()?;
        self.hashes_in(&client, indexes)
    }
}

impl Store for Postgres {
    fn append(&self, extend: &mut Extend<'_>) -> Result<(), JournalFault> {
        let mut client = self.database.client()?;
        let appended = self.append_with(&mut client, extend);
        if appended.is_err() {
            // Whatever state the connection is in, nobody uses it again.
            drop(Object::take(client));
        }
        appended
    }

    fn head(&self) -> Result<Head, JournalFault> {
        let client = self.database.client()?;
        head_of(&self.database.wait(client.query("SELECT size, edge, root FROM svc_journal.head WHERE id = 1", &[]))?)
    }

    fn settled_head(&self) -> Result<Head, JournalFault> {
        let client = self.database.client()?;
        let head = "SELECT size, edge, root FROM svc_journal.head WHERE id = 1";
        // Whoever follows the log asks for this many times a second.
        let rows = self.database.wait(async {
            let head = client.prepare_cached(head).await?;
            client.query(&head, &[]).await
        });
        let settled = rows.and_then(|rows| {
            self.settle(&client)?;
            head_of(&rows)
        });
        if settled.is_err() {
            // It may still wait for the standby.
            drop(Object::take(client));
        }
        settled
    }

    fn rows(&self, from: u64, most: usize) -> Result<Vec<LogRow>, JournalFault> {
        let client = self.database.client()?;
        let query = "SELECT place, record, hashes FROM svc_journal.entry WHERE place >= $1 ORDER BY place LIMIT $2";
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = self.database.wait(client.query(query, &[&number(from)?, &most]))?;
        let read = |row: &SqlRow| {
            let place: i64 = cell(row, 0)?;
            Ok(LogRow { place: u64::try_from(place).unwrap_or(u64::MAX), record: cell(row, 1)?, hashes: cell(row, 2)? })
        };
        let rows: Vec<LogRow> = rows.iter().map(read).collect::<Result<_, JournalFault>>()?;
        check_order(&rows, from)?;
        Ok(rows)
    }

    fn attributions(&self, places: Range<u64>) -> Result<BTreeMap<u64, Attribution>, JournalFault> {
        let client = self.database.client()?;
        attribution::read(&self.database.wait(attribution::between(&client, &places))?)
    }

    fn count_attributions(&self, of: &AttributionFilter) -> Result<u64, JournalFault> {
        let client = self.database.client()?;
        self.database.wait(attribution::count(&client, of))
    }

    fn forget(&self, of: &AttributionFilter) -> Result<u64, JournalFault> {
        let client = self.database.client()?;
        let forgotten = self.forget_with(&client, of);
        // Its time limits are others now, so that nobody uses it again.
        drop(Object::take(client));
        forgotten
    }

    fn own_keys(&self) -> Result<Option<PublicKeys>, JournalFault> {
        let client = self.database.client()?;
        let rows =
            self.database.wait(client.query("SELECT public FROM svc_journal.log_key ORDER BY number DESC", &[]))?;
        let keys: Vec<String> = rows.iter().map(|row| cell(row, 0)).collect::<Result<_, JournalFault>>()?;
        stored_keys(&keys)
    }

    fn add_key(&self, place: usize, key: &PublicKey, hand_over: Option<&str>) -> Result<(), JournalFault> {
        let place = number(place as u64)?;
        let mut client = self.database.client()?;
        let transaction = self.database.wait(client.transaction())?;
        let add = "INSERT INTO svc_journal.log_key (number, public) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        let added = self.database.wait(transaction.execute(add, &[&place, &key.as_str()]))?;
        if let Some(note) = hand_over.filter(|_| added == 1) {
            self.database.wait(transaction.execute(ANNOUNCE, &[&place, &note]))?;
        }
        self.database.wait(transaction.commit())
    }

    fn announce_key(&self, place: usize, hand_over: &str) -> Result<(), JournalFault> {
        let place = number(place as u64)?;
        let client = self.database.client()?;
        self.database.wait(client.execute(ANNOUNCE, &[&place, &hand_over])).map(drop)
    }

    fn hand_overs(&self) -> Result<HandOverNotes, JournalFault> {
        let client = self.database.client()?;
        if !self.has_table(&client, "hand_over")? {
            return Ok(HandOverNotes::default());
        }
        let rows = self.database.wait(client.query("SELECT note FROM svc_journal.hand_over ORDER BY number", &[]))?;
        rows.iter().map(|row| cell(row, 0)).collect::<Result<_, _>>().map(HandOverNotes::new)
    }

    fn minimum_index(&self) -> Result<Option<String>, JournalFault> {
        let client = self.database.client()?;
        if !self.has_table(&client, "minimum_index")? {
            return Ok(None);
        }
        let rows = self.database.wait(client.query("SELECT note FROM svc_journal.minimum_index WHERE id = 1", &[]))?;
        rows.first().map(|row| cell(row, 0)).transpose()
    }

    fn keep_minimum_index(&self, note: &MinimumIndex) -> Result<(), JournalFault> {
        let client = self.database.client()?;
        let keep = "INSERT INTO svc_journal.minimum_index (id, note) VALUES (1, $1) \
                    ON CONFLICT (id) DO UPDATE SET note = excluded.note";
        self.database.wait(client.execute(keep, &[&note.text()])).map(|_| ())
    }

    fn delete_records(&self, places: Range<u64>) -> Result<u64, JournalFault> {
        let client = self.database.client()?;
        let delete =
            "UPDATE svc_journal.entry SET record = NULL WHERE place >= $1 AND place < $2 AND record IS NOT NULL";
        self.database.wait(client.execute(delete, &[&number(places.start)?, &number(places.end)?]))
    }

    /// Nodes go on meanwhile. What the files still hold is overwritten by what comes; only a rewrite of the table, which
    /// would stop all nodes, takes it out at once.
    fn free_deleted(&self) -> Result<(), JournalFault> {
        let client = self.database.client()?;
        let freed = self.database.wait_long(async {
            client.batch_execute("SET statement_timeout = 0").await?;
            client.batch_execute("VACUUM svc_journal.entry").await
        });
        // Its time limits are others now, so that nobody uses it again.
        drop(Object::take(client));
        freed
    }

    // The database's disk is the database's business: it says when it is full.
    /// PostgreSQL looks after its own files.
    fn check_structure(&self) -> Result<(), JournalFault> {
        Ok(())
    }

    fn check_room(&self) -> Result<(), JournalFault> {
        Ok(())
    }

    fn probe(&self, probe: StoreProbe) -> Result<(), JournalFault> {
        let takes_writes = self.database.probe(HEARTBEAT_DEADLINE, async |client| {
            let ask = client.prepare_cached(TAKES_WRITES_OF_HEAD).await?;
            let rows = client.query(&ask, &[]).await?;
            if probe == StoreProbe::Write {
                client.execute(SAME_HEAD, &[]).await?;
            }
            Ok(rows)
        })?;
        match takes_writes.first().map(|row| cell(row, 0)).transpose()? {
            Some(true) => Ok(()),
            Some(false) => {
                self.database.forget_probe();
                let detail = format!("{} takes no writes", self.database.name());
                Err(JournalFault::new(JournalFaultKind::Unreachable, detail))
            }
            None => Err(no_head()),
        }
    }

    fn check_rights(&self, work: StoreWork) -> Result<(), JournalFault> {
        let client = self.database.client()?;
        let (rights, remedy) = rights_for(work);
        for (right, on) in rights {
            let columns = "SELECT has_table_privilege($1, $2) OR has_any_column_privilege($1, $2)";
            let has = "SELECT to_regclass($1) IS NULL OR has_table_privilege($1, $2)";
            let query = if *right == "UPDATE" { columns } else { has };
            let rows = self.database.wait(client.query(query, &[on, right]))?;
            if !rows.first().map_or(Ok(false), |row| cell(row, 0))? {
                let detail = format!(
                    "the role of `journal` must have the right {right} on {on} in {}, and has not: {remedy}",
                    self.database.name()
                );
                return Err(JournalFault::new(JournalFaultKind::Unusable, detail));
            }
        }
        Ok(())
    }

    fn name(&self) -> String {
        self.database.name().to_owned()
    }

    fn timeline(&self) -> Option<Timeline> {
        self.database.timeline()
    }

    fn is_shared(&self) -> bool {
        true
    }
}

fn head_of(rows: &[SqlRow]) -> Result<Head, JournalFault> {
    let row = rows.first().ok_or_else(no_head)?;
    let (size, edge, root): (i64, Vec<u8>, Vec<u8>) = (cell(row, 0)?, cell(row, 1)?, cell(row, 2)?);
    let size = u64::try_from(size).map_err(|_| JournalFault::corrupt("the journal's size is negative"))?;
    let root = Hash(root.try_into().map_err(|_| JournalFault::corrupt("the journal's root has another length"))?);
    Ok(Head { tree: MerkleTree::restore(size, &edge, &root)?, root })
}

fn no_head() -> JournalFault {
    JournalFault::corrupt("the row with the size and the root of the log is missing")
}

/// Nodes as a transaction sees them.
struct Within<'t> {
    store: &'t Postgres,
    transaction: &'t Transaction<'t>,
}

impl Fetch for Within<'_> {
    fn hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, JournalFault> {
        self.store.hashes_in(self.transaction, indexes)
    }
}

fn number(value: u64) -> Result<i64, JournalFault> {
    i64::try_from(value).map_err(|_| JournalFault::corrupt("an index is larger than the database can hold"))
}
