//! Servers that do not end, that break off, and that say what is not theirs to say.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use svc_client::{
    address::Address,
    client::{BearerToken, Client, Timeouts},
    exchange::{Body, Cause, Identity, Reply, Request, Transport as _, TransportError},
};
use svc_core::{verification::FaultCode, words::limits};

const OK: &str = "HTTP/1.1 200 OK\r\n";

/// A server on this machine that reads a head and then does this, for each connection.
fn server(answer: impl Fn(&mut TcpStream) + Send + Sync + Clone + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).unwrap();
                    head.extend(byte);
                }
                answer(&mut stream);
            });
        }
    });
    url
}

fn send(method: &'static str, url: &str) -> Result<Reply, TransportError> {
    let timeouts = Timeouts { connect: Duration::from_secs(2), exchange: Duration::from_millis(1500) };
    let client = Client::new(Address::parse(url).unwrap(), None, None, timeouts).unwrap();
    let request =
        Request { method, path: "/x".to_owned(), headers: Vec::new(), body: Body::empty(), identity: Identity::Own };
    client.send(&request)
}

fn said(answer: &str) -> Result<Reply, TransportError> {
    let answer = answer.as_bytes().to_vec();
    send("GET", &server(move |stream| stream.write_all(&answer).unwrap()))
}

/// Not one of them may keep the client longer than its deadline, or make it take more than its limits.
#[test]
fn nothing_without_end_is_read_beyond_time_and_size() {
    let chunked = format!("{OK}transfer-encoding: chunked\r\n\r\n");
    let rows: [(&str, &str, &str, u64, FaultCode); 8] = [
        ("a head", "HTTP/1.1 200 OK\r\nx: ", "x", 0, FaultCode::NoAnswer),
        ("headers", OK, "x: y\r\n", 0, FaultCode::NoAnswer),
        ("a body", &format!("{OK}\r\n"), "xxxxxxxx", 0, FaultCode::OverBounds),
        ("chunks", &chunked, &format!("1000\r\n{}\r\n", "x".repeat(4096)), 0, FaultCode::OverBounds),
        ("a chunk line", &format!("{chunked}1;"), "xxxxxxxx", 0, FaultCode::NoAnswer),
        ("trailers", &format!("{chunked}0\r\n"), "x: y\r\n", 0, FaultCode::NoAnswer),
        ("a dripping head", "HTTP/1.1 200 OK\r\nx: ", "x", 40, FaultCode::NoAnswer),
        ("a dripping body", &format!("{OK}content-length: 9999\r\n\r\n"), "x", 40, FaultCode::NoAnswer),
    ];
    for (name, begin, again, pause, code) in rows {
        let (begin, again) = (begin.to_owned(), again.repeat(if pause == 0 { 64 * 1024 / again.len() + 1 } else { 1 }));
        let url = server(move |stream| {
            let _ = stream.write_all(begin.as_bytes());
            while stream.write_all(again.as_bytes()).is_ok() {
                thread::sleep(Duration::from_millis(pause));
            }
        });
        let start = Instant::now();
        let error = send("GET", &url).unwrap_err();
        assert_eq!(error.code, code, "{name}: {}", error.message);
        assert!(start.elapsed() < Duration::from_millis(2500), "{name}: {:?}", start.elapsed());
        assert_eq!(error.cause == Cause::TimedOut, pause > 0, "{name}: {}", error.message);
        let kept = error.partial.map_or(0, |partial| partial.body.len());
        assert!(kept <= limits::ANSWER_BYTES, "{name}: {kept}");
    }
}

#[test]
fn what_two_readers_could_understand_differently_is_refused() {
    for (answer, cause) in [
        ("SSH-2.0-OpenSSH_9.9\r\n", Cause::NotHttp),
        ("{\"accepted\":true}", Cause::NotHttp),
        ("HTTP/2.0 200 OK\r\n\r\n", Cause::NotHttp),
        ("HTTP/1.1 099 X\r\n\r\n", Cause::NotHttp),
        ("HTTP/1.1 200 OK\r\na : b\r\n\r\n", Cause::NotHttp),
        ("HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n", Cause::NotHttp),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx", Cause::NotHttp),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1, 2\r\n\r\nxx", Cause::NotHttp),
        ("HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\nx", Cause::NotHttp),
        ("HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\nx", Cause::NotHttp),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
            Cause::NotHttp,
        ),
        ("HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", Cause::NotHttp),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", Cause::NotHttp),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n\r\n", Cause::Other),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\nx\r\n", Cause::Other),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\nx\r\n0\r\n\r\n", Cause::Other),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nx", Cause::Other),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n", Cause::Other),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\na b\r\n\r\n", Cause::Other),
        // The connection ends too early.
        ("", Cause::Other),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n", Cause::Other),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nx", Cause::Other),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n", Cause::Other),
        ("HTTP/1.1 103 Early\r\n\r\n", Cause::Other),
    ] {
        let error = said(answer).unwrap_err();
        assert_eq!((error.code, &error.cause), (FaultCode::NoAnswer, &cause), "{answer:?}: {error:?}");
    }
    let many: String = (0..65).map(|number| format!("x-{number}: x\r\n")).collect();
    assert_eq!(said(&format!("{OK}{many}\r\n")).unwrap_err().cause, Cause::NotHttp);
}

