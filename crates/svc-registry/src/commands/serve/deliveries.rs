//! The deliveries to endpoints of webhooks, from the settings to the threads that send them.

use std::sync::Arc;

use svc_cli::failure::Failure;
use svc_journal::writer::Journal;
use svc_server::{
    config::{Config, EventsMode},
    events::{Deliveries, threads::DeliveryThreads},
};

use super::parts::cannot;

/// Begins to deliver, where there is a journal and its events are told. Which endpoints there are, the threads find out.
pub(super) fn start(
    config: &Config,
    journal: Option<&Arc<Journal>>,
) -> Result<Option<(Arc<Deliveries>, DeliveryThreads)>, Failure> {
    if config.events == EventsMode::Off {
        return Ok(None);
    }
    let location = config.journal.location().map_err(|fault| Failure::journal(&fault))?;
    let Some((journal, location)) = journal.zip(location) else { return Ok(None) };
    let started = DeliveryThreads::start(location, journal, config.events_allow.clone());
    started.map(Some).map_err(|error| cannot("start threads", &error, "raise the limits of the process"))
}
