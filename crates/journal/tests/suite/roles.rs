//! The roles of `deploy/postgresql.sql`: each does its work from begin to end, and what else it tries is refused.

use std::fs;

use svc_journal::{
    attribution::{AttributionFilter, Before},
    export,
    joining::Joining,
    open::{Backend, Location},
    postgres::Settings,
    prune::prune,
    store::Access,
};
use svc_proof::fault::JournalFaultKind;
use tempfile::TempDir;

use crate::{cluster::Cluster, drafts, place::append};

/// `insufficient_privilege`.
const REFUSED: &str = "42501";

/// Nobody but the owner does any of these.
const OF_THE_OWNER: &[&str] = &[
    "DELETE FROM svc_journal.entry",
    "TRUNCATE svc_journal.entry",
    "TRUNCATE svc_journal.head, svc_journal.entry",
    "UPDATE svc_journal.entry SET hashes = ''",
    "UPDATE svc_journal.entry SET place = place + 1000",
    "DROP TABLE svc_journal.entry",
    "DROP SCHEMA svc_journal CASCADE",
    "CREATE TABLE svc_journal.other (x int)",
    "CREATE TABLE public.other (x int)",
    "CREATE TEMP TABLE other (x int)",
    "CREATE SCHEMA other",
    "CREATE INDEX ON svc_journal.entry (hashes)",
    "ALTER TABLE svc_journal.entry ADD COLUMN x int",
    "ALTER TABLE svc_journal.entry DISABLE TRIGGER ALL",
    "ALTER TABLE svc_journal.entry ENABLE ROW LEVEL SECURITY",
    "CREATE RULE r AS ON INSERT TO svc_journal.entry DO INSTEAD NOTHING",
    "CREATE TRIGGER t BEFORE INSERT ON svc_journal.entry FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "DELETE FROM svc_journal.head",
    "INSERT INTO svc_journal.head VALUES (1, 0, '', '') ON CONFLICT DO NOTHING",
    "UPDATE svc_journal.head SET id = 1",
    "INSERT INTO svc_journal.log_key VALUES (9, 'x')",
    "DELETE FROM svc_journal.log_key",
    "INSERT INTO svc_journal.hand_over VALUES (9, 'x')",
    "UPDATE svc_journal.migration SET checksum = 'x'",
    "DELETE FROM svc_journal.minimum_index",
    "UPDATE svc_journal.attribution SET owner = 'mallory'",
    "DELETE FROM svc_journal.attribution",
    // PostgreSQL only warns of the first one, and grants nothing.
    "GRANT DELETE ON svc_journal.entry TO PUBLIC; DELETE FROM svc_journal.entry",
    "SET session_replication_role = replica",
    "SET ROLE svc_registry_owner",
    "ALTER ROLE svc_registry SUPERUSER",
    "ALTER SYSTEM SET fsync = off",
    "SELECT pg_read_file('postgresql.conf')",
    "COPY svc_journal.head TO PROGRAM 'cat > /dev/null'",
];

const RECORDS: &[&str] = &[
    "INSERT INTO svc_journal.entry VALUES (9999, '', '')",
    "INSERT INTO svc_journal.attribution (place, time) VALUES (9999, 0)",
    "UPDATE svc_journal.head SET size = size",
];

const PRUNING: &[&str] = &[
    "UPDATE svc_journal.entry SET record = NULL",
    "INSERT INTO svc_journal.minimum_index VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET note = 'x'",
];

struct Deployed {
    cluster: Cluster,
    folder: TempDir,
}

impl Deployed {
    /// The steps of the file, in their order.
    fn new() -> Self {
        let deployed = Self { cluster: Cluster::start(), folder: tempfile::tempdir().unwrap() };
        deployed.cluster.script("svc", "postgres", &deploy("postgresql.sql"));
        drop(deployed.as_role("svc_registry_owner").write_joining(&Joining::First).unwrap());
        deployed.cluster.script("svc_registry_owner", "svc", &deploy("postgresql-rights.sql"));
        deployed
    }

    fn url(&self, role: &str) -> String {
        Cluster::address(&[&self.cluster], "svc").replacen("svc@", &format!("{role}@"), 1)
    }

    fn as_role(&self, role: &str) -> Location {
        let backend = Backend::Shared(Box::new(Settings::parse(&self.url(role), None, None).unwrap()));
        Location { backend, folder: self.folder.path().join("data") }
    }

