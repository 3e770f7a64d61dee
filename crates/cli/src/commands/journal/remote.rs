//! A log behind an address: the tiles that a registry serves.

use bytes::Bytes;
use clap::ArgMatches;
use svc_core::contract::contracts::BASE_PATH;
use svc_journal::{
    fault::{JournalFault, JournalFaultKind},
    source::LogFiles,
};
use svc_verify::{
    client::{Address, Client},
    exchange::{Body, Identity, Request, Transport as _},
};

use crate::{failure::Failure, registry_client};

pub(super) struct Remote(Client);

/// Whether a text is an address rather than a folder.
pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

impl Remote {
    pub(super) fn new(text: &str, arguments: &ArgMatches) -> Result<Self, Failure> {
        let address = Address::parse(text).map_err(|error| Failure::usage(error.message, error.help))?;
        registry_client::connect(address, arguments).map(Self)
    }
}

impl LogFiles for Remote {
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
        let request = Request {
            method: "GET",
            path: format!("{BASE_PATH}/journal/{path}"),
            headers: Vec::new(),
            body: Body::Bytes(Bytes::new()),
            identity: Identity::Own,
        };
        let reply =
            self.0.send(&request).map_err(|lost| JournalFault::new(JournalFaultKind::Unreachable, lost.message))?;
        match reply.status {
            200 => Ok(reply.body),
            404 => Err(JournalFault::new(JournalFaultKind::Missing, format!("the registry has no {path}"))),
            status => Err(JournalFault::new(
                JournalFaultKind::Unreachable,
                format!("the registry answered {status} to {path}"),
            )),
        }
    }
}
