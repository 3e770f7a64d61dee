//! The parent's side: one child for each thread that has code to read, for as long as the folder is read.

use std::{
    io::{self, Read as _},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use svc_core::package::{
    fact_table::{FactSpec, UNREAD_BUDGET, UNREAD_CRASH, UNREAD_DEPTH},
    sighting::{Seen, Sighting},
};
use svc_facts::{language::Language, wire};

use super::{
    budget::{Budget, file_time},
    child::WORD,
    frame::{read_bytes, write_request},
};

/// A child that has read a larger file than this is not used again: it may have kept the memory.
const LARGE: usize = 1024 * 1024;

/// Children that wait for a file, and what all of them together may use for one package.
#[derive(Debug, Default)]
pub(crate) struct CodeReaders {
    idle: Mutex<Vec<Reader>>,
    budget: Budget,
}

impl CodeReaders {
    /// What code tells. A file that its reader dies of is unread, and says why; so is one for which the package has no
    /// time left.
    pub(crate) fn read(&self, language: Language, bytes: &[u8]) -> Seen {
        // The program of a unit test is not this one.
        if cfg!(test) {
            return svc_facts::of_code(language, bytes);
        }
        let Some(mut permit) = self.budget.acquire(bytes.len()) else { return unread(&UNREAD_BUDGET) };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let started = idle.map_or_else(Reader::start, Ok);
        let Ok(mut reader) = started else { return unread(&UNREAD_CRASH) };
        match reader.read(language, bytes) {
            Some((seen, time)) => {
                permit.took(time);
                if bytes.len() <= LARGE {
                    self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
                }
                seen
            }
            None => {
                let why = reader.cause_of_death();
                // How long it worked is not known: as long as it may have.
                let is_late = std::ptr::eq(why, &UNREAD_BUDGET);
                permit.took(if is_late { file_time(bytes.len()) } else { Duration::from_secs(1) });
                unread(why)
            }
        }
    }
}

fn unread(why: &'static FactSpec) -> Seen {
    Seen { sightings: vec![Sighting::of_file(why)], ..Seen::default() }
}

/// One child.
#[derive(Debug)]
struct Reader {
    child: Child,
    to: Option<ChildStdin>,
    from: ChildStdout,
}

impl Reader {
    /// The same program once more, with nothing but a pipe there and a pipe back.
    fn start() -> io::Result<Self> {
        let mut child = Command::new(own_program()?)
            .arg(WORD)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (to, from) = child.stdin.take().zip(child.stdout.take()).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, to: Some(to), from })
    }

    /// What it says of a file, and the processor time that it took.
    fn read(&mut self, language: Language, bytes: &[u8]) -> Option<(Seen, Duration)> {
        write_request(self.to.as_mut()?, language, bytes).ok()?;
        let seen = wire::from_bytes(&read_bytes(&mut self.from).ok()?)?;
        let mut time = [0; 8];
        self.from.read_exact(&mut time).ok()?;
        Some((seen, Duration::from_micros(u64::from_le_bytes(time))))
    }

    /// Why the child did not answer: what it says on its way out is the system's and ours, never the file's.
    fn cause_of_death(mut self) -> &'static FactSpec {
        self.to = None;
        let mut said = Vec::new();
        if let Some(errors) = self.child.stderr.take() {
            let _ = errors.take(4096).read_to_end(&mut said);
        }
        let said = String::from_utf8_lossy(&said).into_owned();
        match self.child.wait() {
            Ok(status) if ran_out_of_time(status) => &UNREAD_BUDGET,
            Ok(_) if said.contains("overflowed its stack") => &UNREAD_DEPTH,
            Ok(_) if said.contains("memory allocation") => &UNREAD_BUDGET,
            Ok(_) | Err(_) => &UNREAD_CRASH,
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.to = None;
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn ran_out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;

    const SIGXCPU: i32 = rustix::process::Signal::XCPU.as_raw();
    status.signal() == Some(SIGXCPU)
}

#[cfg(not(unix))]
fn ran_out_of_time(_: ExitStatus) -> bool {
    false
}

/// This program itself, also when another was put in its place meanwhile.
#[cfg(target_os = "linux")]
fn own_program() -> io::Result<&'static str> {
    Ok("/proc/self/exe")
}

#[cfg(not(target_os = "linux"))]
fn own_program() -> io::Result<std::path::PathBuf> {
    std::env::current_exe()
}
