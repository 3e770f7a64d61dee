//! Raw HTTP that no client should send: it is refused or the connection ends, and everyone else goes on.

use std::time::Duration;

use crate::{
    campaign::{self, Record},
    kit::{ENDPOINTS, assert_closed, valid},
    wire::{Client, GoodClient, Reply, Server, request},
};

const PATH: &str = "/api/sdk/registry/acceptance-requests";

/// One abuse: its name, its bytes, and the statuses that may come of it; 0 is a connection that just ends.
struct Abuse {
    name: String,
    bytes: Vec<u8>,
    may_be: &'static [u16],
}

const REFUSED_BELOW: &[u16] = &[400, 0];

fn abuse(name: impl Into<String>, bytes: impl Into<Vec<u8>>, may_be: &'static [u16]) -> Abuse {
    Abuse { name: name.into(), bytes: bytes.into(), may_be }
}

/// A POST of a good document whose head has these lines more, and this framing instead of its own.
fn framed(lines: &[&str], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("POST {PATH} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n").into_bytes();
    lines.iter().for_each(|line| bytes.extend(format!("{line}\r\n").into_bytes()));
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

fn chunked(body: &[u8]) -> Vec<u8> {
    framed(&["Transfer-Encoding: chunked"], body)
}

/// Two ways to tell where a body ends, or one that tells nothing.
fn smuggling() -> Vec<Abuse> {
    let hidden = b"0\r\n\r\nGET /livez HTTP/1.1\r\nHost: h\r\n\r\n";
    let mut abuses = Vec::new();
    for (name, lines) in [
        ("length and chunked", &["Content-Length: 5", "Transfer-Encoding: chunked"][..]),
        ("chunked and length", &["Transfer-Encoding: chunked", "Content-Length: 5"]),
        ("two lengths that differ", &["Content-Length: 5", "Content-Length: 6"]),
        ("two lengths in one line", &["Content-Length: 5, 6"]),
        ("length with a plus", &["Content-Length: +5"]),
        ("length below zero", &["Content-Length: -5"]),
        ("length in hexadecimal", &["Content-Length: 0x5"]),
        ("length with a fraction", &["Content-Length: 5.0"]),
        ("length with an exponent", &["Content-Length: 5e0"]),
        ("length of a word", &["Content-Length: five"]),
        ("empty length", &["Content-Length:"]),
        ("length with a blank inside", &["Content-Length: 5 0"]),
        ("length beyond 64 bits", &["Content-Length: 18446744073709551616"]),
        ("length beyond everything", &["Content-Length: 99999999999999999999999999999999"]),
        ("length in other digits", &["Content-Length: \u{665}"]),
        ("blank before the colon", &["Content-Length : 5"]),
        ("tab before the colon", &["Content-Length\t: 5"]),
        ("encoding chunked twice", &["Transfer-Encoding: chunked, chunked"]),
        ("encoding identity", &["Transfer-Encoding: identity", "Content-Length: 5"]),
        ("encoding gzip", &["Transfer-Encoding: gzip"]),
        ("encoding gzip last", &["Transfer-Encoding: chunked, gzip"]),
        ("encoding misspelt", &["Transfer-Encoding: xchunked"]),
        ("encoding in quotes", &["Transfer-Encoding: \"chunked\""]),
        ("empty encoding", &["Transfer-Encoding:"]),
        ("encoding with a vertical tab", &["Transfer-Encoding: \x0bchunked"]),
        ("encoding folded", &["Transfer-Encoding:", " chunked"]),
        ("length folded", &["Content-Length:", " 5"]),
    ] {
        abuses.push(abuse(name, framed(lines, hidden), &[400, 422, 411, 501, 0]));
    }
    abuses
}

fn chunks() -> Vec<Abuse> {
    let good = valid("acceptance-request");
    let sized = |size: &str| {
        let mut bytes = format!("{size}\r\n").into_bytes();
        bytes.extend_from_slice(&good);
        bytes.extend_from_slice(b"\r\n0\r\n\r\n");
        chunked(&bytes)
    };
    let mut abuses = Vec::new();
    for size in [
        "",
        "-1",
        "+5",
        "0x5",
        "g",
        "5 5",
        " 5",
        "ffffffffffffffff",
        "fffffffffffffffff",
        "7fffffffffffffff",
        "99999999999999999999",
        "5\0",
        "5;\0",
        "5;a=\x01",
        "\u{665}",
        "5\n",
    ] {
        abuses.push(abuse(format!("chunk size {size:?}"), sized(size), &[400, 413, 422, 0]));
    }
    abuses.push(abuse("chunk extension of a megabyte", sized(&format!("5;{}", "a".repeat(1 << 20))), &[400, 413, 0]));
    abuses.push(abuse("chunk shorter than it says", chunked(b"9\r\n{}\r\n0\r\n\r\n"), &[400, 0]));
    abuses.push(abuse("chunk longer than it says", chunked(b"1\r\n{}\r\n0\r\n\r\n"), &[400, 0]));
    abuses.push(abuse("chunks without an end", chunked(b"2\r\n{}\r\n"), &[400, 0]));
    abuses.push(abuse("chunk ended by a bare LF", chunked(b"2\n{}\n0\n\n"), &[400, 422, 0]));
    let trailers = format!("2\r\n{{}}\r\n0\r\n{}\r\n", "A: b\r\n".repeat(5000));
    abuses.push(abuse("five thousand trailers", chunked(trailers.as_bytes()), &[400, 422, 0]));
    abuses.push(abuse("a trailer that frames", chunked(b"2\r\n{}\r\n0\r\nContent-Length: 99\r\n\r\n"), &[400, 422, 0]));
    let ones: Vec<u8> = good.iter().flat_map(|byte| [b"1\r\n".as_slice(), &[*byte], b"\r\n"].concat()).collect();
    abuses.push(abuse("one byte a chunk", chunked(&[&ones[..], b"0\r\n\r\n"].concat()), &[200]));
    let huge = [b"500000\r\n".as_slice(), &vec![b' '; 0x0050_0000], b"\r\n0\r\n\r\n"].concat();
    abuses.push(abuse("five megabytes in a chunk", chunked(&huge), &[413]));
    abuses
}

fn heads() -> Vec<Abuse> {
    let get = |rest: &str| format!("GET {rest}");
    let mut abuses = vec![
        abuse("nothing", "", &[0]),
        abuse("an empty line", "\r\n", &[0, 400]),
        abuse("a thousand empty lines", "\r\n".repeat(1000), REFUSED_BELOW),
        abuse("half a request line", "POST /api", REFUSED_BELOW),
        abuse("half a head", format!("POST {PATH} HTTP/1.1\r\nHost: h\r\nContent-Ty"), REFUSED_BELOW),
        abuse("a head without an end", format!("POST {PATH} HTTP/1.1\r\nHost: h\r\n"), REFUSED_BELOW),
        abuse("HTTP/0.9", "GET /livez\r\n", REFUSED_BELOW),
        abuse("HTTP/0.9 with a bare LF", "GET /livez\n", REFUSED_BELOW),
        abuse("HTTP/1.2", get("/livez HTTP/1.2\r\nHost: h\r\n\r\n"), &[400, 505, 0]),
        abuse("HTTP/2.0 by word", get("/livez HTTP/2.0\r\nHost: h\r\n\r\n"), &[400, 505, 0]),
        abuse("HTTP/9.9", get("/livez HTTP/9.9\r\nHost: h\r\n\r\n"), &[400, 505, 0]),
        abuse("http in small letters", get("/livez http/1.1\r\nHost: h\r\n\r\n"), REFUSED_BELOW),
        abuse("no version number", get("/livez HTTP/\r\nHost: h\r\n\r\n"), REFUSED_BELOW),
        abuse("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", &[400, 505, 0]),
        abuse(
            "upgrade to HTTP/2",
            get(
                "/livez HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
            ),
            &[200],
        ),
        abuse(
            "upgrade to a web socket",
            get(
                "/livez HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            ),
            &[200],
        ),
        abuse("TLS on a plain port", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(), REFUSED_BELOW),
        abuse("zeros", vec![0; 4096], REFUSED_BELOW),
        abuse("all ones", vec![0xff; 4096], REFUSED_BELOW),
        abuse("an SSH client", "SSH-2.0-OpenSSH_9.6\r\n", REFUSED_BELOW),
        abuse("no Host", get("/livez HTTP/1.1\r\n\r\n"), &[400]),
        abuse("no Host in HTTP/1.0", get("/livez HTTP/1.0\r\n\r\n"), &[400]),
        abuse("two Hosts", get("/livez HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"), &[400]),
        abuse("two Hosts that differ", get("/livez HTTP/1.1\r\nHost: h\r\nHost: other\r\n\r\n"), &[400]),
        abuse("blank before the first header", get("/livez HTTP/1.1\r\n Host: h\r\n\r\n"), REFUSED_BELOW),
        abuse("a folded header", get("/livez HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n"), REFUSED_BELOW),
        abuse("a header without a colon", get("/livez HTTP/1.1\r\nHost: h\r\nnothing\r\n\r\n"), REFUSED_BELOW),
        abuse("a header without a name", get("/livez HTTP/1.1\r\nHost: h\r\n: value\r\n\r\n"), REFUSED_BELOW),
        abuse("NUL in a header", get("/livez HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n"), REFUSED_BELOW),
        abuse("NUL in a header's name", get("/livez HTTP/1.1\r\nHost: h\r\nX\0: a\r\n\r\n"), REFUSED_BELOW),
        abuse("CR in a header", get("/livez HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n"), REFUSED_BELOW),
        abuse("a control in a header", get("/livez HTTP/1.1\r\nHost: h\r\nX: a\x07b\r\n\r\n"), REFUSED_BELOW),
        abuse("a name in other letters", get("/livez HTTP/1.1\r\nHost: h\r\nX\u{e9}: a\r\n\r\n"), REFUSED_BELOW),
        abuse("a name with a bracket", get("/livez HTTP/1.1\r\nHost: h\r\nX(: a\r\n\r\n"), REFUSED_BELOW),
        abuse("a value in other letters", get("/livez HTTP/1.1\r\nHost: h\r\nX: \u{e9}\r\n\r\n"), &[200]),
        abuse("NUL in the path", get("/livez\0 HTTP/1.1\r\nHost: h\r\n\r\n"), REFUSED_BELOW),
        abuse("blanks around the path", "GET  /livez  HTTP/1.1\r\nHost: h\r\n\r\n", REFUSED_BELOW),
        abuse("tabs for blanks", "GET\t/livez\tHTTP/1.1\r\nHost: h\r\n\r\n", REFUSED_BELOW),
        abuse("blank before the method", " GET /livez HTTP/1.1\r\nHost: h\r\n\r\n", REFUSED_BELOW),
        abuse("no path", "GET HTTP/1.1\r\nHost: h\r\n\r\n", REFUSED_BELOW),
        abuse("a method with a bracket", "GE(T /livez HTTP/1.1\r\nHost: h\r\n\r\n", REFUSED_BELOW),
        abuse(
            "a method of ten thousand",
            format!("{} /livez HTTP/1.1\r\nHost: h\r\n\r\n", "A".repeat(10_000)),
            &[400, 405, 0],
        ),
        abuse("bare LF in the head", get("/livez HTTP/1.1\nHost: h\n\n"), &[200, 400, 0]),
        abuse("bare CR in the head", get("/livez HTTP/1.1\rHost: h\r\r"), REFUSED_BELOW),
    ];
    for count in [101, 1000, 10_000] {
        let flood = format!("/livez HTTP/1.1\r\nHost: h\r\n{}\r\n", "X: a\r\n".repeat(count));
        abuses.push(abuse(format!("{count} headers"), get(&flood), &[400, 431, 0]));
    }
    for size in [17 * 1024, 100 * 1024, 1 << 20] {
        let value = format!("/livez HTTP/1.1\r\nHost: h\r\nX: {}\r\n\r\n", "a".repeat(size));
        abuses.push(abuse(format!("a header of {size}"), get(&value), &[400, 431, 0]));
        let name = format!("/livez HTTP/1.1\r\nHost: h\r\n{}: a\r\n\r\n", "a".repeat(size));
        abuses.push(abuse(format!("a name of {size}"), get(&name), &[400, 431, 0]));
        let line = format!("/{} HTTP/1.1\r\nHost: h\r\n\r\n", "a".repeat(size));
        abuses.push(abuse(format!("a path of {size}"), get(&line), &[400, 404, 414, 431, 0]));
    }
    abuses
}

fn targets() -> Vec<Abuse> {
    let good = valid("acceptance-request");
    let to = |method: &str, target: &str| request(method, target, &[], &good);
    let mut abuses = Vec::new();
    let missing: &[u16] = &[404];
    for target in [
        format!("{PATH}?x=1"),
        format!("{PATH}?"),
        format!("{PATH}/"),
        format!("/{PATH}"),
        format!("{PATH}//"),
        format!("{PATH}%2f"),
        format!("{PATH}%00"),
        format!("{PATH}%20"),
        format!("{PATH};x"),
        "/api/sdk/registry/%61cceptance-requests".to_owned(),
        "/api/sdk/registry/%2e/acceptance-requests".to_owned(),
        "/api/sdk/registry/x/%2e%2e/acceptance-requests".to_owned(),
        "/api/sdk/registry/../registry/acceptance-requests".to_owned(),
        "/api/sdk/registry/./acceptance-requests".to_owned(),
        "/api/sdk//registry/acceptance-requests".to_owned(),
        "/api\\sdk\\registry\\acceptance-requests".to_owned(),
        "/API/sdk/registry/acceptance-requests".to_owned(),
        format!("http://registry.example{PATH}"),
        format!("http://elsewhere.example{PATH}"),
        format!("https://registry.example{PATH}"),
        format!("http://user:secret@registry.example{PATH}"),
    ] {
        abuses.push(abuse(format!("POST {target}"), to("POST", &target), &[404, 400]));
    }
    abuses.push(abuse("a fragment", to("POST", &format!("{PATH}#x")), &[404, 400, 200]));
    abuses.push(abuse("no slash", to("POST", "api/sdk/registry/acceptance-requests"), &[404, 400, 0]));
    abuses.push(abuse("a star", to("POST", "*"), &[404, 400]));
    abuses.push(abuse("options of everything", request("OPTIONS", "*", &[], b""), missing));
    abuses.push(abuse("connect", request("CONNECT", "elsewhere.example:443", &[], b""), &[404, 400, 0]));
    abuses.push(abuse("connect to a path", request("CONNECT", PATH, &[], b""), &[404, 400, 405, 0]));
    for method in ["post", "Post", "TRACE", "OPTIONS", "PUT", "DELETE", "PATCH", "GET", "PROPFIND", "ACCEPT", "INSTALL"]
    {
        abuses.push(abuse(format!("{method} at an endpoint"), request(method, PATH, &[], b""), &[405]));
    }
    let overridden = ["X-HTTP-Method-Override: POST", "X-HTTP-Method: POST", "X-Method-Override: POST"];
    abuses.push(abuse("method override", request("GET", PATH, &overridden, b""), &[405]));
    let rewritten = [&format!("X-Original-URL: {PATH}")[..], &format!("X-Rewrite-URL: {PATH}")];
    abuses.push(abuse("path override", request("GET", "/nothing", &rewritten, b""), missing));
    abuses
}

fn bodies() -> Vec<Abuse> {
    let good = valid("acceptance-request");
    let length = format!("Content-Length: {}", good.len());
    let with = |more: &str| framed(&[&length, more], &good);
    let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00";
    vec![
        abuse("half a body", framed(&[&length], &good[..good.len() / 2]), &[400, 0]),
        abuse("no body at all", framed(&[&length], b""), &[400, 0]),
        abuse("an empty body", framed(&["Content-Length: 0"], b""), &[400]),
        abuse("no length and no body", framed(&[], b""), &[400]),
        abuse("length cut in the middle", framed(&["Content-Length: 100"], &good), &[400, 422]),
        abuse("the length twice alike", framed(&[&length, &length], &good), &[200, 400]),
        abuse("more than four megabytes", framed(&["Content-Length: 4194305"], &vec![b' '; 4_194_305]), &[413]),
        abuse("a terabyte announced", framed(&["Content-Length: 1099511627776"], b"{"), &[413]),
        abuse("2^63-1 announced", framed(&["Content-Length: 9223372036854775807"], b"{"), &[413, 400]),
        abuse("2^64-1 announced", framed(&["Content-Length: 18446744073709551615"], b"{"), &[413, 400, 431, 0]),
        abuse("expects what nobody gives", with("Expect: 200-maybe"), &[200, 417]),
        abuse("says gzip", framed(&["Content-Encoding: gzip", "Content-Length: 20"], gzip), &[415]),
        abuse("says gzip in the encoding of the body", with("Content-Encoding: gzip, gzip"), &[415]),
        abuse("two media types", with("Content-Type: application/json"), &[415]),
        abuse("a cookie and an origin", with("Cookie: a=b\r\nOrigin: https://evil.example"), &[200]),
        abuse("a range", with("Range: bytes=0-0"), &[200]),
        abuse(
            "claims in headers",
            with("Svc-Decision: accepted\r\nX-Accepted: true\r\nX-Forwarded-User: admin"),
            &[200],
        ),
        abuse("a connection header that names others", with("Connection: close, content-length, host"), &[200]),
        abuse("accepts nothing", with("Accept: text/html;q=1, */*;q=0"), &[406]),
        abuse(
            "a body on a GET",
            [request("GET", "/livez", &["Content-Length: 2"], b""), b"{}".to_vec()].concat(),
            &[200],
        ),
        abuse("a deep nest", framed(&["Content-Length: 1000000"], &vec![b'['; 1_000_000]), &[400]),
    ]
}

/// What came of it must be among the allowed, below 500, and closed when it says anything.
#[track_caller]
fn judge(name: &str, may_be: &[u16], reply: Option<Reply>) {
    let status = reply.as_ref().map_or(0, |reply| reply.status);
    assert!(may_be.contains(&status), "{name}: {status}, not one of {may_be:?}");
    if let Some(reply) = reply {
        assert!(status < 500, "{name}: {}", reply.head);
        let speaks = status >= 400 || reply.header("svc-decision").is_some();
        if speaks && !reply.body.is_empty() {
            assert_closed(status, &reply.body, name);
        }
    }
}

#[test]
fn no_abuse_of_the_wire_gets_more_than_a_refusal() {
    let mut server = Server::plain();
    let good = GoodClient::start(server.address);
    let abuses: Vec<Abuse> = [smuggling(), chunks(), heads(), targets(), bodies()].into_iter().flatten().collect();
    assert!(abuses.len() >= 150, "{}", abuses.len());
    let rounds = campaign::count(1, 50);
    for _ in 0..rounds {
        for Abuse { name, bytes, may_be } in &abuses {
            let mut client = Client::connect(server.address);
            let reply = client.send(bytes).end().reply();
            judge(name, may_be, reply);
        }
    }
    let (answers, slowest) = good.enough();
    assert!(answers >= 3 && slowest < Duration::from_secs(10), "{answers} answers, the slowest after {slowest:?}");
    server.stop();
    Record {
        name: "wire",
        tried: "Raw HTTP that no client should send, while a good client goes on.",
        counts: vec![
            ("abuses".to_owned(), abuses.len()),
            ("rounds".to_owned(), rounds),
            ("good requests answered meanwhile".to_owned(), answers),
        ],
        found: Vec::new(),
    }
    .close();
}

/// The second request must not be answered as if it stood alone when the first one's end is in doubt.
#[test]
fn nothing_is_smuggled_behind_a_body_whose_end_is_in_doubt() {
    let server = Server::plain();
    let hidden = "0\r\n\r\nGET /version HTTP/1.1\r\nHost: h\r\n\r\n";
    for lines in [
        &["Content-Length: 5", "Transfer-Encoding: chunked"][..],
        &["Transfer-Encoding: chunked", "Content-Length: 5"],
        &["Content-Length: 5", "Content-Length: 0"],
        &["Content-Length: 5, 0"],
        &["Content-Length: 0", "Transfer-Encoding: xchunked"],
        &["Content-Length: 0", "Transfer-Encoding: chunked, identity"],
        &["Content-Length: 0", "Transfer-Encoding : chunked"],
    ] {
        let mut client = Client::connect(server.address);
        client.send(&framed(lines, hidden.as_bytes())).end();
        let mut statuses = Vec::new();
        while let Some(reply) = client.reply() {
            statuses.push(reply.status);
        }
        assert!(!statuses.contains(&200), "{lines:?}: {statuses:?}");
    }
}

#[test]
fn requests_in_a_row_are_answered_in_their_order() {
    let server = Server::plain();
    let mut row = Vec::new();
    for (kind, path) in ENDPOINTS {
        row.extend(request("POST", path, &[], &valid(kind)));
        row.extend(request("GET", "/nothing", &[], b""));
        row.extend(request("HEAD", "/version", &[], b""));
    }
    let mut client = Client::connect(server.address);
    client.send(&row);
    for (kind, path) in ENDPOINTS {
        let reply = client.reply().unwrap();
        assert_eq!(reply.status, 200, "{kind}");
        let body = assert_closed(200, &reply.body, path);
        assert_eq!(body["artifact"]["kind"], crate::kit::spec(kind).kind);
        assert_eq!(client.reply().unwrap().status, 404);
        assert_eq!(client.reply_to("HEAD").unwrap().status, 200);
    }
}

#[test]
fn every_answer_carries_the_headers_that_all_have() {
    let server = Server::plain();
    let (kind, path) = ENDPOINTS[1];
    let mut client = Client::connect(server.address);
    for (method, path, status) in [
        ("GET", "/livez", 200),
        ("GET", "/nothing", 404),
        ("PUT", path, 405),
        ("POST", path, 200),
        ("HEAD", "/livez", 200),
    ] {
        let body = if method == "POST" { valid(kind) } else { Vec::new() };
        let reply = client.send(&request(method, path, &[], &body)).reply_to(method).unwrap();
        assert_eq!(reply.status, status, "{method} {path}");
        assert_eq!(reply.header("svc-registry-api"), Some("1"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
        assert!(reply.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
        assert_eq!(reply.header("svc-request-id").unwrap().len(), 32);
        for absent in ["access-control-allow-origin", "server", "set-cookie", "x-powered-by"] {
            assert_eq!(reply.header(absent), None, "{absent}");
        }
    }
}

#[test]
fn a_document_that_the_client_has_is_not_sent_again() {
    let server = Server::plain();
    let mut client = Client::connect(server.address);
    let path = "/api/sdk/registry/contract";
    let first = client.send(&request("GET", path, &[], b"")).reply().unwrap();
    let tag = first.header("etag").unwrap().to_owned();
    let head = client.send(&request("HEAD", path, &[], b"")).reply_to("HEAD").unwrap();
    assert_eq!(head.header("content-length"), Some(first.body.len().to_string().as_str()));
    let again = client.send(&request("GET", path, &[&format!("If-None-Match: {tag}")], b"")).reply().unwrap();
    assert_eq!(again.status, 304);
    assert_ne!(again.header("content-length"), Some("0"), "a 304 has no length, or that of the document");
    assert_eq!(client.send(&request("GET", path, &[], b"")).reply().unwrap().body, first.body);
}
