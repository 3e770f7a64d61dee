//! Bad requests of every kind: each is refused closed, costs one line of the log, and no answer is a failure of the service.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
};

use serde_json::Value;

use crate::{
    campaign::{self, Random, Record},
    metrics::metric,
    run::{Run, program, repository},
    running::{Running, connect},
};

const ENDPOINTS: [(&str, &str); 6] = [
    ("index", "/api/sdk/registry/indexes/validate"),
    ("acceptance-request", "/api/sdk/registry/acceptance-requests"),
    ("publisher-verification", "/api/sdk/registry/publisher-verification"),
    ("review-evidence", "/api/sdk/registry/review-evidence"),
    ("signing-request", "/api/sdk/registry/signing-requests"),
    ("install-policy", "/api/sdk/registry/install-policy"),
];

/// What is wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wrong {
    Body,
    Path,
    Method,
    Host,
    Authorization,
    MediaType,
    Probe,
    Chunks,
    /// No request at all: the connection ends.
    Head,
}

const KINDS: [Wrong; 9] = [
    Wrong::Body,
    Wrong::Path,
    Wrong::Method,
    Wrong::Host,
    Wrong::Authorization,
    Wrong::MediaType,
    Wrong::Probe,
    Wrong::Chunks,
    Wrong::Head,
];

/// Bytes that nobody should put into a head, and some that are harmless alone.
const NOISE: &[u8] = b"abcXYZ019-._~%/\\?#[]@!$&'()*+,;=:\"<>^`{|} \x01\x7f\x80\xff";

struct Maker {
    random: Random,
    good: Vec<Vec<u8>>,
}

impl Maker {
    fn new(seed: &str) -> Self {
        let read = |(kind, _): &(&str, &str)| {
            fs::read(repository(&format!("conformance/documents/own-rules/{kind}.json"))).unwrap()
        };
        Self { random: Random::new(seed), good: ENDPOINTS.iter().map(read).collect() }
    }

