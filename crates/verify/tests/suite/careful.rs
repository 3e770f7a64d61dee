//! What the client does not do, whatever a registry asks for.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::OnceLock,
};

use bytes::Bytes;
use svc_core::{verification::FaultCode, words::exit_code::ExitCode};
use svc_verify::exchange::{Body, Identity, Request, Transport as _};

use crate::{
    liar::Liar,
    lie::{IMPATIENT, PLAN, client, on_record, set_header},
};

#[test]
fn a_redirect_is_not_followed_and_the_token_stays_at_home() {
    static ELSEWHERE: OnceLock<String> = OnceLock::new();
    let other = Liar::start(|_, _| {});
    ELSEWHERE.set(other.url()).unwrap();
    let liar = Liar::start(|asked, said| {
        said.status = 307;
        set_header(said, "location", Some(&format!("{}{}", ELSEWHERE.get().unwrap(), asked.path)));
    });
    let client = client(&liar.url(), Some("svcr_secret"));
    let verification = PLAN.verify(&client, &liar.url(), IMPATIENT, None, &mut |_| {});
    assert_eq!(verification.exit_code(), ExitCode::Findings);
    assert!(verification.faults().any(|(_, fault)| fault.code == FaultCode::Redirected));
    assert_eq!(other.requests(), 0);
    assert!(liar.tokens().iter().all(|token| token == "Bearer svcr_secret"), "{:?}", liar.tokens());
}

#[test]
fn with_a_token_a_stranger_is_tried_too_and_must_be_refused() {
    let liar = Liar::start(|_, _| {});
    let verification =
        on_record(PLAN.verify(&client(&liar.url(), Some("svcr_secret")), &liar.url(), IMPATIENT, None, &mut |_| {}));
    assert_eq!(verification.checks.len(), svc_verify::hosted::CHECKS + svc_verify::hosted::KIT_CHECKS + 1);
    let failed: Vec<_> = verification.faults().map(|(check, fault)| (check.name.as_str(), fault.code)).collect();
    assert_eq!(failed, [("without the token", FaultCode::WrongStatus)]);
}

#[test]
fn no_variable_of_the_environment_sends_it_elsewhere() {
    // Whoever connects here was led astray by a proxy variable, which other tests of this process would see as well.
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let program = std::env::current_exe().unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut again = std::process::Command::new(program);
    again.args(["--exact", "honest::the_honest_registry_is_closed_as_declared"]);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        again.env(name, &address);
    }
    let output = again.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    assert!(proxy.accept().is_err());
}

#[test]
fn the_token_is_never_shown() {
    let client = client("http://127.0.0.1:1", Some("svcr_secret"));
    assert!(!format!("{client:?}").contains("secret"));
    let token = svc_verify::client::BearerToken::parse(" svcr_secret\n").unwrap();
    assert!(!format!("{token:?}").contains("secret"));
    for unusable in ["", "\n", "two words", "line\nbreak", "ümlaut", &"x".repeat(2000)] {
        assert!(svc_verify::client::BearerToken::parse(unusable).is_none(), "{unusable}");
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
        let body = Body::Bytes(Bytes::from_static(body.as_bytes()));
        let request = Request { method, path: path.to_owned(), headers, body, identity: Identity::Own };
        let client = client(&url, Some("svcr_secret")).as_ordinary().unwrap();
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
