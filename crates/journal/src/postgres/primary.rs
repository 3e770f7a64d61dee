//! Which of the hosts of a log has its primary.
//!
//! The order of the list says nothing. All hosts are asked at once, and a connection is made to the one that takes writes, if
//! it is the only one and not from before a promotion that this node has seen. An old primary that returned after a failover
//! takes writes too: going on with it would sign a second history. While a process has found its primary, new connections go
//! there as long as it takes writes on the same timeline; every few seconds the others are asked whether one was promoted.
//!
//! A node that was down during the failover does not know of it. So it remembers that the primary had a standby: one that has
//! none any more may be an old one, unless every other host in the list says that it takes no writes. One whose commits wait
//! for a standby may be read: it lets nothing be signed.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use deadpool_postgres::Connect;
use svc_proof::fault::{JournalFault, JournalFaultKind};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Config, Error};

use super::{
    fault::with_causes,
    settings::{Settings, name_of_hosts},
    tls::Tls,
};
use crate::timeline::Timeline;

/// How long one host has to answer: to connect, and to say what it is.
const LOOK_TIMEOUT: Duration = Duration::from_secs(4);

/// Whether the server takes writes; if so its cluster, its timeline and when this process of it started. Engines without
/// these functions say only whether they take writes.
const TAKES_WRITES: &str = "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'";
const IDENTITY: &str = "SELECT (SELECT system_identifier FROM pg_control_system())::text, \
                        substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), pg_postmaster_start_time()::text, \
                        EXISTS (SELECT FROM pg_stat_replication) OR current_setting('synchronous_standby_names') <> ''";

/// When all hosts are asked whether another one was promoted, and how often after that.
const FIRST_LOOK_AROUND: Duration = Duration::from_secs(1);
const LOOK_AROUND: Duration = Duration::from_secs(5);

type Connected = (Client, JoinHandle<()>);

/// Makes connections to the primary alone.
#[derive(Clone)]
pub(super) struct PrimarySearch {
    hosts: Vec<Config>,
    tls: Tls,
    found: Arc<FoundPrimary>,
}

/// What the search has found so far.
#[derive(Debug)]
pub(super) struct FoundPrimary {
    /// The newest timeline that this node has worked on.
    timeline: Mutex<Option<Timeline>>,
    /// The place in the list of the host that had it last.
    host: Mutex<Option<usize>>,
    /// Why the last search found none: the library's errors cannot carry it.
    refused: Mutex<Option<JournalFault>>,
    /// Whether another host was promoted since: no connection that there is may be used.
    is_contradicted: AtomicBool,
}

/// What a host said.
enum Looked {
    Unreachable(String),
    ReadOnly,
    TakesWrites(Identity),
}

/// Who takes writes, as far as it can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Identity {
    timeline: Option<Timeline>,
    started: Option<String>,
}

impl Identity {
    /// Two names of one server are one database.
    fn is_same(&self, other: &Self) -> bool {
        let number = |identity: &Self| identity.timeline.map(|timeline| timeline.followed(false));
        self.started.is_some() && (number(self), &self.started) == (number(other), &other.started)
    }

    /// Whether it had a standby on this timeline, and has none now: that may have been promoted.
    fn lacks_standby(&self, known: Option<&Timeline>) -> bool {
        self.timeline
            .as_ref()
            .zip(known)
            .is_some_and(|(timeline, known)| timeline.is_same(known) && known.is_followed() && !timeline.is_followed())
    }
}

impl FoundPrimary {
    pub(super) fn timeline(&self) -> Option<Timeline> {
        *lock(&self.timeline)
    }

    /// Whether no connection that there is may be used any more.
    pub(super) fn is_contradicted(&self) -> bool {
        self.is_contradicted.load(Ordering::Acquire)
    }

    /// The primary was seen with a standby.
    fn note_standby(&self) {
        if let Some(timeline) = lock(&self.timeline).as_mut() {
            *timeline = timeline.followed(true);
        }
    }

    /// Why the last search found none.
    pub(super) fn take_refusal(&self) -> Option<JournalFault> {
        lock(&self.refused).take()
    }
}

impl PrimarySearch {
    pub(super) fn new(settings: &Settings) -> (Self, Arc<FoundPrimary>) {
        let found = Arc::new(FoundPrimary {
            timeline: Mutex::new(settings.remembered),
            host: Mutex::default(),
            refused: Mutex::default(),
            is_contradicted: AtomicBool::new(false),
        });
        let search = Self { hosts: settings.each_host(), tls: settings.tls.clone(), found: Arc::clone(&found) };
        (search, found)
    }
}

