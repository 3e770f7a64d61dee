//! `svc-registry events` on the real binary, beside a running service.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::Value;
use svc_core::journal::delivery::EventDelivery;
use svc_server::events::signature::WebhookMessage;

use crate::{
    receiver::{self, Receiver},
    run::{Run, program},
    running::{Running, document, post},
};

pub(crate) const PLACE: [&str; 4] = ["--journal", "sqlite", "--data-dir", "data"];
pub(crate) const SERVE: [&str; 6] = ["--journal", "sqlite", "--data-dir", "data", "--events-allow", "127.0.0.1"];

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, &[&["events"][..], arguments, &PLACE].concat()))
}

fn json(run: Run) -> Value {
    serde_json::from_str(&run.exits(0).stdout).unwrap()
}

#[test]
fn what_cannot_be_an_endpoint_is_refused_by_name_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let early = run(folder.path(), &["add", "audit", "https://hooks.example/"]).exits(3);
    assert!(early.stderr.contains("journal-missing"), "{}", early.stderr);
    assert!(!folder.path().join("data").exists());
    drop(Running::start(folder.path(), &SERVE));
    for (arguments, code) in [
        (&["add", "Audit", "https://hooks.example/"][..], "events-name"),
        (&["add", "-audit", "https://hooks.example/"], "error"),
        (&["add", "a\u{1b}[2J", "https://hooks.example/"], "events-name"),
        (&["add", "audit", "http://hooks.example/"], "events-address"),
        (&["add", "audit", "https://127.0.0.1/"], "events-address"),
        (&["add", "audit", "https://0x7f000001/"], "events-address"),
        (&["add", "audit", "https://[::ffff:10.0.0.1]/"], "events-address"),
        (&["add", "audit", "https://user:pass@hooks.example/"], "events-address"),
        (&["add", "audit", "https://hooks.example/#x"], "events-address"),
        (&["add", "audit", "https://hooks.example/", "--from", "1"], "events-from"),
        (&["add", "audit", "https://hooks.example/", "--batch", "257"], "257"),
        (&["add", "audit", "https://hooks.example/", "--batch", "-1"], "-1 is not in 1..=256"),
        (&["add", "audit", "https://hooks.example/", "--type", "registry.install"], "registry.install"),
        (&["add", "audit", "https://hooks.example/", "--events-allow", "*"], "events-allow"),
        (&["status", "audit"], "events-unknown-endpoint"),
        (&["pause", "audit"], "events-unknown-endpoint"),
        (&["resume", "audit"], "events-unknown-endpoint"),
        (&["skip", "audit"], "events-unknown-endpoint"),
        (&["rotate-secret", "audit"], "events-unknown-endpoint"),
        (&["remove", "audit"], "events-unknown-endpoint"),
        (&["test", "audit"], "events-unknown-endpoint"),
    ] {
        let refused = run(folder.path(), arguments).exits(2);
        assert!(refused.stderr.contains(code), "{arguments:?}: {}", refused.stderr);
        assert!(!refused.stderr.contains('\u{1b}') && refused.stderr.contains("help"), "{}", refused.stderr);
    }
    assert!(!folder.path().join("data/events.sqlite3").exists());
    assert_eq!(run(folder.path(), &["list"]).exits(0).stdout, "no endpoints\n");
    assert_eq!(run(folder.path(), &["list", "--format", "json"]).exits(0).stdout, "");
}

