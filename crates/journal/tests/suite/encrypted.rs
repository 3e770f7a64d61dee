//! TLS to the database, with a real one that takes nothing else.

use std::{fs, path::Path};

use svc_journal::{
    open::{Backend, Location},
    postgres::Settings,
    store_source::StoreSource,
};
use svc_proof::{
    audit,
    fault::{JournalFault, JournalFaultKind},
};
use tempfile::TempDir;

use crate::{cluster::Cluster, drafts};

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_database_is_written_to_under_its_own_name_and_authority_and_in_no_other_way() {
    let cluster = Cluster::start();
    drop(cluster.database("journal"));
    let (port, authority) = cluster.encrypt();
    let node = Node { port, folder: tempfile::tempdir().unwrap() };

    let named = node.at("localhost", Some(&authority)).unwrap();
    let journal = named.write_joining(&svc_journal::joining::Joining::First).unwrap();
    for number in 0..3 {
        journal.record_blocking(drafts::mixed(number)).unwrap();
    }
    drop(journal);
    let reading = named.read().unwrap();
    let (seen, _) = audit::audit(&mut StoreSource::new(reading.store.as_ref()), Vec::new(), &mut |_| {}).unwrap();
    assert_eq!(seen.records, 3);

    let other = node.folder.path().join("other.pem");
    fs::write(&other, include_str!("other-authority.pem")).unwrap();
    for (what, location) in [
        ("in the open", node.at("localhost", None)),
        ("under another name", node.at("127.0.0.1", Some(&authority))),
        ("by another authority", node.at("localhost", Some(&other))),
    ] {
        let refused: Result<(), JournalFault> = location.unwrap().write().map(drop);
        assert_eq!(refused.unwrap_err().kind, JournalFaultKind::Unreachable, "{what}");
    }
    let gone = node.at("localhost", Some(Path::new("/nonexistent/authority.pem")));
    assert_eq!(gone.err().map(|fault| fault.kind), Some(JournalFaultKind::Unusable));
}

struct Node {
    port: u16,
    folder: TempDir,
}

impl Node {
    fn at(&self, host: &str, authority: Option<&Path>) -> Result<Location, JournalFault> {
        let address = format!("postgres://svc@{host}:{}/journal", self.port);
        let settings = Settings::parse(&address, authority, None)?;
        Ok(Location { backend: Backend::Shared(Box::new(settings)), folder: self.folder.path().join("data") })
    }
}
