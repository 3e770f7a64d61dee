//! TLS to the database, with the certificates of one file and the name of the host. There is no way to skip the check.

use std::{
    future::Future,
    io,
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use svc_archive::regular_file;
use svc_proof::fault::{JournalFault, JournalFaultKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::{
    TlsConnector, client,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::ring,
        pki_types::{CertificateDer, ServerName, pem::PemObject as _},
    },
};

const MAX_CERTIFICATE_BYTES: u64 = 1024 * 1024;

/// Makes TLS connections; without certificates it makes none.
#[derive(Clone)]
pub(super) struct Tls(Option<Arc<ClientConfig>>);

impl Tls {
    /// No TLS: for sockets of this machine.
    pub(super) const fn off() -> Self {
        Self(None)
    }

    pub(super) fn with_authorities(file: &Path) -> Result<Self, JournalFault> {
        let unusable = |detail: String| JournalFault::new(JournalFaultKind::Unusable, detail);
        let wrong = |error: &dyn std::fmt::Display| {
            unusable(format!("cannot read the certificates in {} (`journal-authority`): {error}", file.display()))
        };
        let pem = regular_file::read_guarded(file, MAX_CERTIFICATE_BYTES).map_err(|error| wrong(&error))?;
        let certificates = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
        let certificates = certificates.map_err(|error| wrong(&error))?;
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(certificates);
        if added == 0 {
            let detail =
                format!("{} (`journal-authority`) must hold a certificate in PEM, and holds none", file.display());
            return Err(unusable(detail));
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Self(Some(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))))
    }
}

pub(super) struct ToHost {
    config: Option<Arc<ClientConfig>>,
    host: Option<ServerName<'static>>,
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = ToHost;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<ToHost, io::Error> {
        Ok(ToHost { config: self.0.clone(), host: ServerName::try_from(host.to_owned()).ok() })
    }
}

impl<S> TlsConnect<S> for ToHost
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let (Some(config), Some(host)) = (self.config, self.host) else {
                return Err(io::Error::other("TLS to the database is not set up"));
            };
            TlsConnector::from(config).connect(host, stream).await.map(Encrypted)
        })
    }
}

pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
