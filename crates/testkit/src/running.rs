//! A running service and requests to it.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::run::{program, repository};

/// An endpoint, and the kind of document that it takes.
pub const ENDPOINT: &str = "/api/sdk/registry/acceptance-requests";

/// The endpoint that takes an index.
pub const INDEX_ENDPOINT: &str = "/api/sdk/registry/indexes/validate";

/// The good document for [`ENDPOINT`], made with the rules of this build.
pub fn document() -> Vec<u8> {
    std::fs::read(repository("conformance/documents/own-rules/acceptance-request.json")).unwrap()
}

/// Gives a file that a running service looks at another content, all at once: written in place it is empty for a moment, and
/// the service may look just then.
pub fn replace(file: &Path, content: impl AsRef<[u8]>) {
    let beside = file.with_extension("next");
    std::fs::write(&beside, content).unwrap();
    std::fs::set_permissions(&beside, std::fs::metadata(file).unwrap().permissions()).unwrap();
    std::fs::rename(beside, file).unwrap();
}

/// `svc-registry serve`, until it goes out of scope.
pub struct Running {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
    log: PathBuf,
    pub address: String,
}

impl Running {
    /// Starts the service on a free port; its log goes to a file in the folder.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_with_log(folder, arguments, File::create(folder.join("serve.log")).unwrap().into())
    }

    /// The same with a log that goes elsewhere.
    pub fn start_with_log(folder: &Path, arguments: &[&str], stderr: Stdio) -> Self {
        let arguments = [&["serve", "--bind", "127.0.0.1:0"][..], arguments].concat();
        let mut command = program(folder, &arguments);
        command.stderr(stderr);
        Self::spawn(command, folder)
    }

    /// The same by a command that becomes the service in the end.
    pub fn start_as(mut command: Command, folder: &Path) -> Self {
        command.stderr(File::create(folder.join("serve.log")).unwrap());
        Self::spawn(command, folder)
    }

    fn spawn(mut command: Command, folder: &Path) -> Self {
        let log = folder.join("serve.log");
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
        let address = address.unwrap_or_else(|| panic!("{line}{}", std::fs::read_to_string(&log).unwrap_or_default()));
        let address = address.0.to_owned();
        Self { child, stdout, log, address }
    }

    /// The address of the metrics, which is told after the first line.
    pub fn admin_address(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let address = line.strip_prefix("metrics on ").and_then(|rest| rest.split_once("://")?.1.split_once('/'));
        address.unwrap_or_else(|| panic!("{line}")).0.to_owned()
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The log, once nothing more comes: lines are written behind the answers, not before them.
    pub fn log(&self) -> String {
        let mut log = String::new();
        for _ in 0..100 {
            let before = std::mem::replace(&mut log, std::fs::read_to_string(&self.log).unwrap());
            if log == before && !log.is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        log
    }

    /// The log as it is.
    pub fn log_now(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// The log, once it has so many lines with this text.
    pub fn wait_for_log(&self, text: &str, times: usize) -> String {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let log = self.log_now();
            if log.matches(text).count() >= times {
                return log;
            }
            assert!(Instant::now() < end, "`{text}` not told {times} times: {log}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The end of the log's pipe that a test reads.
    pub fn log_pipe(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }

    /// Asks it to stop, as a service manager does.
    pub fn terminate(&self) {
        let sent = Command::new("kill").args(["-TERM", &self.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for its end: how it ended, and what it said last.
    pub fn ended(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap(), rest)
    }

    /// Asks on a connection of its own; nothing when there was no whole answer.
    pub fn ask(&self, request: &[u8]) -> Option<String> {
        exchange(&mut connect(&self.address)?, request)
    }

    pub fn status(&self, request: &[u8]) -> u16 {
        let answer = self.ask(request).expect("an answer");
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn connect(address: &str) -> Option<TcpStream> {
    let stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // What is measured is the service, and not how long a client gathers what it writes.
    stream.set_nodelay(true).unwrap();
    Some(stream)
}

/// Sends a request and reads one whole answer.
pub fn exchange(stream: &mut TcpStream, request: &[u8]) -> Option<String> {
    stream.write_all(request).ok()?;
    let mut answer = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        let read = match stream.read(&mut buffer) {
            // A signal, such as that a child has ended, is no end of the answer.
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.ok().filter(|read| *read > 0)?,
        };
        answer.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&answer);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase();
            let length = length
                .split("content-length: ")
                .nth(1)
                .map_or(0, |rest| rest.split("\r\n").next().unwrap().parse().unwrap());
            if body.len() >= length {
                return Some(text.into_owned());
            }
        }
    }
}

pub fn post(authorization: &str, body: &[u8]) -> Vec<u8> {
    post_to(ENDPOINT, authorization, body)
}

pub fn post_to(endpoint: &str, authorization: &str, body: &[u8]) -> Vec<u8> {
    let mut request = format!(
        "POST {endpoint} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    if !authorization.is_empty() {
        request += &format!("Authorization: {authorization}\r\n");
    }
    [format!("{request}\r\n").as_bytes(), body].concat()
}