#[test]
fn an_answer_is_the_same_in_whatever_pieces_it_comes() {
    let answer = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 Sure\r\nTransfer-Encoding: Chunked\r\nA: 1\r\na: 2\r\n\r\n\
        3;x=y\r\nabc\r\n01 \r\nd\r\n0\r\nX-Trailer: t\r\n\r\n";
    for at in 0..answer.len() {
        let url = server(move |stream| {
            stream.set_nodelay(true).unwrap();
            stream.write_all(&answer.as_bytes()[..at]).unwrap();
            thread::sleep(Duration::from_millis(2));
            stream.write_all(&answer.as_bytes()[at..]).unwrap();
            // It stays open: the end is where the answer says.
            thread::sleep(Duration::from_secs(2));
        });
        let reply = send("GET", &url).unwrap();
        assert_eq!(
            (reply.status, reply.body.as_slice(), reply.reason.as_deref()),
            (200, b"abcd".as_slice(), Some("Sure"))
        );
        assert_eq!(reply.values("a").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(reply.trailers, [("x-trailer".to_owned(), "t".to_owned())]);
        assert_eq!((reply.early.len(), reply.early[0].status, reply.partly_sent), (1, 103, None));
    }
}

#[test]
fn sixteen_answers_may_come_before_the_answer_and_no_more() {
    let flood = |count| format!("{}{OK}content-length: 0\r\n\r\n", "HTTP/1.1 103 X\r\nx: y\r\n\r\n".repeat(count));
    assert_eq!(said(&flood(16)).unwrap().early.len(), 16);
    let error = said(&flood(17)).unwrap_err();
    assert_eq!(error.code, FaultCode::OverBounds);
    assert!(error.message.contains("more than 16 answers came before the answer"), "{}", error.message);
    assert_eq!(error.partial.unwrap().early.len(), 17, "what they claim is still read");
}

#[test]
fn an_answer_without_a_body_ends_with_its_head() {
    for (method, answer) in [
        ("HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"),
        ("HEAD", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"),
        ("GET", "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\n\r\n"),
        ("GET", "HTTP/1.1 101 Switching Protocols\r\n\r\n"),
        ("GET", "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
    ] {
        let url = server(move |stream| {
            stream.write_all(answer.as_bytes()).unwrap();
            thread::sleep(Duration::from_secs(2));
        });
        let reply = send(method, &url).unwrap();
        assert_eq!((reply.body.len(), reply.reason), (0, None), "{answer:?}");
    }
}

#[test]
fn a_body_that_ends_with_the_connection_is_read_to_its_end() {
    let url = server(|stream| {
        stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nbody").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        thread::sleep(Duration::from_secs(2));
    });
    assert_eq!(send("GET", &url).unwrap().body, b"body");
}

#[test]
fn nobody_who_listens_and_nothing_that_answers_are_told_apart() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = send("GET", &format!("http://{closed}")).unwrap_err();
    assert_eq!((error.code, error.cause), (FaultCode::Unreachable, Cause::Other));
    let silent = server(|_| thread::sleep(Duration::from_secs(3)));
    let error = send("GET", &silent).unwrap_err();
    assert_eq!((error.code, error.cause), (FaultCode::NoAnswer, Cause::TimedOut));
    assert!(error.message.contains("no complete answer came within 1.5 s"), "{}", error.message);
}

#[test]
fn a_token_has_no_address_without_tls_but_this_machine() {
    for address in ["http://registry.example", "http://10.0.0.1", "http://127.0.0.1.example", "http://2130706433"] {
        assert!(Address::parse(address).is_err(), "{address}");
    }
    let (address, token) = (Address::parse("http://127.0.0.1:1/a b").err(), BearerToken::parse("a\r\nb"));
    assert!(address.is_some() && token.is_none());
}

/// Nothing of the client's own can begin another request.
#[test]
fn a_request_with_a_line_break_in_it_is_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let client = Client::new(address, None, None, Timeouts::default()).unwrap();
    let good = Request {
        method: "GET",
        path: "/".to_owned(),
        headers: Vec::new(),
        body: Body::empty(),
        identity: Identity::Own,
    };
    for request in [
        Request { path: "/a HTTP/1.1\r\nx: y".to_owned(), ..good.clone() },
        Request { path: "/a b".to_owned(), ..good.clone() },
        Request { path: "a".to_owned(), ..good.clone() },
        Request { headers: vec![("x", "y\r\nz: z".into())], ..good.clone() },
        Request { headers: vec![("x", "y\0".into())], ..good },
    ] {
        let error = client.send(&request).unwrap_err();
        assert!(error.message.starts_with("the request cannot be written: "), "{}", error.message);
    }
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nothing was connected to");
}
