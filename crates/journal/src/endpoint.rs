//! An endpoint of webhooks: where records go, how far they have gone, and what is on its way.
//!
//! | member | what |
//! |---|---|
//! | `cursor` | every record before it was acknowledged, or skipped by the operator |
//! | `open` | the range from the cursor on that is being sent. It is written down before it is first sent, and stays as it is until it is acknowledged, skipped or left by `resume --from` |
//! | `counted` | a state of the log that cursor and range were counted in: a log that did not grow from it is another one |
//! | `standing` | whether it is delivered to, and why not |
//!
//! Everything here is a step from one state to the next, without a clock and without a store. The cursor moves in
//! [`EventEndpoint::acknowledge`], and otherwise only when the operator says so.

use std::ops::Range;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use svc_core::journal::{
    delivery::{EndpointName, MOST_RECORDS},
    event::EventType,
};
use svc_json::digest::Digest;
use svc_proof::{
    checkpoint::Checkpoint,
    fault::JournalFault,
    tree::{Hash, to_digest},
};

use crate::webhook_secret::{WebhookSecret, random};

/// Why nothing is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PauseReason {
    /// The operator said so.
    Operator,
    /// Every try of a range failed.
    TriesFailed,
    /// The records that come next were pruned.
    Pruned,
    /// Another or an older log stands where the one was whose records the endpoint counts.
    AheadOfLog,
    /// A record that comes next cannot be read.
    Unreadable,
    /// Its address is none that deliveries are sent to.
    Address,
}

impl PauseReason {
    pub const ALL: &'static [Self] =
        &[Self::Operator, Self::TriesFailed, Self::Pruned, Self::AheadOfLog, Self::Unreadable, Self::Address];

    /// The word that stays.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::TriesFailed => "tries-failed",
            Self::Pruned => "pruned",
            Self::AheadOfLog => "ahead-of-log",
            Self::Unreadable => "unreadable",
            Self::Address => "address",
        }
    }

    /// What it means, and the way out.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Operator => "`svc-registry events resume` goes on",
            Self::TriesFailed => {
                "every try of the open range failed: mend the receiver, then `svc-registry events resume`; or give the range up with `svc-registry events skip`"
            }
            Self::Pruned => {
                "records that come next were pruned: `svc-registry events resume --from N`, with N the first record that is kept"
            }
            Self::AheadOfLog => {
                "the endpoint is ahead of the log, which was set back or is another one: find out which, then `svc-registry events resume --from N`"
            }
            Self::Unreadable => "a record that comes next cannot be read: `svc-registry journal verify` says more",
            Self::Address => {
                "its address is none that deliveries are sent to: `svc-registry events remove` it, and add it with another one"
            }
        }
    }
}

/// Whether an endpoint is delivered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    Active,
    /// The cursor stands until the operator resumes it.
    Paused(PauseReason),
    /// The receiver wanted no more.
    Disabled,
}

impl Standing {
    /// The word for people and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused(_) => "paused",
            Self::Disabled => "disabled",
        }
    }

    /// Every word.
    pub const WORDS: &'static [&'static str] = &["active", "paused", "disabled"];
}

/// A range that is being sent. Times are milliseconds since 1970, by the store's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct OpenRange {
    /// The index after its last one; it begins at the cursor.
    pub to: u64,
    /// The signed state that goes with it, the same in every try.
    pub checkpoint: String,
    pub first_sent: u64,
    /// How many tries have failed.
    pub tries: u32,
    pub next_try: u64,
}

/// A state of the log: how many records it had, and which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountedLog {
    pub size: u64,
    pub root: Digest,
}

impl CountedLog {
    #[must_use]
    pub fn new(size: u64, root: &Hash) -> Self {
        Self { size, root: to_digest(root) }
    }

    #[must_use]
    pub fn root(&self) -> Hash {
        Hash(*self.root.as_bytes())
    }
}

/// What happened to a try that failed, in words of our own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastFailure {
    pub at: u64,
    pub why: String,
}

