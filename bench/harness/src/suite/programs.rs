//! Other programs: servers that run while they are measured, and commands that are timed as a whole.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Programs {
    pub svc: PathBuf,
    pub registry: PathBuf,
    pub servers: PathBuf,
    pub itself: PathBuf,
    /// The root of the repository.
    pub root: PathBuf,
}

impl Programs {
    /// Takes `svc` and `svc-registry` from a folder; the others are next to this one.
    pub fn find(folder: &str, root: &str) -> Result<Self> {
        let itself = std::env::current_exe()?;
        let found = |name: &str| {
            let path = Path::new(folder).join(name);
            fs::canonicalize(&path).with_context(|| format!("no program at {}", path.display()))
        };
        let programs = Self {
            svc: found("svc")?,
            registry: found("svc-registry")?,
            servers: itself.with_file_name("servers"),
            itself,
            root: fs::canonicalize(root)?,
        };
        ensure!(programs.servers.exists(), "the reference servers are not built");
        Ok(programs)
    }

    pub fn svc(&self, arguments: &[&str]) -> Command {
        self.run(&self.svc, arguments)
    }

    pub fn registry(&self, arguments: &[&str]) -> Command {
        self.run(&self.registry, arguments)
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// `svc-registry serve` on a free port.
    pub fn serve(&self, arguments: &[&str]) -> Command {
        let mut command = self.registry(&["serve", "--bind", "127.0.0.1:0"]);
        command.args(arguments);
        command
    }

    /// One of the reference servers in Rust.
    pub fn server(&self, kind: &str) -> Command {
        let mut command = Command::new(&self.servers);
        command.arg(kind);
        command
    }

    /// A program of the references in Node.
    pub fn node(&self, script: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("node");
        command.arg(self.root.join("bench/reference").join(script)).args(arguments).current_dir(&self.root);
        command
    }
}

/// A server until it goes out of scope.
pub struct Server {
    child: Child,
    pub url: String,
}

impl Server {
    /// Starts it, and waits until it says where it listens. Its log goes to a file, as an operator's would.
    pub fn start(mut command: Command, log: &Path) -> Result<Self> {
        let shown = format!("{command:?}");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(log)?)
            .spawn()
            .with_context(|| format!("cannot start {shown}"))?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
        let url = line.trim().strip_prefix("listening on ").and_then(|rest| rest.split("/api").next());
        let Some(url) = url.map(str::to_owned) else {
            let _ = child.kill();
            bail!("{shown} did not start: {line}{}", fs::read_to_string(log).unwrap_or_default());
        };
        Ok(Self { child, url })
    }

    /// The address without the scheme.
    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// A mark of its memory in KiB, its children included: `VmRSS` now, `VmHWM` at most so far.
    pub fn memory(&self, mark: &str) -> f64 {
        self.processes().into_iter().map(|id| memory_of(id, mark)).sum()
    }

    /// Waits until it has nothing more to do. A server goes on for a while with what a load has left behind, and whoever is
    /// measured next would pay for it.
    pub fn settle(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut before = None;
        while Instant::now() < deadline {
            let used: u64 = self.processes().into_iter().map(ticks_of).sum();
            if before == Some(used) {
                return;
            }
            before = Some(used);
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn processes(&self) -> Vec<u32> {
        let own = self.child.id();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
        children.split_whitespace().filter_map(|id| id.parse().ok()).chain([own]).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let deadline = Instant::now() + Duration::from_secs(15);
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The time of processors that a process has used, in the system's ticks.
fn ticks_of(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = status.rsplit(')').next().unwrap_or_default();
    after_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

fn memory_of(process: u32, mark: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(mark)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
}

/// Posts a body by hand and gives the status of the answer.
pub fn post(address: &str, path: &str, body: &[u8]) -> Result<u16> {
    let head = format!("POST {path} HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: {}", body.len());
    status_of(address, &head, body)
}

/// The status of what a path answers.
pub fn get(address: &str, path: &str) -> Result<u16> {
    status_of(address, &format!("GET {path} HTTP/1.1"), &[])
}

fn status_of(address: &str, head: &str, body: &[u8]) -> Result<u16> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.write_all(format!("{head}\r\nhost: {address}\r\nconnection: close\r\n\r\n").as_bytes())?;
    stream.write_all(body)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let status = answer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    status.context("no status in the answer")
}

/// Runs a command to its end and gives the seconds that it took. Its output is thrown away.
pub fn timed(mut command: Command) -> Result<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    let took = start.elapsed().as_secs_f64();
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(took)
}

/// The most memory that a command takes, in KiB. This very program is started once more in between, because the system
/// keeps the mark for all children together.
pub fn peak(programs: &Programs, command: &Command) -> Result<f64> {
    let mut meter = Command::new(&programs.itself);
    meter.arg("peak").arg(command.get_program()).args(command.get_args()).current_dir(&programs.root);
    let output = meter.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "{command:?} failed");
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// The other side of [`peak`].
pub fn meter(command: &[String]) -> Result<()> {
    let (program, arguments) = command.split_first().context("peak PROGRAM ARGUMENT...")?;
    let mut child = Command::new(program);
    child.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ensure!(child.status()?.success(), "{child:?} failed");
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN)?;
    println!("{}", usage.max_rss());
    Ok(())
}