impl PrimarySearch {
    /// Asks all hosts every few seconds whether another one was promoted, and whether the primary has a standby.
    pub(super) async fn watch(self) {
        if self.hosts.len() < 2 {
            return;
        }
        tokio::time::sleep(FIRST_LOOK_AROUND).await;
        loop {
            self.look_around().await;
            tokio::time::sleep(LOOK_AROUND).await;
        }
    }

    async fn look_around(&self) {
        let (at, known) = (*lock(&self.found.host), self.found.timeline());
        let (Some(at), Some(known)) = (at, known) else { return };
        let (looked, _) = look_at_all(&self.hosts, &self.tls).await;
        for (_, what) in &looked {
            if let Looked::TakesWrites(Identity { timeline: Some(timeline), .. }) = what
                && timeline.is_same(&known)
                && timeline.is_followed()
            {
                self.found.note_standby();
            }
        }
        if is_contradicted(&looked, at, &known) {
            // The next connection goes by all of the hosts again, and names those that contradict each other.
            *lock(&self.found.host) = None;
            self.found.is_contradicted.store(true, Ordering::Release);
        }
    }
}

/// Whether another host than this one was promoted, or may have been: its standby is gone, and a host does not answer.
fn is_contradicted(looked: &[(String, Looked)], at: usize, known: &Timeline) -> bool {
    looked.iter().enumerate().any(|(place, (_, what))| match what {
        Looked::TakesWrites(own) if place == at => own.lacks_standby(Some(known)) && silent(looked).is_some(),
        Looked::TakesWrites(other) => other.timeline.is_some_and(|timeline| known.is_before(&timeline)),
        Looked::ReadOnly | Looked::Unreachable(_) => false,
    })
}

impl Connect for PrimarySearch {
    fn connect(&self, _: &Config) -> Pin<Box<dyn Future<Output = Result<Connected, Error>> + Send + '_>> {
        let (hosts, tls, found) = (self.hosts.clone(), self.tls.clone(), Arc::clone(&self.found));
        Box::pin(async move {
            match search(&hosts, &tls, &found).await {
                Ok(connected) => Ok(connected),
                Err(fault) => {
                    *lock(&found.refused) = Some(fault);
                    // A configuration without a host never connects, and gives an error to return.
                    Config::new().connect(tls).await.map(|(client, connection)| (client, drive(connection)))
                }
            }
        })
    }
}

async fn search(hosts: &[Config], tls: &Tls, found: &FoundPrimary) -> Result<Connected, JournalFault> {
    let (known_host, known) = (*lock(&found.host), found.timeline());
    if let Some(config) = known_host.and_then(|at| hosts.get(at))
        && let (Looked::TakesWrites(identity), Some(connected)) = look(config, tls).await
        && identity.timeline.zip(known).is_some_and(|(timeline, known)| timeline.is_same(&known))
        && !identity.lacks_standby(known.as_ref())
    {
        return Ok(connected);
    }
    let (looked, connections) = look_at_all(hosts, tls).await;
    let (at, timeline) = choose(&looked, known.as_ref())?;
    let connected = connections.into_iter().nth(at).flatten();
    let connected = connected.ok_or_else(|| unreachable("the database closed the connection"))?;
    *lock(&found.host) = Some(at);
    found.is_contradicted.store(false, Ordering::Release);
    if let Some(timeline) = timeline {
        let was_followed = known.is_some_and(|known| known.is_same(&timeline) && known.is_followed());
        *lock(&found.timeline) = Some(timeline.followed(timeline.is_followed() || was_followed));
    }
    Ok(connected)
}

/// What each host says, and the connection to it.
async fn look_at_all(hosts: &[Config], tls: &Tls) -> (Vec<(String, Looked)>, Vec<Option<Connected>>) {
    let looks: Vec<_> = hosts
        .iter()
        .map(|config| {
            let (config, tls) = (config.clone(), tls.clone());
            tokio::spawn(async move { look(&config, &tls).await })
        })
        .collect();
    let (mut looked, mut connections) = (Vec::new(), Vec::new());
    for (config, look) in hosts.iter().zip(looks) {
        let (what, connected) = look.await.unwrap_or_else(|error| (Looked::Unreachable(error.to_string()), None));
        looked.push((name_of_hosts(config), what));
        connections.push(connected);
    }
    (looked, connections)
}

/// Connects to one host and asks what it is.
async fn look(config: &Config, tls: &Tls) -> (Looked, Option<Connected>) {
    let looked = tokio::time::timeout(LOOK_TIMEOUT, async {
        let (client, connection) = config.connect(tls.clone()).await?;
        let driver = drive(connection);
        let takes_writes: bool = client.query_one(TAKES_WRITES, &[]).await?.try_get(0)?;
        let what = if takes_writes { Looked::TakesWrites(identity(&client).await) } else { Looked::ReadOnly };
        Ok::<_, Error>((what, Some((client, driver))))
    });
    match looked.await {
        Ok(Ok(looked)) => looked,
        Ok(Err(error)) => (Looked::Unreachable(with_causes(&error)), None),
        Err(_) => (Looked::Unreachable("it did not answer in time".to_owned()), None),
    }
}

