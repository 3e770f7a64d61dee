//! Lines on their way to the standard error.
//!
//! A file system can make whoever writes wait until another file is flushed, and the journal flushes all the time. So
//! requests only leave their lines here, and a thread writes them out, many together.

use std::{
    io::Write as _,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    thread::{self, Thread},
    time::Duration,
};

/// How long a line waits for others.
const GATHERING: Duration = Duration::from_millis(5);

/// When this much waits, whoever adds a line writes: what is noted faster than it is read does not pile up.
const MOST_BYTES: usize = 256 * 1024;

static WAITING: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Adds a line, which is written out soon.
pub(super) fn add(line: &[u8]) {
    let (was_empty, is_full) = {
        let mut waiting = waiting();
        let was_empty = waiting.is_empty();
        waiting.extend_from_slice(line);
        (was_empty, waiting.len() > MOST_BYTES)
    };
    match writer() {
        Some(writer) if !is_full => {
            if was_empty {
                writer.unpark();
            }
        }
        _ => write_out(),
    }
}

/// Writes out what waits, in the order in which it came.
pub(super) fn write_out() {
    let mut out = std::io::stderr().lock();
    let lines = std::mem::take(&mut *waiting());
    // When nobody reads the log any more, the service goes on.
    let _ = out.write_all(&lines);
}

fn waiting() -> MutexGuard<'static, Vec<u8>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that writes; where there is none to be had, everyone writes.
fn writer() -> Option<&'static Thread> {
    static WRITER: OnceLock<Option<Thread>> = OnceLock::new();
    let start = || Some(thread::Builder::new().name("svc-log".to_owned()).spawn(run).ok()?.thread().clone());
    WRITER.get_or_init(start).as_ref()
}

fn run() {
    loop {
        thread::park();
        thread::sleep(GATHERING);
        write_out();
    }
}
