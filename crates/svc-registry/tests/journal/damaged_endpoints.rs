//! A store of endpoints, or a log beneath it, that somebody damaged or put back: it is told, and nothing is delivered that
//! must not be, or left out.

use std::{fs, path::Path, process::Command, time::Duration};

use svc_core::journal::delivery::EventDelivery;

use crate::{
    endpoints::{SERVE, has_metric, run, wait},
    receiver::Receiver,
    run::{Run, copy_folder, program},
    running::{Running, document, post},
};

/// A service with its metrics.
fn watched(at: &Path) -> (Running, String) {
    let mut running = Running::start(at, &[&SERVE[..], &["--admin-bind", "127.0.0.1:0"]].concat());
    let admin = running.admin_address();
    (running, admin)
}

#[test]
fn an_endpoint_that_cannot_be_read_is_told_keeps_back_no_other_and_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let receiver = Receiver::willing();
    drop(Running::start(at, &SERVE));
    for name in ["good", "bad"] {
        run(at, &["add", name, &receiver.url(), "--events-allow", "127.0.0.1"]).exits(0);
    }
    let edit = "
import sqlite3
store = sqlite3.connect('data/events.sqlite3')
store.execute(\"UPDATE endpoint SET document = '{' WHERE name = 'bad'\")
store.execute('INSERT INTO endpoint VALUES (?, 1, ?)', ('\\x1b[2J', '{}'))
store.commit()
";
    assert!(Command::new("python3").current_dir(at).args(["-c", edit]).status().unwrap().success());
    let (running, admin) = watched(at);
    running.ask(&post("", &document()));
    receiver.wait_until(Duration::from_secs(20), |all| !all.is_empty());
    wait("two faults", || has_metric(&admin, "svc_events_faults 2"));
    assert_eq!(running.log().matches("an endpoint cannot be read").count(), 2, "{}", running.log());
    let listed = run(at, &["list"]).exits(0).stdout;
    assert!(listed.contains("good  active") && listed.contains("bad  unreadable: "), "{listed}");
    assert!(!listed.contains('\u{1b}') && !running.log().contains('\u{1b}'), "{listed}");
    assert!(run(at, &["status", "bad"]).exits(2).stderr.contains("the endpoint `bad` cannot be read back"));
    assert!(run(at, &["add", "bad", "https://hooks.example/"]).exits(2).stderr.contains("events-endpoint-exists"));
    assert!(run(at, &["remove", "bad"]).exits(0).stdout.contains("bad is removed; it could not be read"));
    run(at, &["add", "bad", "https://hooks.example/"]).exits(0);
    wait("one fault", || has_metric(&admin, "svc_events_faults 1"));
}

/// Also while it runs: a link leads to what others may write.
#[test]
fn a_store_that_is_no_file_of_the_service_is_told_and_never_used() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let receiver = Receiver::willing();
    let (running, admin) = watched(at);
    run(at, &["add", "audit", &receiver.url(), "--events-allow", "127.0.0.1"]).exits(0);
    wait("no fault", || has_metric(&admin, "svc_events_faults 0"));
    let store = at.join("data/events.sqlite3");
    fs::rename(&store, at.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(at.join("elsewhere"), &store).unwrap();
    wait("a fault", || has_metric(&admin, "svc_events_faults 1"));
    running.ask(&post("", &document()));
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(receiver.connections(), 0);
    fs::remove_file(&store).unwrap();
    fs::write(&store, "x".repeat(4096)).unwrap();
    fs::set_permissions(&store, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let damaged = run(at, &["list"]).exits(2).stderr;
    assert!(damaged.contains("events.sqlite3, the store of endpoints, is damaged"), "{damaged}");
    fs::remove_file(&store).unwrap();
    fs::rename(at.join("elsewhere"), &store).unwrap();
    assert_eq!(receiver.wait_until(Duration::from_secs(20), |all| !all.is_empty()).len(), 1);
    wait("no fault", || has_metric(&admin, "svc_events_faults 0"));
    fs::set_permissions(&store, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let shown = run(at, &["list"]).exits(2).stderr;
    assert!(shown.contains("journal-unusable") && shown.contains("must have mode 600"), "{shown}");
}

/// A name and a document may be any bytes, and be of any form: each is told under a name that can be typed.
#[test]
fn no_damage_of_one_row_keeps_back_another_and_each_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let receiver = Receiver::willing();
    let (running, admin) = watched(at);
    run(at, &["add", "audit", &receiver.url(), "--events-allow", "127.0.0.1"]).exits(0);
    let rows = "import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
good = c.execute('select document from endpoint').fetchone()[0]
def put(name, document, version=5): c.execute('insert into endpoint values (cast(? as text), ?, cast(? as text))', (name, version, document))
def other(name, **members): return json.dumps({**json.loads(good), 'name': name, **members}).encode()
put(b'victim', b'{\\xff}')
put(b'\\xff\\x00', b'{}')
put(b'a b', good.encode())
put(b'-x', b'')
put(b'', b'')
put(b'none', other('none', batch=0))
put(b'ftp', other('ftp', url='ftp://x'))
put(b'line', other('line', url='https://x.example/\\r\\nX: y'))
put(b'id', other('id', id='a\\nb'))
put(b'last', other('last'), 2**63 - 1)
";
    assert!(Command::new("python3").args(["-c", rows]).arg(at.join("data/events.sqlite3")).status().unwrap().success());
    let named = ["%", "%2Dx", "%FF%00", "a%20b", "ftp", "id", "last", "line", "none", "victim"];
    wait("every fault", || has_metric(&admin, &format!("svc_events_faults {}", named.len())));
    drop(running);
    let (running, admin) = watched(at);
    running.ask(&post("", &document()));
    assert_eq!(receiver.wait_until(Duration::from_secs(20), |all| !all.is_empty()).len(), 1, "the other goes on");
    let listed = run(at, &["list"]).exits(0).stdout;
    for name in named {
        assert!(
            listed.contains(&format!("{name}  unreadable: `svc-registry events remove {name}` deletes it")),
            "{listed}"
        );
        run(at, &["remove", name]).exits(0);
    }
    assert_eq!(run(at, &["list"]).exits(0).stdout.lines().count(), 1);
    let refused = run(at, &["remove", "a%20b"]).exits(2).stderr;
    assert!(refused.contains("events-name"), "{refused}");
    wait("no fault", || has_metric(&admin, "svc_events_faults 0"));
}

/// No command leaves an empty store, and none takes one away.
#[test]
fn a_store_that_was_emptied_or_taken_away_is_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (_running, admin) = watched(at);
    run(at, &["add", "audit", "https://hooks.example/"]).exits(0);
    wait("no fault", || has_metric(&admin, "svc_events_behind_records{endpoint=\"audit\"} 0"));
    let store = at.join("data/events.sqlite3");
    fs::rename(&store, at.join("elsewhere")).unwrap();
    wait("a fault", || has_metric(&admin, "svc_events_faults 1"));
    std::thread::sleep(Duration::from_millis(2500));
    assert!(has_metric(&admin, "svc_events_faults 1"), "also when it was looked at again");
    fs::rename(at.join("elsewhere"), &store).unwrap();
    wait("no fault", || has_metric(&admin, "svc_events_faults 0"));
    fs::File::create(&store).unwrap();
    wait("a fault", || has_metric(&admin, "svc_events_faults 1"));
    for command in [&["list"][..], &["add", "other", "https://hooks.example/"]] {
        let empty = run(at, command).exits(2).stderr;
        assert!(empty.contains("the store of endpoints, is damaged: it is empty"), "{empty}");
    }
    assert_eq!(fs::metadata(&store).unwrap().len(), 0, "it is left as it was found");
}