async fn identity(client: &Client) -> Identity {
    let Ok(row) = client.query_one(IDENTITY, &[]).await else { return Identity::default() };
    let text = |at: usize| row.try_get::<_, Option<String>>(at).ok().flatten();
    let system = text(0).and_then(|system| system.parse().ok());
    let number = text(1).and_then(|number| u32::from_str_radix(&number, 16).ok());
    let is_followed = row.try_get(3).unwrap_or_default();
    let timeline = system.zip(number).map(|(system, number)| Timeline::new(system, number).followed(is_followed));
    Identity { timeline, started: text(2) }
}

/// The place of the primary in the list, and its timeline.
fn choose(looked: &[(String, Looked)], known: Option<&Timeline>) -> Result<(usize, Option<Timeline>), JournalFault> {
    let mut primaries: Vec<(usize, &str, &Identity)> = Vec::new();
    for (at, (name, what)) in looked.iter().enumerate() {
        let Looked::TakesWrites(identity) = what else { continue };
        if !primaries.iter().any(|(_, _, other)| other.is_same(identity)) {
            primaries.push((at, name, identity));
        }
    }
    match primaries.as_slice() {
        [] => Err(unreachable(&no_primary(looked))),
        [(_, name, identity)] if is_old(identity, known) => {
            let (own, newer) = (words(identity), known.map(Timeline::to_string).unwrap_or_default());
            Err(wrong(&format!(
                "{name} takes writes on {own}, and this node has worked on {newer}: it is the primary from before a failover"
            )))
        }
        [(at, name, identity)] => match silent(looked).filter(|_| identity.lacks_standby(known)) {
            Some(silent) => Err(wrong(&format!(
                "{name} takes writes and has no standby any more, and {silent} does not answer: it may have been promoted; bring it \
                 back, or take it out of `journal` if it is gone for good"
            ))),
            None => Ok((*at, identity.timeline)),
        },
        several => {
            let named = several.iter().map(|(_, name, identity)| format!("{name} ({})", words(identity)));
            Err(wrong(&format!("more than one database takes writes: {}", named.collect::<Vec<_>>().join(" and "))))
        }
    }
}

/// The first host that does not say what it is.
fn silent(looked: &[(String, Looked)]) -> Option<&str> {
    looked.iter().find(|(_, what)| matches!(what, Looked::Unreachable(_))).map(|(name, _)| name.as_str())
}

fn is_old(identity: &Identity, known: Option<&Timeline>) -> bool {
    identity.timeline.as_ref().zip(known).is_some_and(|(timeline, known)| timeline.is_before(known))
}

fn words(identity: &Identity) -> String {
    identity.timeline.map_or_else(|| "no timeline".to_owned(), |timeline| timeline.to_string())
}

fn no_primary(looked: &[(String, Looked)]) -> String {
    let said = looked.iter().map(|(name, what)| match what {
        Looked::Unreachable(why) => format!("{name} cannot be reached: {why}"),
        Looked::ReadOnly => format!("{name} takes no writes"),
        Looked::TakesWrites(_) => format!("{name} takes writes"),
    });
    said.collect::<Vec<_>>().join("; ")
}

fn wrong(detail: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::WrongPrimary, detail)
}

fn unreachable(detail: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::Unreachable, detail)
}

