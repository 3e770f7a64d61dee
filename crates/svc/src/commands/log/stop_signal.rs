//! SIGTERM and interrupts, as a message to the thread that waits.

use std::{io, sync::mpsc::Sender};

/// Sends what `message` makes when the process is asked to stop. Signals are watched from the call on.
///
/// # Errors
/// When the system gives no thread, or takes no handler.
#[cfg(unix)]
pub(super) fn send_on<T: Send + 'static>(to: Sender<T>, message: impl Fn() -> T + Send + 'static) -> io::Result<()> {
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        iterator::Signals,
    };

    let mut signals = Signals::new([SIGTERM, SIGINT])?;
    let wait = move || signals.forever().take_while(|_| to.send(message()).is_ok()).for_each(drop);
    std::thread::Builder::new().spawn(wait).map(drop)
}

/// Elsewhere an interrupt ends the process, which loses nothing: what was read is remembered part by part.
#[cfg(not(unix))]
pub(super) fn send_on<T: Send + 'static>(_: Sender<T>, _: impl Fn() -> T + Send + 'static) -> io::Result<()> {
    Ok(())
}
