//! TLS from a certificate and a key on disk.

use std::{fmt::Display, io, path::Path, sync::Arc};

use svc_journal::regular_file;

pub use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{
    ServerConfig, crypto,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use super::certificate_end;

const MAX_PEM_BYTES: u64 = 1024 * 1024;

/// Reads the certificate chain and the key, both PEM.
///
/// # Errors
/// When either cannot be read or they do not fit together.
pub fn acceptor(certificate: &Path, key: &Path) -> io::Result<TlsAcceptor> {
    let chain = regular_file::read(certificate, MAX_PEM_BYTES).map_err(|error| wrong(certificate, &error))?;
    let chain = CertificateDer::pem_slice_iter(&chain).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| wrong(certificate, &error))?;
    let secret = regular_file::read(key, MAX_PEM_BYTES).map_err(|error| wrong(key, &error))?;
    let key = PrivateKeyDer::from_pem_slice(&secret).map_err(|error| wrong(key, &error))?;
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

/// When a chain in PEM ends, which is with the certificate that ends first, in seconds since 1970.
#[must_use]
pub fn certificate_end(pem: &[u8]) -> Option<u64> {
    let chain = CertificateDer::pem_slice_iter(pem);
    chain.filter_map(|certificate| certificate_end::of_der(&certificate.ok()?)).min()
}

/// The same of a file. TLS is set up by now, so whatever is wrong with it was told.
#[must_use]
pub fn certificate_end_of(certificate: &Path) -> Option<u64> {
    certificate_end(&regular_file::read(certificate, MAX_PEM_BYTES).ok()?)
}

fn wrong(file: &Path, error: &dyn Display) -> io::Error {
    io::Error::other(format!("{}: {error}", file.display()))
}
