//! The accept loop, from the first connection to the last.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use svc_core::limits;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_rustls::TlsAcceptor;

use super::{
    connection::{self, Shared},
    stall::Stall,
};
use crate::{log, registry::Registry};

/// How long a stopping service waits for requests that are on their way.
const LAST_REQUESTS: Duration = Duration::from_secs(1);

/// How the wire is served.
#[derive(Default)]
pub struct Wire {
    /// TLS, when there is a certificate.
    pub tls: Option<TlsAcceptor>,
    /// Where the metrics are served.
    pub admin: Option<TcpListener>,
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
    let shared = Arc::new(Shared::new(registry));
    if let Some(admin) = wire.admin {
        tokio::spawn(serve_metrics(Arc::clone(&shared), admin));
    }
    let graceful = GracefulShutdown::new();
    let connections = Arc::new(Semaphore::new(limits::CONNECTIONS));
    let welcome = |stream, address, place| {
        shared.registry.metrics.connected();
        let connection = Connection { shared: Arc::clone(&shared), tls: wire.tls.clone(), address, place };
        tokio::spawn(connection.serve(stream, graceful.watcher()));
    };
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let place = Arc::clone(&connections).acquire_owned();
        let accepted = async {
            let place = place.await.map_err(io::Error::other)?;
            Ok::<_, io::Error>((listener.accept().await, place))
        };
        tokio::select! {
            () = &mut shutdown => break,
            accepted = accepted => match accepted? {
                (Ok((stream, address)), place) => welcome(stream, address, place),
                // Out of descriptors, most likely: others must end before the next can begin.
                (Err(_), _) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
        }
    }
    shared.registry.health.drain();
    // Clients that the system let in while the signal came are let in here too, and asked for their request.
    while let Ok(Ok((stream, address))) = tokio::time::timeout(Duration::ZERO, listener.accept()).await {
        let Ok(place) = Arc::clone(&connections).try_acquire_owned() else { break };
        welcome(stream, address, place);
    }
    drop(listener);
    // The library closes a connection on which it has read nothing, also when a request is on its way there.
    let all = u32::try_from(limits::CONNECTIONS).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(LAST_REQUESTS, connections.acquire_many(all)).await;
    let _ = tokio::time::timeout(Duration::from_secs(limits::DRAIN_SECONDS), graceful.shutdown()).await;
    let answered = shared.registry.metrics.total();
    log::note("stopped", &format!("{answered} answers given"));
    Ok(answered)
}

struct Connection {
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
        let address = self.address.ip();
        let shared = Arc::clone(&self.shared);
        let service = service_fn(move |request| connection::answer(Arc::clone(&shared), request, address));
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

/// The metrics, on an address of their own. Whatever is asked there, the counters are the answer.
async fn serve_metrics(shared: Arc<Shared>, listener: TcpListener) {
    loop {
        let Ok((mut stream, _)) = listener.accept().await else { continue };
        let text = shared.registry.metrics.render(&shared.registry.health);
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            text.len()
        );
        let writing = async {
            use tokio::io::AsyncReadExt as _;
            let mut request = [0_u8; 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(text.as_bytes()).await;
            let _ = stream.shutdown().await;
        };
        let _ = tokio::time::timeout(Duration::from_secs(limits::STALL_SECONDS), writing).await;
    }
}