/// The log is put back, and grows again before anybody looks: its size tells nothing of that.
#[test]
fn an_endpoint_of_a_log_that_was_set_back_is_paused_and_nothing_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let receiver = Receiver::willing();
    let running = Running::start(at, &SERVE);
    running.ask(&post("", &document()));
    let add = |name: &str, more: &[&str]| {
        run(at, &[&["add", name, &receiver.url(), "--events-allow", "127.0.0.1"][..], more].concat()).exits(0);
    };
    add("all", &[]);
    add("some", &["--type", "registry.posture.violation"]);
    drop(running);
    copy_folder(&at.join("data"), &at.join("before"));
    let running = Running::start(at, &SERVE);
    for _ in 0..4 {
        running.ask(&post("", &document()));
    }
    receiver.wait_until(Duration::from_secs(20), |all| !all.is_empty());
    wait("what was looked at", || run(at, &["list"]).exits(0).stdout.matches("0 behind").count() == 2);
    drop(running);
    let delivered = receiver.received().len();
    fs::copy(at.join("data/events.sqlite3"), at.join("before/events.sqlite3")).unwrap();
    set_back(at);
    // Nothing is signed on the older log while an endpoint remembers the newer one.
    let refused = Run::of(&mut program(at, &[&["serve", "--bind", "127.0.0.1:0"], &SERVE[..]].concat())).exits(4);
    assert!(refused.stderr.contains("journal-rewound: the webhook endpoint `all` in "), "{}", refused.stderr);
    let newer = at.join("newer.sqlite3");
    fs::rename(at.join("data/events.sqlite3"), &newer).unwrap();
    let running = Running::start(at, &SERVE);
    for _ in 0..8 {
        running.ask(&post("", &document()));
    }
    // While the service runs, the endpoints are paused.
    fs::rename(&newer, at.join("data/events.sqlite3")).unwrap();
    wait("both are paused", || run(at, &["list"]).exits(0).stdout.matches("paused (ahead-of-log)").count() == 2);
    let open = String::from_utf8(document()).unwrap().replacen("\"signed\": false", "\"signed\": true", 1);
    running.ask(&post("", open.as_bytes()));
    run(at, &["resume", "some"]).exits(0);
    wait("it is paused again", || run(at, &["status", "some"]).exits(0).stdout.contains("paused (ahead-of-log)"));
    assert_eq!(receiver.received().len(), delivered, "nothing of the other log was sent");
    run(at, &["resume", "some", "--from", "0"]).exits(0);
    let all = receiver.wait_until(Duration::from_secs(20), |all| all.len() > delivered);
    let last = EventDelivery::parse(&all[delivered].body).unwrap();
    assert_eq!((last.range(), last.records().len()), (0..10, 1));
}

fn set_back(at: &Path) {
    fs::remove_dir_all(at.join("data")).unwrap();
    fs::rename(at.join("before"), at.join("data")).unwrap();
}