fn drive<S, T>(connection: tokio_postgres::Connection<S, T>) -> JoinHandle<()>
where
    tokio_postgres::Connection<S, T>: Future + Send + 'static,
{
    tokio::spawn(async move {
        // How it ended is told by whatever waits for an answer on it.
        let _ = connection.await;
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn primary(number: u32, started: &str) -> Looked {
        let (timeline, started) = (Some(Timeline::new(9, number)), Some(started.to_owned()));
        Looked::TakesWrites(Identity { timeline, started })
    }

    fn chosen(looked: Vec<Looked>, known: Option<u32>) -> Result<usize, (JournalFaultKind, String)> {
        let names = ["a", "b", "c"].map(str::to_owned);
        let looked: Vec<_> = names.into_iter().zip(looked).collect();
        let known = known.map(|number| Timeline::new(9, number));
        choose(&looked, known.as_ref()).map(|(at, _)| at).map_err(|fault| (fault.kind, fault.detail))
    }

    #[test]
    fn the_primary_is_found_by_what_it_is_and_not_by_its_place() {
        let gone = || Looked::Unreachable("refused".to_owned());
        assert_eq!(chosen(vec![gone(), Looked::ReadOnly, primary(2, "x")], Some(1)), Ok(2));
        assert_eq!(chosen(vec![primary(2, "x"), gone()], Some(2)), Ok(0));
        assert_eq!(chosen(vec![primary(2, "x"), gone()], Some(1)), Ok(0), "promoted since");
        assert_eq!(chosen(vec![primary(2, "x"), gone()], None), Ok(0));
        assert_eq!(chosen(vec![primary(2, "x"), primary(2, "x")], None), Ok(0), "two names of one server");
        assert_eq!(
            chosen(vec![Looked::TakesWrites(Identity::default())], Some(2)),
            Ok(0),
            "an engine without timelines"
        );
        let (kind, detail) = chosen(vec![gone(), Looked::ReadOnly], None).unwrap_err();
        assert_eq!(
            (kind, detail.as_str()),
            (JournalFaultKind::Unreachable, "a cannot be reached: refused; b takes no writes")
        );
    }

    #[test]
    fn a_primary_that_lost_its_standby_is_taken_when_every_other_host_says_that_it_takes_no_writes() {
        let gone = || Looked::Unreachable("refused".to_owned());
        let followed = Timeline::new(9, 1).followed(true);
        let with_standby = || {
            let identity = Identity { timeline: Some(followed), started: Some("x".to_owned()) };
            Looked::TakesWrites(identity)
        };
        let chosen = |looked: Vec<Looked>, known: Option<Timeline>| {
            let looked: Vec<_> = ["a", "b", "c"].map(str::to_owned).into_iter().zip(looked).collect();
            choose(&looked, known.as_ref()).map(|(at, _)| at).map_err(|fault| (fault.kind, fault.detail))
        };
        let (kind, detail) = chosen(vec![primary(1, "x"), Looked::ReadOnly, gone()], Some(followed)).unwrap_err();
        assert!(
            kind == JournalFaultKind::WrongPrimary
                && detail.contains("a takes writes and has no standby any more, and c"),
            "{detail}"
        );
        for (looked, known) in [
            (vec![primary(1, "x"), Looked::ReadOnly, Looked::ReadOnly], Some(followed)),
            (vec![primary(1, "x"), gone(), gone()], Some(Timeline::new(9, 1))),
            (vec![primary(1, "x"), gone(), gone()], None),
            (vec![with_standby(), gone(), gone()], Some(followed)),
            (vec![primary(2, "x"), gone(), gone()], Some(followed)),
            (vec![primary(1, "x")], Some(followed)),
        ] {
            assert_eq!(chosen(looked, known), Ok(0), "{known:?}");
        }
    }

    /// An asynchronous standby may have been promoted where this node cannot see it.
    #[test]
    fn a_running_node_stops_when_its_primary_lost_its_standby_and_another_host_is_silent() {
        let gone = || Looked::Unreachable("refused".to_owned());
        let (followed, alone) = (Timeline::new(9, 1).followed(true), Timeline::new(9, 1));
        let stops = |looked: Vec<Looked>, known: &Timeline| {
            let looked: Vec<_> = ["a", "b", "c"].map(str::to_owned).into_iter().zip(looked).collect();
            is_contradicted(&looked, 0, known)
        };
        assert!(stops(vec![primary(1, "x"), gone()], &followed));
        assert!(stops(vec![primary(1, "x"), Looked::ReadOnly, gone()], &followed));
        assert!(stops(vec![primary(1, "x"), primary(2, "y")], &alone), "promoted");
        assert!(!stops(vec![primary(1, "x"), Looked::ReadOnly], &followed));
        assert!(!stops(vec![primary(1, "x"), gone()], &alone), "it never had one");
        let identity = Identity { timeline: Some(followed), started: Some("x".to_owned()) };
        assert!(!stops(vec![Looked::TakesWrites(identity), gone()], &followed), "it has one");
    }

    #[test]
    fn an_old_primary_and_two_primaries_are_refused_by_name() {
        for looked in [vec![primary(1, "x")], vec![primary(1, "x"), Looked::ReadOnly]] {
            let (kind, detail) = chosen(looked, Some(2)).unwrap_err();
            assert!(
                kind == JournalFaultKind::WrongPrimary && detail.starts_with("a takes writes on timeline 1"),
                "{detail}"
            );
        }
        for looked in [
            vec![primary(1, "x"), primary(2, "y")],
            vec![Looked::ReadOnly, primary(2, "x"), primary(2, "y")],
            vec![Looked::TakesWrites(Identity::default()), Looked::TakesWrites(Identity::default())],
        ] {
            let (kind, detail) = chosen(looked, Some(2)).unwrap_err();
            assert!(kind == JournalFaultKind::WrongPrimary && detail.starts_with("more than one"), "{detail}");
        }
    }
}