    fn choose<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.random.below(words.len())]
    }

    fn noise(&mut self, most: usize, from: &[u8]) -> Vec<u8> {
        (0..self.random.below(most)).map(|_| from[self.random.below(from.len())]).collect()
    }

    /// A head with a good line for each header that the request does not have wrong.
    fn request(&mut self, method: &str, path: &[u8], headers: &[u8], body: &[u8]) -> Vec<u8> {
        let mut bytes = [method.as_bytes(), b" ", path, b" HTTP/1.1\r\n", headers].concat();
        bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        bytes.extend_from_slice(body);
        bytes
    }

    fn make(&mut self, wrong: Wrong) -> Vec<u8> {
        const JSON: &str = "Host: localhost\r\nContent-Type: application/json\r\n";
        let number = self.random.below(ENDPOINTS.len());
        let path = ENDPOINTS[number].1.as_bytes();
        let good = self.good[number].clone();
        match wrong {
            Wrong::Body => {
                let body = self.changed(good);
                self.request("POST", path, JSON.as_bytes(), &body)
            }
            Wrong::Path => {
                let noise = self.noise(40, &NOISE[..41]);
                let noise: Vec<u8> = noise.into_iter().filter(|byte| !b" \"<>^`{|}\\#".contains(byte)).collect();
                let path = [&b"/"[..], if self.random.below(2) == 0 { path } else { b"" }, b"/", &noise].concat();
                self.request("POST", &path, JSON.as_bytes(), &good)
            }
            Wrong::Method => {
                let method =
                    self.choose(&["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "post", "ACCEPT", "SIGN", "GET"]);
                self.request(method, path, JSON.as_bytes(), b"")
            }
            Wrong::Host => {
                let host =
                    self.choose(&["rebound.example", "127.0.0.1.evil.example", "", "a b", "[::2]", "localhost:x"]);
                let headers = format!("Host: {host}\r\nContent-Type: application/json\r\n");
                self.request("POST", path, headers.as_bytes(), &good)
            }
            Wrong::Authorization => {
                let value = self.noise(80, &NOISE[..30]);
                let twice = if self.random.below(4) == 0 { "Authorization: Bearer x\r\n" } else { "" };
                let headers = [JSON.as_bytes(), b"Authorization: Bearer ", &value, b"\r\n", twice.as_bytes()].concat();
                self.request("POST", path, &headers, &good)
            }
            Wrong::MediaType => {
                let line = self.choose(&[
                    "Content-Type: text/plain",
                    "Content-Type: application/json; charset=latin1",
                    "Content-Type: multipart/form-data; boundary=x",
                    "Content-Type: application/json\r\nContent-Encoding: gzip",
                    "Content-Type: application/json\r\nContent-Type: application/json",
                    "Content-Type: application/json\r\nAccept: text/html",
                ]);
                self.request("POST", path, format!("Host: localhost\r\n{line}\r\n").as_bytes(), &good)
            }
            Wrong::Probe => {
                let headers = [JSON.as_bytes(), b"Svc-Probe: ", &self.noise(40, &NOISE[..10]), b"x\r\n"].concat();
                self.request("POST", path, &headers, &good)
            }
            Wrong::Chunks => {
                // A chunk of nothing would be the last one, and what follows a second request.
                let body = [self.changed(good), b" ".to_vec()].concat();
                let head = format!("{JSON}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", body.len());
                [b"POST ", path, b" HTTP/1.1\r\n", head.as_bytes(), &body, b"\r\n0\r\n\r\n"].concat()
            }
            Wrong::Head => {
                // A blank in front makes it no request whatever follows.
                let noise = self.noise(200, NOISE);
                [b" ", &noise[..], b"\r\nHost: localhost\r\n\r\n"].concat()
            }
        }
    }

    /// A good document with something wrong in it.
    fn changed(&mut self, mut body: Vec<u8>) -> Vec<u8> {
        let at = self.random.below(body.len());
        match self.random.below(6) {
            0 => body.truncate(at),
            1 => body = self.noise(2_000, NOISE),
            2 => body[at] ^= 1 << self.random.below(8),
            3 => {
                let claim =
                    self.choose(&["\"accepted\":true,", "\"signed\":true,", "\"installable\":true,", "\"x\":1,"]);
                body.splice(1..1, claim.bytes());
            }
            4 => body = [b"[".repeat(self.random.below(4_000)), body].concat(),
            _ => body.extend_from_within(..at),
        }
        body
    }
}

/// What came of a request: its status, 0 for a connection that ended without one, or what is wrong with the answer.
fn judge(answer: Option<(u16, Vec<u8>)>) -> Result<u16, String> {
    let Some((status, body)) = answer else { return Ok(0) };
    if status >= 500 {
        return Err(format!("{status}: {}", String::from_utf8_lossy(&body)));
    }
    // The library refuses what is no HTTP by itself, and says nothing with it.
    if body.is_empty() && status < 500 {
        return Ok(status);
    }
    let value: Value = serde_json::from_slice(&body).map_err(|error| format!("{status}: {error}"))?;
    let closed = ["accepted", "signed", "installable"].iter().all(|flag| value[flag] == false);
    let missing = value["missingGates"].as_array().is_some_and(|gates| !gates.is_empty());
    if closed && missing { Ok(status) } else { Err(format!("{status} is open: {value}")) }
}

/// Sends it and reads one answer. The connection is given back as long as it is of use.
fn exchange(stream: &mut Option<TcpStream>, address: &str, request: &[u8]) -> Option<(u16, Vec<u8>)> {
    let mut open = stream.take().or_else(|| connect(address))?;
    open.write_all(request).ok()?;
    let (mut bytes, mut buffer) = (Vec::new(), [0; 8192]);
    loop {
        let read = open.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
        let length: usize = length.unwrap_or(0);
        if bytes.len() >= end + 4 + length {
            if !head.contains("connection: close") && !head.starts_with("http/1.1 400 bad request\r\ncontent-length: 0")
            {
                *stream = Some(open);
            }
            return Some((head.split(' ').nth(1)?.parse().ok()?, bytes.split_off(end + 4)));
        }
    }
}

type Counts = BTreeMap<(Wrong, u16), usize>;

/// Sends a share of the requests.
fn send(address: &str, seed: &str, count: usize) -> (Counts, Vec<String>) {
    let (mut maker, mut counts, mut found) = (Maker::new(seed), Counts::new(), Vec::new());
    let mut stream = None;
    for number in 0..count {
        let wrong = KINDS[number % KINDS.len()];
        let request = maker.make(wrong);
        if wrong == Wrong::Head {
            stream = None;
        }
        match judge(exchange(&mut stream, address, &request)) {
            Ok(status) => *counts.entry((wrong, status)).or_default() += 1,
            Err(open) => found.push(format!("{wrong:?}, {seed}, number {number}: {open}")),
        }
        if wrong == Wrong::Head {
            stream = None;
        }
    }
    (counts, found)
}

/// Lines of the log by their message, each of which must be JSON.
fn lines(log: &Path) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for line in BufReader::new(File::open(log).unwrap()).lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).expect("a line of JSON");
        *lines.entry(line["message"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    lines
}

const THREADS: usize = 8;

#[test]
fn no_bad_request_gets_more_than_a_refusal_and_each_has_its_line() {
    let each = campaign::count(2_250, 576_000) / THREADS / KINDS.len() * KINDS.len();
    let (mut counts, mut found) = (Counts::new(), Vec::new());
    for tokens in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        Run::of(&mut program(folder.path(), &["token", "create", "ci", "--file", "tokens.json"])).exits(0);
        let with_tokens = if tokens { &["--tokens", "tokens.json"][..] } else { &[] };
        let arguments = [&["--admin-bind", "127.0.0.1:0", "--rate", "off"][..], with_tokens].concat();
        let mut running = Running::start(folder.path(), &arguments);
        let admin = running.admin_address();
        let seeds: Vec<String> = (0..THREADS).map(|thread| format!("bad requests, {tokens}, {thread}")).collect();
        let sent = std::thread::scope(|scope| {
            let threads: Vec<_> = seeds.iter().map(|seed| scope.spawn(|| send(&running.address, seed, each))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        for (statuses, open) in sent {
            statuses.into_iter().for_each(|(status, count)| *counts.entry(status).or_default() += count);
            found.extend(open);
        }
        if !tokens {
            assert_eq!(metric(&admin, "svc_guard_trips_total") + metric(&admin, "svc_log_lines_lost_total"), 0);
        }
        running.terminate();
        let (ended, _) = running.ended();
        assert!(ended.success(), "{ended}");
        let lines = lines(&folder.path().join("serve.log"));
        let told = lines.get("answered").unwrap_or(&0) + lines.get("malformed").unwrap_or(&0);
        let scrapes = if tokens { 0 } else { 2 };
        if told != each * THREADS + scrapes {
            found.push(format!("{} requests were sent, and the log has {lines:?}", each * THREADS));
        }
        if lines.contains_key("panicked") {
            found.push(format!("the service panicked: {lines:?}"));
        }
    }
    let sum: usize = counts.values().sum();
    let mut shown = vec![("bad requests".to_owned(), sum)];
    shown.extend(counts.into_iter().map(|((wrong, status), count)| {
        let of = format!("{wrong:?}").to_lowercase();
        (if status == 0 { format!("{of}: hung up") } else { format!("{of}: {status}") }, count)
    }));
    Record {
        name: "bad-requests",
        tried: "Requests with something wrong in body, path, method, names, tokens, media type, chunks or head: none may fail \
                the service or be answered open, and each has one line of the log.",
        counts: shown,
        found,
    }
    .close();
}
