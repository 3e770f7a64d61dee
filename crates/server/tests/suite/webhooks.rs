//! Deliveries to endpoints, and what happens to one. Where none may go is tested in the crate of the client.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use svc_client::{allowed_receivers::AllowedReceivers, webhook_client::WebhookClient};
use svc_core::journal::{
    delivery::{EndpointName, EventDelivery},
    event::EventType,
};
use svc_journal::{
    endpoint::{CountedLog, EventEndpoint, NewEndpoint, PauseReason, Standing},
    endpoint_store::{EndpointStore, change},
    endpoints,
    open::{Backend, Location},
    writer::Journal,
};
use svc_proof::{
    checkpoint::Checkpoint,
    tree::{EMPTY_HASH, leaf_hash},
};
use svc_server::{
    door::Setup,
    events::{signature::WebhookMessage, threads::DeliveryThreads},
    http::serve::ServeOptions,
};
use svc_testkit::receiver::{self, Received, Receiver};
use tempfile::TempDir;

use crate::{
    kit::valid,
    wire::{Client, Server},
};

/// A service with a journal, and its endpoints.
struct Desk {
    _folder: TempDir,
    location: Location,
    journal: Arc<Journal>,
    server: Server,
    store: Arc<dyn EndpointStore>,
    threads: Option<DeliveryThreads>,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location { backend: Backend::Embedded, folder: folder.path().join("data") };
        let journal = Arc::new(location.write().unwrap());
        let options = ServeOptions { journal: Some(Arc::clone(&journal)), ..ServeOptions::default() };
        let server = Server::start(Setup::default(), options);
        let store = endpoints::open_or_create(&location).unwrap();
        let mut desk = Self { _folder: folder, location, journal, server, store, threads: None };
        desk.start();
        desk
    }

    fn start(&mut self) {
        let client = WebhookClient::new(AllowedReceivers::parse("127.0.0.1").unwrap());
        let (_, threads) = DeliveryThreads::start_with(self.location.clone(), &self.journal, client).unwrap();
        self.threads = Some(threads);
    }

    fn add(&self, name: &str, receiver: &Receiver, types: &[EventType], batch: u32) -> EndpointName {
        let name = EndpointName::parse(name).unwrap();
        let (url, counted) = (receiver.url(), CountedLog::new(0, &EMPTY_HASH));
        let given = NewEndpoint { name: name.clone(), url, types: types.to_vec(), batch, from: 0, counted };
        assert!(self.store.insert(&EventEndpoint::new(given, self.store.now().unwrap()).unwrap()).unwrap());
        name
    }

    fn record(&self, count: usize, body: &[u8]) {
        let mut client = Client::connect(self.server.address);
        for _ in 0..count {
            let head = format!(
                "POST /api/sdk/registry/signing-requests HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            client.send(head.as_bytes()).send(body);
            client.reply().unwrap();
        }
    }

    fn endpoint(&self, name: &EndpointName) -> EventEndpoint {
        self.store.get(name).unwrap().unwrap().endpoint
    }

    #[track_caller]
    fn wait_for(&self, name: &EndpointName, wanted: impl Fn(&EventEndpoint) -> bool) -> EventEndpoint {
        let start = Instant::now();
        loop {
            let endpoint = self.endpoint(name);
            if wanted(&endpoint) {
                return endpoint;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{endpoint:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn read(received: &Received) -> EventDelivery {
    EventDelivery::parse(&received.body).unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&received.body)))
}

const WAIT: Duration = Duration::from_secs(20);

#[test]
fn every_record_is_delivered_in_order_under_a_state_that_covers_it() {
    let desk = Desk::new();
    let receiver = Receiver::willing();
    desk.record(3, &valid("signing-request"));
    let name = desk.add("audit", &receiver, &[], 2);
    desk.record(4, b"{}");
    receiver.wait_until(WAIT, |all| all.iter().map(|each| read(each).records().len()).sum::<usize>() >= 3);
    desk.record(2, &valid("signing-request"));
    let size = desk.journal.checkpoint().size();
    desk.wait_for(&name, |endpoint| endpoint.cursor == size);
    let mut next = 0;
    for received in receiver.received() {
        let delivery = read(&received);
        assert_eq!(delivery.range().start, next, "each begins where the last one ended");
        next = delivery.range().end;
        assert!(!delivery.is_filtered() && delivery.records().len() <= 2);
        let state = Checkpoint::open(delivery.checkpoint(), desk.journal.keys()).unwrap();
        assert!(state.size() >= next);
        let endpoint = desk.endpoint(&name);
        assert!(received.id.starts_with(&format!("msg_{}_", endpoint.id)), "{}", received.id);
        assert!(received.id.ends_with(&format!("_{}-{next}", delivery.range().start)), "{}", received.id);
        let message = WebhookMessage {
            id: received.id.clone(),
            timestamp: received.timestamp.parse().unwrap(),
            body: received.body.clone(),
        };
        assert_eq!(message.signatures(&[&endpoint.secret]), received.signature);
    }
    assert_eq!(next, size);
}

#[test]
fn a_failed_delivery_is_the_same_in_every_try_and_holds_up_what_follows() {
    let desk = Desk::new();
    let receiver = Receiver::on("127.0.0.1:0", |_| receiver::status(500));
    let name = desk.add("audit", &receiver, &[], 10);
    desk.record(1, &valid("signing-request"));
    receiver.wait_until(WAIT, |all| !all.is_empty());
    let failed = desk.wait_for(&name, |endpoint| endpoint.last_failure.is_some());
    assert_eq!((failed.cursor, failed.open.as_ref().unwrap().tries), (0, 1));
    desk.record(3, &valid("signing-request"));
    receiver.answer(|_| receiver::status(204));
    let size = desk.journal.checkpoint().size();
    desk.wait_for(&name, |endpoint| endpoint.cursor == size);
    let all = receiver.received();
    assert_eq!(all[0].id, all[1].id);
    assert_eq!(all[0].body, all[1].body, "the same bytes, although the log has grown");
    assert_ne!(all[0].timestamp, all[1].timestamp, "and the time of the try");
    assert_eq!(all.iter().map(|each| read(each).range()).collect::<Vec<_>>()[1..], [0..1, 1..size]);
}

#[test]
fn what_is_under_way_when_the_service_stops_comes_again_under_its_id() {
    let mut desk = Desk::new();
    let receiver = Receiver::on("127.0.0.1:0", |_| {
        std::thread::sleep(Duration::from_secs(10));
        receiver::status(200)
    });
    let name = desk.add("audit", &receiver, &[], 10);
    desk.record(2, &valid("signing-request"));
    receiver.wait_until(WAIT, |all| !all.is_empty());
    let stopping = Instant::now();
    drop(desk.threads.take());
    assert!(stopping.elapsed() < Duration::from_secs(4), "{:?}", stopping.elapsed());
    assert_eq!(desk.endpoint(&name).cursor, 0);
    receiver.answer(|_| receiver::status(200));
    desk.record(3, &valid("signing-request"));
    desk.start();
    let size = desk.journal.checkpoint().size();
    desk.wait_for(&name, |endpoint| endpoint.cursor == size);
    let mut bodies: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for received in receiver.received() {
        let first = bodies.entry(received.id).or_insert_with(|| received.body.clone());
        assert_eq!(*first, received.body);
    }
    assert_eq!(receiver.received()[0].id, receiver.received()[1].id);
}

#[test]
fn an_endpoint_of_types_gets_those_alone_and_the_ranges_stay_whole() {
    let desk = Desk::new();
    let receiver = Receiver::willing();
    let name = desk.add("denials", &receiver, &[EventType::Denied], 10);
    let refused = svc_testkit::kit::case("signing-request", "accepted-true");
    desk.record(2, &refused);
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!((receiver.received().len(), desk.endpoint(&name).cursor), (0, 0), "nothing to tell, and nothing moved");
    desk.record(1, &valid("signing-request"));
    desk.wait_for(&name, |endpoint| endpoint.cursor == 3);
    let delivery = read(&receiver.received()[0]);
    assert_eq!((delivery.range(), delivery.is_filtered()), (0..3, true));
    assert_eq!(delivery.records().iter().map(|each| each.index.get()).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_receiver_that_is_gone_is_left_alone_and_a_log_that_was_set_back_is_noticed() {
    let desk = Desk::new();
    let receiver = Receiver::on("127.0.0.1:0", |_| receiver::status(410));
    let gone = desk.add("gone", &receiver, &[], 10);
    desk.record(1, &valid("signing-request"));
    let endpoint = desk.wait_for(&gone, |endpoint| endpoint.standing == Standing::Disabled);
    assert_eq!((endpoint.cursor, receiver.received().len()), (0, 1));
    let ahead = desk.add("ahead", &receiver, &[], 10);
    let begun = CountedLog::new(0, &EMPTY_HASH);
    change(desk.store.as_ref(), &ahead, |endpoint| endpoint.resume_from(99, begun.clone()).ok()).unwrap().unwrap();
    let endpoint = desk.wait_for(&ahead, |endpoint| endpoint.standing != Standing::Active);
    assert_eq!((endpoint.standing, endpoint.cursor), (Standing::Paused(PauseReason::AheadOfLog), 99));
    let other = desk.add("other", &receiver, &[], 10);
    let another = CountedLog::new(1, &leaf_hash(b"another log"));
    change(desk.store.as_ref(), &other, |endpoint| endpoint.resume_from(1, another.clone()).ok()).unwrap().unwrap();
    let endpoint = desk.wait_for(&other, |endpoint| endpoint.standing != Standing::Active);
    assert_eq!(endpoint.standing, Standing::Paused(PauseReason::AheadOfLog), "as long, and of other records");
    assert_eq!(receiver.received().len(), 1, "nothing was sent to any");
}

#[test]
fn a_slow_receiver_holds_up_nobody_else() {
    let desk = Desk::new();
    let slow = Receiver::on("127.0.0.1:0", |_| {
        std::thread::sleep(Duration::from_secs(8));
        receiver::status(200)
    });
    let quick = Receiver::willing();
    desk.add("slow", &slow, &[], 10);
    let name = desk.add("quick", &quick, &[], 10);
    let start = Instant::now();
    for _ in 0..5 {
        desk.record(1, &valid("signing-request"));
    }
    desk.wait_for(&name, |endpoint| endpoint.cursor == 5);
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
}
