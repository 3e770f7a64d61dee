//! One run of the binary: never longer than [`TIMEOUT`], with its streams kept apart.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    fs::File,
    io::{ErrorKind, Read, Write as _},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// A run that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The path of the binary.
pub(crate) const SVC: &str = env!("CARGO_BIN_EXE_svc");

/// A run that is not started yet.
pub(crate) struct Svc {
    command: Command,
    shown: String,
    stdin: Vec<u8>,
    stdout: Option<Stdio>,
}

/// What a run left behind.
pub(crate) struct Run {
    shown: String,
    code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// `svc` with these arguments and nothing on standard input.
pub(crate) fn svc<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Svc {
    Svc::from_command(Command::new(SVC), "svc").args(arguments)
}

/// A command line that begins with the name of its program.
pub(crate) fn command_line(words: &[String]) -> Svc {
    let (name, arguments) = words.split_first().unwrap();
    Svc::from_command(Command::new(program_path(name)), name).args(arguments)
}

/// The path of a program of the build.
pub(crate) fn program_path(name: &str) -> PathBuf {
    if name == "svc" { SVC.into() } else { svc_testkit::run::binary(name) }
}

/// `svc app` with these arguments.
pub(crate) fn app<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Svc {
    svc(["app"]).args(arguments)
}

impl Svc {
    /// A run under a program that starts the binary itself.
    pub(crate) fn from_command(mut command: Command, shown: &str) -> Self {
        // What a developer's terminal asks for must not decide a test.
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS"] {
            command.env_remove(name);
        }
        Self { command, shown: shown.to_owned(), stdin: Vec::new(), stdout: None }
    }

    pub(crate) fn args<I: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = I>) -> Self {
        for argument in arguments {
            let _ = write!(self.shown, " {:?}", argument.as_ref());
            self.command.arg(argument);
        }
        self
    }

    pub(crate) fn in_folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    pub(crate) fn stdin(mut self, bytes: &[u8]) -> Self {
        self.stdin = bytes.to_vec();
        self
    }

    pub(crate) fn stdout_to(mut self, stdout: impl Into<Stdio>) -> Self {
        self.stdout = Some(stdout.into());
        self
    }

    /// Runs as another user when this is root, whom no permission bit stops.
    pub(crate) fn by_nobody(mut self) -> Self {
        if rustix::process::getuid().is_root() {
            self.command.uid(65534).gid(65534);
        }
        self
    }

    /// Starts the process and leaves it alone, its output thrown away.
    pub(crate) fn spawn(self) -> Child {
        self.start(Stdio::null())
    }

    /// Starts the process and leaves it alone.
    pub(crate) fn start(mut self, stdout: impl Into<Stdio>) -> Child {
        self.command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::null());
        spawned(&mut self.command, &self.shown)
    }

    /// Runs to the end.
    pub(crate) fn run(mut self) -> Run {
        let stdout = self.stdout.take().unwrap_or_else(Stdio::piped);
        self.command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
        let mut child = spawned(&mut self.command, &self.shown);
        // The command holds the other end of a pipe that the caller may wait for.
        drop(self.command);
        feed(&mut child, self.stdin);
        let stdout = drain(child.stdout.take());
        let stderr = drain(child.stderr.take());
        let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(TIMEOUT), stderr.recv_timeout(TIMEOUT)) else {
            let _ = child.kill();
            panic!("{} hangs", self.shown);
        };
        Run { shown: self.shown, code: child.wait().unwrap().code(), stdout, stderr }
    }
}

/// A copy of the binary is busy for a moment when a process that another test has just forked still holds it open for
/// writing.
fn spawned(command: &mut Command, shown: &str) -> Child {
    let started = Instant::now();
    loop {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && started.elapsed() < TIMEOUT => {
                thread::sleep(Duration::from_millis(10));
            }
            spawned => return spawned.unwrap_or_else(|error| panic!("{shown}: {error}")),
        }
    }
}

fn feed(child: &mut Child, bytes: Vec<u8>) {
    let mut stdin = child.stdin.take().unwrap();
    // A reader that refuses early leaves a broken pipe behind, which is its right.
    thread::spawn(move || stdin.write_all(&bytes));
}

fn drain(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        sender.send(bytes)
    });
    receiver
}

impl Run {
    /// Adds to what is told when the test fails.
    pub(crate) fn with(mut self, what: &str) -> Self {
        let _ = write!(self.shown, " ({what})");
        self
    }

    pub(crate) fn code(&self) -> Option<i32> {
        self.code
    }

    pub(crate) fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// The one JSON document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error} in {}", self.transcript()))
    }

    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "exit code of {}", self.transcript());
        assert!(!self.err().contains("panicked"), "{}", self.transcript());
        self
    }

    /// Standard error says all of it.
    #[track_caller]
    pub(crate) fn reports(&self, words: &[&str]) -> &Self {
        for word in words {
            assert!(self.err().contains(word), "no {word:?} on standard error of {}", self.transcript());
        }
        self
    }

    /// Standard output says all of it.
    #[track_caller]
    pub(crate) fn prints(&self, words: &[&str]) -> &Self {
        for word in words {
            assert!(self.out().contains(word), "no {word:?} on standard output of {}", self.transcript());
        }
        self
    }

    #[track_caller]
    pub(crate) fn prints_nothing(&self) -> &Self {
        assert!(self.stdout.is_empty(), "standard output of {}", self.transcript());
        self
    }

    /// A refusal by a rule: its code, the place, a way out; and no result but a no.
    #[track_caller]
    pub(crate) fn refuses(&self, code: i32, rule: &str, place: &str) -> &Self {
        self.exits(code).prints_no_yes().reports(&[&format!("error[{rule}]"), place, "help:"])
    }

    /// Standard output is empty, or says that the input is not valid and nothing was made.
    #[track_caller]
    pub(crate) fn prints_no_yes(&self) -> &Self {
        assert!(self.says_no(), "standard output of {}", self.transcript());
        self
    }

    pub(crate) fn says_no(&self) -> bool {
        let out = self.out();
        let says_no = out.contains("Valid     no") && out.contains("accepted no, signed no, installable no");
        let says_yes = ["Valid     yes", "created", "replaced", "unchanged", "printed"];
        out.is_empty() || says_no && !says_yes.iter().any(|word| out.contains(word))
    }

    /// A stop before anything was judged: exit code, the place, a way out; nothing on standard output.
    #[track_caller]
    pub(crate) fn stops(&self, code: i32, place: &str, words: &str) -> &Self {
        self.exits(code).prints_nothing().reports(&["error: ", place, words, "help:"])
    }

    fn transcript(&self) -> String {
        let (out, err) = (self.out(), self.err());
        let start = |text: &str| text.chars().take(3000).collect::<String>();
        format!("{}\n--- stdout\n{}\n--- stderr\n{}", self.shown, start(&out), start(&err))
    }
}

/// A device that takes nothing.
pub(crate) fn full_device() -> File {
    File::options().write(true).open("/dev/full").unwrap()
}
