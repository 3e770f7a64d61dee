//! Payloads that are missing or do not hold stop the run before the first request.

use std::{fs, net::TcpListener};

use crate::{PAYLOADS, hosted, make_bundle};

/// A listener that nobody is to connect to.
fn nobody() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    (listener, address)
}

#[test]
fn each_payload_that_is_missing_is_named_and_nothing_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    let (listener, address) = nobody();
    for payload in PAYLOADS {
        let path = folder.path().join("bundle").join(payload);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let run = hosted(folder.path(), &address, &[]).exits(1);
        assert!(run.stderr.contains(&format!("error[SVC-B011]: `{payload}` is missing")), "{}", run.stderr);
        fs::write(&path, bytes).unwrap();
    }
    assert!(listener.accept().is_err());
}

#[test]
fn a_payload_that_does_not_hold_is_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "weather-board");
    let (listener, address) = nobody();
    let path = folder.path().join("bundle/svc-registry-acceptance-request.json");
    for (attack, exit) in
        [("document-digest-changed", 4), ("accepted-true", 7), ("truncated", 1), ("owner-drift-resealed", 4)]
    {
        fs::write(&path, svc_testkit::kit::case("acceptance-request", attack)).unwrap();
        hosted(folder.path(), &address, &[]).exits(exit);
    }
    assert!(listener.accept().is_err());
}
