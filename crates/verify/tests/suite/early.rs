//! Answers that come before the request was sent to its end: a server may refuse a body by its length and close.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    process::Command,
    sync::Arc,
    thread,
    time::Duration,
};

use bytes::Bytes;
use svc_core::verification::FaultCode;
use svc_verify::{
    client::{Address, Client, Timeouts},
    exchange::{Body, Identity, Reply, Request, Transport as _, TransportError},
};
use tokio_rustls::rustls::{
    self, ServerConfig, ServerConnection, StreamOwned,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

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

fn post(address: &str, authority: Option<&[u8]>) -> Result<Reply, TransportError> {
    let timeouts = Timeouts { connect: Duration::from_secs(5), exchange: Duration::from_secs(10) };
    let client = Client::new(Address::parse(address).unwrap(), None, authority, timeouts).unwrap();
    client.send(&Request {
        method: "POST",
        path: "/api/sdk/registry/acceptance-requests".to_owned(),
        headers: vec![("content-type", "application/json".into())],
        body: Body::Padded(Bytes::from_static(b"{}"), BODY_BYTES),
        identity: Identity::Own,
    })
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

#[test]
fn an_early_answer_is_read_over_tls_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut openssl = Command::new("openssl");
    openssl.current_dir(folder.path()).args(["req", "-x509", "-newkey", "ec", "-pkeyopt"]);
    openssl.args(["ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost"]);
    openssl.args(["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]);
    openssl.args(["-keyout", "tls.key", "-out", "tls.pem"]);
    // Where openssl is missing there is nothing to test with.
    let Ok(made) = openssl.output() else { return };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let pem = std::fs::read(folder.path().join("tls.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&std::fs::read(folder.path().join("tls.key")).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let certificate = CertificateDer::from_pem_slice(&pem).unwrap();
    let config = Arc::new(config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    for reads in [Reads::Head, Reads::SomeOfTheBody] {
        for with_length in [true, false] {
            let (listener, config) = (TcpListener::bind("127.0.0.1:0").unwrap(), Arc::clone(&config));
            let address = format!("https://{}", listener.local_addr().unwrap());
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                    let mut stream = StreamOwned::new(connection, stream);
                    answer(&mut stream, reads, with_length);
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                }
            });
            for run in 0..4 {
                is_early_refusal(post(&address, Some(&pem)), &format!("{reads:?} {with_length} {run}"));
            }
        }
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
