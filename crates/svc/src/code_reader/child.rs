//! The child: reads one file after the other, within bounds that the system holds it to.

use std::{
    io::{self, BufReader, Write as _},
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
        let before = limits::time_used();
        limits::bound_file(request.bytes.len())?;
        write_bytes(&mut to, &wire::to_bytes(&read(&request)))?;
        let took = u64::try_from(limits::time_used().saturating_sub(before).as_micros()).unwrap_or(u64::MAX);
        to.write_all(&took.to_le_bytes())?;
        to.flush()?;
    }
    Ok(())
}

fn read(request: &Request) -> Seen {
    let read = panic::catch_unwind(|| of_code(request.language, &request.bytes));
    read.unwrap_or_else(|_| Seen { sightings: vec![Sighting::of_file(&UNREAD_CRASH)], ..Seen::default() })
}

#[cfg(unix)]
mod limits {
    use std::{io, time::Duration};

    use super::super::budget::file_time;
    use rustix::{
        process::{Resource, Rlimit, getrlimit, setrlimit},
        time::{ClockId, clock_gettime},
    };

    /// The stack, the program, and a small file.
    const BASE_BYTES: u64 = 3 * 512 * 1024 * 1024;

    /// More than real code takes for each byte of it. A file of 25 MiB has 2.5 GiB in all, and is read alone.
    const BYTES_PER_BYTE: u64 = 40;

    /// No file is written and no dump left behind.
    pub(super) fn bound_process() -> io::Result<()> {
        bound(Resource::Core, 0)?;
        bound(Resource::Fsize, 0)
    }

    /// Memory for one file, and time for it beyond what was used until now.
    pub(super) fn bound_file(bytes: usize) -> io::Result<()> {
        bound(Resource::As, BASE_BYTES + BYTES_PER_BYTE * bytes as u64)?;
        bound(Resource::Cpu, time_used().as_secs() + 1 + file_time(bytes).as_secs())
    }

    /// The processor time of this process.
    pub(super) fn time_used() -> Duration {
        let used = clock_gettime(ClockId::ProcessCPUTime);
        let nanos = u32::try_from(used.tv_nsec).unwrap_or_default();
        Duration::new(u64::try_from(used.tv_sec).unwrap_or_default(), nanos)
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
    use std::{io, time::Duration};

    /// The system has no such bounds for a process by itself.
    pub(super) fn bound_process() -> io::Result<()> {
        Ok(())
    }

    pub(super) fn bound_file(_: usize) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn time_used() -> Duration {
        Duration::ZERO
    }
}
