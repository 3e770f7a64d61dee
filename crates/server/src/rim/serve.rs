//! The accept loop, from the first connection to the last.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use svc_core::limits;
use svc_journal::writer::Journal;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_rustls::TlsAcceptor;

use super::{
    connection::{self, Door, Shared},
    stall::Stall,
};
use crate::{health::Phase, log, registry::Registry};

/// How long a stopping service waits for requests that are on their way.
const LAST_REQUESTS: Duration = Duration::from_secs(1);

/// Whoever reads metrics needs no more.
const ADMIN_CONNECTIONS: usize = 16;

/// How the wire is served.
#[derive(Default)]
pub struct Wire {
    /// TLS, when there is a certificate.
    pub tls: Option<TlsAcceptor>,
    /// The journal; without one nothing is put on record.
    pub journal: Option<Arc<Journal>>,
    /// Where the metrics are served.
    pub admin: Option<TcpListener>,
    /// How long the service still takes requests after it was told to stop, while it says that it is not ready.
    pub drain_pause: Duration,
}

/// Serves until the shutdown resolves, then lets open requests end.
///
/// # Errors
/// When the listener fails.
pub async fn run(
    registry: Registry,
    listener: TcpListener,
    wire: Wire,
    shutdown: impl Future<Output = ()>,
) -> io::Result<u64> {
    let shared = Arc::new(Shared::new(registry, wire.journal)?);
    let graceful = Arc::new(GracefulShutdown::new());
    let public = Entrance::new(Door::Public, limits::CONNECTIONS, &shared, &graceful, wire.tls.clone());
    let admin = Entrance::new(Door::Admin, ADMIN_CONNECTIONS, &shared, &graceful, wire.tls);
    let metrics = wire
        .admin
        .map(|listener| tokio::spawn(async move { admin.accept_until(&listener, std::future::pending()).await }));
    public.accept_until(&listener, shutdown).await;
    shared.registry.health.enter(Phase::Leaving);
    public.accept_until(&listener, tokio::time::sleep(wire.drain_pause)).await;
    public.accept_queued(&listener).await;
    drop(listener);
    // The library closes a connection on which it has read nothing, also when a request is on its way there.
    let _ = tokio::time::timeout(LAST_REQUESTS, public.all_gone()).await;
    shared.registry.health.enter(Phase::Stopping);
    if let Some(metrics) = metrics {
        metrics.abort();
        let _ = metrics.await;
    }
    drop(public);
    if let Ok(graceful) = Arc::try_unwrap(graceful) {
        let _ = tokio::time::timeout(Duration::from_secs(limits::DRAIN_SECONDS), graceful.shutdown()).await;
    }
    let answered = shared.registry.metrics.total();
    log::note("stopped", &format!("{answered} answers given"));
    Ok(answered)
}

/// Where connections come in: a door, and a bound on how many may be inside.
struct Entrance {
    door: Door,
    most: usize,
    places: Arc<Semaphore>,
    shared: Arc<Shared>,
    graceful: Arc<GracefulShutdown>,
    tls: Option<TlsAcceptor>,
}

impl Entrance {
    fn new(
        door: Door,
        most: usize,
        shared: &Arc<Shared>,
        graceful: &Arc<GracefulShutdown>,
        tls: Option<TlsAcceptor>,
    ) -> Self {
        let places = Arc::new(Semaphore::new(most));
        Self { door, most, places, shared: Arc::clone(shared), graceful: Arc::clone(graceful), tls }
    }

    async fn accept_until(&self, listener: &TcpListener, end: impl Future<Output = ()>) {
        let mut end = std::pin::pin!(end);
        loop {
            let accepted = async {
                let place = Arc::clone(&self.places).acquire_owned().await;
                (listener.accept().await, place)
            };
            tokio::select! {
                () = &mut end => return,
                accepted = accepted => match accepted {
                    (Ok((stream, address)), Ok(place)) => self.welcome(stream, address, place),
                    // Out of descriptors, most likely: others must end before the next can begin.
                    (Err(_), _) | (_, Err(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
            }
        }
    }

    /// Clients that the system let in while the signal came are let in here too, and asked for their request.
    async fn accept_queued(&self, listener: &TcpListener) {
        while let Ok(Ok((stream, address))) = tokio::time::timeout(Duration::ZERO, listener.accept()).await {
            let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else { break };
            self.welcome(stream, address, place);
        }
    }

    fn welcome(&self, stream: TcpStream, address: SocketAddr, place: OwnedSemaphorePermit) {
        self.shared.registry.metrics.connected();
        let connection =
            Connection { door: self.door, shared: Arc::clone(&self.shared), tls: self.tls.clone(), address, place };
        tokio::spawn(connection.serve(stream, self.graceful.watcher()));
    }

    async fn all_gone(&self) {
        let _ = self.places.acquire_many(u32::try_from(self.most).unwrap_or(u32::MAX)).await;
    }
}

struct Connection {
    door: Door,
    shared: Arc<Shared>,
    tls: Option<TlsAcceptor>,
    address: SocketAddr,
    place: OwnedSemaphorePermit,
}

impl Connection {
    async fn serve(self, stream: TcpStream, watcher: hyper_util::server::graceful::Watcher) {
        let _ = stream.set_nodelay(true);
        let stream = Stall::new(stream, Duration::from_secs(limits::STALL_SECONDS));
        match &self.tls {
            None => self.speak(stream, watcher).await,
            Some(tls) => {
                let handshake = tokio::time::timeout(Duration::from_secs(limits::HEADER_SECONDS), tls.accept(stream));
                if let Ok(Ok(stream)) = handshake.await {
                    self.speak(stream, watcher).await;
                }
            }
        }
        drop(self.place);
    }

    async fn speak<S>(&self, stream: S, watcher: hyper_util::server::graceful::Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (door, address) = (self.door, self.address.ip());
        let shared = Arc::clone(&self.shared);
        let service = service_fn(move |request| connection::answer(Arc::clone(&shared), door, request, address));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(limits::HEADER_SECONDS))
            .max_buf_size(limits::HEADER_BYTES)
            .keep_alive(true)
            // Whoever has said everything may stop talking and still gets the answer.
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service);
        // A connection that breaks is the client's business.
        let _ = watcher.watch(connection).await;
    }
}
