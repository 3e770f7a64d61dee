//! Every liar and every honest registry at once, each at an address of its own, before one registry of ours.

use tempfile::TempDir;

use super::{client::ByClient, honest::HONEST, proxy::LyingRegistry, table::LIES};
use crate::running::Running;

/// They end with the process; the registry behind them when this goes out of scope.
pub struct Liars {
    /// The public key of the log that they lie about.
    pub public_key: String,
    pub served: Vec<Served>,
    _registry: Running,
    _folder: TempDir,
}

/// One of them.
#[derive(Debug)]
pub struct Served {
    pub name: &'static str,
    pub url: String,
    pub client: ByClient,
}

impl Liars {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let registry = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
        let public_key = std::fs::read_to_string(folder.path().join("data/journal.pub")).unwrap();
        let address = registry.address.as_str();
        let liars = LIES.iter().map(|lie| Served {
            name: lie.name,
            url: LyingRegistry::before(address, lie.bend).url,
            client: lie.client,
        });
        let honest = HONEST.iter().map(|row| Served { name: row.name, url: row.start(address), client: row.client });
        let served = liars.chain(honest).collect();
        Self { public_key, served, _registry: registry, _folder: folder }
    }
}
