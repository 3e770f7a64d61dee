//! What is known of the witnesses, and which states of the log they cosigned.

use std::{
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use svc_journal::writer::Journal;
use svc_proof::{
    checkpoint::Checkpoint,
    cosignature::{Cosignature, TimeWindow},
    fault::{JournalFault, JournalFaultKind},
    policy::{Policy, PolicyWitness, Unwitnessed},
};

use crate::{
    clock,
    config::witness::QuorumMode,
    health::{WitnessRow, WitnessSummary},
    log,
};

/// How long the log may go on without its quorum where that is required.
const GRACE: Duration = Duration::from_secs(60);

/// How long all witnesses are asked for one state before a newer one takes its place although it has no quorum.
const HOLD: Duration = Duration::from_secs(10);

/// How old the cosignatures of a log that does not grow may become.
const REFRESH: Duration = Duration::from_secs(300);

/// States of which cosignatures are kept in memory: the newest ones, and the newest with a quorum.
const MAX_STATES: usize = 4;

/// The witnesses of a log.
#[derive(Debug)]
pub struct Witnessing {
    policy: Policy,
    mode: QuorumMode,
    state: Mutex<WitnessState>,
    pub(super) changed: Condvar,
    /// Taken out when the service stops: nobody else may keep the journal open then.
    journal: Mutex<Option<Arc<Journal>>>,
}

#[derive(Debug)]
pub(super) struct WitnessState {
    /// The state that all are asked for.
    target: Option<Target>,
    /// By size: states of the log, with the cosignatures by the place of their witness in the policy.
    cosigned: BTreeMap<u64, CosignedState>,
    /// The newest state with a quorum.
    witnessed: Option<WitnessedState>,
    /// Since when a state waits for its quorum.
    waiting: Option<Instant>,
    /// Whether the log had records at the start that no quorum has seen: a restart gives nobody another minute.
    is_behind: bool,
    /// Whether the quorum has not been heard since the start: a log that was set back together with all that it remembers here
    /// is known by its witnesses alone.
    is_unconfirmed: bool,
    witnesses: Vec<WitnessRow>,
    /// Whether the newest state with a quorum was kept on the disk.
    is_kept: bool,
    /// Whether a witness saw a newer state than the target, which the log has too.
    wants_newer: bool,
    /// Whether the log says that the quorum is lacking.
    told_lacking: bool,
    pub(super) is_stopping: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) checkpoint: Checkpoint,
    /// Each choice has a number of its own.
    pub(super) round: u64,
    chosen: Instant,
}

#[derive(Debug)]
struct CosignedState {
    checkpoint: Checkpoint,
    by: BTreeMap<usize, Cosignature>,
}

#[derive(Clone, Debug)]
struct WitnessedState {
    checkpoint: Checkpoint,
    text: String,
}

impl Witnessing {
    /// The witnesses of a policy, with what was kept of them beside the log.
    ///
    /// # Errors
    /// When the policy is for other logs, or a state was cosigned that the log does not have any more.
    pub fn new(policy: Policy, mode: QuorumMode, journal: &Arc<Journal>) -> Result<Self, JournalFault> {
        let rows = policy.witnesses().iter().map(|witness| WitnessRow::new(&witness.name)).collect();
        let state = WitnessState {
            target: None,
            cosigned: BTreeMap::new(),
            witnessed: None,
            waiting: None,
            is_behind: false,
            is_unconfirmed: !policy.asks_for_nobody(),
            witnesses: rows,
            is_kept: true,
            wants_newer: false,
            told_lacking: false,
            is_stopping: false,
        };
        let witnessing = Self {
            policy,
            mode,
            state: Mutex::new(state),
            changed: Condvar::new(),
            journal: Mutex::new(Some(Arc::clone(journal))),
        };
        witnessing.restore(journal)?;
        let newest = journal.checkpoint().size();
        let mut state = witnessing.lock();
        state.is_behind = state.witnessed.as_ref().map_or(0, |seen| seen.checkpoint.size()) < newest;
        drop(state);
        Ok(witnessing)
    }

    pub(super) fn witnesses(&self) -> &[PolicyWitness] {
        self.policy.witnesses()
    }

    /// The checkpoint with the cosignatures that there are for exactly this state.
    #[must_use]
    pub fn cosigned_text(&self, checkpoint: &Checkpoint) -> String {
        text_of(checkpoint, self.lock().cosigned.get(&checkpoint.size()))
    }