#[test]
fn an_endpoint_lives_beside_a_running_service_and_its_secrets_are_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let receiver = Receiver::willing();
    let url = format!("{}?key=hidden", receiver.url());
    let running = Running::start(at, &[&SERVE[..], &["--admin-bind", "127.0.0.1:0"]].concat());
    let allow = ["--events-allow", "127.0.0.1"];
    let added = json(run(at, &[&["add", "audit", &url, "--format", "json"][..], &allow].concat()));
    let secret = added["secret"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    assert!(run(at, &["add", "audit", "https://hooks.example/"]).exits(2).stderr.contains("events-endpoint-exists"));
    assert!(run(at, &[&["test", "audit"][..], &allow].concat()).exits(0).stdout.contains("answered 200"));
    running.ask(&post("", &document()));
    let all = receiver.wait_until(Duration::from_secs(20), |all| all.len() == 2);
    assert_eq!(serde_json::from_slice::<Value>(&all[0].body).unwrap()["type"], "registry.test");
    assert_eq!(EventDelivery::parse(&all[1].body).unwrap().range(), 0..1);
    let signed = |at: usize, secret: &str| {
        let received = &receiver.received()[at];
        let (id, timestamp) = (received.id.clone(), received.timestamp.parse().unwrap());
        let message = WebhookMessage { id, timestamp, body: received.body.clone() };
        let secret = svc_journal::webhook_secret::WebhookSecret::parse(secret).unwrap();
        received.signature.split(' ').any(|signature| signature == message.signatures(&[&secret]))
    };
    assert!(signed(0, &secret) && signed(1, &secret));
    let next = run(at, &["rotate-secret", "audit"]).exits(0).stdout.trim().to_owned();
    running.ask(&post("", &document()));
    receiver.wait_until(Duration::from_secs(20), |all| all.len() == 3);
    assert!(signed(2, &secret) && signed(2, &next), "both sign for a day");
    let last = run(at, &["rotate-secret", "audit", "--at-once"]).exits(0).stdout.trim().to_owned();
    receiver.answer(|_| receiver::status(503));
    running.ask(&post("", &document()));
    receiver.wait_until(Duration::from_secs(20), |all| all.len() == 4);
    assert!(signed(3, &last) && !signed(3, &next) && !signed(3, &secret));
    let paused = json(run(at, &["pause", "audit", "--format", "json"]));
    assert_eq!((&paused["state"], &paused["reason"]), (&"paused".into(), &"operator".into()));
    assert_eq!((&paused["open"]["from"], &paused["behind"]), (&2.into(), &1.into()));
    assert!(run(at, &["skip", "audit"]).exits(0).stdout.contains("skipped records 2 to 2"));
    assert!(run(at, &["skip", "audit"]).exits(2).stderr.contains("events-not-open"));
    receiver.answer(|_| receiver::status(200));
    assert!(run(at, &["resume", "audit", "--from", "4"]).exits(2).stderr.contains("must be at most 3"));
    assert!(run(at, &["resume", "audit", "--from", "1"]).exits(0).stdout.contains("active, at 1 of 3"));
    let all = receiver.wait_until(Duration::from_secs(20), |all| all.len() >= 5);
    assert_eq!(EventDelivery::parse(&all[4].body).unwrap().range(), 1..3);
    let shown = [
        run(at, &["list"]).exits(0).stdout,
        run(at, &["status", "audit"]).exits(0).stdout,
        run(at, &["list", "--format", "json"]).exits(0).stdout,
    ];
    assert!(shown[1].contains("key=hidden"), "the address itself is told to whoever asks for all of it");
    let log = running.log();
    for text in shown.iter().chain([&log]) {
        assert!(!text.contains("whsec_"), "{text}");
    }
    assert!(!log.contains("hidden") && !shown[0].contains("hidden") && !shown[2].contains("hidden"), "{log}");
    assert!(run(at, &["remove", "audit"]).exits(0).stdout.contains("removed"));
    let file = fs::read(at.join("data/events.sqlite3")).unwrap();
    for secret in [secret, next, last] {
        assert!(!file.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "nothing of it is left");
    }
}

#[test]
fn the_metrics_tell_how_far_each_endpoint_is_and_nothing_of_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::on("127.0.0.1:0", |_| receiver::status(500));
    let mut running = Running::start(folder.path(), &[&SERVE[..], &["--admin-bind", "127.0.0.1:0"]].concat());
    let admin = running.admin_address();
    let add = ["add", "audit", &receiver.url(), "--events-allow", "127.0.0.1"];
    run(folder.path(), &add).exits(0);
    running.ask(&post("", &document()));
    receiver.wait_until(Duration::from_secs(20), |all| !all.is_empty());
    std::thread::sleep(Duration::from_millis(1500));
    let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let told = crate::running::exchange(&mut crate::running::connect(&admin).unwrap(), request).unwrap();
    for line in [
        "svc_events_cursor_records{endpoint=\"audit\"} 0",
        "svc_events_behind_records{endpoint=\"audit\"} 1",
        "svc_events_state{endpoint=\"audit\",state=\"active\"} 1",
        "svc_events_state{endpoint=\"audit\",state=\"paused\"} 0",
        "svc_events_tries_total{endpoint=\"audit\",outcome=\"refused\"} 1",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!told.contains(&receiver.address.to_string()) && !told.contains("whsec_"));
}

