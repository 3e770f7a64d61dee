//! Where a delivery may go, and how much of an answer is read.

use std::{
    cell::Cell,
    io,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use svc_client::{
    allowed_receivers::AllowedReceivers,
    receiver_url::ReceiverUrl,
    resolver::Resolver,
    webhook_client::{Acknowledgement, SendFailure, WebhookClient},
};
use svc_testkit::receiver::{self, Receiver};

/// Answers each look-up from a list, the last of it again and again.
#[derive(Debug)]
struct Script {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Script {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let addresses = |texts: &&[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self { answers: Mutex::new(answers.iter().map(addresses).collect()), asked: AtomicUsize::new(0) })
    }
}

impl Resolver for Script {
    fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<IpAddr>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut answers = self.answers.lock().unwrap();
        Ok(if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() })
    }
}

fn post(client: &WebhookClient, url: &str) -> Result<Acknowledgement, SendFailure> {
    client.post(&ReceiverUrl::parse(url).unwrap(), &[], b"{}", &|| false)
}

/// Every way to this machine and to networks inside that somebody has come up with. Addresses of the machine lead to a
/// listener, which would notice.
const INSIDE: &str = "\
    127.0.0.1 127.0.0.2 127.255.255.254 0.0.0.0 0.1.2.3 ::1 :: ::ffff:127.0.0.1 ::ffff:0.0.0.0 ::127.0.0.1 \
    ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b:1::127.0.0.1 2002:7f00:1:: 2002:7f00:1::1 2001:0:7f00:1:: 10.0.0.1 \
    172.16.0.1 192.168.0.1 100.64.0.1 169.254.169.254 ::ffff:169.254.169.254 64:ff9b::169.254.169.254 fd00:ec2::254 \
    fe80::1 fec0::1 fc00::1 ff02::1 224.0.0.1 255.255.255.255 192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 \
    240.0.0.1 2001:db8::1 2001:2::1 100::1 3fff::1";

#[test]
fn no_address_inside_is_connected_to_in_any_form() {
    let listener = Receiver::willing();
    let port = listener.address.port();
    let other = Receiver::on(&format!("[::1]:{port}"), |_| receiver::status(200));
    let mut tried = 0;
    for address in INSIDE.split_whitespace() {
        let is_v6 = address.contains(':');
        let host = if is_v6 { format!("[{address}]") } else { address.to_owned() };
        for scheme in ["https", "http"] {
            let literal = post(&WebhookClient::new(AllowedReceivers::default()), &format!("{scheme}://{host}:{port}/"));
            assert!(matches!(literal, Err(SendFailure::Forbidden(_))), "{scheme} {address}: {literal:?}");
            for answers in [&[&[address][..]][..], &[&["8.8.8.8", address]], &[&[address, "8.8.8.8"]]] {
                let script = Script::new(answers);
                let client = WebhookClient::with_resolver(AllowedReceivers::default(), script.clone());
                let named = post(&client, &format!("{scheme}://hooks.example:{port}/"));
                assert!(matches!(named, Err(SendFailure::Forbidden(_))), "{scheme} {address}: {named:?}");
                assert_eq!(script.asked.load(Ordering::Relaxed), 1);
                tried += 1;
            }
        }
    }
    let system = post(&WebhookClient::new(AllowedReceivers::default()), &format!("https://localhost:{port}/"));
    assert!(matches!(system, Err(SendFailure::Forbidden(_))), "{system:?}");
    // The net that the listeners are: with the address listed, the same request arrives.
    let listed = WebhookClient::new(AllowedReceivers::parse("127.0.0.1, ::1").unwrap());
    assert_eq!(listener.connections() + other.connections(), 0, "after {tried} tries");
    for host in ["127.0.0.1", "[::1]"] {
        assert_eq!(post(&listed, &format!("http://{host}:{port}/")).unwrap().status, 200);
    }
    assert_eq!((listener.connections(), other.connections()), (1, 1));
}

