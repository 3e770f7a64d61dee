//! What the requests look like, and that the token is in none of what is shown.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    time::Duration,
};

use svc_client::{
    address::Address,
    client::{BearerToken, Client, Timeouts},
    exchange::{Body, Identity, Request, Transport as _},
};

fn client(url: &str) -> Client {
    let timeouts = Timeouts { connect: Duration::from_secs(2), exchange: Duration::from_secs(3) };
    Client::new(Address::parse(url).unwrap(), BearerToken::parse("svcr_secret"), None, timeouts).unwrap()
}

#[test]
fn the_token_is_never_shown() {
    let client = client("http://127.0.0.1:1");
    assert!(!format!("{client:?}").contains("secret"));
    let token = BearerToken::parse(" svcr_secret\n").unwrap();
    assert!(!format!("{token:?}").contains("secret"));
    for unusable in ["", "\n", "two words", "line\nbreak", "ümlaut", &"x".repeat(2000)] {
        assert!(BearerToken::parse(unusable).is_none(), "{unusable}");
    }
}

/// The head of the next request, whose sender is told that there is nothing.
fn heard(listener: &TcpListener) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").unwrap();
    let mut rest = [0; 64];
    let _ = stream.read(&mut rest);
    String::from_utf8(head).unwrap()
}

/// Everything but the version of curl: which headers there are, in which order, and how they are spelled.
#[test]
fn an_unmarked_request_is_the_one_that_curl_sends() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let of_curl = |more: &'static [&'static str], path: &str| {
        let mut curl = std::process::Command::new("curl");
        let mut curl = curl.args(["-q", "-s", "-o", "-"]).args(more).arg(format!("{url}{path}")).spawn().unwrap();
        let head = heard(&listener);
        curl.wait().unwrap();
        head
    };
    let of_ours = |method: &'static str, path: &str, headers: &[(&'static str, &'static str)], body: &'static str| {
        let headers = headers.iter().map(|(name, value)| (*name, (*value).into())).collect();
        let body = Body::Bytes(body.as_bytes().into());
        let request = Request { method, path: path.to_owned(), headers, body, identity: Identity::Own };
        let client = client(&url).as_ordinary().unwrap();
        std::thread::scope(|scope| {
            let sent = scope.spawn(move || client.send(&request).unwrap().status);
            let head = heard(&listener);
            assert_eq!(sent.join().unwrap(), 404);
            head
        })
    };
    let without_version = |head: &str| {
        let (before, after) = head.split_once("User-Agent: curl/").unwrap();
        format!("{before}{}", after.split_once("\r\n").unwrap().1)
    };
    let posted = of_curl(
        &["-H", "Content-Type: application/json", "-H", "Authorization: Bearer svcr_secret", "--data-binary", "{}"],
        "/a",
    );
    let ours = of_ours("POST", "/a", &[("content-type", "application/json")], "{}");
    assert_eq!(without_version(&ours), without_version(&posted));
    let got = of_curl(&["-H", "Authorization: Bearer svcr_secret"], "/b");
    assert_eq!(without_version(&of_ours("GET", "/b", &[], "")), without_version(&got));
    let asked = of_curl(&["--head", "-H", "Authorization: Bearer svcr_secret"], "/c");
    assert_eq!(without_version(&of_ours("HEAD", "/c", &[], "")), without_version(&asked));
    assert!(!ours.to_lowercase().contains("svc-probe") && !ours.contains("svc/"), "{ours}");
}
