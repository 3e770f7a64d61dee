//! The endpoints that belong to a log, wherever it is.

use std::sync::Arc;

use svc_proof::fault::{JournalFault, JournalFaultKind};

use crate::{
    endpoint_store::EndpointStore,
    folder::DataFolder,
    location::{Backend, Location},
    postgres::PostgresEndpoints,
    sqlite::SqliteEndpoints,
};

/// The store of the endpoints of a log, when there is one. Nothing is changed.
///
/// # Errors
/// When it cannot be read or is not what it must be.
pub fn find(location: &Location) -> Result<Option<Arc<dyn EndpointStore>>, JournalFault> {
    Ok(match &location.backend {
        Backend::Embedded => {
            SqliteEndpoints::find(&DataFolder::at(&location.folder).endpoints())?.map(|store| Arc::new(store) as _)
        }
        Backend::Shared(settings) => {
            PostgresEndpoints::find(&location.remembering(settings)?)?.map(|store| Arc::new(store) as _)
        }
    })
}

/// The same, made when it is missing.
///
/// # Errors
/// When it cannot be made or used.
pub fn open_or_create(location: &Location) -> Result<Arc<dyn EndpointStore>, JournalFault> {
    Ok(match &location.backend {
        Backend::Embedded if !location.folder.is_dir() => {
            let detail =
                format!("{} (`data-dir`) is not there, and no endpoint can be kept in it", location.folder.display());
            return Err(JournalFault::new(JournalFaultKind::Missing, detail));
        }
        Backend::Embedded => Arc::new(SqliteEndpoints::open_or_create(&DataFolder::at(&location.folder).endpoints())?),
        Backend::Shared(settings) => Arc::new(PostgresEndpoints::open_or_create(&location.remembering(settings)?)?),
    })
}
