//! `cargo xtask liars`: registries that lie, for clients in other languages.
//!
//! Each line of the standard output is one of them, as compact JSON: `{"name", "url", "publicKey", "client"}`. `client` says
//! what a client that insists on the journal does: `{"throws": {"name", "code"}}`, `{"unseen": REASON}`, `{"passes": true}` or
//! `{"passes": false, "unproven": REASON}`. An empty line stands behind the
//! last. They are there until the standard input ends.

use std::io::{Read as _, Write as _};

use anyhow::Result;
use serde_json::{Value, json};
use svc_testkit::lies::{client::ByClient, liars::Liars};

use svc_gates::programs::Programs;

/// Serves all of them.
pub(crate) fn run() -> Result<()> {
    Programs::build()?;
    let liars = Liars::start();
    let mut output = std::io::stdout().lock();
    for served in &liars.served {
        let key = liars.public_key.trim();
        let line =
            json!({ "name": served.name, "url": served.url, "publicKey": key, "client": expected(served.client) });
        writeln!(output, "{line}")?;
    }
    // That was the last.
    writeln!(output)?;
    output.flush()?;
    std::io::stdin().lock().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn expected(client: ByClient) -> Value {
    match client {
        ByClient::Throws(error, code) => json!({ "throws": { "name": error.class(), "code": code } }),
        ByClient::Unseen(reason) => json!({ "unseen": reason }),
        ByClient::Passes => json!({ "passes": true }),
        ByClient::PassesUnproven(reason) => json!({ "passes": false, "unproven": reason }),
    }
}