/// A name that is looked up a second time could lead elsewhere.
#[test]
fn the_socket_goes_to_the_address_that_was_looked_at() {
    // A port that is free at one address may be taken at the other.
    let pair = || {
        let good = Receiver::on("127.0.0.2:0", |_| receiver::status(200));
        let bad = Receiver::try_on(&format!("127.0.0.1:{}", good.address.port()), |_| receiver::status(200));
        bad.ok().map(|bad| (good, bad))
    };
    let (good, bad) = (0..50).find_map(|_| pair()).expect("a port that is free at both");
    let port = good.address.port();
    let allowed = AllowedReceivers::parse("127.0.0.2").unwrap();
    let script = Script::new(&[&["127.0.0.2"], &["127.0.0.1"]]);
    let client = WebhookClient::with_resolver(allowed, script.clone());
    let url = format!("http://hooks.example:{port}/");
    assert_eq!(post(&client, &url).unwrap().status, 200);
    assert_eq!((script.asked.load(Ordering::Relaxed), good.connections(), bad.connections()), (1, 1, 0));
    assert_eq!(good.received()[0].host, format!("hooks.example:{port}"));
    assert!(matches!(post(&client, &url), Err(SendFailure::Forbidden(_))), "the next try looks again, and sees it");
    assert_eq!(bad.connections(), 0);
}

#[test]
fn no_redirect_is_followed_and_no_answer_is_read_without_end() {
    let elsewhere = Receiver::willing();
    let location = format!("location: {}", elsewhere.url());
    let receiver = Receiver::on("127.0.0.1:0", move |_| receiver::with_header(307, &location));
    let client = WebhookClient::new(AllowedReceivers::parse("127.0.0.1").unwrap());
    assert_eq!(post(&client, &receiver.url()).unwrap().status, 307);
    assert_eq!(elsewhere.connections(), 0);
    receiver.answer(|_| {
        let mut answer = b"HTTP/1.1 200 X\r\nconnection: close\r\n\r\n".to_vec();
        answer.resize(64 * 1024 * 1024, b'x');
        answer
    });
    let start = Instant::now();
    assert_eq!(post(&client, &receiver.url()).unwrap().status, 200);
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    receiver.answer(|_| [b"HTTP/1.1 200 X\r\n".to_vec(), b"a: b\r\n".repeat(100_000)].concat());
    assert!(matches!(post(&client, &receiver.url()), Err(SendFailure::NoAnswer(_))));
    receiver.answer(|_| b"SSH-2.0-x\r\n".to_vec());
    assert!(matches!(post(&client, &receiver.url()), Err(SendFailure::NoAnswer(_))));
    for (header, expected) in [
        ("retry-after: 7", Some(7)),
        ("retry-after: -7", None),
        ("retry-after: soon", None),
        ("retry-after: Sun, 06 Nov 1994 08:49:37 GMT", None),
        ("retry-after: 99999999999999999999999", Some(u64::MAX)),
    ] {
        receiver.answer(move |_| receiver::with_header(503, header));
        let told = post(&client, &receiver.url()).unwrap();
        assert_eq!((told.status, told.retry_after.map(|time| time.as_secs())), (503, expected), "{header}");
    }
}

#[test]
fn a_receiver_that_says_nothing_is_left_after_fifteen_seconds() {
    let receiver = Receiver::on("127.0.0.1:0", |_| {
        std::thread::sleep(Duration::from_secs(30));
        Vec::new()
    });
    let client = WebhookClient::new(AllowedReceivers::parse("127.0.0.1").unwrap());
    let start = Instant::now();
    assert_eq!(post(&client, &receiver.url()), Err(SendFailure::TimedOut));
    assert!((14..18).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
}

/// A look-up or a receiver that says nothing does not hold up the end of a service.
#[test]
fn a_delivery_ends_soon_after_it_is_stopped() {
    #[derive(Debug)]
    struct Hangs;
    impl Resolver for Hangs {
        fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<IpAddr>> {
            std::thread::sleep(Duration::from_secs(8));
            Ok(Vec::new())
        }
    }
    let silent = Receiver::on("127.0.0.1:0", |_| {
        std::thread::sleep(Duration::from_secs(8));
        Vec::new()
    });
    let allowed = AllowedReceivers::parse("127.0.0.1").unwrap();
    for (client, url) in [
        (WebhookClient::with_resolver(allowed.clone(), Arc::new(Hangs)), "https://hooks.example/".to_owned()),
        (WebhookClient::new(allowed), silent.url()),
    ] {
        let (url, asked, start) = (ReceiverUrl::parse(&url).unwrap(), Cell::new(0), Instant::now());
        let is_stopped = || asked.replace(asked.get() + 1) > 4;
        assert_eq!(client.post(&url, &[], b"{}", &is_stopped), Err(SendFailure::Stopped));
        assert!(start.elapsed() < Duration::from_secs(2), "{url:?}: {:?}", start.elapsed());
    }
}
