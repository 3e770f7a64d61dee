//! Lines on their way to a reader that may stall or go away: a bounded queue, and a thread that writes.
//!
//! Whoever has a line never waits. Lines that do not fit, or that the reader did not take, are counted, and the count is
//! told in their place once the reader is back.

use std::{
    fmt,
    io::{self, ErrorKind, Write},
    mem,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// What may wait: the lines of about ten thousand requests.
const MAX_QUEUED_BYTES: usize = 4 * 1024 * 1024;

/// A buffer that grew beyond this while the reader stalled is given back.
const MAX_KEPT_CAPACITY: usize = 64 * 1024;

/// How often a reader is asked again that left its pipe non-blocking, and full.
const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// The line that tells how many were lost; it may be empty.
pub type LossNotice = fn(u64) -> Vec<u8>;

pub struct LineQueue {
    waiting: Mutex<Waiting>,
    came: Condvar,
    all_written: Condvar,
    lost: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    lines: Vec<u8>,
    /// How many came after `lines` and did not fit. As long as there are any, all later ones join them, so that the
    /// notice stands where the lines would be.
    dropped: u64,
    /// Whether the thread has something to write.
    busy: bool,
}

impl LineQueue {
    /// Starts the thread that writes.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub fn start(name: &str, to: impl Write + Send + 'static, notice: LossNotice) -> io::Result<Arc<Self>> {
        let queue = Arc::new(Self::new());
        let source = Arc::clone(&queue);
        thread::Builder::new().name(name.to_owned()).spawn(move || source.write_to(Output::new(to), notice))?;
        Ok(queue)
    }

    fn new() -> Self {
        Self { waiting: Mutex::default(), came: Condvar::new(), all_written: Condvar::new(), lost: AtomicU64::new(0) }
    }

    /// Adds lines, each with its end. Lines that do not fit are counted.
    pub fn push(&self, lines: &[u8]) {
        let mut waiting = self.lock();
        if waiting.dropped > 0 || waiting.lines.len() + lines.len() > MAX_QUEUED_BYTES {
            waiting.dropped += count(lines);
            self.lost.fetch_add(count(lines), Ordering::Relaxed);
        } else {
            waiting.lines.extend_from_slice(lines);
        }
        let was_idle = !mem::replace(&mut waiting.busy, true);
        drop(waiting);
        if was_idle {
            self.came.notify_one();
        }
    }

    /// How many lines nobody read.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// How many bytes wait to be written.
    pub fn waiting_bytes(&self) -> usize {
        self.lock().lines.len()
    }

    /// Waits until everything is written, or the time is over: a reader that stalls must not keep a service from its end.
    pub fn flush(&self, limit: Duration) {
        let end = Instant::now() + limit;
        let mut waiting = self.lock();
        while waiting.busy {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            waiting = self.all_written.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn write_to(&self, mut output: Output<impl Write>, notice: LossNotice) {
        let (mut lines, mut untold) = (Vec::new(), 0);
        loop {
            let dropped = self.take(&mut lines);
            if untold > 0 && output.write(&notice(untold)) == 0 {
                untold = 0;
            }
            let refused = output.write(&lines);
            self.lost.fetch_add(refused, Ordering::Relaxed);
            untold += refused + dropped;
            if dropped > 0 && refused == 0 && output.write(&notice(untold)) == 0 {
                untold = 0;
            }
            lines.clear();
            lines.shrink_to(MAX_KEPT_CAPACITY);
        }
    }

    /// Waits for lines and takes them all. Tells how many were dropped behind them.
    fn take(&self, lines: &mut Vec<u8>) -> u64 {
        let mut waiting = self.lock();
        while waiting.lines.is_empty() && waiting.dropped == 0 {
            waiting.busy = false;
            self.all_written.notify_all();
            waiting = self.came.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        mem::swap(&mut waiting.lines, lines);
        mem::take(&mut waiting.dropped)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for LineQueue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LineQueue").field("lost", &self.lost()).finish_non_exhaustive()
    }
}

/// Where lines go, and whether the last one broke off.
struct Output<W> {
    to: W,
    torn: bool,
}

impl<W: Write> Output<W> {
    fn new(to: W) -> Self {
        Self { to, torn: false }
    }

    /// Writes lines and tells how many did not get through whole. A line that broke off is ended before the next one
    /// begins.
    fn write(&mut self, lines: &[u8]) -> u64 {
        if self.torn && self.write_bytes(b"\n") == 0 {
            return count(lines);
        }
        let written = self.write_bytes(lines);
        let (through, rest) = lines.split_at_checked(written).unwrap_or((lines, &[]));
        self.torn = through.last().is_some_and(|byte| *byte != b'\n');
        count(rest)
    }

    /// Writes until an error, and tells how far it came. A pipe that is full is waited for.
    fn write_bytes(&mut self, bytes: &[u8]) -> usize {
        let mut written = 0;
        while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
            match self.to.write(rest) {
                Ok(0) => break,
                Ok(more) => written += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(RETRY_PAUSE),
                Err(_) => break,
            }
        }
        written
    }
}

fn count(lines: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', lines).count() as u64
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver, Sender};

    use super::*;

    const FLUSH_TIMEOUT: Duration = Duration::from_secs(10);

    fn notice(lost: u64) -> Vec<u8> {
        format!("lost {lost}\n").into_bytes()
    }

    /// A reader that takes nothing until it is told what to do with each write: how many bytes, or an error.
    struct Reader {
        told: Receiver<io::Result<usize>>,
        seen: Sender<Vec<u8>>,
    }

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = self.told.recv().map_or(Err(ErrorKind::BrokenPipe.into()), |told| told)?.min(bytes.len());
            let _ = self.seen.send(bytes[..taken].to_vec());
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    type Started = (Arc<LineQueue>, Sender<io::Result<usize>>, Receiver<Vec<u8>>);

    fn start() -> Started {
        let ((tell, told), (seen, see)) = (mpsc::channel(), mpsc::channel());
        (LineQueue::start("test", Reader { told, seen }, notice).unwrap(), tell, see)
    }

    fn text(seen: &Receiver<Vec<u8>>) -> String {
        String::from_utf8(seen.try_iter().flatten().collect()).unwrap()
    }

    #[test]
    fn a_reader_that_stalls_costs_lines_which_are_counted_in_their_place() {
        let (queue, tell, seen) = start();
        let line = format!("{}\n", "x".repeat(1023)).into_bytes();
        queue.push(b"first\n");
        while !queue.lock().lines.is_empty() {
            thread::yield_now();
        }
        (0..MAX_QUEUED_BYTES / line.len() + 5).for_each(|_| queue.push(&line));
        queue.push(b"a short one that would fit, out of its place\n");
        assert_eq!(queue.lost(), 6);
        let started = Instant::now();
        queue.flush(Duration::from_millis(50));
        assert!(started.elapsed() < FLUSH_TIMEOUT);
        (0..8).for_each(|_| tell.send(Ok(usize::MAX)).unwrap());
        queue.flush(FLUSH_TIMEOUT);
        queue.push(b"last\n");
        queue.flush(FLUSH_TIMEOUT);
        let seen = text(&seen);
        assert!(seen.starts_with("first\n") && seen.ends_with("x\nlost 6\nlast\n"), "{}", &seen[seen.len() - 100..]);
    }

    #[test]
    fn a_line_that_broke_off_does_not_garble_the_next_one() {
        let (queue, tell, seen) = start();
        tell.send(Ok(3)).unwrap();
        tell.send(Err(ErrorKind::BrokenPipe.into())).unwrap();
        queue.push(b"broken\n");
        queue.flush(FLUSH_TIMEOUT);
        tell.send(Err(ErrorKind::StorageFull.into())).unwrap();
        tell.send(Err(ErrorKind::StorageFull.into())).unwrap();
        queue.push(b"refused\n");
        queue.flush(FLUSH_TIMEOUT);
        assert_eq!(queue.lost(), 2);
        (0..8).for_each(|_| tell.send(Ok(usize::MAX)).unwrap());
        queue.push(b"whole\n");
        queue.flush(FLUSH_TIMEOUT);
        assert_eq!(text(&seen), "bro\nlost 2\nwhole\n");
    }

    #[test]
    fn lines_keep_their_order_and_a_busy_pipe_is_waited_for() {
        let (queue, tell, seen) = start();
        for told in [Err(ErrorKind::Interrupted.into()), Ok(2), Err(ErrorKind::WouldBlock.into())] {
            tell.send(told).unwrap();
        }
        (0..1000).for_each(|_| tell.send(Ok(usize::MAX)).unwrap());
        let lines: Vec<String> = (0..500).map(|number| format!("line {number}\n")).collect();
        lines.iter().for_each(|line| queue.push(line.as_bytes()));
        queue.flush(FLUSH_TIMEOUT);
        assert_eq!((text(&seen), queue.lost()), (lines.concat(), 0));
    }
}
