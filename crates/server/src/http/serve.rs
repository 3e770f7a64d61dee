//! The service, from its first connection to its last.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use svc_core::words::limits;
use svc_journal::writer::Journal;
use tokio::net::{TcpListener, TcpSocket};
use tokio_rustls::TlsAcceptor;

use super::{
    accept::Acceptor,
    admin::Admin,
    connection_slots::ConnectionSlots,
    descriptors,
    state::{Listener, ServerState},
};
use crate::{config::EventsMode, door::Door, events::Deliveries, health::Phase, log, witnessing::Witnessing};

/// How long a stopping service waits for requests that are on their way.
const LAST_REQUESTS_TIMEOUT: Duration = Duration::from_secs(1);

/// What the system keeps of an answer that its client does not read. Left alone it would keep megabytes for each.
const SEND_BUFFER: u32 = 128 * 1024;

#[derive(Default)]
pub struct ServeOptions {
    /// TLS, when there is a certificate.
    pub tls: Option<TlsAcceptor>,
    /// The journal; without one nothing is put on record.
    pub journal: Option<Arc<Journal>>,
    /// The witnesses of the journal, where it has some.
    pub witnessing: Option<Arc<Witnessing>>,
    /// The deliveries to endpoints of webhooks, for the metrics.
    pub deliveries: Option<Arc<Deliveries>>,
    /// Where metrics and probes are served, by a thread of their own.
    pub admin: Option<TcpListener>,
    /// Whether a proxy is in front: then all clients have one address, and it may have all slots.
    pub behind_proxy: bool,
    /// Whether the journal may be followed.
    pub events: EventsMode,
}

/// Listens, with a queue as long as the system allows: those who come while others flood it wait there.
///
/// # Errors
/// When the address cannot be listened on.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = bound(address)?;
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.listen(u32::try_from(limits::CONNECTIONS).unwrap_or(u32::MAX))
}

/// Whether [`listen`] would get the address. Nobody can connect meanwhile.
///
/// # Errors
/// When it would not.
pub fn try_bind(address: SocketAddr) -> io::Result<()> {
    bound(address).map(drop)
}

fn bound(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Elsewhere it would let two services listen on one address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Takes over a socket that somebody else has opened and listens on. Its queue is as long as they made it.
///
/// # Errors
/// When it cannot be used.
#[cfg(unix)]
pub fn adopt(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    rustix::net::sockopt::set_socket_send_buffer_size(&listener, SEND_BUFFER as usize)?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Serves until the shutdown resolves, then lets open requests end.
///
/// # Errors
/// When the listener fails.
pub async fn run(
    door: Door,
    listener: TcpListener,
    options: ServeOptions,
    shutdown: impl Future<Output = ()>,
) -> io::Result<u64> {
    let ServeOptions { tls, journal, witnessing, deliveries, admin, behind_proxy, events } = options;
    let shared = Arc::new(ServerState::new(door, journal, witnessing, deliveries, behind_proxy, events)?);
    let admin = admin.map(|listener| Admin::start(listener, &shared, tls.clone())).transpose()?;
    let most = descriptors::connections(limits::CONNECTIONS);
    let most_of_one = if behind_proxy { most } else { limits::CONNECTIONS_PER_ADDRESS };
    log::note("started", &shared.door.registry.running());
    let public = Acceptor::new(Listener::Public, ConnectionSlots::new(most, most_of_one), &shared, tls);
    let feed = shared.spawn_feed();
    let watched = Arc::clone(&shared);
    let watch = tokio::spawn(async move { watched.watch_journal().await });
    public.accept_until(&listener, shutdown).await;
    shared.door.health.enter(Phase::Leaving);
    // Whoever follows goes elsewhere now, and loses nothing.
    shared.feed.iter().for_each(|feed| feed.end());
    public.accept_until(&listener, tokio::time::sleep(shared.door.live.now().drain_pause())).await;
    public.accept_queued(&listener).await;
    drop(listener);
    // The library closes a connection on which it has read nothing, also when a request is on its way there.
    let _ = tokio::time::timeout(LAST_REQUESTS_TIMEOUT, public.slots.all_left()).await;
    shared.door.health.enter(Phase::Stopping);
    let drain = Duration::from_secs(limits::DRAIN_SECONDS);
    let _ = tokio::time::timeout(drain, public.graceful.shutdown()).await;
    if let Some(feed) = feed {
        let _ = tokio::time::timeout(LAST_REQUESTS_TIMEOUT, feed).await;
    }
    drop(admin);
    watch.abort();
    let _ = watch.await;
    let answered = shared.door.metrics.total();
    log::note("stopped", &format!("{answered} answers given"));
    Ok(answered)
}
