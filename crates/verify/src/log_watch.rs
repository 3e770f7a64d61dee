//! Insists on receipts: each one proves its answer, and all of them lie in one growing log.
//!
//! A receipt that is offered and proves nothing is a lie at every level; one that is missing is a fault of level build.

use std::collections::BTreeMap;

use svc_core::{
    contract::contracts::BASE_PATH,
    verification::{FaultCode, LogLine},
};
use svc_journal::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    growth,
    key::PublicKeys,
    receipt::{self, Proven, Unproven},
    source::LogFiles,
    transfer,
    tree::{Hash, leaf_hash},
};
use svc_json::tree;

use crate::{
    check::{CheckFault, VerifierCheck, cut},
    exchange::{Reply, Transport},
    probe::{self, ExpectedReply, Probe},
};

/// How many checks of the log come after the last request.
pub(crate) const CHECKS: usize = 3;

const AREA: &str = "journal";

/// What is known of the log so far.
#[derive(Debug, Default)]
pub(crate) struct LogWatch {
    keys: Option<PublicKeys>,
    pinned: bool,
    /// Why there is no key.
    why_no_key: String,
    receipts: usize,
    /// The newest signed state, with the hash of its root by its size for all that were seen.
    newest: Option<Checkpoint>,
    roots: BTreeMap<u64, Hash>,
    /// The hash of each proven record, by its index.
    records: BTreeMap<u64, Hash>,
}

/// The journal of a registry, as files.
struct Served<'t>(&'t dyn Transport);

impl LogFiles for Served<'_> {
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
        let lost = |message: String| JournalFault::new(JournalFaultKind::Unreachable, message);
        let request = probe::get(format!("{BASE_PATH}/journal/{path}"));
        let reply = self.0.send(&request).map_err(|unanswered| lost(unanswered.message))?;
        match reply.status {
            200 => Ok(reply.body),
            404 => Err(JournalFault::new(JournalFaultKind::Missing, format!("the registry has no /journal/{path}"))),
            status => Err(lost(format!("the registry answered {status} to /journal/{path}"))),
        }
    }
}

impl LogWatch {
    /// The watch over a registry: with the keys that were given, else with those that it serves itself.
    pub(crate) fn of(transport: &dyn Transport, pinned: Option<&PublicKeys>) -> Self {
        if let Some(keys) = pinned {
            return Self { keys: Some(keys.clone()), pinned: true, ..Self::default() };
        }
        let served =
            Served(transport).get("keys").and_then(|bytes| PublicKeys::parse(&String::from_utf8_lossy(&bytes)));
        match served {
            Ok(keys) => Self { keys: Some(keys), ..Self::default() },
            Err(fault) => Self { why_no_key: cut(&fault.to_string()), ..Self::default() },
        }
    }

    /// What is wrong with the receipt of an answer.
    pub(crate) fn judge(&mut self, probe: &Probe, reply: &Reply) -> Vec<CheckFault> {
        let is_answer = match &probe.expected {
            ExpectedReply::Denied(_) => reply.status == 200,
            ExpectedReply::Refused(_) => reply.status == 422,
            ExpectedReply::Document { .. } => false,
        };
        let has_receipt = tree::read(&reply.body).is_ok_and(|document| document.root.get("receipt").is_some());
        match (&self.keys, has_receipt) {
            (Some(keys), true) => {
                self.receipts += 1;
                match receipt::check_file(&reply.body, keys) {
                    Ok(proven) => self.proven(&proven),
                    Err(reason) => vec![unproven(reason)],
                }
            }
            (None, true) => {
                self.receipts += 1;
                let message = format!("nothing shows who signed the receipt: {}", self.why_no_key);
                vec![CheckFault::new(FaultCode::ReceiptUnproven, message)]
            }
            (_, false) if is_answer => {
                vec![CheckFault::new(FaultCode::ReceiptMissing, "the answer has no receipt")]
            }
            (_, false) => Vec::new(),
        }
    }