pub(crate) fn has_metric(admin: &str, line: &str) -> bool {
    let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let metrics = crate::running::exchange(&mut crate::running::connect(admin).unwrap(), request).unwrap();
    metrics.lines().any(|told| told == line)
}

pub(crate) fn wait(what: &str, mut is_there: impl FnMut() -> bool) {
    let start = std::time::Instant::now();
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whoever may write the store may have written anything into it. One endpoint keeps no other from its deliveries.
#[test]
fn a_secret_that_nobody_could_read_is_not_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    drop(Running::start(at, &SERVE));
    let into = |file: &str, arguments: &[&str]| {
        let out = fs::OpenOptions::new().write(true).open(file).unwrap();
        let mut command = program(at, &[&["events"][..], arguments, &PLACE].concat());
        let ended = command.stdout(out).stderr(Stdio::piped()).output().unwrap();
        (ended.status.code().unwrap(), String::from_utf8(ended.stderr).unwrap())
    };
    for (file, code) in [("/dev/full", 3), ("/dev/null", 2)] {
        let (exit, said) = into(file, &["add", "audit", "https://hooks.example/"]);
        assert!(exit == code && said.contains("nothing was changed"), "{file}: {exit} {said}");
        assert_eq!(run(at, &["list"]).exits(0).stdout, "no endpoints\n");
    }
    run(at, &["add", "audit", "https://hooks.example/"]).exits(0);
    let location =
        svc_journal::open::Location { backend: svc_journal::open::Backend::Embedded, folder: at.join("data") };
    let name = svc_core::journal::delivery::EndpointName::parse("audit").unwrap();
    let stored = || svc_journal::endpoints::find(&location).unwrap().unwrap().get(&name).unwrap().unwrap().endpoint;
    let before = stored();
    for flags in [&["rotate-secret", "audit"][..], &["rotate-secret", "audit", "--at-once"]] {
        assert_eq!(into("/dev/full", flags).0, 3);
        assert_eq!(stored(), before);
    }
    for flags in [&["add", "other", "https://hooks.example/"][..], &["rotate-secret", "audit", "--at-once"]] {
        killed_while_it_prints(at, flags);
        assert_eq!((stored(), run(at, &["list"]).exits(0).stdout.lines().count()), (before.clone(), 1), "{flags:?}");
    }
    run(at, &["rotate-secret", "audit"]).exits(0);
    let third = run(at, &["rotate-secret", "audit"]).exits(2).stderr;
    assert!(third.contains("events-rotating") && third.contains("signs until"), "{third}");
    assert_eq!(stored().previous.unwrap().secret, before.secret, "for as long as was promised");
    run(at, &["rotate-secret", "audit", "--at-once"]).exits(0);
    let report = run(at, &["list", "--format", "json=report.json"]).exits(2).stderr;
    assert!(report.contains("invalid value 'json=report.json'") && !at.join("report.json").exists(), "{report}");
}

/// What a pipe holds that nobody reads.
const PIPE_ROOM: usize = 64 * 1024;

/// A command whose standard output is a full pipe that nobody reads, killed there.
fn killed_while_it_prints(at: &Path, arguments: &[&str]) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(&vec![b'.'; PIPE_ROOM]).unwrap();
    let mut command = program(at, &[&["events"][..], arguments, &PLACE].concat());
    let mut child = command.stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(800));
    assert!(child.try_wait().unwrap().is_none(), "it waits for somebody to read");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(reader);
}

