//! A registry, its witnesses, and those that only seem to be some.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use svc_journal::{add_checkpoint::AddCheckpoint, log_key::LogKey, witness_key::WitnessKey};
use svc_proof::tree::Hash;
use svc_testkit::lived_log::LivedLog;
use tempfile::TempDir;

use crate::{
    run::{Run, program},
    running::{Running, connect},
};

pub(crate) const ORIGIN: &str = "registry.example/journal";
const TIMEOUT: Duration = Duration::from_secs(40);

pub(crate) struct Place {
    folder: TempDir,
    log_key: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["journal", "init", "--journal", "sqlite", "--data-dir", "data", "--origin", ORIGIN];
        Run::of(&mut program(folder.path(), &arguments)).exits(0);
        Self::from_folder(folder)
    }

    /// The same with a log in its second year.
    pub(crate) fn lived() -> Self {
        let folder = tempfile::tempdir().unwrap();
        LivedLog::in_sqlite(&folder.path().join("data"), Some(ORIGIN));
        Self::from_folder(folder)
    }

    fn from_folder(folder: TempDir) -> Self {
        let keys = fs::read_to_string(folder.path().join("data/journal.pub")).unwrap();
        let log_key = keys.lines().next().unwrap().to_owned();
        fs::write(folder.path().join("logs.policy"), format!("log {log_key}\nquorum none\n")).unwrap();
        Self { folder, log_key }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The key of a witness, made when it is first asked for.
    pub(crate) fn key_of(&self, name: &str) -> WitnessKey {
        let state = self.path().join(name);
        if !state.exists() {
            let named = format!("witness.example/{name}");
            Run::of(&mut program(self.path(), &["witness", "init", "--state", name, "--name", &named])).exits(0);
        }
        WitnessKey::parse(&fs::read_to_string(state.join("witness.key")).unwrap()).unwrap()
    }

    pub(crate) fn witness(&self, name: &str) -> Witness {
        self.witness_at(name, "127.0.0.1:0")
    }

    pub(crate) fn witness_at(&self, name: &str, address: &str) -> Witness {
        self.key_of(name);
        let arguments = ["witness", "serve", "--state", name, "--logs", "logs.policy", "--listen", address];
        Witness::start(program(self.path(), &arguments))
    }

    /// Writes a policy for the log, with witnesses at their addresses.
    pub(crate) fn policy(&self, file: &str, witnesses: &[(&str, String)], quorum: &str) -> String {
        let lines: String = witnesses
            .iter()
            .map(|(name, url)| format!("witness {name} {} {url}\n", self.key_of(name).public()))
            .collect();
        fs::write(self.path().join(file), format!("log {}\n{lines}{quorum}", self.log_key)).unwrap();
        file.to_owned()
    }

    pub(crate) fn registry(&self, more: &[&str]) -> Running {
        Running::start(self.path(), &[&["--journal", "sqlite", "--data-dir", "data"], more].concat())
    }

    pub(crate) fn get(&self, registry: &Running, path: &str) -> (u16, String) {
        self.get_at(&registry.address, &format!("/api/sdk/registry{path}"))
    }

    pub(crate) fn get_at(&self, address: &str, path: &str) -> (u16, String) {
        let mut stream = connect(address).unwrap();
        stream
            .write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").as_bytes())
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// The size of the newest state that the registry serves as witnessed.
    pub(crate) fn witnessed_size(&self, registry: &Running) -> u64 {
        let (status, text) = self.get(registry, "/journal/witnessed-checkpoint");
        if status == 404 { 0 } else { text.lines().nth(1).unwrap().parse().unwrap() }
    }

    pub(crate) fn metric(&self, admin: &str, name: &str) -> u64 {
        let text = self.get_at(admin, "/metrics").1;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in\n{text}")).parse().unwrap()
    }

    pub(crate) fn wait(&self, what: &str, mut is_there: impl FnMut() -> bool) {
        let started = Instant::now();
        while !is_there() {
            assert!(started.elapsed() < TIMEOUT, "waited for {what}");
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// `svc-registry witness serve`, until it goes out of scope.
pub(crate) struct Witness {
    child: Child,
    address: String,
}

impl Witness {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let listening = stdout.lines().map_while(Result::ok).find_map(|line| {
            Some(line.strip_prefix("listening on http://")?.strip_suffix("/add-checkpoint")?.to_owned())
        });
        Self { child, address: listening.expect("a witness that listens") }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Tells it that its terminal has gone.
    pub(crate) fn hang_up(&self) {
        let sent = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Ends it as a service manager does, and tells where it was.
    pub(crate) fn stop(mut self) -> String {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success() && self.child.wait().unwrap().success());
        self.address.clone()
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Takes connections and never answers.
pub(crate) fn dead() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let held: Vec<TcpStream> = listener.incoming().map_while(Result::ok).collect();
        drop(held);
    });
    format!("http://{address}")
}

/// What a witness may say that it should not.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lie {
    Garbage,
    OtherBody,
    Endless,
    LargerLog,
}

impl Lie {
    /// Each with what the registry's log says of it.
    pub(crate) const ALL: [(Self, &str); 4] = [
        (Self::Garbage, "its cosignature is not one of the state"),
        (Self::OtherBody, "its cosignature is not one of the state"),
        (Self::Endless, "bytes"),
        (Self::LargerLog, "it saw a log of 1000000 records"),
    ];
}

/// A witness that tells one lie after the other, with its own key.
pub(crate) fn liar(key: &WitnessKey) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let key = WitnessKey::parse(&key.to_file()).unwrap();
    thread::spawn(move || {
        for (at, stream) in listener.incoming().map_while(Result::ok).enumerate() {
            let lie = Lie::ALL[at % Lie::ALL.len()].0;
            let _ = answer_falsely(stream, lie, &key);
        }
    });
    format!("http://{address}")
}

fn answer_falsely(mut stream: TcpStream, lie: Lie, key: &WitnessKey) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(digits) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = digits.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    assert!(AddCheckpoint::parse(&body).is_some(), "the registry sends what the specification says");
    let other = LogKey::from_seed(ORIGIN, &[3; 32]).unwrap();
    let other = other.sign_checkpoint(1, &Hash([0; 32])).unwrap();
    let cosigned = key.cosign(&other, 1_767_225_600).unwrap().line().to_owned();
    let (status, kind, answer) = match lie {
        Lie::Garbage => {
            let (head, tail) = cosigned.split_at(cosigned.len() - 60);
            ("200 OK", "text/plain", format!("{head}{}\n", tail.chars().rev().collect::<String>().replace('=', "A")))
        }
        Lie::OtherBody => ("200 OK", "text/plain", format!("{cosigned}\n")),
        Lie::Endless => ("200 OK", "text/plain", "x".repeat(1024 * 1024)),
        Lie::LargerLog => ("409 Conflict", "text/x.tlog.size", "1000000\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(answer.as_bytes())
}
