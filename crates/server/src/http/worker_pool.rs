//! Where large bodies are evaluated: as many threads as there are cores, each of lower priority than those that serve.
//!
//! The scheduler takes the core from them whenever a small request comes, so that a few large bodies slow nobody down,
//! and gives it back when there is nothing else to do, so that large ones have the whole machine to themselves.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use tokio::sync::oneshot;

/// How much lower: about a tenth of the share of a thread that serves, when both have work.
#[cfg(target_os = "linux")]
const NICE_INCREMENT: i32 = 10;

/// The threads. They end when the pool goes away.
#[derive(Debug)]
pub(super) struct WorkerPool {
    queue: Sender<Job>,
    /// How many jobs no thread has begun.
    waiting: Arc<AtomicUsize>,
}

type Job = Box<dyn FnOnce() + Send>;

impl WorkerPool {
    pub(super) fn start(threads: usize) -> io::Result<Self> {
        let (queue, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..threads.max(1) {
            let jobs = Arc::clone(&jobs);
            thread::Builder::new().name(format!("svc-large-{number}")).spawn(move || work(&jobs))?;
        }
        Ok(Self { queue, waiting: Arc::default() })
    }

    /// Does a piece of work there. Nothing when the work panicked. Work whose caller has gone is not begun.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, answer) = oneshot::channel();
        let waiting = Arc::clone(&self.waiting);
        let job = move || {
            waiting.fetch_sub(1, Ordering::Relaxed);
            if !done.is_closed() {
                let _ = done.send(work());
            }
        };
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.queue.send(Box::new(job)).ok()?;
        answer.await.ok()
    }

    /// How many pieces of work no thread has begun.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    step_back();
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        // Whoever waits sees that its sender is gone; the thread goes on.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
    }
}

/// On Linux a priority is a thread's own. Where it cannot be lowered, large bodies compete as equals.
#[cfg(target_os = "linux")]
fn step_back() {
    if let Ok(own) = rustix::process::getpriority_process(None) {
        let _ = rustix::process::setpriority_process(None, own + NICE_INCREMENT);
    }
}

#[cfg(not(target_os = "linux"))]
fn step_back() {}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn work_is_done_elsewhere_and_a_panic_harms_nobody() {
        let pool = WorkerPool::start(1).unwrap();
        let here = thread::current().id();
        assert_ne!(block_on(pool.run(|| thread::current().id())), Some(here));
        assert_eq!(block_on(pool.run(|| -> u8 { panic!("on purpose") })), None);
        assert_eq!(block_on(pool.run(|| 7)), Some(7));
    }

    #[test]
    fn work_is_not_begun_for_a_caller_that_has_gone() {
        let pool = WorkerPool::start(1).unwrap();
        let (open, gate) = mpsc::channel::<()>();
        let (taken, busy_now) = mpsc::channel();
        let (begun, seen) = mpsc::channel();
        block_on(async {
            let busy = pool.run(move || {
                taken.send(()).unwrap();
                gate.recv()
            });
            let gone = pool.run(move || begun.send(()));
            tokio::select! {
                biased;
                _ = busy => panic!("the gate is closed"),
                _ = gone => panic!("somebody else has the thread"),
                // Both wait in the queue. Leave once the thread is inside the first, which a caller that left sooner would stop.
                taken = async { busy_now.recv() } => taken.unwrap(),
            }
        });
        assert_eq!(pool.waiting(), 1);
        open.send(()).unwrap();
        assert_eq!(block_on(pool.run(|| 7)), Some(7));
        assert_eq!(pool.waiting(), 0);
        assert!(seen.try_recv().is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn its_threads_step_back_and_no_others() {
        let pool = WorkerPool::start(1).unwrap();
        let own = || rustix::process::getpriority_process(None).unwrap();
        let before = own();
        assert_eq!(block_on(pool.run(own)), Some((before + NICE_INCREMENT).min(19)));
        assert_eq!(own(), before);
    }
}
