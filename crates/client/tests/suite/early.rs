//! Answers that come before the request was sent to its end: a server may refuse a body by its length and close.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    process::Command,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use svc_client::{
    address::Address,
    client::{Client, Timeouts},
    exchange::{Body, Cause, CertificateFault, Identity, Reply, Request, Transport as _, TransportError},
};
use svc_core::verification::FaultCode;

const BODY_BYTES: usize = 16 * 1024 * 1024;
const REFUSAL: &str = r#"{"error":"request entity too large"}"#;

/// How much of the request a server reads before it answers.
#[derive(Clone, Copy, Debug)]
enum Reads {
    Nothing,
    Head,
    SomeOfTheBody,
}

/// What it does after its answer.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Closes with the rest unread, so that the connection is reset.
    Close,
    /// Says that it writes no more, and closes a moment later.
    HalfClose,
    /// Keeps the connection and reads nothing more.
    Stay,
}

fn answer(stream: &mut (impl Read + Write), reads: Reads, with_length: bool) {
    let wanted = match reads {
        Reads::Nothing => 1,
        Reads::Head => 200,
        Reads::SomeOfTheBody => 128 * 1024,
    };
    let (mut buffer, mut read) = (vec![0; 16 * 1024], 0);
    while read < wanted {
        let limit = buffer.len().min(wanted - read);
        match stream.read(&mut buffer[..limit]) {
            Ok(0) | Err(_) => return,
            Ok(count) => read += count,
        }
    }
    let length = if with_length { format!("Content-Length: {}\r\n", REFUSAL.len()) } else { String::new() };
    let head = format!("HTTP/1.1 413 Payload Too Large\r\nContent-Type: application/json; charset=utf-8\r\n{length}");
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{REFUSAL}").as_bytes());
    let _ = stream.flush();
}

fn end(stream: &TcpStream, then: Then) {
    match then {
        Then::Close => {}
        Then::HalfClose => {
            let _ = stream.shutdown(Shutdown::Write);
            thread::sleep(Duration::from_millis(50));
        }
        Then::Stay => thread::sleep(Duration::from_secs(3)),
    }
}

fn client(address: &str, authority: Option<&[u8]>) -> Client {
    let timeouts = Timeouts { connect: Duration::from_secs(5), exchange: Duration::from_secs(10) };
    Client::new(Address::parse(address).unwrap(), None, authority, timeouts).unwrap()
}

fn request() -> Request {
    Request {
        method: "POST",
        path: "/api/sdk/registry/acceptance-requests".to_owned(),
        headers: vec![("content-type", "application/json".into())],
        body: Body::Padded(b"{}".as_slice().into(), BODY_BYTES),
        identity: Identity::Own,
    }
}

fn post(address: &str, authority: Option<&[u8]>) -> Result<Reply, TransportError> {
    client(address, authority).send(&request())
}

fn is_early_refusal(sent: Result<Reply, TransportError>, context: &str) {
    let reply = sent.unwrap_or_else(|error| panic!("{context}: {error:?}"));
    assert_eq!((reply.status, reply.body.as_slice()), (413, REFUSAL.as_bytes()), "{context}");
    let partly = reply.partly_sent.unwrap_or_else(|| panic!("{context}: it says that the whole body was sent"));
    assert!(partly.sent < BODY_BYTES && partly.of == BODY_BYTES, "{context}: {partly:?}");
}

#[test]
fn an_answer_is_read_although_the_server_closed_before_it_read_the_body() {
    for reads in [Reads::Nothing, Reads::Head, Reads::SomeOfTheBody] {
        for then in [Then::Close, Then::HalfClose, Then::Stay] {
            for with_length in [true, false] {
                // A server that stays says nothing of where its answer ends.
                if matches!(then, Then::Stay) && !with_length {
                    continue;
                }
                let listener = TcpListener::bind("127.0.0.1:0").unwrap();
                let address = format!("http://{}", listener.local_addr().unwrap());
                thread::spawn(move || {
                    for mut stream in listener.incoming().flatten() {
                        thread::spawn(move || {
                            answer(&mut stream, reads, with_length);
                            end(&stream, then);
                        });
                    }
                });
                let runs = if matches!(then, Then::Close) { 12 } else { 1 };
                for run in 0..runs {
                    is_early_refusal(post(&address, None), &format!("{reads:?} {then:?} {with_length} {run}"));
                }
            }
        }
    }
}

