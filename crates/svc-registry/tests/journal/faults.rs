//! Disks that are full, read-only or fail to flush, and folders that are not what they were: named, and closed.

use std::{fs, path::Path, process::Command};

use crate::{
    run::program,
    running::{Running, document, post},
};

const SQLITE: [&str; 4] = ["--journal", "sqlite", "--data-dir", "data"];

/// A small disk of its own. Mounting takes root: whoever is not runs the tests under `unshare --user --map-root-user --mount`.
struct Disk<'p>(&'p Path);

impl<'p> Disk<'p> {
    fn mount(at: &'p Path, options: &str) -> Self {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(at).status();
        let mounted = mounted.is_ok_and(|status| status.success());
        assert!(
            mounted,
            "no small disk could be mounted: run as root, or under `unshare --user --map-root-user --mount`"
        );
        Self(at)
    }

    fn remount(&self, options: &str) {
        let done = Command::new("mount").args(["-o", options]).arg(self.0).status().unwrap();
        assert!(done.success(), "{options}");
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

fn answer(running: &Running) -> (u16, String) {
    let answer = running.ask(&post("", &document())).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(answer.contains("\"accepted\":false") && answer.contains("\"installable\":false"), "{answer}");
    (status, answer)
}

fn ready(running: &Running) -> u16 {
    running.status(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

#[test]
fn a_full_disk_is_a_closed_503_and_room_is_enough_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let _disk = Disk::mount(&data, "size=48m,mode=700");
    let running = Running::start(folder.path(), &SQLITE);
    assert_eq!(answer(&running).0, 200);
    fs::write(data.join("ballast"), vec![1_u8; 20 * 1024 * 1024]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let (status, body) = answer(&running);
    assert_eq!(status, 503, "{body}");
    assert!(body.contains("journal-unavailable") && !body.contains("receipt"), "{body}");
    assert_eq!(ready(&running), 503);
    let log = running.log();
    assert!(log.contains("journal-full"), "{log}");
    let levels = |status: &str| -> Vec<bool> {
        let lines = log.lines().filter(|line| line.contains(status));
        lines.map(|line| line.starts_with("{\"level\":\"warn\"")).collect()
    };
    assert_eq!((levels("\"status\":200"), levels("\"status\":503")), (vec![false], vec![true, true]), "{log}");
    assert!(!log.contains("\"level\":\"error\""), "it goes on by itself: {log}");
    fs::remove_file(data.join("ballast")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(ready(&running), 200, "readiness does not wait for a request that a balancer would not send");
    assert_eq!(answer(&running).0, 200);
}

#[test]
fn a_read_only_disk_is_named_and_nothing_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let disk = Disk::mount(&data, "size=64m,mode=700");
    let running = Running::start(folder.path(), &SQLITE);
    assert_eq!(answer(&running).0, 200);
    drop(running);
    disk.remount("remount,ro");
    let refused =
        program(folder.path(), &[&["serve", "--bind", "127.0.0.1:0"][..], &SQLITE].concat()).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{}", String::from_utf8_lossy(&refused.stderr));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("journal-storage"));
    disk.remount("remount,rw");
    let again = Running::start(folder.path(), &SQLITE);
    assert_eq!(answer(&again).0, 200);
}

/// The kernel says once that it lost what it was to flush. Whoever tries again is told that all is well.
#[test]
fn a_failed_flush_is_not_tried_again() {
    let strace = Command::new("strace").arg("-V").output();
    assert!(strace.is_ok(), "strace is needed: Debian's package `strace`");
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &SQLITE);
    assert_eq!(answer(&running).0, 200);
    let log = folder.path().join("trace.log");
    let mut tracer = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:error=EIO:when=1", "-o"])
        .arg(&log)
        .args(["-p", &running.id().to_string()])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let attached = std::time::Instant::now();
    let traced = || fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap();
    while traced().contains("TracerPid:\t0\n") && attached.elapsed().as_secs() < 10 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    let (status, body) = answer(&running);
    assert_eq!(status, 503, "{body}");
    for _ in 0..3 {
        assert_eq!(answer(&running).0, 503, "the flush would succeed now, and nobody knows what it lost");
    }
    assert_eq!(ready(&running), 503);
    let _ = tracer.kill();
    let _ = tracer.wait();
    assert!(fs::read_to_string(&log).unwrap().contains("EIO"));
    let log = running.log();
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("\"level\":\"error\"")).collect();
    let [closed] = errors[..] else { panic!("what needs a person is told once: {log}") };
    assert!(closed.contains("the journal is closed") && closed.contains("journal-storage"), "{closed}");
    drop(running);
    let again = Running::start(folder.path(), &SQLITE);
    assert_eq!(answer(&again).0, 200, "a start looks at what is there, and goes on");
}

#[test]
fn a_second_service_does_not_write_to_the_same_folder() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &SQLITE);
    let second = program(folder.path(), &[&["serve", "--bind", "127.0.0.1:0"][..], &SQLITE].concat()).output().unwrap();
    assert_eq!(second.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&second.stderr).contains("journal-locked"));
    assert_eq!(answer(&running).0, 200);
}