/// Records that an endpoint does not get are looked at once and are nothing that it waits for, also when they are pruned.
#[test]
fn an_endpoint_of_some_types_is_not_behind_what_it_does_not_get() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let receiver = Receiver::willing();
    let mut running = Running::start(at, &[&SERVE[..], &["--admin-bind", "127.0.0.1:0"]].concat());
    let admin = running.admin_address();
    let mut connection = crate::running::connect(&running.address).unwrap();
    for _ in 0..257 {
        crate::running::exchange(&mut connection, &post("", &document())).unwrap();
    }
    let add = ["add", "audit", &receiver.url(), "--type", "registry.posture.violation", "--from", "0"];
    run(at, &[&add[..], &["--events-allow", "127.0.0.1"]].concat()).exits(0);
    wait("what was looked at", || has_metric(&admin, "svc_events_behind_records{endpoint=\"audit\"} 0"));
    assert_eq!(receiver.connections(), 0);
    drop(running);
    Run::of(&mut program(at, &["journal", "prune", "--before", "256", "--journal", "sqlite", "--data-dir", "data"]))
        .exits(0);
    let running = Running::start(at, &SERVE);
    let open = String::from_utf8(document()).unwrap().replacen("\"signed\": false", "\"signed\": true", 1);
    running.ask(&post("", open.as_bytes()));
    let all = receiver.wait_until(Duration::from_secs(20), |all| !all.is_empty());
    let delivery = EventDelivery::parse(&all[0].body).unwrap();
    assert_eq!(delivery.range(), 0..258, "no range is left out between two deliveries");
    assert!(run(at, &["status", "audit"]).exits(0).stdout.contains("active"));
}

/// A receiver with TLS: it says its port, and answers 204 to everything.
const TLS_RECEIVER: &str = "
import http.server, ssl
class R(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers['content-length'])); self.send_response(204); self.end_headers()
    def log_message(self, *_): pass
class S(http.server.ThreadingHTTPServer):
    def handle_error(self, *_): pass
s = S(('127.0.0.1', 0), R)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain('own.pem', 'own.key')
s.socket = c.wrap_socket(s.socket, server_side=True, do_handshake_on_connect=False)
print(s.server_address[1], flush=True); s.serve_forever()
";

#[test]
fn a_certificate_that_the_system_does_not_know_or_of_another_name_ends_a_delivery() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    for (name, host) in [("own", "DNS:localhost"), ("other", "DNS:elsewhere.example")] {
        let (key, file, host) = (format!("{name}.key"), format!("{name}.pem"), format!("subjectAltName={host}"));
        let own = ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", &host, "-keyout", &key, "-out", &file];
        let made =
            Command::new("openssl").current_dir(at).args(kind).args(["-subj", "/CN=receiver"]).args(own).output();
        assert!(made.unwrap().status.success());
    }
    let mut receiver =
        Command::new("python3").current_dir(at).args(["-c", TLS_RECEIVER]).stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    BufReader::new(receiver.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let port = port.trim();
    drop(Running::start(at, &SERVE));
    let allow = ["--events-allow", "localhost, 127.0.0.1", "--journal", "sqlite", "--data-dir", "data"];
    let send = |name: &str, authority: &str| {
        let mut test = program(at, &[&["events", "test", name][..], &allow].concat());
        Run::of(test.env("SSL_CERT_FILE", at.join(authority)))
    };
    for (name, host) in [("named", "localhost"), ("numbered", "127.0.0.1")] {
        let url = format!("https://{host}:{port}/in");
        Run::of(&mut program(at, &[&["events", "add", name, &url][..], &allow].concat())).exits(0);
    }
    let unknown = send("named", "other.pem").exits(6).stderr;
    let misnamed = send("numbered", "own.pem").exits(6).stderr;
    let known = send("named", "own.pem");
    receiver.kill().unwrap();
    receiver.wait().unwrap();
    assert!(unknown.contains("events-not-taken") && unknown.contains("TLS"), "{unknown}");
    assert!(misnamed.contains("TLS"), "{misnamed}");
    assert!(known.exits(0).stdout.contains("answered 204"));
}