/// A certificate for 127.0.0.1, and what a server needs to show it. Where openssl is missing there is nothing to test with.
fn certificate() -> Option<(Vec<u8>, Arc<ServerConfig>)> {
    let folder = tempfile::tempdir().unwrap();
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder.path()).args(["req", "-x509", "-newkey", "ec", "-pkeyopt"]);
    openssl.args(["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost"]);
    openssl.args(["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.args(["-keyout", "tls.key", "-out", "tls.pem"]);
    let made = openssl.output().ok()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let pem = std::fs::read(folder.path().join("tls.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&std::fs::read(folder.path().join("tls.key")).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let certificate = CertificateDer::from_pem_slice(&pem).unwrap();
    let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    Some((pem, Arc::new(config)))
}

/// The port of a server with TLS that does this with each connection, and ends TLS only where it is told to.
fn tls_server(
    config: &Arc<ServerConfig>,
    answer: impl Fn(&mut StreamOwned<ServerConnection, TcpStream>) -> bool + Send + 'static,
) -> u16 {
    let (listener, config) = (TcpListener::bind("127.0.0.1:0").unwrap(), Arc::clone(config));
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Otherwise the answer may wait for an acknowledgement, and is lost when the connection is closed meanwhile.
            stream.set_nodelay(true).unwrap();
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            if answer(&mut stream) {
                stream.conn.send_close_notify();
            }
            let _ = stream.flush();
        }
    });
    port
}

#[test]
fn an_early_answer_is_read_over_tls_too() {
    let Some((pem, config)) = certificate() else { return };
    for reads in [Reads::Head, Reads::SomeOfTheBody] {
        for with_length in [true, false] {
            let port = tls_server(&config, move |stream| {
                answer(stream, reads, with_length);
                true
            });
            for run in 0..4 {
                let sent = post(&format!("https://127.0.0.1:{port}"), Some(&pem));
                is_early_refusal(sent, &format!("{reads:?} {with_length} {run}"));
            }
        }
    }
}

#[test]
fn nothing_is_sent_to_a_server_with_another_name_or_of_another_issuer() {
    let Some((pem, config)) = certificate() else { return };
    let (sender, heard) = mpsc::channel();
    let port = tls_server(&config, move |stream| {
        let _ = sender.send(stream.read(&mut [0; 1]).is_ok_and(|count| count > 0));
        true
    });
    let cause = |host: &str, authority| {
        let error = post(&format!("https://{host}:{port}"), authority).unwrap_err();
        assert_eq!(error.code, FaultCode::Unreachable);
        assert!(error.message.starts_with("TLS: invalid peer certificate"), "{}", error.message);
        assert!(!heard.recv().unwrap(), "{host}");
        error.cause
    };
    let other = CertificateFault::OtherName { asked: "localhost".to_owned(), has: vec!["127.0.0.1".to_owned()] };
    let found = cause("localhost", Some(pem.as_slice()));
    assert!(
        matches!(&found, Cause::Certificate(fault) if matches!(fault, CertificateFault::OtherName { .. })),
        "{found:?}, {other:?}"
    );
    let stranger = certificate().unwrap().0;
    assert_eq!(cause("127.0.0.1", Some(stranger.as_slice())), Cause::Certificate(CertificateFault::UnknownIssuer));
    let bare = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", bare.local_addr().unwrap());
    thread::spawn(move || bare.accept().unwrap().0.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    assert_eq!(post(&address, Some(&pem)).unwrap_err().cause, Cause::Handshake);
}

/// Whoever cuts a connection with TLS must not pass off a part of an answer as all of it.
#[test]
fn an_answer_that_is_cut_within_tls_is_not_whole() {
    let Some((pem, config)) = certificate() else { return };
    for ends_tls in [true, false] {
        let port = tls_server(&config, move |stream| {
            let mut head = [0; 64 * 1024];
            while stream.read(&mut head).is_ok_and(|count| !head[..count].ends_with(b"\r\n\r\n")) {}
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\na part").unwrap();
            ends_tls
        });
        let client = client(&format!("https://127.0.0.1:{port}"), Some(&pem));
        let sent = client.send(&Request { method: "GET", body: Body::empty(), ..request() });
        assert_eq!(sent.map(|reply| reply.body).ok(), ends_tls.then(|| b"a part".to_vec()));
    }
}

#[test]
fn a_server_that_closes_without_an_answer_is_named_with_what_was_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 64]);
        }
    });
    let error = post(&address, None).unwrap_err();
    assert_eq!(error.code, FaultCode::NoAnswer);
    let end = format!(" of {BODY_BYTES} bytes of the request body, and no answer came: ");
    assert!(error.message.contains(&end), "{}", error.message);
}
