//! HTTPS with a certificate made for the test. Where `openssl` or `curl` is missing there is nothing to test with.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use svc_core::words::limits;
use svc_server::{
    door::Setup,
    http::{
        serve::ServeOptions,
        tls::{CertificateStore, TlsAcceptor},
    },
};

use crate::{
    kit::{ENDPOINTS, assert_closed, valid},
    wire::{Client, Server, request},
};

fn acceptor(certificate: &Path, key: &Path) -> io::Result<TlsAcceptor> {
    CertificateStore::open(certificate.to_owned(), key.to_owned())?.acceptor()
}

fn run(program: &str, arguments: &[&str]) -> Option<Output> {
    Command::new(program).args(arguments).output().ok()
}

/// A certificate for `localhost` and its key.
fn certificate(folder: &Path, name: &str) -> Option<(PathBuf, PathBuf)> {
    let (certificate, key) = (folder.join(format!("{name}.pem")), folder.join(format!("{name}.key")));
    let made = run(
        "openssl",
        &[
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-keyout",
            key.to_str().unwrap(),
            "-out",
            certificate.to_str().unwrap(),
        ],
    )?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some((certificate, key))
}

/// There is one protocol for pages too: whoever offers another gets HTTP/1.1, and whoever speaks it unasked gets nothing.
#[test]
fn a_page_over_https_is_the_one_over_http_and_never_http_2() {
    let folder = tempfile::tempdir().unwrap();
    let Some((certificate, key)) = certificate(folder.path(), "own") else { return };
    let tls = Some(acceptor(&certificate, &key).unwrap());
    let setup = || Setup { has_console: true, ..Setup::default() };
    let server = Server::start(setup(), ServeOptions { tls, ..ServeOptions::default() });
    let url = format!("https://localhost:{}/console/rules", server.address.port());
    let arguments =
        ["-sS", "--max-time", "20", "--http2", "--compressed", "-i", "--cacert", certificate.to_str().unwrap(), &url];
    let Some(answer) = run("curl", &arguments) else { return };
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let answer = String::from_utf8(answer.stdout).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 ") && head.contains("trusted-types 'none'"), "{head}");
    let plain = Server::start(setup(), ServeOptions::default());
    let over_http = Client::connect(plain.address).send(&request("GET", "/console/rules", &[], b"")).reply().unwrap();
    assert_eq!(body.as_bytes(), over_http.body);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let reply = Client::connect(plain.address).send(preface).end().reply();
    assert!(reply.is_none_or(|reply| reply.status == 400 || reply.status == 505));
}

#[test]
fn an_artifact_posted_over_https_is_denied_as_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let Some((certificate, key)) = certificate(folder.path(), "own") else { return };
    let tls = Some(acceptor(&certificate, &key).unwrap());
    let server = Server::start(Setup::default(), ServeOptions { tls, ..ServeOptions::default() });
    let (kind, path) = ENDPOINTS[1];
    let document = folder.path().join("document.json");
    fs::write(&document, valid(kind)).unwrap();
    let url = format!("https://localhost:{}{path}", server.address.port());
    let data = format!("@{}", document.display());
    let arguments = ["-sS", "--max-time", "20", "-H", "Content-Type: application/json", "--data-binary", &data, &url];
    let trusted = [&["--cacert", certificate.to_str().unwrap()][..], &arguments[..]].concat();
    let Some(answer) = run("curl", &trusted) else { return };
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    assert_closed(200, &answer.stdout, path);
    let stranger = run("curl", &arguments).unwrap();
    assert!(!stranger.status.success(), "a certificate of nobody was taken");
    let mut plain = Client::connect(server.address);
    let reply = plain.send(&request("GET", "/livez", &[], b"")).end();
    assert!(!reply.speaks_http(), "a plain client was answered on the TLS port");
}

