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
    connection_slots::{ConnectionSlot, ConnectionSlots},
    state::{Listener, Peer, ServerState},
};

/// How long nobody is let in after the system let nobody in.
const ACCEPT_ERROR_PAUSE: Duration = Duration::from_millis(10);

/// How many milliseconds a newcomer waits for a slot before it is turned away.
const SLOT_ATTEMPTS: u32 = 100;

/// Takes the connections of one listener, as many as there are slots for.
pub(super) struct Acceptor {
    kind: Listener,
    pub(super) slots: Arc<ConnectionSlots>,
    shared: Arc<ServerState>,
    pub(super) graceful: GracefulShutdown,
    tls: Option<TlsAcceptor>,
}

impl Acceptor {
    pub(super) fn new(
        kind: Listener,
        slots: Arc<ConnectionSlots>,
        shared: &Arc<ServerState>,
        tls: Option<TlsAcceptor>,
    ) -> Self {
        Self { kind, slots, shared: Arc::clone(shared), graceful: GracefulShutdown::new(), tls }
    }

    pub(super) async fn accept_until(&self, listener: &TcpListener, end: impl Future<Output = ()>) {
        let mut end = std::pin::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => return,
                accepted = listener.accept() => match accepted {
                    Ok((stream, address)) => {
                        self.spawn_connection(stream, address).await;
                        // A request that is there already is looked at before the next newcomer asks for a slot.
                        tokio::task::yield_now().await;
                    }
                    // Out of descriptors, most likely: others must end before the next can begin.
                    Err(_) => {
                        self.shared.door.metrics.sent_away(self.slots.thin_out());
                        tokio::time::sleep(ACCEPT_ERROR_PAUSE).await;
                    }
                },
            }
        }
    }

    /// Clients that the system let in while the signal came are let in here too, and asked for their request.
    pub(super) async fn accept_queued(&self, listener: &TcpListener) {
        while let Ok(Ok((stream, address))) = tokio::time::timeout(Duration::ZERO, listener.accept()).await {
            self.spawn_connection(stream, address).await;
        }
    }

    /// Serves a connection, if there is a slot for it.
    async fn spawn_connection(&self, stream: TcpStream, address: SocketAddr) {
        let Some(slot) = self.slot(address.ip()).await else { return };
        let (shared, tls) = (Arc::clone(&self.shared), self.tls.clone());
        let peer = Peer { listener: self.kind, address: address.ip(), slot: Arc::clone(&slot.state) };
        let connection = Connection { shared, tls, peer };
        tokio::spawn(connection.serve(stream, slot, self.graceful.watcher()));
    }

    /// A slot. There is one, unless all that are taken are at work; those that are only new get their first turn now.
    async fn slot(&self, address: IpAddr) -> Option<ConnectionSlot> {
        for _ in 0..SLOT_ATTEMPTS {
            let (slot, sent_away) = self.slots.take(address);
            self.shared.door.metrics.sent_away(sent_away);
            if slot.is_some() {
                return slot;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        self.shared.door.metrics.sent_away(1);
        None
    }
}
