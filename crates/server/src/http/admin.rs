//! The admin address: a thread, a runtime and slots of its own, so that probes and metrics are answered whatever the API
//! is busy with.

use std::{
    io,
    sync::Arc,
    thread::{self, JoinHandle},
};

use tokio::{net::TcpListener, runtime::Builder, sync::oneshot};
use tokio_rustls::TlsAcceptor;

use super::{
    accept::Acceptor,
    connection_slots::ConnectionSlots,
    state::{Listener, ServerState},
};

/// Whoever probes or reads metrics needs no more.
const CONNECTIONS: usize = 64;

/// Threads that wait for the journal on behalf of a probe.
const WAITING_THREADS: usize = 2;

/// The thread. It ends when this is dropped.
pub(super) struct Admin {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Admin {
    /// Serves the listener on a thread of its own.
    pub(super) fn start(
        listener: TcpListener,
        shared: &Arc<ServerState>,
        tls: Option<TlsAcceptor>,
    ) -> io::Result<Self> {
        let listener = listener.into_std()?;
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(WAITING_THREADS).build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let acceptor = Acceptor::new(Listener::Admin, ConnectionSlots::new(CONNECTIONS, CONNECTIONS), shared, tls);
        let serve = async move {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            let stopped = async move {
                let _ = stopped.await;
            };
            acceptor.accept_until(&listener, stopped).await;
        };
        let thread = thread::Builder::new().name("svc-admin".to_owned()).spawn(move || {
            runtime.block_on(serve);
            // A probe may wait for a journal that does not answer; nobody waits for that probe.
            runtime.shutdown_background();
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Admin {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
