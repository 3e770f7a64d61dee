//! Standard output, where a reader that has gone away is an outcome and not an error.
//!
//! Rust starts with SIGPIPE ignored, and it stays so: a closed pipe shows up here as EPIPE.

use std::{
    io::{self, ErrorKind, Write},
    thread,
    time::Duration,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StdoutResult {
    /// All bytes are out.
    Written,
    /// The reader closed the pipe (`svc … | head`): end quietly.
    ClosedPipe,
}

/// All bytes to standard output, flushed.
pub fn write_stdout(bytes: &[u8]) -> Result<StdoutResult, io::Error> {
    write_to(&mut io::stdout().lock(), bytes)
}

fn write_to(out: &mut impl Write, bytes: &[u8]) -> Result<StdoutResult, io::Error> {
    match write_all(out, bytes).and_then(|()| patiently(|| out.flush())) {
        Ok(()) => Ok(StdoutResult::Written),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(StdoutResult::ClosedPipe),
        Err(error) => Err(error),
    }
}

fn write_all(out: &mut impl Write, bytes: &[u8]) -> Result<(), io::Error> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let count = patiently(|| out.write(rest))?;
        match rest.get(count..) {
            Some(left) if count > 0 => rest = left,
            _ => return Err(ErrorKind::WriteZero.into()),
        }
    }
    Ok(())
}

/// A parent such as Node leaves pipes it shares non-blocking: a full one is waited for, not given up.
fn patiently<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(Duration::from_millis(1)),
            done => return done,
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{
        fs::OpenOptions,
        io::{LineWriter, Read as _},
    };

    use super::*;

    #[test]
    fn a_closed_pipe_is_told_apart() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut out = LineWriter::new(writer);
        assert_eq!(write_to(&mut out, b"no newline, so only the flush fails").unwrap(), StdoutResult::ClosedPipe);
    }

    #[test]
    fn a_full_device_is_an_error_even_if_only_the_flush_sees_it() {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut out = LineWriter::new(full);
        let error = write_to(&mut out, b"no newline").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }

    #[test]
    fn a_full_non_blocking_pipe_is_waited_for() {
        let (mut reader, writer) = io::pipe().unwrap();
        rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
        let bytes = vec![b'x'; 300_000];
        let copy = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            let mut copy = Vec::new();
            reader.read_to_end(&mut copy).map(|_| copy)
        });
        let mut out = LineWriter::new(writer);
        assert_eq!(write_to(&mut out, &bytes).unwrap(), StdoutResult::Written);
        drop(out);
        assert_eq!(copy.join().unwrap().unwrap(), bytes);
    }

    #[test]
    fn a_writer_that_takes_nothing_ends_in_an_error() {
        struct Wall;
        impl Write for Wall {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Ok(0)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert_eq!(write_to(&mut Wall, b"x").unwrap_err().kind(), ErrorKind::WriteZero);
    }
}
