//! What can go wrong with a journal, each with a name that stays and a way out.

use std::{fmt, io};

/// A class of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalFaultKind {
    /// The queue is full.
    Busy,
    /// What is kept is not what was written.
    Corrupt,
    /// The tables are not those of this version.
    Drift,
    /// Too little room is left.
    Full,
    /// Another process has it.
    Locked,
    /// What was asked for is not there.
    Missing,
    /// The log is older or other than one that was signed before.
    Rewound,
    /// A file could not be read or written.
    Storage,
    /// The folder has not seen the shared log before, and nothing tells which state it must have.
    Unremembered,
    /// A record claims something else than no.
    OpenClaim,
    /// It was made before the first release, in a form that is not read.
    UnreleasedForm,
    /// The database cannot be reached or did not answer in time.
    Unreachable,
    /// The place is not one that can be used.
    Unusable,
    /// The key is not the one of this log, or cannot be used.
    WrongKey,
    /// More than one database takes writes, or the one that does is from before a failover.
    WrongPrimary,
}

/// The name of a fault and the way out of it.
struct Facts {
    code: &'static str,
    help: &'static str,
}

impl JournalFaultKind {
    pub const ALL: &'static [Self] = &[
        Self::Busy,
        Self::Corrupt,
        Self::Drift,
        Self::Full,
        Self::Locked,
        Self::Missing,
        Self::OpenClaim,
        Self::Rewound,
        Self::Storage,
        Self::Unreachable,
        Self::Unremembered,
        Self::UnreleasedForm,
        Self::Unusable,
        Self::WrongKey,
        Self::WrongPrimary,
    ];

    /// The name that logs and messages carry.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.facts().code
    }

    #[must_use]
    pub const fn help(self) -> &'static str {
        self.facts().help
    }

    /// Whether nothing may be written any more until somebody looked: a second try could bury what happened.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Corrupt
            | Self::Drift
            | Self::OpenClaim
            | Self::Rewound
            | Self::Storage
            | Self::UnreleasedForm
            | Self::WrongKey => true,
            Self::Busy
            | Self::Full
            | Self::Locked
            | Self::Missing
            | Self::Unreachable
            | Self::Unremembered
            | Self::Unusable
            | Self::WrongPrimary => false,
        }
    }

    const fn facts(self) -> Facts {
        match self {
            Self::Busy => Facts {
                code: "journal-busy",
                help: "wait a moment and try again; if it stays, add nodes with PostgreSQL",
            },
            Self::Corrupt => Facts {
                code: "journal-corrupt",
                help: "leave the files as they are, and restore a backup into another folder or database",
            },
            Self::Drift => {
                Facts { code: "journal-drift", help: "run the version of svc that wrote the journal, or a newer one" }
            }
            Self::Full => {
                Facts { code: "journal-full", help: "free space on the disk; the service then continues by itself" }
            }
            Self::Locked => Facts {
                code: "journal-locked",
                help: "stop the other process, give another --data-dir, or turn the journal off with --journal off",
            },
            Self::Missing => Facts {
                code: "journal-missing",
                help: "check --data-dir and --journal, which say where the journal is",
            },
            Self::OpenClaim => Facts {
                code: "journal-open-claim",
                help: "leave the files as they are: a record of the log claims something else than no, which svc never writes",
            },
            Self::Rewound => Facts {
                code: "journal-rewound",
                help: "bring back the newest copy of the log: run `svc-registry journal import DIR --at-least CHECKPOINT` into a new data folder or database, where DIR is an export or mirror and CHECKPOINT the newest state that you know, such as the old data folder; docs/guides/runbook.md says more",
            },
            Self::Storage => Facts {
                code: "journal-storage",
                help: "check the disk and the permissions of the folder, then start again",
            },
            Self::UnreleasedForm => Facts {
                code: "journal-unreleased-form",
                help: "leave it as it is, and begin a new journal: give another --data-dir, or another database",
            },
            Self::Unreachable => Facts {
                code: "journal-unreachable",
                help: "check that the database runs and can be reached, and so its synchronous standby; the service then continues by itself",
            },
            Self::Unremembered => Facts {
                code: "journal-unremembered",
                help: "run `svc-registry journal init --at-least CHECKPOINT` with the address of a running node, or with the newest checkpoint, receipt or answer of this log that you have; only for a log that begins now, with --first-node",
            },
            Self::Unusable => {
                Facts { code: "journal-unusable", help: "correct the setting or file that the message names" }
            }
            Self::WrongKey => Facts {
                code: "journal-wrong-key",
                help: "put the key of this log back, with mode 600, or give the public keys of this log",
            },
            Self::WrongPrimary => Facts {
                code: "journal-wrong-primary",
                help: "fence the old primary as docs/guides/runbook-postgresql.md says; the service then continues by itself",
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalFault {
    pub kind: JournalFaultKind,
    /// What happened, in words. It holds no secret.
    pub detail: String,
}

impl JournalFault {
    pub fn new(kind: JournalFaultKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    pub fn corrupt(detail: impl Into<String>) -> Self {
        Self::new(JournalFaultKind::Corrupt, detail)
    }

    /// Reads a fault back from its words, after a library that has no other errors to carry it.
    pub(crate) fn parse(words: &str) -> Option<Self> {
        let (code, detail) = words.split_once(": ")?;
        let kind = JournalFaultKind::ALL.iter().find(|kind| kind.code() == code)?;
        Some(Self::new(*kind, detail))
    }

    #[must_use]
    pub fn io(what: &str, error: &io::Error) -> Self {
        let is = |kinds: &[io::ErrorKind]| kinds.contains(&error.kind());
        let kind = if is(&[io::ErrorKind::NotFound]) {
            JournalFaultKind::Missing
        } else if is(&[io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded]) {
            JournalFaultKind::Full
        } else {
            JournalFaultKind::Storage
        };
        Self::new(kind, format!("cannot {what}: {error}"))
    }
}

impl fmt::Display for JournalFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.kind.code(), self.detail)
    }
}

impl std::error::Error for JournalFault {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A database that goes away while a proof is made is no damage.
    #[test]
    fn a_fault_comes_back_from_the_library_as_it_went_in() {
        for kind in JournalFaultKind::ALL {
            let fault = JournalFault::new(*kind, "the database: it ended (57P01)");
            let carried = tlog_tiles::tlog::Error::InvalidInput(fault.to_string());
            assert_eq!(crate::tree::bad_tree(carried), fault);
        }
        let other = tlog_tiles::tlog::Error::InvalidInput("invalid: input".to_owned());
        assert_eq!(crate::tree::bad_tree(other).kind, JournalFaultKind::Corrupt);
    }

    #[test]
    fn every_fault_has_a_name_of_its_own_and_a_way_out() {
        let names: BTreeSet<&str> = JournalFaultKind::ALL.iter().map(|kind| kind.code()).collect();
        assert_eq!(names.len(), JournalFaultKind::ALL.len());
        assert!(
            JournalFaultKind::ALL.iter().all(|kind| kind.code().starts_with("journal-") && !kind.help().is_empty())
        );
    }
}
