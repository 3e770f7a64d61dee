//! TLS from a certificate and a key on disk.

use std::{io, path::Path, sync::Arc};

pub use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{
    ServerConfig, crypto,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

/// Reads the certificate chain and the key, both PEM.
///
/// # Errors
/// When either cannot be read or they do not fit together.
pub fn acceptor(certificate: &Path, key: &Path) -> io::Result<TlsAcceptor> {
    let chain = CertificateDer::pem_file_iter(certificate).map_err(io::Error::other)?;
    let chain = chain.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(io::Error::other)?;
    let provider = Arc::new(crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(io::Error::other)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
