//! Who else must see the log, as the settings say.

use std::path::PathBuf;

use super::{
    journal::JournalConfig,
    settings::{ConfigError, Given},
};

/// What a missing quorum leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuorumMode {
    /// It is told, in `/readyz` and the metrics.
    Report,
    /// Nothing is evaluated any more until there is one.
    Required,
}

/// The policy, and what a missing quorum leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessConfig {
    pub policy: PathBuf,
    pub mode: QuorumMode,
}

impl WitnessConfig {
    /// Reads the settings. No file is touched.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub(super) fn read(given: &Given, journal: Option<&JournalConfig>) -> Result<Option<Self>, ConfigError> {
        let mode = match given.value("witness-quorum").0 {
            "report" => QuorumMode::Report,
            "required" => QuorumMode::Required,
            _ => {
                return Err(given.wrong(
                    "witness-quorum",
                    "must be `report` or `required`",
                    "give `required` only when nothing may be answered while the witnesses do not follow",
                ));
            }
        };
        let Some(policy) = given.optional("witness-policy") else {
            if mode == QuorumMode::Required {
                return Err(given.wrong(
                    "witness-quorum",
                    "needs `witness-policy`, which is not set",
                    "give --witness-policy FILE, or leave `witness-quorum` out",
                ));
            }
            return Ok(None);
        };
        if journal.is_some_and(JournalConfig::is_off) {
            return Err(given.wrong(
                "witness-policy",
                "must not be set while `journal` is `off`",
                "turn the journal on, or leave `witness-policy` out",
            ));
        }
        Ok(Some(Self { policy: PathBuf::from(policy), mode }))
    }
}
