//! One connection: its handshake, its time limits, and the requests on it.

use std::{sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::Watcher,
};
use svc_core::words::limits;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsAcceptor;

use crate::log;

use super::{
    connection_slots::ConnectionSlot,
    departure::Departure,
    request,
    stall_timeout::StallTimeout,
    state::{Peer, ServerState},
};

pub(super) struct Connection {
    pub(super) shared: Arc<ServerState>,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) peer: Peer,
}

/// What came instead of a request, when something came. The library has refused it by a status alone, or hung up.
fn no_request(error: &hyper::Error) -> Option<&'static str> {
    if error.is_parse_too_large() {
        Some("a head that is too large")
    } else if error.is_parse() {
        Some("no well-formed HTTP")
    } else if error.is_incomplete_message() {
        Some("a request that broke off")
    } else {
        None
    }
}

impl Connection {
    pub(super) async fn serve(self, stream: TcpStream, slot: ConnectionSlot, watcher: Watcher) {
        let _open = self.shared.door.metrics.connected();
        let leave = async {
            slot.state.was_looked_at();
            slot.taken_back().await;
        };
        tokio::select! {
            // First the client, then whether its slot is needed.
            biased;
            () = self.handshake(stream, watcher) => {}
            () = leave => {}
        }
    }

    async fn handshake(&self, stream: TcpStream, watcher: Watcher) {
        let _ = stream.set_nodelay(true);
        let stream = Departure::new(stream, &self.peer.slot);
        let stream = StallTimeout::of_slot(stream, Duration::from_secs(limits::STALL_SECONDS), &self.peer.slot);
        match &self.tls {
            None => self.serve_http(stream, watcher).await,
            Some(tls) => {
                let accepted = tokio::time::timeout(Duration::from_secs(limits::HEADER_SECONDS), tls.accept(stream));
                if let Ok(Ok(stream)) = accepted.await {
                    self.serve_http(stream, watcher).await;
                }
            }
        }
    }

    async fn serve_http<S>(&self, stream: S, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (shared, peer) = (Arc::clone(&self.shared), self.peer.clone());
        let service = service_fn(move |request| request::answer(Arc::clone(&shared), peer.clone(), request));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(limits::HEADER_SECONDS))
            .max_buf_size(limits::HEADER_BYTES)
            .keep_alive(true)
            // Whoever has said everything may stop talking and still gets the answer.
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service);
        // A connection that breaks is the client's business.
        if let Err(error) = watcher.watch(connection).await
            && let Some(why) = no_request(&error)
        {
            self.shared.door.count_malformed(self.peer.address);
            log::malformed(self.peer.address, why);
        }
    }
}
