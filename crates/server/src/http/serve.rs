//! The accept loop, from the first connection to the last.

use std::{
    future::Future,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
};
use svc_core::limits;
use svc_journal::writer::Journal;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
};
use tokio_rustls::TlsAcceptor;

use super::{
    admin::Admin,
    connection::{self, Door, Peer, Shared},
    descriptors,
    places::{Place, Places},
    stall::Stall,
};
use crate::{health::Phase, log, registry::Registry};

/// How long a stopping service waits for requests that are on their way.
const LAST_REQUESTS: Duration = Duration::from_secs(1);

/// How long nobody is let in after the system let nobody in.
const OUT_OF_DESCRIPTORS: Duration = Duration::from_millis(10);

/// How many milliseconds a newcomer waits for a place before it is turned away.
const PLACE_TRIES: u32 = 100;

/// What the system keeps of an answer that its client does not read. Left alone it would keep megabytes for each.
const SEND_BUFFER: u32 = 128 * 1024;

/// How the wire is served.
#[derive(Default)]
pub struct Wire {
    /// TLS, when there is a certificate.
    pub tls: Option<TlsAcceptor>,
    /// The journal; without one nothing is put on record.
    pub journal: Option<Arc<Journal>>,
    /// Where metrics and probes are served, by a thread of their own.
    pub admin: Option<TcpListener>,
    /// How long the service still takes requests after it was told to stop, while it says that it is not ready.
    pub drain_pause: Duration,
    /// Whether a proxy is in front: then all clients have one address, and it may have all places.
    pub behind_proxy: bool,
}

/// Listens, with a queue as long as the system allows: those who come while others flood it wait there.
///
/// # Errors
/// When the address cannot be listened on.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Elsewhere it would let two services listen on one address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(u32::try_from(limits::CONNECTIONS).unwrap_or(u32::MAX))
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
    let admin = wire.admin.map(|listener| Admin::start(listener, &shared, wire.tls.clone())).transpose()?;
    let most = descriptors::connections(limits::CONNECTIONS);
    let most_of_one = if wire.behind_proxy { most } else { limits::CONNECTIONS_PER_ADDRESS };
    let public = Entrance::new(Door::Public, Places::new(most, most_of_one), &shared, wire.tls);
    public.accept_until(&listener, shutdown).await;
    shared.registry.health.enter(Phase::Leaving);
    public.accept_until(&listener, tokio::time::sleep(wire.drain_pause)).await;
    public.accept_queued(&listener).await;
    drop(listener);
    // The library closes a connection on which it has read nothing, also when a request is on its way there.
    let _ = tokio::time::timeout(LAST_REQUESTS, public.places.all_left()).await;
    shared.registry.health.enter(Phase::Stopping);
    let drain = Duration::from_secs(limits::DRAIN_SECONDS);
    let _ = tokio::time::timeout(drain, public.graceful.shutdown()).await;
    drop(admin);
    let answered = shared.registry.metrics.total();
    log::note("stopped", &format!("{answered} answers given"));
    Ok(answered)
}

/// Where connections come in: a door, and a bound on how many may be inside.
pub(super) struct Entrance {
    door: Door,
    places: Arc<Places>,
    shared: Arc<Shared>,
    graceful: GracefulShutdown,
    tls: Option<TlsAcceptor>,
}

impl Entrance {
    pub(super) fn new(door: Door, places: Arc<Places>, shared: &Arc<Shared>, tls: Option<TlsAcceptor>) -> Self {
        Self { door, places, shared: Arc::clone(shared), graceful: GracefulShutdown::new(), tls }
    }

    pub(super) async fn accept_until(&self, listener: &TcpListener, end: impl Future<Output = ()>) {
        let mut end = std::pin::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => return,
                accepted = listener.accept() => match accepted {
                    Ok((stream, address)) => {
                        self.welcome(stream, address).await;
                        // A request that is there already is looked at before the next newcomer asks for a place.
                        tokio::task::yield_now().await;
                    }
                    // Out of descriptors, most likely: others must end before the next can begin.
                    Err(_) => {
                        self.shared.registry.metrics.sent_away(self.places.thin_out());
                        tokio::time::sleep(OUT_OF_DESCRIPTORS).await;
                    }
                },
            }
        }
    }

    /// Clients that the system let in while the signal came are let in here too, and asked for their request.
    async fn accept_queued(&self, listener: &TcpListener) {
        while let Ok(Ok((stream, address))) = tokio::time::timeout(Duration::ZERO, listener.accept()).await {
            self.welcome(stream, address).await;
        }
    }

    /// Serves a connection, if there is a place for it.
    async fn welcome(&self, stream: TcpStream, address: SocketAddr) {
        let Some(place) = self.place(address.ip()).await else { return };
        let (shared, tls) = (Arc::clone(&self.shared), self.tls.clone());
        let peer = Peer { door: self.door, address: address.ip(), seat: Arc::clone(&place.seat) };
        let connection = Connection { shared, tls, peer };
        tokio::spawn(connection.serve(stream, place, self.graceful.watcher()));
    }

    /// A place. There is one, unless all that are taken are at work; those that are only new get their first turn now.
    async fn place(&self, address: IpAddr) -> Option<Place> {
        for _ in 0..PLACE_TRIES {
            let (place, sent_away) = self.places.take(address);
            self.shared.registry.metrics.sent_away(sent_away);
            if place.is_some() {
                return place;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.shared.registry.metrics.sent_away(1);
        None
    }
}

struct Connection {
    shared: Arc<Shared>,
    tls: Option<TlsAcceptor>,
    peer: Peer,
}

impl Connection {
    async fn serve(self, stream: TcpStream, place: Place, watcher: Watcher) {
        let _open = self.shared.registry.metrics.connected();
        let leave = async {
            place.seat.was_looked_at();
            place.taken_back().await;
        };
        tokio::select! {
            // First the client, then whether its place is needed.
            biased;
            () = self.greet(stream, watcher) => {}
            () = leave => {}
        }
    }

    async fn greet(&self, stream: TcpStream, watcher: Watcher) {
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
    }

    async fn speak<S>(&self, stream: S, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (shared, peer) = (Arc::clone(&self.shared), self.peer.clone());
        let service = service_fn(move |request| connection::answer(Arc::clone(&shared), peer.clone(), request));
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
