//! The wish to stop: what a terminal or a service manager sends.

use std::io;

/// What resolves on SIGTERM or an interrupt. Both are watched from the call on, not from the first wait, so that whoever
/// is told that the service listens can stop it.
#[cfg(unix)]
pub(super) fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// What resolves on an interrupt.
#[cfg(not(unix))]
pub(super) fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
