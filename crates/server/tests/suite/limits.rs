//! Sizes and times: what is too large or too slow is cut, and nobody else waits for it.

use std::{
    thread,
    time::{Duration, Instant},
};

use svc_core::words::limits;

use crate::{
    kit::{ENDPOINTS, assert_closed, valid},
    wire::{Client, GoodClient, Server, request},
};

fn head(path: &str, length: u64, more: &str) -> Vec<u8> {
    let head = format!("POST {path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n{more}");
    format!("{head}Content-Length: {length}\r\n\r\n").into_bytes()
}

#[test]
fn a_body_that_is_too_large_is_refused_and_the_refusal_can_be_read() {
    let server = Server::plain();
    for (kind, path) in ENDPOINTS {
        let most = if kind == "index" { limits::INDEX_BYTES } else { limits::ARTIFACT_BYTES };
        let mut client = Client::connect(server.address);
        client.send(&head(path, most as u64 + 1, "")).send(&vec![b' '; most + 1]);
        let reply = client.reply().expect("an answer that can be read");
        assert_eq!(reply.status, 413, "{kind}");
        assert_eq!(assert_closed(413, &reply.body, kind)["code"], "body-too-large");
    }
}

#[test]
fn a_body_of_just_the_limit_is_read() {
    let server = Server::plain();
    let (kind, path) = ENDPOINTS[1];
    let mut body = valid(kind);
    body.resize(limits::ARTIFACT_BYTES, b' ');
    let reply = Client::connect(server.address).send(&request("POST", path, &[], &body)).reply().unwrap();
    assert_eq!(reply.status, 200);
    assert_closed(200, &reply.body, kind);
}

#[test]
fn a_client_that_asks_before_it_sends_is_told_at_once() {
    let server = Server::plain();
    let (kind, path) = ENDPOINTS[1];
    let mut client = Client::connect(server.address);
    let started = Instant::now();
    let reply = client.send(&head(path, 1 << 40, "Expect: 100-continue\r\n")).reply().unwrap();
    assert_eq!(reply.status, 413);
    assert!(started.elapsed() < Duration::from_millis(1500), "the refusal took {:?}", started.elapsed());
    assert_closed(413, &reply.body, kind);
    let good = valid(kind);
    let mut client = Client::connect(server.address);
    client.send(&head(path, good.len() as u64, "Expect: 100-continue\r\n")).send(&good);
    assert_eq!(client.reply().unwrap().status, 200);
}

/// What is announced is not yet there: only bytes that came take up room.
#[test]
fn announcements_alone_do_not_fill_the_room_for_bodies() {
    let server = Server::plain();
    let (_, index) = ENDPOINTS[0];
    let idle: Vec<Client> = (0..64)
        .map(|_| {
            let mut client = Client::connect(server.address);
            client.send(&head(index, limits::INDEX_BYTES as u64, "")).send(b"{");
            client
        })
        .collect();
    thread::sleep(Duration::from_millis(300));
    for (kind, path) in ENDPOINTS {
        let reply = Client::connect(server.address).send(&request("POST", path, &[], &valid(kind))).reply().unwrap();
        assert_eq!(reply.status, 200, "{kind}");
    }
    drop(idle);
}

/// More bodies are on their way than may be at work at once.
#[test]
fn bodies_that_are_still_coming_take_nobody_elses_turn() {
    let server = Server::plain();
    let (kind, path) = ENDPOINTS[1];
    let coming: Vec<Client> = (0..limits::CONCURRENT_REQUESTS + 88)
        .map(|_| {
            let mut client = Client::connect(server.address);
            client.send(&head(path, 1000, "")).send(b"{");
            client
        })
        .collect();
    thread::sleep(Duration::from_millis(500));
    for _ in 0..3 {
        let mut client = Client::connect(server.address);
        assert_eq!(client.send(&request("POST", path, &[], &valid(kind))).reply().unwrap().status, 200);
        for probe in ["/livez", "/readyz"] {
            assert_eq!(client.send(&request("GET", probe, &[], b"")).reply().unwrap().status, 200, "{probe}");
        }
    }
    drop(coming);
}

