//! The accept loop of one listener.

use std::{
    future::Future,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::{
    connection::Connection,
    places::{Place, Places},
    state::{Door, Peer, Shared},
};

/// How long nobody is let in after the system let nobody in.
const OUT_OF_DESCRIPTORS: Duration = Duration::from_millis(10);

/// How many milliseconds a newcomer waits for a place before it is turned away.
const PLACE_TRIES: u32 = 100;

/// Where connections come in: a door, and a bound on how many may be inside.
pub(super) struct Entrance {
    door: Door,
    pub(super) places: Arc<Places>,
    shared: Arc<Shared>,
    pub(super) graceful: GracefulShutdown,
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
    pub(super) async fn accept_queued(&self, listener: &TcpListener) {
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