    /// The newest state that the quorum has seen, with its cosignatures.
    #[must_use]
    pub fn witnessed(&self) -> Option<(Checkpoint, String)> {
        self.lock().witnessed.as_ref().map(|state| (state.checkpoint.clone(), state.text.clone()))
    }

    /// Whether nothing may be evaluated: the quorum is required and was lacking for too long, or it saw another log than this.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.is_closed_by(&self.lock())
    }

    fn is_closed_by(&self, state: &WitnessState) -> bool {
        (self.mode == QuorumMode::Required && (state.lacks_quorum() || state.is_unconfirmed))
            || state.is_contradicted(&self.policy)
    }

    /// Waits until these witnesses were asked for the first time, and tells what stands against this log.
    ///
    /// # Errors
    /// When so many saw another log that the quorum cannot be met without them: a copy from an older backup would sign a
    /// second history with its next record.
    pub fn first_round(&self, asked: &[usize], most: Duration) -> Result<(), JournalFault> {
        let is_open = |state: &mut WitnessState| {
            let row = |at: &usize| state.witnesses.get(*at).is_some_and(|row| row.failures + row.cosignatures == 0);
            asked.iter().any(row)
        };
        let waited = self.changed.wait_timeout_while(self.lock(), most, is_open);
        let state = waited.unwrap_or_else(PoisonError::into_inner).0;
        if !state.is_contradicted(&self.policy) {
            return Ok(());
        }
        let saw = state.witnesses.iter().filter(|row| row.alarm).map(|row| row.name.escape_default().to_string());
        let detail = format!(
            "the witnesses that the quorum needs have seen another log than this one, or a longer one: {}",
            saw.collect::<Vec<_>>().join(", ")
        );
        Err(JournalFault::new(JournalFaultKind::Rewound, detail))
    }

    /// How the witnesses do.
    #[must_use]
    pub fn summary(&self) -> WitnessSummary {
        let state = self.lock();
        let newest = state.target.as_ref().and_then(|target| state.cosigned.get(&target.checkpoint.size()));
        WitnessSummary {
            closed: self.is_closed_by(&state),
            cosigned: newest.map_or(0, |state| state.by.len()),
            has_quorum: !state.lacks_quorum() && !state.is_unconfirmed,
            records: state.witnessed.as_ref().map_or(0, |state| state.checkpoint.size()),
            rows: state.witnesses.clone(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, WitnessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the journal, as long as the service runs.
    pub(super) fn with_journal<T>(&self, read: impl FnOnce(&Journal) -> T) -> Option<T> {
        let journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        journal.as_deref().map(read)
    }

    pub(super) fn stop(&self) {
        self.lock().is_stopping = true;
        self.changed.notify_all();
        drop(self.journal.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Chooses the first state that all are asked for. A log without records is asked for too: a witness that saw some knows
    /// that it was emptied.
    pub(super) fn begin(&self) {
        if let Some(newest) = self.with_journal(Journal::checkpoint) {
            self.lock().choose_now(newest, &self.policy);
        }
    }

    /// Chooses the state that all are asked for, and keeps what was reached before.
    pub(super) fn tick(&self) {
        let Some(newest) = self.with_journal(Journal::newest) else { return };
        // A journal that cannot be read says so elsewhere.
        if let Ok(newest) = newest {
            self.lock().choose(newest, &self.policy);
            self.changed.notify_all();
        }
        self.lock().tell_quorum();
        self.keep();
    }

    /// Keeps the newest state with a quorum, once it has changed.
    pub(super) fn keep(&self) {
        let text = {
            let mut state = self.lock();
            let is_kept = std::mem::replace(&mut state.is_kept, true);
            state.witnessed.as_ref().filter(|_| !is_kept).map(|state| state.text.clone())
        };
        let Some(text) = text else { return };
        if let Some(Err(fault)) = self.with_journal(|journal| journal.keep_witnessed(&text)) {
            log::warn("cosignatures are not kept", &fault.to_string());
            self.lock().is_kept = false;
        }
    }

    /// A witness cosigned a state.
    pub(super) fn cosigned(&self, witness: usize, checkpoint: &Checkpoint, cosignature: Cosignature) {
        let mut state = self.lock();
        if let Some(row) = state.witnesses.get_mut(witness) {
            row.cosignatures += 1;
            row.last = cosignature.time();
            row.size = row.size.max(checkpoint.size());
            if std::mem::take(&mut row.alarm) {
                log::note("a witness follows the log again", &row.name.escape_default().to_string());
            }
        }
        state.confirm(&self.policy);
        // That nobody saw more of a log without records is all that there is to know of it.
        if checkpoint.size() > 0 {
            state.add(witness, checkpoint, cosignature);
            state.reach(checkpoint.size(), &self.policy);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A witness did not answer as it should.
    pub(super) fn failed(&self, witness: usize, why: &str) {
        let mut state = self.lock();
        if let Some(row) = state.witnesses.get_mut(witness) {
            row.failures += 1;
            log::warn("a witness did not cosign", &format!("{}: {why}", row.name.escape_default()));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A witness has seen another log than this one: it was set back, or shows two histories, or the witness lies.
    pub(super) fn alarm(&self, witness: usize, why: &str) {
        let mut state = self.lock();
        if let Some(row) = state.witnesses.get_mut(witness) {
            row.failures += 1;
            row.alarm = true;
            log::warn("ALARM: a witness has seen another log", &format!("{}: {why}", row.name.escape_default()));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A witness says that it saw a state of this size last.
    pub(super) fn saw(&self, witness: usize, size: u64) {
        if let Some(row) = self.lock().witnesses.get_mut(witness) {
            row.size = size;
        }
    }

    /// A witness is past the target, and so is the log.
    pub(super) fn wants_newer(&self) {
        self.lock().wants_newer = true;
    }

    /// Takes up what was kept. A state that witnesses cosigned and that the log does not have proves that it was set back.
    fn restore(&self, journal: &Journal) -> Result<(), JournalFault> {
        let keys = journal.keys();
        let logs = self.policy.logs();
        if !logs.is_empty() && !logs.iter().any(|log| keys.contains(&log.key)) {
            let detail = "the policy of `witness-policy` names logs, and none of them with a key of this one";
            return Err(JournalFault::new(JournalFaultKind::Unusable, detail));
        }
        let Some(text) = journal.kept_witnessed()? else { return Ok(()) };
        let kept = Checkpoint::open(&text, keys).map_err(|refused| {
            JournalFault::new(JournalFaultKind::Corrupt, format!("journal.witnessed is damaged: {}", refused.reason()))
        })?;
        journal.check_grown_from((kept.size(), kept.root())).map_err(|fault| {
            let detail = format!("{}: witnesses cosigned a state that the log does not have any more", fault.detail);
            JournalFault { detail, ..fault }
        })?;
        match self.policy.check(&text, keys, TimeWindow::until(clock::seconds_now())) {
            Ok(witnessed) => {
                let mut state = self.lock();
                for (at, witness) in self.policy.witnesses().iter().enumerate() {
                    let by = witnessed.seen().cosigned.iter().find(|by| by.name == witness.name);
                    if let Some(by) = by {
                        state.add(at, witnessed.checkpoint(), by.cosignature.clone());
                        if let Some(row) = state.witnesses.get_mut(at) {
                            (row.size, row.last) = (kept.size(), by.cosignature.time());
                        }
                    }
                }
                state.reach(kept.size(), &self.policy);
                state.is_kept = true;
            }
            // Another policy than the one that it was kept under.
            Err(
                refused @ (Unwitnessed::NoQuorum { .. }
                | Unwitnessed::BadCosignature { .. }
                | Unwitnessed::UnnamedLog
                | Unwitnessed::Checkpoint(_)),
            ) => {
                log::warn("the cosignatures that were kept are not those of the policy", &refused.to_string());
            }
        }
        Ok(())
    }
}

impl WitnessState {
    pub(super) fn target(&self) -> Option<&Target> {
        self.target.as_ref()
    }

    /// The size of the state that a witness saw last, as far as it is known.
    pub(super) fn size_at(&self, witness: usize) -> u64 {
        self.witnesses.get(witness).map_or(0, |row| row.size)
    }

    /// Looks whether the quorum was heard since the start.
    fn confirm(&mut self, policy: &Policy) {
        let has_answered = |name: &str| self.witnesses.iter().any(|row| row.name == name && row.cosignatures > 0);
        self.is_unconfirmed &= !policy.can_be_met_by(|witness| has_answered(&witness.name));
    }

    /// Whether the quorum cannot be met without witnesses that saw another log. One that lies alone is an alarm and no more.
    fn is_contradicted(&self, policy: &Policy) -> bool {
        let has_alarm = |name: &str| self.witnesses.iter().any(|row| row.name == name && row.alarm);
        !policy.can_be_met_by(|witness| !has_alarm(&witness.name))
    }

    fn lacks_quorum(&self) -> bool {
        self.is_behind || self.waiting.is_some_and(|since| since.elapsed() > GRACE)
    }

    /// Says in the log when the quorum begins to lack, and when it is there again.
    fn tell_quorum(&mut self) {
        let lacks = self.lacks_quorum();
        if std::mem::replace(&mut self.told_lacking, lacks) == lacks {
            return;
        }
        let seen = self.witnessed.as_ref().map_or(0, |state| state.checkpoint.size());
        let detail = format!("the newest state that it has seen has {seen} records");
        if lacks {
            log::warn("the quorum of the witnesses is lacking", &detail);
        } else {
            log::note("the quorum of the witnesses is there again", &detail);
        }
    }

    fn choose(&mut self, newest: Checkpoint, policy: &Policy) {
        // There is nothing to see in a log without records.
        if newest.size() == 0 {
            return;
        }
        let is_met = |size: u64| self.witnessed.as_ref().is_some_and(|state| state.checkpoint.size() >= size);
        let is_due = self.target.as_ref().is_none_or(|target| {
            let age = target.chosen.elapsed();
            let has_grown = newest.size() > target.checkpoint.size();
            let is_over =
                is_met(target.checkpoint.size()) || target.checkpoint.size() == 0 || self.wants_newer || age > HOLD;
            (has_grown && is_over) || age > REFRESH
        });
        if !is_due {
            return;
        }
        self.choose_now(newest, policy);
    }

    fn choose_now(&mut self, newest: Checkpoint, policy: &Policy) {
        let is_met = |size: u64| self.witnessed.as_ref().is_some_and(|state| state.checkpoint.size() >= size);
        let round = self.target.as_ref().map_or(1, |target| target.round + 1);
        if newest.size() > 0 && !is_met(newest.size()) {
            self.waiting.get_or_insert_with(Instant::now);
        }
        self.wants_newer = false;
        let size = newest.size();
        self.cosigned.entry(size).or_insert_with(|| CosignedState { checkpoint: newest.clone(), by: BTreeMap::new() });
        self.target = Some(Target { checkpoint: newest, round, chosen: Instant::now() });
        self.forget_old();
        self.reach(size, policy);
    }

    fn add(&mut self, witness: usize, checkpoint: &Checkpoint, cosignature: Cosignature) {
        let fresh = || CosignedState { checkpoint: checkpoint.clone(), by: BTreeMap::new() };
        let state = self.cosigned.entry(checkpoint.size()).or_insert_with(fresh);
        // Cosignatures are only asked for states of this log, of which there is one of each size.
        if state.checkpoint.root() == checkpoint.root() {
            state.by.insert(witness, cosignature);
        }
    }

    /// Looks whether a state has its quorum now.
    fn reach(&mut self, size: u64, policy: &Policy) {
        let Some(state) = self.cosigned.get(&size) else { return };
        let names: Vec<&str> =
            state.by.keys().filter_map(|at| policy.witnesses().get(*at)).map(|witness| witness.name.as_str()).collect();
        if !policy.can_be_met_by(|witness| names.contains(&witness.name.as_str())) {
            return;
        }
        if self.witnessed.as_ref().is_none_or(|known| known.checkpoint.size() <= size) {
            let text = text_of(&state.checkpoint, Some(state));
            self.is_kept &= self.witnessed.as_ref().is_some_and(|known| known.text == text);
            self.witnessed = Some(WitnessedState { checkpoint: state.checkpoint.clone(), text });
        }
        if self.target.as_ref().is_none_or(|target| target.checkpoint.size() <= size) {
            (self.waiting, self.is_behind) = (None, false);
        }
        self.forget_old();
    }

    /// Forgets all but the newest states and the newest with a quorum.
    fn forget_old(&mut self) {
        let kept = self.witnessed.as_ref().map(|state| state.checkpoint.size());
        while self.cosigned.len() > MAX_STATES {
            let oldest = self.cosigned.keys().copied().find(|size| Some(*size) != kept);
            let Some(oldest) = oldest else { return };
            self.cosigned.remove(&oldest);
        }
    }
}

/// The note of a checkpoint with its cosignatures, in the order of the policy.
fn text_of(checkpoint: &Checkpoint, state: Option<&CosignedState>) -> String {
    let state = state.filter(|state| state.checkpoint.root() == checkpoint.root());
    let lines = state.iter().flat_map(|state| state.by.values()).map(Cosignature::line);
    lines.fold(checkpoint.text().as_str().to_owned(), |text, line| text + line + "\n")
}

#[cfg(test)]
mod tests;
