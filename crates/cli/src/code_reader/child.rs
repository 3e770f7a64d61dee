//! The child: reads one file after the other, within bounds that the system holds it to.

use std::{
    io::{self, BufReader},
    panic,
    process::ExitCode,
    thread,
};

use svc_core::package::{
    fact_table::UNREAD_CRASH,
    sighting::{Seen, Sighting},
};
use svc_facts::{STACK_BYTES, of_code, wire};

use super::frame::{Request, read_request, write_bytes};

/// The one argument that makes this program a reader. It is no command: nothing but this program says it.
pub(super) const WORD: &str = "read-code-for-svc";

/// Runs as a reader, if that is what the arguments say.
pub(crate) fn run_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let is_asked = arguments.next().is_some_and(|word| word == WORD) && arguments.next().is_none();
    is_asked.then(run)
}

fn run() -> ExitCode {
    let reader = thread::Builder::new().name("reader".to_owned()).stack_size(STACK_BYTES).spawn(|| {
        limits::bound_process()?;
        read_all()
    });
    match reader.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(_)) | Err(_)) | Err(_) => ExitCode::FAILURE,
    }
}

fn read_all() -> io::Result<()> {
    let mut from = BufReader::new(io::stdin().lock());
    let mut to = io::stdout().lock();
    // A parser that gives up by panicking says so to nobody: the answer tells it.
    panic::set_hook(Box::new(|_| {}));
    while let Some(request) = read_request(&mut from)? {
        limits::bound_file()?;
        write_bytes(&mut to, &wire::to_bytes(&read(&request)))?;
    }
    Ok(())
}

fn read(request: &Request) -> Seen {
    let read = panic::catch_unwind(|| of_code(request.language, &request.bytes));
    read.unwrap_or_else(|_| Seen { sightings: vec![Sighting::of_file(&UNREAD_CRASH)], ..Seen::default() })
}

#[cfg(unix)]
mod limits {
    use std::io;

    use rustix::{
        process::{Resource, Rlimit, getrlimit, setrlimit},
        time::{ClockId, clock_gettime},
    };

    /// More than the largest file of real code takes, the stack included.
    const MEMORY_BYTES: u64 = 4 * 1024 * 1024 * 1024;

    /// Processor time for one file.
    const FILE_SECONDS: u64 = 60;

    /// No file is written, no dump left behind, and memory ends somewhere.
    pub(super) fn bound_process() -> io::Result<()> {
        bound(Resource::Core, 0)?;
        bound(Resource::Fsize, 0)?;
        bound(Resource::As, MEMORY_BYTES)
    }

    /// Time for one file more than was used until now.
    pub(super) fn bound_file() -> io::Result<()> {
        let used = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or_default();
        bound(Resource::Cpu, used + 1 + FILE_SECONDS)
    }

    /// Lowers the bound that holds now; what is allowed at most stays, so that the next file can have its own.
    fn bound(resource: Resource, most: u64) -> io::Result<()> {
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(most, |maximum| most.min(maximum)));
        Ok(setrlimit(resource, Rlimit { current, maximum })?)
    }
}

#[cfg(not(unix))]
mod limits {
    use std::io;

    /// The system has no such bounds for a process by itself.
    pub(super) fn bound_process() -> io::Result<()> {
        Ok(())
    }

    pub(super) fn bound_file() -> io::Result<()> {
        Ok(())
    }
}
