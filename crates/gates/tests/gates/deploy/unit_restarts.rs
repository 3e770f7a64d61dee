//! What a unit does with the ends of its service, by a manager that knows three of its lines: it starts what `ExecStart` says,
//! and starts it again when `Restart` says so and `RestartPreventExitStatus` does not forbid it. The log is in its second year.

use std::{
    fs,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use svc_testkit::lived_log::LivedLog;

use super::nodes::free_port;
use svc_gates::{
    process::{Running, root},
    service::first_line,
};

/// Starts the service with each state of log and settings, and holds the unit to what the guide says of it.
pub(crate) fn check(registry: &Path, folder: &Path) -> Result<String> {
    let unit = Unit::read(registry, folder)?;
    let data = unit.folder.join("state");
    let before = unit.folder.join("backup.sqlite3");
    let log = LivedLog::in_sqlite(&data, None);
    fs::copy(data.join("journal.sqlite3"), &before)?;
    let good = format!("bind = \"127.0.0.1:{}\"\n", free_port()?);
    // Killed, it is started again, and is there.
    for _ in 0..2 {
        drop(unit.runs(&good)?);
    }
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let away = format!("{good}journal = \"postgres://svc@127.0.0.1:{}/svc\"\n", free_port()?);
    unit.ends(&format!("bind = \"{}\"\n", taken.local_addr()?), 3, After::StartsAgain)?;
    unit.ends(&away, 6, After::StartsAgain)?;
    unit.ends("bnd = \"127.0.0.1:8787\"\n", 2, After::Stays)?;
    log.ask();
    for rest in ["-wal", "-shm"] {
        let _ = fs::remove_file(data.join(format!("journal.sqlite3{rest}")));
    }
    fs::copy(&before, data.join("journal.sqlite3"))?;
    unit.ends(&good, 4, After::Stays).context("a database that was restored from an older copy")?;
    ensure!(unit.after(Some(7)) == After::Stays, "a service that saw an open answer is started again");
    Ok("started on a log in its second year, again after a kill and ends 3 and 6, and never again after 2, 4 and 7"
        .to_owned())
}

/// What the manager does after an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    StartsAgain,
    Stays,
}

struct Unit {
    text: String,
    registry: PathBuf,
    folder: PathBuf,
}

impl Unit {
    fn read(registry: &Path, folder: &Path) -> Result<Self> {
        let folder = folder.join("unit-restarts");
        fs::create_dir_all(&folder)?;
        let text = fs::read_to_string(root().join("deploy/svc-registry.service"))?;
        Ok(Self { text, registry: registry.to_owned(), folder: folder.canonicalize()? })
    }

    fn value(&self, name: &str) -> Result<&str> {
        let mut values = self.text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        let value = values.next().with_context(|| format!("the unit has no {name}"))?;
        ensure!(values.next().is_none(), "the unit has {name} twice");
        Ok(value)
    }

    /// What `ExecStart` says, with the paths of the unit led to those of this run.
    fn start(&self, settings: &str) -> Result<Command> {
        ensure!(!self.text.lines().any(|line| line.starts_with("ExecStartPre") || line.starts_with("ExecCondition")));
        let file = self.folder.join("svc-registry.toml");
        fs::write(&file, settings)?;
        let mut words = self.value("ExecStart")?.split(' ');
        ensure!(words.next() == Some("/usr/local/bin/svc-registry"), "the unit starts another program");
        let mut start = Command::new(&self.registry);
        for word in words {
            match word {
                "/etc/svc-registry/svc-registry.toml" => start.arg(&file),
                word => start.arg(word),
            };
        }
        ensure!(self.value("StateDirectory").is_ok(), "the unit keeps no folder for the log");
        start.env("STATE_DIRECTORY", self.folder.join("state")).stderr(Stdio::null());
        Ok(start)
    }

    fn runs(&self, settings: &str) -> Result<Running> {
        let (running, line) = first_line(self.start(settings)?)?;
        ensure!(line.starts_with("listening on "), "it does not listen: {line:?}");
        ensure!(self.after(None) == After::StartsAgain, "a service that was killed is not started again");
        Ok(running)
    }

    fn ends(&self, settings: &str, code: i32, then: After) -> Result<()> {
        let status = self.start(settings)?.stdout(Stdio::null()).status()?;
        ensure!(status.code() == Some(code), "it ended with {status} and not {code}");
        let after = self.after(status.code());
        ensure!(after == then, "after exit code {code} the unit {after:?}, and not {then:?}");
        Ok(())
    }

    /// As systemd.service(5) has it for `Restart=on-failure`; no code is a kill.
    fn after(&self, code: Option<i32>) -> After {
        let is_prevented = |code: i32| {
            let prevented = self.value("RestartPreventExitStatus").unwrap_or_default();
            prevented.split(' ').any(|word| word == code.to_string())
        };
        let restarts = self.value("Restart").is_ok_and(|value| value == "on-failure");
        match code {
            Some(0) => After::Stays,
            Some(code) if is_prevented(code) => After::Stays,
            Some(_) | None if restarts => After::StartsAgain,
            Some(_) | None => After::Stays,
        }
    }
}