/// The secret before the present one, for as long as both are signed with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PreviousSecret {
    pub secret: WebhookSecret,
    pub until: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct EventEndpoint {
    pub name: EndpointName,
    /// Random, and another one each time that an endpoint is added or told to begin elsewhere: it is part of every id that is
    /// sent, so that no id stands for two deliveries.
    pub id: String,
    /// As it was given and found to be one.
    pub url: String,
    pub secret: WebhookSecret,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<PreviousSecret>,
    /// The types of events that are delivered; none for every record.
    pub types: Vec<EventType>,
    /// The most records of one delivery.
    pub batch: u32,
    pub standing: Standing,
    pub cursor: u64,
    /// Of an endpoint that leaves records out: from the cursor up to here there is none that it gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examined: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<CountedLog>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenRange>,
    pub added: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_delivered: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<LastFailure>,
}

/// What an operator says of a new endpoint.
#[derive(Clone, Debug)]
pub struct NewEndpoint {
    pub name: EndpointName,
    pub url: String,
    pub types: Vec<EventType>,
    pub batch: u32,
    /// The first index that is delivered.
    pub from: u64,
    /// The log as it is now.
    pub counted: CountedLog,
}

impl EventEndpoint {
    /// A new endpoint with a secret of its own.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn new(given: NewEndpoint, now: u64) -> Result<Self, JournalFault> {
        let NewEndpoint { name, url, types, batch, from, counted } = given;
        Ok(Self {
            name,
            id: random_id()?,
            url,
            secret: WebhookSecret::generate()?,
            previous: None,
            types,
            batch,
            standing: Standing::Active,
            cursor: from,
            examined: None,
            counted: Some(counted),
            open: None,
            added: now,
            last_delivered: None,
            last_failure: None,
        })
    }

    /// Whether it is one that can be worked with. The address is looked at again before anything is sent.
    pub(crate) fn is_whole(&self) -> bool {
        let is_id = self.id.len() == 32 && self.id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_address = ["https://", "http://"].iter().any(|scheme| self.url.starts_with(scheme))
            && self.url.bytes().all(|byte| byte.is_ascii_graphic());
        let batch = usize::try_from(self.batch).unwrap_or(usize::MAX);
        is_id && is_address && (1..=MOST_RECORDS).contains(&batch)
    }

    /// Whether records are left out: those of other types, and the verifier's probes.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        !self.types.is_empty()
    }

    /// The first record that may be one that it gets and does not have.
    #[must_use]
    pub fn next_index(&self) -> u64 {
        self.examined.map_or(self.cursor, |examined| examined.max(self.cursor))
    }

    /// How many records of a log it has still to get or to be looked at for.
    #[must_use]
    pub fn behind(&self, size: u64) -> u64 {
        size.saturating_sub(self.next_index())
    }

    /// There is nothing for it before an index. While a range is open it stays what it was: its bytes are made of that.
    #[must_use]
    pub fn examine(&mut self, up_to: u64, log: &Checkpoint) -> bool {
        let is_news = self.is_filtered() && self.open.is_none() && up_to > self.next_index();
        if is_news {
            self.examined = Some(up_to);
            self.count_in(log);
        }
        is_news
    }

    /// The range that is open, and the id that it is sent under.
    ///
    /// A receiver drops an id that it had before. After a log or the endpoints were restored, one range may come with other
    /// records, another checkpoint or another time: the id names all that its bytes are made of.
    #[must_use]
    pub fn open_range(&self) -> Option<(Range<u64>, String)> {
        let open = self.open.as_ref()?;
        let range = self.cursor..open.to;
        let made_of = Digest::of(format!("{}\n{}", open.first_sent, open.checkpoint).as_bytes());
        let made_of = made_of.hex();
        let made_of = made_of.get(..16).unwrap_or(&made_of);
        let id = format!("msg_{}_{made_of}_{}-{}", self.id, range.start, range.end);
        Some((range, id))
    }

    /// The secrets to sign with now, the present one first.
    #[must_use]
    pub fn secrets(&self, now: u64) -> Vec<&WebhookSecret> {
        let previous = self.previous.as_ref().filter(|previous| now < previous.until);
        [&self.secret].into_iter().chain(previous.map(|previous| &previous.secret)).collect()
    }

    /// Opens the range from the cursor on. One that is open stays as it is.
    #[must_use]
    pub fn open(&mut self, to: u64, log: &Checkpoint, now: u64) -> bool {
        if self.open.is_some() || self.standing != Standing::Active || to <= self.cursor {
            return false;
        }
        self.count_in(log);
        let checkpoint = log.text().as_str().to_owned();
        self.open = Some(OpenRange { to, checkpoint, first_sent: now, tries: 0, next_try: now });
        true
    }

    /// The receiver has the range with this id. Also one that was paused meanwhile moves on.
    #[must_use]
    pub fn acknowledge(&mut self, id: &str, now: u64) -> bool {
        let Some(range) = self.opened(id) else { return false };
        self.cursor = range.end;
        self.open = None;
        self.last_delivered = Some(now);
        self.last_failure = None;
        true
    }

    /// A try of the range with this id failed. Without a next one the endpoint is paused.
    #[must_use]
    pub fn fail(&mut self, id: &str, why: &str, now: u64, next_try: Option<u64>) -> bool {
        if self.opened(id).is_none() {
            return false;
        }
        self.last_failure = Some(LastFailure { at: now, why: why.to_owned() });
        let Some(open) = &mut self.open else { return false };
        open.tries = open.tries.saturating_add(1);
        match next_try {
            Some(next) => open.next_try = next,
            None if self.standing == Standing::Active => self.standing = Standing::Paused(PauseReason::TriesFailed),
            None => {}
        }
        true
    }

    /// The receiver of the range with this id wants no more.
    #[must_use]
    pub fn disable(&mut self, id: &str, why: &str, now: u64) -> bool {
        let failed = self.fail(id, why, now, Some(now));
        if failed {
            self.standing = Standing::Disabled;
        }
        failed
    }

    /// Stops. The cursor stands, and what is open stays open.
    #[must_use]
    pub fn pause(&mut self, reason: PauseReason) -> bool {
        let is_news = self.standing == Standing::Active;
        if is_news {
            self.standing = Standing::Paused(reason);
        }
        is_news
    }

    /// Goes on at once, with the range that is open.
    pub fn resume(&mut self, now: u64) {
        self.standing = Standing::Active;
        if let Some(open) = &mut self.open {
            (open.tries, open.next_try) = (0, now);
        }
    }

    /// Goes on from another place. A receiver that knows what it had by its ids takes it again.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn resume_from(&mut self, from: u64, counted: CountedLog) -> Result<(), JournalFault> {
        self.id = random_id()?;
        (self.standing, self.cursor, self.open) = (Standing::Active, from, None);
        (self.examined, self.counted) = (None, Some(counted));
        Ok(())
    }

    /// Gives up the range that is open, and tells which it was.
    #[must_use]
    pub fn skip(&mut self) -> Option<Range<u64>> {
        let (range, _) = self.open_range()?;
        self.cursor = range.end;
        self.open = None;
        Some(range)
    }

    /// Another secret. The one before is signed with as well until a moment, or no more.
    pub fn rotate(&mut self, secret: WebhookSecret, until: Option<u64>) {
        let before = std::mem::replace(&mut self.secret, secret);
        self.previous = until.map(|until| PreviousSecret { secret: before, until });
    }

    fn count_in(&mut self, log: &Checkpoint) {
        self.counted = Some(CountedLog::new(log.size(), log.root()));
    }

    fn opened(&self, id: &str) -> Option<Range<u64>> {
        self.open_range().filter(|(_, open)| open == id).map(|(range, _)| range)
    }
}

