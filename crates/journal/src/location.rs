//! Where a log and the folder that belongs to it are.

use std::path::PathBuf;

use svc_proof::fault::JournalFault;

use crate::{folder::DataFolder, postgres::Settings, timeline::Timeline};

/// Where a log is.
#[derive(Clone, Debug)]
pub enum Backend {
    /// In the data folder.
    Embedded,
    /// In a database that several nodes share.
    Shared(Box<Settings>),
}

/// A log and the folder that belongs to it.
#[derive(Clone, Debug)]
pub struct Location {
    /// Where the log is.
    pub backend: Backend,
    /// Where its key and its last checkpoint are.
    pub folder: PathBuf,
}

impl Location {
    /// What the log is, for people: never with a password.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.backend {
            Backend::Embedded => DataFolder::at(&self.folder).database().display().to_string(),
            Backend::Shared(settings) => settings.name(),
        }
    }

    /// The same with the newest of these timelines of a shared database, which are known elsewhere: a primary from before it
    /// is refused here too.
    pub(crate) fn knowing(&self, timelines: &[Timeline]) -> Self {
        let mut location = self.clone();
        if let Backend::Shared(settings) = &mut location.backend {
            for timeline in timelines {
                **settings = settings.knowing(timeline);
            }
        }
        location
    }

    /// The settings of a shared database, with the newest timeline that this node has worked on or was given.
    pub(crate) fn remembering(&self, settings: &Settings) -> Result<Settings, JournalFault> {
        let own = DataFolder::at(&self.folder).timeline()?;
        Ok(own.map_or_else(|| settings.clone(), |own| settings.knowing(&own)))
    }
}
