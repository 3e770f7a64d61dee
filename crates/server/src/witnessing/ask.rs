//! One request to one witness, and what its answer means.

use svc_core::journal::timestamp::Timestamp;
use svc_journal::{
    add_checkpoint::{AddCheckpoint, MAX_BYTES, SIZE_TYPE, parse_size_line},
    writer::Journal,
};
use svc_proof::{
    checkpoint::Checkpoint,
    cosignature::{Cosignature, CosignatureLine, TimeWindow},
};

use crate::clock;

use super::{
    link::{LinkReply, WitnessLink},
    state::Witnessing,
};

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Cosigned,
    /// The witness saw a newer state of this log, through another node.
    IsAhead,
    Failed,
    /// The service stops.
    Stopped,
}

/// What a witness answered to one request.
enum Said {
    Cosigned(Cosignature),
    /// It saw a state of this size last.
    OtherSize(u64),
    /// It saw another log.
    OtherLog(String),
    /// It knows none of the keys that signed the state.
    UnknownKey,
    Failed(String),
}

/// Asks a witness to cosign a state: from the state that it saw last as far as that is known, and once more from the one that it
/// names.
pub(super) fn ask(witnessing: &Witnessing, witness: usize, link: &dyn WitnessLink, checkpoint: &Checkpoint) -> Asked {
    let mut old = witnessing.lock().size_at(witness);
    for is_last in [false, true] {
        if old > checkpoint.size() {
            return ahead(witnessing, witness, old);
        }
        let Some(body) =
            witnessing.with_journal(|journal| AddCheckpoint::make(journal.store().as_ref(), checkpoint, old))
        else {
            return Asked::Stopped;
        };
        let said = match &body {
            Ok(body) => {
                let post = || {
                    link.add_checkpoint(body.to_text())
                        .map_or_else(Said::Failed, |reply| read(witnessing, witness, checkpoint, old, &reply))
                };
                let said = post();
                if matches!(said, Said::UnknownKey) && introduce(witnessing, link) { post() } else { said }
            }
            Err(fault) => Said::Failed(fault.to_string()),
        };
        match said {
            Said::Cosigned(cosignature) => {
                witnessing.cosigned(witness, checkpoint, cosignature);
                return Asked::Cosigned;
            }
            Said::OtherSize(size) if !is_last => {
                witnessing.saw(witness, size);
                old = size;
            }
            Said::OtherSize(size) => {
                witnessing.saw(witness, size);
                witnessing.failed(witness, "it named another size twice in a row");
                return Asked::Failed;
            }
            Said::OtherLog(why) => {
                witnessing.alarm(witness, &why);
                return Asked::Failed;
            }
            Said::UnknownKey => {
                witnessing.failed(
                    witness,
                    "it does not know the key of this log (403): its operator has to add the newest of journal.pub",
                );
                return Asked::Failed;
            }
            Said::Failed(why) => {
                witnessing.failed(witness, &why);
                return Asked::Failed;
            }
        }
    }
    Asked::Failed
}

/// Shows a witness the notes from an older key to the one that signs now; whether it follows them.
fn introduce(witnessing: &Witnessing, link: &dyn WitnessLink) -> bool {
    let notes = witnessing.with_journal(|journal| journal.store().hand_overs());
    let Some(Ok(notes)) = notes else { return false };
    !notes.is_empty() && link.hand_overs(notes.to_file()).is_ok_and(|reply| reply.status == 200)
}

/// A witness saw a larger state than the one that it is asked for. Where the log has grown to it meanwhile, another node
/// brought it; otherwise the log was set back, or the witness lies.
fn ahead(witnessing: &Witnessing, witness: usize, seen: u64) -> Asked {
    match witnessing.with_journal(Journal::newest) {
        None => Asked::Stopped,
        Some(Err(fault)) => {
            witnessing.failed(witness, &fault.to_string());
            Asked::Failed
        }
        Some(Ok(newest)) if newest.size() >= seen => {
            witnessing.wants_newer();
            Asked::IsAhead
        }
        Some(Ok(newest)) => {
            let why = format!("it saw a log of {seen} records, and this one has {}: it was set back", newest.size());
            witnessing.alarm(witness, &why);
            // Asked anew from nothing, so that a witness that was wrong can say so.
            witnessing.saw(witness, 0);
            Asked::Failed
        }
    }
}

fn read(witnessing: &Witnessing, witness: usize, checkpoint: &Checkpoint, old: u64, reply: &LinkReply) -> Said {
    let Some(key) = witnessing.witnesses().get(witness).map(|witness| &witness.key) else {
        return Said::Failed("it is not in the policy".to_owned());
    };
    if reply.body.len() > MAX_BYTES {
        return Said::Failed(format!("its answer must have at most {MAX_BYTES} bytes"));
    }
    match reply.status {
        200 => {
            let text = String::from_utf8_lossy(&reply.body);
            let mut own = None;
            for line in text.lines() {
                match Cosignature::read(line, key, checkpoint) {
                    CosignatureLine::Good(cosignature) => own = Some(cosignature),
                    CosignatureLine::Bad => {
                        return Said::Failed(
                            "its cosignature is not one of the state that it was asked for".to_owned(),
                        );
                    }
                    CosignatureLine::Foreign => {}
                }
            }
            own.map_or_else(
                || Said::Failed("it answered 200 without a cosignature of its key".to_owned()),
                |cosignature| now_or_failed(cosignature, clock::seconds_now()),
            )
        }
        409 => {
            let is_size = reply.media_type.as_deref() == Some(SIZE_TYPE);
            match parse_size_line(&reply.body).filter(|_| is_size) {
                Some(size) if size == old => {
                    Said::OtherLog(format!("it saw another log of {size} records than this one"))
                }
                Some(size) => Said::OtherSize(size),
                None => Said::Failed("it answered 409 without the size that it saw".to_owned()),
            }
        }
        422 => Said::OtherLog(format!("the first {old} records that it saw are not those of this log")),
        404 => Said::Failed("it does not witness this log (404)".to_owned()),
        403 => Said::UnknownKey,
        status => Said::Failed(format!("it answered {status}")),
    }
}

/// A witness dates what it cosigns by its own clock, which readers judge the age of the state by.
fn now_or_failed(cosignature: Cosignature, now: u64) -> Said {
    if TimeWindow::at(now).contains(cosignature.time()) {
        return Said::Cosigned(cosignature);
    }
    let (theirs, ours) = (Timestamp::utc_seconds(cosignature.time()), Timestamp::utc_seconds(now));
    Said::Failed(format!("it dates its cosignature {theirs}, and here it is {ours}: one of the two clocks is wrong"))
}