fn random_id() -> Result<String, JournalFault> {
    Ok(HEXLOWER.encode(&random::<16>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log_key::LogKey;
    use svc_proof::tree::{EMPTY_HASH, leaf_hash};

    fn endpoint() -> EventEndpoint {
        let name = EndpointName::parse("audit").unwrap();
        let counted = CountedLog::new(40, &EMPTY_HASH);
        let url = "https://hooks.example/".into();
        EventEndpoint::new(NewEndpoint { name, url, types: Vec::new(), batch: 10, from: 40, counted }, 1000).unwrap()
    }

    fn log(size: u64) -> Checkpoint {
        let key = LogKey::generate_for("log.example").unwrap();
        key.sign_checkpoint(size, &leaf_hash(b"root")).unwrap()
    }

    #[test]
    fn only_the_range_that_is_open_moves_the_cursor() {
        let mut endpoint = endpoint();
        assert!(!endpoint.acknowledge("msg_0_40-43", 1), "nothing is open");
        assert!(endpoint.open(43, &log(44), 5));
        let (range, id) = endpoint.open_range().unwrap();
        assert!(
            range == (40..43) && id.starts_with(&format!("msg_{}_", endpoint.id)) && id.ends_with("_40-43"),
            "{id}"
        );
        assert!(!endpoint.open(50, &log(50), 6), "a range stays as it is until it is acknowledged");
        assert!(!endpoint.acknowledge(&id.replace("40-43", "40-50"), 7));
        assert_eq!(endpoint.cursor, 40);
        assert!(endpoint.fail(&id, "it answered 500", 8, Some(99)));
        assert_eq!(endpoint.open.as_ref().map(|open| (open.tries, open.next_try)), Some((1, 99)));
        assert!(endpoint.acknowledge(&id, 9));
        assert_eq!((endpoint.cursor, endpoint.open.is_some(), endpoint.last_failure.is_some()), (43, false, false));
        assert!(!endpoint.acknowledge(&id, 10), "once");
    }

    #[test]
    fn one_range_has_another_id_when_it_is_made_of_other_bytes() {
        let ids: std::collections::BTreeSet<String> = [(log(44), 5), (log(45), 5), (log(44), 6)]
            .into_iter()
            .map(|(log, now)| {
                let mut endpoint = EventEndpoint { id: "0".repeat(32), ..endpoint() };
                assert!(endpoint.open(43, &log, now));
                endpoint.open_range().unwrap().1
            })
            .collect();
        assert_eq!(ids.len(), 3, "another state of the log, and the same state at another time: {ids:?}");
    }

    #[test]
    fn a_pause_of_any_kind_leaves_cursor_and_range_where_they_are() {
        let mut endpoint = endpoint();
        assert!(endpoint.open(43, &log(44), 5));
        let (_, id) = endpoint.open_range().unwrap();
        assert!(endpoint.fail(&id, "it answered 500", 6, None));
        assert_eq!(endpoint.standing, Standing::Paused(PauseReason::TriesFailed));
        assert!(!endpoint.pause(PauseReason::Operator), "the reason that was first stays");
        endpoint.resume(70);
        assert_eq!(endpoint.open_range().unwrap().1, id, "the same range under the same id");
        assert_eq!(endpoint.open.as_ref().map(|open| (open.tries, open.next_try)), Some((0, 70)));
        assert!(endpoint.disable(&id, "it answered 410", 71));
        assert_eq!((endpoint.standing, endpoint.cursor), (Standing::Disabled, 40));
        let before = endpoint.id.clone();
        endpoint.resume_from(41, CountedLog::new(42, &EMPTY_HASH)).unwrap();
        assert_ne!(endpoint.id, before, "what is sent again has other ids");
        assert_eq!((endpoint.cursor, endpoint.open.is_none()), (41, true));
        assert_eq!(endpoint.skip(), None);
    }

    /// However it moves on, it is known which log that was in.
    #[test]
    fn every_step_through_the_log_keeps_the_state_that_it_was_counted_in() {
        let mut endpoint = endpoint();
        let counted = |endpoint: &EventEndpoint| endpoint.counted.clone().map(|counted| counted.size);
        assert_eq!(counted(&endpoint), Some(40));
        endpoint.types = vec![EventType::Denied];
        assert!(endpoint.examine(50, &log(51)));
        assert_eq!((endpoint.next_index(), counted(&endpoint)), (50, Some(51)));
        assert!(!endpoint.examine(50, &log(60)), "no news");
        assert!(endpoint.open(61, &log(63), 5));
        assert_eq!(counted(&endpoint), Some(63));
        let (_, id) = endpoint.open_range().unwrap();
        assert!(endpoint.acknowledge(&id, 6));
        assert_eq!((endpoint.cursor, counted(&endpoint)), (61, Some(63)));
        endpoint.resume_from(7, CountedLog::new(8, &EMPTY_HASH)).unwrap();
        assert_eq!((endpoint.next_index(), counted(&endpoint)), (7, Some(8)));
    }

    #[test]
    fn two_secrets_sign_while_one_takes_over_from_the_other_and_neither_is_shown() {
        let mut endpoint = endpoint();
        let first = endpoint.secret.clone();
        endpoint.rotate(WebhookSecret::generate().unwrap(), Some(100));
        assert_eq!(endpoint.secrets(99), [&endpoint.secret.clone(), &first]);
        assert_eq!(endpoint.secrets(100), [&endpoint.secret.clone()]);
        let shown = format!("{endpoint:?}");
        assert!(!shown.contains("whsec_") && shown.contains("WebhookSecret"), "{shown}");
        endpoint.rotate(WebhookSecret::generate().unwrap(), None);
        assert_eq!(endpoint.secrets(0).len(), 1);
    }
}