/// The room for bodies is full of such that are almost there: whoever needs little gets in, and one of them has to go.
#[test]
fn bodies_that_fill_the_room_and_do_not_end_give_way_to_small_ones() {
    let server = Server::plain();
    let (_, index) = ENDPOINTS[0];
    let almost = vec![b' '; limits::INDEX_BYTES - 1024];
    let mut hogs: Vec<Client> = (0..limits::BODIES_IN_FLIGHT / limits::INDEX_BYTES)
        .map(|_| {
            let mut client = Client::connect(server.address);
            client.send(&head(index, limits::INDEX_BYTES as u64, "")).send(&almost);
            client
        })
        .collect();
    thread::sleep(Duration::from_secs(1));
    let (kind, path) = ENDPOINTS[1];
    let mut body = valid(kind);
    body.resize(100_000, b' ');
    let started = Instant::now();
    let reply = Client::connect(server.address).send(&request("POST", path, &[], &body)).reply().unwrap();
    assert_eq!(reply.status, 200, "{}", reply.head);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    let statuses: Vec<Option<u16>> = hogs.iter_mut().map(|hog| hog.reply().map(|reply| reply.status)).collect();
    assert_eq!(statuses.iter().filter(|status| **status == Some(503)).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, Some(503 | 408))), "{statuses:?}");
}

/// One test for everything that waits, because it takes as long as the longest limit.
#[test]
fn whoever_is_too_slow_is_cut_in_time_while_good_requests_go_on() {
    let server = Server::plain();
    let address = server.address;
    let good = GoodClient::start(address);
    let (kind, path) = ENDPOINTS[1];
    let margin = Duration::from_secs(5);
    let (header, pace, body) = (limits::HEADER_SECONDS, limits::LEAST_RATE_SECONDS, limits::BODY_SECONDS);
    let slow = |limit: u64, first: Vec<u8>, drip: &'static [u8]| {
        thread::spawn(move || {
            let started = Instant::now();
            let mut client = Client::connect(address);
            client.send(&first);
            let end = Duration::from_secs(limit) + margin;
            if !drip.is_empty() {
                while started.elapsed() < Duration::from_secs(limit) {
                    client.send(drip);
                    thread::sleep(Duration::from_millis(500));
                }
            }
            client.patience(end + Duration::from_secs(5));
            let reply = client.reply();
            let closed = client.is_closed();
            (reply, closed, started.elapsed(), end)
        })
    };
    let document = valid(kind);
    let waits = [
        ("silence", &[0, 408][..], slow(header, Vec::new(), b"")),
        ("half a head", &[0, 408], slow(header, format!("POST {path} HTTP/1.1\r\nHost: h\r\n").into_bytes(), b"")),
        ("a head by drips", &[0, 408], slow(header, b"GET /livez HTTP/1.1\r\n".to_vec(), b"X: a\r\n")),
        ("an idle connection", &[200], slow(header, request("GET", "/livez", &[], b""), b"")),
        ("half a body", &[408], slow(pace, head(path, document.len() as u64, ""), b"")),
        ("a body by drips", &[408], slow(pace, head(path, 100_000, ""), b" ")),
        (
            "much at once, then drips",
            &[408],
            slow(2 * pace, [&head(path, 100_000, "")[..], &[b' '; 50_000]].concat(), b" "),
        ),
        ("a body that comes just fast enough", &[408], slow(body, head(path, 1_000_000, ""), &[b' '; 1024])),
    ];
    for (name, may_be, wait) in waits {
        let (reply, closed, took, end) = wait.join().unwrap();
        let status = reply.as_ref().map_or(0, |reply| reply.status);
        assert!(may_be.contains(&status), "{name}: {status}");
        if let Some(reply) = reply.filter(|reply| reply.status >= 400 && !reply.body.is_empty()) {
            assert_closed(reply.status, &reply.body, name);
        }
        assert!(closed && took < end, "{name}: open after {took:?}");
    }
    let (answers, slowest) = good.enough();
    assert!(answers > 20 && slowest < Duration::from_secs(10), "{answers} answers, the slowest after {slowest:?}");
}