    /// The role may not, and nothing else stands in the way: a superuser may.
    fn refuses(&self, role: &str, statements: &[&str]) {
        for statement in statements {
            let told = self.cluster.refusal(&self.url(role), statement);
            assert_eq!(told.as_deref(), Some(REFUSED), "{role}: {statement}");
            // These take no transaction around them, or act outside of one.
            if !statement.starts_with("ALTER SYSTEM") {
                let tried = format!("BEGIN; {statement}; ROLLBACK");
                assert_eq!(self.cluster.refusal(&self.url("svc"), &tried), None, "{statement}");
            }
        }
    }
}

fn deploy(name: &str) -> String {
    fs::read_to_string(format!("{}/../../deploy/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn the_role_of_a_node_adds_records_and_can_do_nothing_else() {
    let deployed = Deployed::new();
    let journal = deployed.as_role("svc_registry").write().unwrap();
    (0..3).for_each(|at| drop(journal.record_blocking(drafts::denied(at)).unwrap()));
    deployed.refuses("svc_registry", OF_THE_OWNER);
    deployed.refuses("svc_registry", PRUNING);
    assert_eq!(journal.record_blocking(drafts::denied(3)).unwrap().index.get(), 3);
    assert_eq!(journal.newest().unwrap().size(), 4);
    // Who asked is deleted by the owner of the tables, while nodes go on.
    let all = AttributionFilter::default();
    let by_node = deployed.as_role("svc_registry").forget(&all).unwrap_err();
    assert_eq!(by_node.kind, JournalFaultKind::Unusable, "{by_node}");
    assert_eq!(deployed.as_role("svc_registry_owner").forget(&all), Ok(4));
    journal.record_blocking(drafts::denied(4)).unwrap();
    assert_eq!(journal.store().attributions(0..5).unwrap().len(), 1);
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn the_role_for_pruning_takes_out_old_bytes_and_nothing_else() {
    let deployed = Deployed::new();
    append(deployed.as_role("svc_registry").store(Access::Write).unwrap().as_ref(), 600, 1_800_000_000_000);
    let pruned = prune(&deployed.as_role("svc_registry_pruner"), Before::Place(300), &mut |_| {}).unwrap();
    assert_eq!((pruned.begins, pruned.deleted, pruned.size), (256, 256, 600));
    deployed.refuses("svc_registry_pruner", OF_THE_OWNER);
    deployed.refuses("svc_registry_pruner", RECORDS);
    deployed.refuses("svc_registry_pruner", &["SELECT * FROM svc_journal.attribution"]);
    let by_node = prune(&deployed.as_role("svc_registry"), Before::Place(600), &mut |_| {}).unwrap_err();
    assert_eq!(by_node.kind, JournalFaultKind::Unusable, "{by_node}");
    let journal = deployed.as_role("svc_registry").write().unwrap();
    assert_eq!(journal.record_blocking(drafts::denied(0)).unwrap().index.get(), 600, "the node goes on");
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn the_role_for_reading_exports_the_log_and_writes_nothing() {
    let deployed = Deployed::new();
    let journal = deployed.as_role("svc_registry").write().unwrap();
    (0..5).for_each(|at| drop(journal.record_blocking(drafts::mixed(at)).unwrap()));
    drop(journal);
    let reading = deployed.as_role("svc_registry_reader").read().unwrap();
    let seen = export::export(&reading, &deployed.folder.path().join("out"), &mut |_| {}).unwrap();
    assert_eq!(seen.records, 5);
    assert_eq!(reading.store.attributions(0..5).unwrap().len(), 5);
    for statements in [OF_THE_OWNER, RECORDS, PRUNING] {
        deployed.refuses("svc_registry_reader", statements);
    }
    deployed.cluster.dump(&deployed.url("svc_registry_reader"));
    // Other nodes append too. A role that cannot wait for the standby exports what this node signed.
    let signed = ["journal.checkpoint", "journal.signed"].map(|name| deployed.folder.path().join("data").join(name));
    let behind = signed.clone().map(|file| fs::read(file).unwrap());
    let journal = deployed.as_role("svc_registry").write().unwrap();
    (5..7).for_each(|at| drop(journal.record_blocking(drafts::mixed(at)).unwrap()));
    drop(journal);
    signed.iter().zip(behind).for_each(|(file, bytes)| fs::write(file, bytes).unwrap());
    let reading = deployed.as_role("svc_registry_reader").read().unwrap();
    assert_eq!(export::export(&reading, &deployed.folder.path().join("again"), &mut |_| {}).unwrap().records, 5);
    let reading = deployed.as_role("svc_registry").read().unwrap();
    assert_eq!(export::export(&reading, &deployed.folder.path().join("whole"), &mut |_| {}).unwrap().records, 7);
}