    /// A proven answer, held against those before it.
    fn proven(&mut self, proven: &Proven) -> Vec<CheckFault> {
        let mut faults = Vec::new();
        let (size, root) = (proven.checkpoint.size(), *proven.checkpoint.root());
        if self.roots.insert(size, root).is_some_and(|other| other != root) {
            let message = format!("the log of {size} records was signed with two roots");
            faults.push(CheckFault::new(FaultCode::LogRewritten, message));
        }
        let before = self.newest.as_ref().map_or(0, Checkpoint::size);
        if size < before {
            let message = format!("the log has {size} records, and had {before} before");
            faults.push(CheckFault::new(FaultCode::LogRewritten, message));
        } else {
            self.newest = Some(proven.checkpoint.clone());
        }
        let (index, leaf) = (proven.record.sequence(), leaf_hash(&proven.record.to_bytes()));
        if self.records.insert(index, leaf).is_some() {
            let message = format!("record {index} is the receipt of two answers");
            faults.push(CheckFault::new(FaultCode::ReceiptUnproven, message));
        }
        faults
    }

    /// Looks at the log itself: its checkpoint, its growth from every state that a receipt signed, and its records.
    pub(crate) fn finish(self, transport: &dyn Transport, is_silent: bool) -> (LogLine, Vec<VerifierCheck>) {
        let names = ["GET /journal/checkpoint", "one growing log", "the records of the receipts"];
        let line =
            |size: Option<u64>| LogLine { pinned: self.pinned, receipts: self.receipts, size, note: self.note() };
        if is_silent {
            return (line(None), names.iter().map(|name| VerifierCheck::not_run(AREA, *name)).collect());
        }
        let Some(keys) = &self.keys else {
            let missing =
                || CheckFault::new(FaultCode::ReceiptMissing, format!("no log is served: {}", self.why_no_key));
            return (line(None), names.iter().map(|name| VerifierCheck::ran(AREA, *name, vec![missing()])).collect());
        };
        let files = Served(transport);
        let checkpoint = transfer::checkpoint_of(&files, keys);
        let first = checkpoint.as_ref().err().map(|fault| self.of_checkpoint(fault));
        let (growth, entries) = match &checkpoint {
            Ok(checkpoint) => (self.growth(&files, checkpoint), self.entries(&files, checkpoint)),
            Err(_) => (None, None),
        };
        let size = checkpoint.ok().map(|checkpoint| checkpoint.size());
        let faults = [first, growth, entries];
        let checks =
            names.iter().zip(faults).map(|(name, fault)| VerifierCheck::ran(AREA, *name, fault.into_iter().collect()));
        (line(size), checks.collect())
    }

    fn of_checkpoint(&self, fault: &JournalFault) -> CheckFault {
        let message = cut(&fault.to_string());
        // Receipts promise a log that everybody can ask for.
        if self.receipts == 0 && fault.kind == JournalFaultKind::Missing {
            return CheckFault::new(FaultCode::ReceiptMissing, message);
        }
        CheckFault::new(FaultCode::LogRewritten, message)
    }

    fn growth(&self, files: &Served<'_>, checkpoint: &Checkpoint) -> Option<CheckFault> {
        let broken =
            self.roots.iter().find_map(|(size, root)| growth::check(files, (*size, root), checkpoint).err())?;
        Some(CheckFault::new(FaultCode::LogRewritten, cut(&broken.to_string())))
    }

    fn entries(&self, files: &Served<'_>, checkpoint: &Checkpoint) -> Option<CheckFault> {
        let records: Vec<(u64, Hash)> = self.records.iter().map(|(index, leaf)| (*index, *leaf)).collect();
        let broken = growth::check_entries(files, checkpoint.size(), &records).err()?;
        Some(CheckFault::new(FaultCode::LogRewritten, cut(&broken.to_string())))
    }

    fn note(&self) -> String {
        match (&self.keys, self.pinned) {
            (None, _) => "no log is served: nothing that was answered is on record".to_owned(),
            (Some(_), true) => "checked with the public keys that were given".to_owned(),
            (Some(keys), false) => format!(
                "checked with the key of {} that the registry serves itself, which was not pinned: give --public-key FILE",
                cut(keys.origin())
            ),
        }
    }
}

/// What claims to be open is told as that by itself.
fn unproven(reason: Unproven) -> CheckFault {
    CheckFault::new(FaultCode::ReceiptUnproven, format!("{} ({})", reason.reason(), reason.code()))
}