#[test]
fn handshakes_that_never_end_keep_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let Some((certificate, key)) = certificate(folder.path(), "own") else { return };
    let tls = Some(acceptor(&certificate, &key).unwrap());
    let server = Server::start(Setup::default(), ServeOptions { tls, ..ServeOptions::default() });
    let url = format!("https://localhost:{}/livez", server.address.port());
    // More than one address may have: each sends the start of a greeting.
    let silent: Vec<Client> = (0..limits::CONNECTIONS_PER_ADDRESS + 200)
        .map(|_| {
            let mut client = Client::connect(server.address);
            client.send(&[22, 3, 1, 2, 0, 1, 0]);
            client
        })
        .collect();
    let arguments = ["-sS", "--max-time", "5", "--cacert", certificate.to_str().unwrap(), &url];
    let started = Instant::now();
    let Some(answer) = run("curl", &arguments) else { return };
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    assert_eq!(String::from_utf8_lossy(&answer.stdout), "{\"live\": true}\n", "{answer:?}");
    drop(silent);
}

#[test]
fn files_that_do_not_fit_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let Some((one, one_key)) = certificate(folder.path(), "one") else { return };
    let Some((_, other_key)) = certificate(folder.path(), "other") else { return };
    let empty = folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    assert!(acceptor(&one, &one_key).is_ok());
    for (certificate, key) in [
        (&one, &other_key),
        (&one_key, &one),
        (&empty, &one_key),
        (&one, &empty),
        (&folder.path().join("none"), &one_key),
    ] {
        let Err(error) = acceptor(certificate, key) else { panic!("{certificate:?} with {key:?}") };
        assert!(!error.to_string().is_empty());
        assert!(!error.to_string().contains("PRIVATE"), "{error}");
    }
}

/// The certificate that a client is shown, in PEM.
fn shown(server: &Server) -> Option<String> {
    let address = server.address.to_string();
    let mut client = Command::new("openssl");
    client.args(["s_client", "-connect", &address, "-servername", "localhost"]).stdin(Stdio::null());
    let said = String::from_utf8_lossy(&client.output().ok()?.stdout).into_owned();
    let from = said.find("-----BEGIN CERTIFICATE-----")?;
    Some(said[from..said.find("-----END CERTIFICATE-----")?].to_owned())
}

#[test]
fn a_pair_is_replaced_while_the_service_runs_and_a_wrong_one_never_is() {
    let folder = tempfile::tempdir().unwrap();
    let Some((certificate, key)) = certificate(folder.path(), "own") else { return };
    let Some((next, next_key)) = self::certificate(folder.path(), "next") else { return };
    let store = CertificateStore::open(certificate.clone(), key.clone()).unwrap();
    let facts = store.facts();
    assert_eq!(facts.names, ["localhost", "127.0.0.1"]);
    assert_eq!(facts.ends - facts.begins, 2 * 24 * 3600);
    let tls = Some(store.acceptor().unwrap());
    let server = Server::start(Setup::default(), ServeOptions { tls, ..ServeOptions::default() });
    let first = shown(&server).unwrap();
    let whole = fs::read_to_string(&next).unwrap();
    assert!(fs::read_to_string(&certificate).unwrap().contains(first.trim_end()));
    let ended = folder.path().join("ended.pem");
    let arguments = ["x509", "-in", next.to_str().unwrap(), "-signkey", next_key.to_str().unwrap(), "-days", "-1"];
    let made = run("openssl", &[&arguments[..], &["-out", ended.to_str().unwrap()]].concat()).unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    // Half of a file, nothing, no PEM, an end in the past, a certificate that waits for its key, and a file that is gone.
    for text in ["", "nothing", &whole[..whole.len() / 2], &fs::read_to_string(&ended).unwrap(), &whole] {
        fs::write(&certificate, text).unwrap();
        store.refresh();
        assert_eq!(shown(&server).as_ref(), Some(&first), "{text}");
    }
    fs::remove_file(&certificate).unwrap();
    store.refresh();
    assert_eq!(shown(&server).as_ref(), Some(&first));
    fs::copy(&next, &certificate).unwrap();
    fs::copy(&next_key, &key).unwrap();
    store.refresh();
    let second = shown(&server).unwrap();
    assert!(second != first && whole.contains(second.trim_end()));
    assert!(CertificateStore::open(ended.clone(), next_key).unwrap_err().to_string().contains("has ended"));
}