/// A client that asks for much and reads nothing holds its own connection only, and not for ever.
#[test]
fn a_client_that_does_not_read_stops_nobody() {
    let server = Server::plain();
    let good = GoodClient::start(server.address);
    let row = request("GET", "/api/sdk/registry/openapi.json", &[], b"").repeat(200);
    let deaf: Vec<Client> = (0..8)
        .map(|_| {
            let mut client = Client::connect(server.address);
            client.send(&row);
            client
        })
        .collect();
    thread::sleep(Duration::from_secs(2));
    let (answers, slowest) = good.enough();
    assert!(answers > 3 && slowest < Duration::from_secs(10), "{answers} answers, the slowest after {slowest:?}");
    drop(deaf);
}

/// Everything that was accepted when the service is told to stop still gets its answer.
#[test]
fn a_stopping_service_answers_what_it_accepted() {
    let mut server = Server::plain();
    let (kind, path) = ENDPOINTS[1];
    let document = valid(kind);
    let mut waiting: Vec<Client> = (0..40)
        .map(|_| {
            let mut client = Client::connect(server.address);
            client.send(&head(path, document.len() as u64, "")).send(&document[..document.len() / 2]);
            client
        })
        .collect();
    let mut fresh: Vec<Client> = (0..40).map(|_| Client::connect(server.address)).collect();
    thread::sleep(Duration::from_millis(200));
    server.stop();
    for client in &mut fresh {
        client.send(&request("POST", path, &[], &document));
    }
    for client in &mut waiting {
        client.send(&document[document.len() / 2..]);
        let reply = client.reply().expect("an answer");
        // Whoever comes very late is told that nobody is home.
        assert!(matches!(reply.status, 200 | 503), "{}", reply.status);
        assert_closed(reply.status, &reply.body, kind);
    }
    for client in &mut fresh {
        let reply = client.reply().expect("an answer");
        assert!(matches!(reply.status, 200 | 503), "{}", reply.status);
        assert_closed(reply.status, &reply.body, kind);
    }
}

/// Each asks for far more than the system takes for it, so that one answer waits in the service. Together they are more than
/// there is room for.
#[test]
fn answers_that_nobody_reads_give_way_to_those_that_somebody_does() {
    let server = Server::plain();
    let ask = request("GET", "/api/sdk/registry/openapi.json", &[], b"");
    let length = Client::connect(server.address).send(&ask).reply().unwrap().body.len();
    let holders = limits::ANSWERS_IN_FLIGHT / length + 20;
    // Each is stopped elsewhere in an answer: how much the system takes for a client is not for us to say, and whoever has been
    // given all but the last piece keeps nothing.
    let other = request("GET", "/api/sdk/registry/ruleset", &[], b"");
    let hold = |number: usize| {
        let mut client = Client::connect(server.address);
        client.send(&other.repeat(1 + number % 3)).send(&ask.repeat(80));
        client
    };
    let first: Vec<Client> = (0..holders / 2).map(hold).collect();
    thread::sleep(Duration::from_secs(3));
    let mut second: Vec<Client> = (0..holders).map(hold).collect();
    let reply = Client::connect(server.address).send(&ask).reply().unwrap();
    assert_eq!((reply.status, reply.body.len()), (200, length));
    // Those that were in time are answered, or told to come back; none of them loses an answer that it has begun to read.
    for client in second.iter_mut().take(20) {
        let reply = client.reply().expect("an answer");
        assert!(matches!(reply.status, 200 | 503), "{}", reply.head);
        if reply.status == 503 {
            assert_eq!(assert_closed(503, &reply.body, "503")["code"], "overloaded");
        }
    }
    assert!(first.into_iter().any(|mut client| client.ends_within(8 * length)), "nobody gave way");
}
