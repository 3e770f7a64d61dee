//! Whoever reads the log may stall or go away: it costs lines, which are counted, and nothing else.

use std::{
    io::{BufRead as _, BufReader, PipeWriter, Read as _, Write as _},
    net::TcpListener,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    metrics::metric,
    run::program,
    running::{Running, connect, exchange},
};

/// More than a pipe and the queue behind it hold: each path is as long as a line shows it.
const MANY: usize = 12_000;

/// Long enough for a machine that does other things, and far from the 10 seconds of a drain.
const PROMPT: Duration = Duration::from_secs(3);

/// Sends requests on one connection and tells how long the slowest one took.
fn ask(address: &str, requests: usize) -> Duration {
    let request = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(300));
    let mut stream = connect(address).unwrap();
    (0..requests)
        .map(|_| {
            let started = Instant::now();
            assert!(exchange(&mut stream, request.as_bytes()).unwrap().starts_with("HTTP/1.1 404 "));
            started.elapsed()
        })
        .max()
        .unwrap()
}

/// Tells the service to stop, which it must do well and in time.
fn stop(running: Running) -> String {
    let started = Instant::now();
    running.terminate();
    let (status, last) = running.ended();
    assert_eq!(status.code(), Some(0), "{last}");
    assert!(started.elapsed() < 2 * PROMPT, "{:?}", started.elapsed());
    last
}

fn lost(admin: &str) -> usize {
    metric(admin, "svc_log_lines_lost_total")
}

#[test]
fn a_log_that_nobody_reads_holds_up_neither_requests_nor_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start_with_log(folder.path(), &[], Stdio::piped());
    let _unread = running.log_pipe();
    let slowest = ask(&running.address, 2_500);
    assert!(slowest < PROMPT, "{slowest:?}");
    assert!(stop(running).contains("stopped after 2500 answers"));
}

#[test]
fn a_log_whose_reader_has_gone_costs_its_lines_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start_with_log(folder.path(), &["--admin-bind", "127.0.0.1:0"], Stdio::piped());
    let admin = running.admin_address();
    drop(running.log_pipe());
    assert!(ask(&running.address, 500) < PROMPT);
    let patience = Instant::now() + PROMPT;
    while lost(&admin) < 500 && Instant::now() < patience {
        thread::sleep(Duration::from_millis(20));
    }
    assert!((500..600).contains(&lost(&admin)), "{}", lost(&admin));
    stop(running);
}

#[test]
fn a_reader_that_comes_back_finds_whole_lines_and_how_many_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start_with_log(folder.path(), &["--admin-bind", "127.0.0.1:0"], Stdio::piped());
    let admin = running.admin_address();
    let pipe = running.log_pipe();
    assert!(ask(&running.address, MANY) < PROMPT);
    let counted = lost(&admin);
    assert!(counted > 0, "the lines of {MANY} requests fit into the queue");
    let reader = thread::spawn(|| BufReader::new(pipe).lines().map(Result::unwrap).collect::<Vec<String>>());
    thread::sleep(Duration::from_secs(1));
    assert!(ask(&running.address, 100) < PROMPT);
    stop(running);
    let lines: Vec<Value> =
        reader.join().unwrap().iter().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let seen = lines.iter().filter(|line| line["path"].as_str().is_some_and(|path| path.len() == 256)).count();
    let scraped = lines.iter().filter(|line| line["operation"] == "metrics").count();
    let told: Vec<&str> =
        lines.iter().filter(|line| line["level"] == "warn").map(|line| line["detail"].as_str().unwrap()).collect();
    let [told] = told[..] else { panic!("{told:?}") };
    let told: usize = told.split(' ').next().unwrap().parse().unwrap();
    // The scrape asked before its own line was lost.
    assert_eq!(told, counted + 1);
    assert_eq!(seen + scraped + told, MANY + 100 + 1);
    assert_eq!(lines.last().unwrap()["message"], "stopped");
}

/// A pipe that is full, and its other end.
fn full_pipe() -> (std::io::PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
    while writer.write(&[b'\n'; 4096]).is_ok() {}
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::empty()).unwrap();
    (reader, writer)
}

#[test]
fn standard_output_that_nobody_reads_holds_up_neither_the_start_nor_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let (mut reader, writer) = full_pipe();
    let mut child =
        program(folder.path(), &["serve", "--bind", &address]).stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    let patience = Instant::now() + 5 * PROMPT;
    while connect(&address).is_none() {
        assert!(Instant::now() < patience, "nobody listens");
        thread::sleep(Duration::from_millis(20));
    }
    ask(&address, 10);
    let started = Instant::now();
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(started.elapsed() < 3 * PROMPT, "{:?}", started.elapsed());
    let mut said = String::new();
    reader.read_to_string(&mut said).unwrap();
    assert_eq!(said.trim(), "");
}

#[test]
fn a_fault_before_the_service_runs_is_told_on_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = crate::run::Run::of(&mut program(folder.path(), &["serve", "--bind", &address])).exits(3);
    assert!(run.stderr.starts_with("error: cannot listen"), "{}", run.stderr);
}
