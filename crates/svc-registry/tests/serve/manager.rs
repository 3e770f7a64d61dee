//! A service manager: sockets that it opened, and what it is told.

use std::{
    io::{BufRead as _, BufReader},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixDatagram},
    },
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use crate::{
    run::{Run, program, repository},
    running::{connect, exchange},
};

const LIVE: &[u8] = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// `svc-registry serve` with sockets as a manager hands them over.
fn activated(folder: &Path, names: &str, sockets: &[&str], arguments: &[&str]) -> Command {
    let plain = program(folder, &["serve"]);
    let mut command = Command::new("python3");
    command
        .current_dir(folder)
        .arg(repository("crates/svc-registry/tests/serve/activate.py"))
        .arg(names)
        .args(sockets)
        .arg("--");
    command.arg(plain.get_program()).args(["serve", "--journal", "off"]).args(arguments);
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// A child that is ended with the test.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn lines_of(child: &mut Child, count: usize) -> Vec<String> {
    BufReader::new(child.stdout.take().unwrap()).lines().take(count).map(Result::unwrap).collect()
}

#[test]
fn what_is_no_listening_socket_of_tcp_or_opens_a_door_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (names, sockets, arguments, said) in [
        ("", &["null"][..], &[][..], "not a socket of TCP"),
        ("", &["udp=127.0.0.1:0"], &[], "not a socket of TCP"),
        ("", &["unix"], &[], "not a socket of TCP"),
        ("", &["idle=127.0.0.1:0"], &[], "does not listen"),
        ("public:admin", &["listen=127.0.0.1:0", "null"], &[], "socket 2 of the service manager"),
        ("public:public", &["listen=127.0.0.1:0", "listen=127.0.0.1:0"], &[], "must be named `public` and `admin`"),
        ("", &["null", "null", "null"], &[], "one or two sockets"),
        // The rule holds for the address that the socket has, not for the one that is said.
        ("", &["listen=0.0.0.0:0"], &["--bind", "127.0.0.1:0"], "0.0.0.0 can be reached from other machines"),
        ("", &["listen=[::]:0"], &["--behind-proxy", "yes"], "the token file is missing"),
        ("", &["listen=127.0.0.1:0", "listen=0.0.0.0:0"], &[], "0.0.0.0 can be reached from other machines"),
    ] {
        let refused = Run::of(&mut activated(folder.path(), names, sockets, arguments)).exits(2);
        assert!(refused.stderr.contains(said), "{sockets:?}: {}", refused.stderr);
        assert_eq!(refused.stdout, "");
    }
}

#[test]
fn a_socket_of_the_manager_is_served_and_bind_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let sockets = ["listen=127.0.0.1:0", "listen=[::1]:0"];
    let mut command = activated(folder.path(), "admin:public", &sockets, &["--bind", "127.0.0.1:1"]);
    let mut child = Guard(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let told = lines_of(&mut child.0, 2);
    let address = |line: &str| line.split_once("://").unwrap().1.split_once('/').unwrap().0.to_owned();
    assert!(
        told[0].starts_with("listening on http://[::1]:") && told[1].starts_with("metrics on http://127.0.0.1:"),
        "{told:?}"
    );
    for line in &told {
        let answer = exchange(&mut connect(&address(line)).unwrap(), LIVE).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

#[test]
fn sockets_for_another_process_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = activated(folder.path(), "", &["listen=0.0.0.0:0"], &["--print-config"]);
    let printed = Run::of(command.env("SVC_TEST_LISTEN_PID", "1")).exits(0).stdout;
    assert!(printed.contains("bind = \"127.0.0.1:8787\"  # default\n"), "{printed}");
    let mut command = activated(folder.path(), "", &["listen=127.0.0.1:0"], &["--print-config"]);
    let printed = Run::of(&mut command).exits(0).stdout;
    assert!(printed.contains("# socket of the service manager\n"), "{printed}");
}

fn received(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 4096];
    let length = socket.recv(&mut buffer).expect("the manager was told nothing");
    String::from_utf8(buffer[..length].to_vec()).unwrap()
}

/// The next message that is no sign of life.
fn next_message(socket: &UnixDatagram) -> String {
    loop {
        let message = received(socket);
        if message != "WATCHDOG=1" {
            return message;
        }
    }
}

#[test]
fn the_manager_hears_that_the_service_is_ready_reloads_lives_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let name = format!("svc-test-{}", std::process::id());
    let abstract_address = <SocketAddr as SocketAddrExt>::from_abstract_name(&name).unwrap();
    for (socket, variable) in [
        (UnixDatagram::bind(&path).unwrap(), path.to_str().unwrap().to_owned()),
        (UnixDatagram::bind_addr(&abstract_address).unwrap(), format!("@{name}")),
    ] {
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut command = program(folder.path(), &["serve", "--bind", "127.0.0.1:0", "--journal", "off"]);
        command.env("NOTIFY_SOCKET", &variable).env("WATCHDOG_USEC", "300000");
        let child = Guard(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let signal = |signal: &str| {
            assert!(Command::new("kill").args([signal, &child.0.id().to_string()]).status().unwrap().success());
        };
        let ready = next_message(&socket);
        assert!(ready.starts_with("READY=1\nSTATUS=listening on http://127.0.0.1:"), "{ready}");
        for _ in 0..3 {
            assert_eq!(received(&socket), "WATCHDOG=1");
        }
        signal("-HUP");
        let reloading = next_message(&socket);
        let time = reloading.lines().find_map(|line| line.strip_prefix("MONOTONIC_USEC=")).unwrap();
        assert!(reloading.starts_with("RELOADING=1\n") && time.parse::<u64>().unwrap() > 0, "{reloading}");
        assert_eq!(next_message(&socket), ready);
        signal("-TERM");
        assert!(next_message(&socket).starts_with("STOPPING=1\n"));
        drop(child);
    }
}

/// A manager that reads nothing, or a name that leads nowhere, is no reason to stand still.
#[test]
fn a_manager_that_does_not_listen_holds_up_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let _full = UnixDatagram::bind(&path).unwrap();
    let long = format!("/{}", "x".repeat(200));
    for variable in [path.to_str().unwrap(), "/nowhere/notify", "relative", "", "@", "vsock:2:1", &long] {
        let mut command = program(folder.path(), &["serve", "--bind", "127.0.0.1:0", "--journal", "off"]);
        command.env("NOTIFY_SOCKET", variable).env("WATCHDOG_USEC", "30000");
        let mut child = Guard(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        let line = lines_of(&mut child.0, 1).remove(0);
        let address = line.split_once("://").unwrap().1.split_once('/').unwrap().0.to_owned();
        thread::sleep(Duration::from_millis(200));
        let answer = exchange(&mut connect(&address).unwrap(), LIVE).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{variable}: {answer}");
    }
}
