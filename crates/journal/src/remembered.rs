//! What is remembered of a log outside its database. Before a node signs anything, all of it must agree with the log.
//!
//! | who remembers | what |
//! |---|---|
//! | `journal.checkpoint` | the last signed state that was flushed, at most a second old |
//! | `journal.signed` | the last two signed states, as they were signed |
//! | `journal.witnessed` | the newest state that a quorum of witnesses cosigned |
//! | `journal.hand-overs` | which key comes after which |
//! | each webhook endpoint | the state of the log that it counts records in |
//!
//! A database that is older than any of them was restored or replaced. Going on from it would sign a second history.

use svc_proof::{
    audit::AuditMark,
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    public_key::PublicKeys,
    tree::{Hash, check_growth},
};
use tlog_tiles::tlog::HashReader;

use crate::{endpoint_store::EndpointStore, folder::DataFolder};

/// A state of the log, and who remembers it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RememberedState {
    by: String,
    size: u64,
    root: Hash,
}

impl RememberedState {
    pub(crate) fn new(by: &str, state: &Checkpoint) -> Self {
        Self { by: by.to_owned(), size: state.size(), root: *state.root() }
    }

    /// Checks that the log has grown from this state.
    ///
    /// # Errors
    /// When it has not, or a node cannot be read.
    pub(crate) fn check(&self, head: (u64, &Hash), nodes: &impl HashReader) -> Result<(), JournalFault> {
        check_growth((self.size, &self.root), head, nodes).map_err(|fault| {
            if fault.kind != JournalFaultKind::Rewound {
                return fault;
            }
            let (by, size) = (&self.by, self.size);
            let detail = format!("{by} remembers {size} records of another or a newer log: {}", fault.detail);
            JournalFault { detail, ..fault }
        })
    }

    /// Checks that there may be no log at all.
    ///
    /// # Errors
    /// When it had records.
    pub(crate) fn check_none(&self) -> Result<(), JournalFault> {
        if self.size == 0 {
            return Ok(());
        }
        let detail = format!("{} remembers a log of {} records, and there is none here", self.by, self.size);
        Err(JournalFault::new(JournalFaultKind::Rewound, detail))
    }

    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn mark(&self) -> AuditMark {
        AuditMark { name: self.by.clone(), size: self.size, root: self.root }
    }
}

/// What a data folder remembers, the flushed checkpoint first. Nothing for a folder that has not seen the log.
///
/// # Errors
/// When a file is damaged, or the checkpoint is gone and another file still remembers the log.
pub(crate) fn by_folder(folder: &DataFolder, keys: &PublicKeys) -> Result<Vec<RememberedState>, JournalFault> {
    let keys = &led_to(folder, keys)?;
    let flushed = folder.kept_checkpoint(keys)?;
    let signed = folder.signed_states(keys)?;
    let witnessed = folder.witnessed_state(keys)?;
    let newer = signed.first().map(|state| ("journal.signed", state));
    let newer = newer.or(witnessed.as_ref().map(|state| ("journal.witnessed", state)));
    if let (None, Some((name, newer))) = (&flushed, newer) {
        let detail = format!(
            "journal.checkpoint, which is kept outside the database, is gone, and {name} remembers a log of {} records",
            newer.size()
        );
        return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
    }
    let flushed = flushed.iter().map(|state| RememberedState::new("journal.checkpoint", state));
    let signed = signed.iter().map(|state| RememberedState::new("journal.signed", state));
    let witnessed = witnessed.iter().map(|state| RememberedState::new("journal.witnessed", state));
    Ok(flushed.chain(signed).chain(witnessed).collect())
}

/// Checks that the log knows every key that the notes in the folder lead to: a database that does not is older, and a second
/// announcement there would be another history of the keys.
///
/// # Errors
/// When there is one that it does not know, or a note is damaged.
pub(crate) fn check_hand_overs(
    folder: &DataFolder,
    keys: &PublicKeys,
    notes: &HandOverNotes,
) -> Result<(), JournalFault> {
    check_one_history(folder, keys, notes)?;
    let led_to = led_to(folder, keys)?;
    if let Some(unknown) = led_to.as_slice().iter().find(|key| !keys.contains(key)) {
        return Err(rewound(format!(
            "journal.hand-overs announces the key {}, and the database does not: it is from before that; if there is no newer copy \
             of the database, `svc-registry journal announce-key` announces the same key there again",
            unknown.id()
        )));
    }
    Ok(())
}

/// Checks that the log knows every key of `journal.pub`.
///
/// # Errors
/// When there is one that it does not know.
pub(crate) fn check_public_keys(folder: &DataFolder, keys: &PublicKeys) -> Result<(), JournalFault> {
    // The file is there for everyone and written anew at each start: one that cannot be read remembers nothing.
    let public = folder.public_keys().ok().flatten();
    match public.as_ref().and_then(|known| known.as_slice().iter().find(|key| !keys.contains(key))) {
        Some(unknown) => Err(rewound(format!("journal.pub names the key {}, and the database does not", unknown.id()))),
        None => Ok(()),
    }
}

fn rewound(detail: String) -> JournalFault {
    JournalFault::new(JournalFaultKind::Rewound, detail)
}

/// Checks that the notes in the folder and those in the database hand no key over to two.
///
/// # Errors
/// When they do, or a note is damaged.
pub(crate) fn check_one_history(
    folder: &DataFolder,
    keys: &PublicKeys,
    notes: &HandOverNotes,
) -> Result<(), JournalFault> {
    let both = folder.hand_overs()?.with(notes).extend(keys);
    both.map(drop).map_err(|fault| {
        let detail = format!("journal.hand-overs and the notes in the database: {}", fault.detail);
        JournalFault { detail, ..fault }
    })
}

/// These keys, and those that the notes in the folder lead to from them.
fn led_to(folder: &DataFolder, keys: &PublicKeys) -> Result<PublicKeys, JournalFault> {
    folder.hand_overs()?.extend(keys).map_err(|fault| {
        let detail = format!("journal.hand-overs: {}", fault.detail);
        JournalFault { detail, ..fault }
    })
}

/// What the endpoints of webhooks remember. Those that cannot be read say so when they are delivered to.
///
/// # Errors
/// When the store does not answer.
pub(crate) fn by_endpoints(store: &dyn EndpointStore) -> Result<Vec<RememberedState>, JournalFault> {
    let endpoints = store.list()?.readable.into_iter().map(|stored| stored.endpoint);
    let place = store.name();
    let state = |endpoint: crate::endpoint::EventEndpoint| {
        let counted = endpoint.counted?;
        let by = format!("the webhook endpoint `{}` in {place}", endpoint.name.as_str());
        Some(RememberedState { by, size: counted.size, root: counted.root() })
    };
    Ok(endpoints.filter_map(state).collect())
}
