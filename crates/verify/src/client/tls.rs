//! TLS with the certificates that the system believes, and those that were given.

use std::sync::Arc;

use tokio_rustls::{
    TlsConnector,
    rustls::{
        ClientConfig, RootCertStore, crypto,
        pki_types::{CertificateDer, pem::PemObject as _},
    },
};

/// A connector. There is no way to go without a check of the certificate.
pub(super) fn connector(authority: Option<&[u8]>) -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = authority {
        let given = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        let given = given.map_err(|_| "the certificate file must be PEM".to_owned())?;
        if given.is_empty() {
            return Err("the certificate file must hold at least one certificate, and holds none".to_owned());
        }
        for certificate in given {
            roots
                .add(certificate)
                .map_err(|error| format!("a certificate of the certificate file cannot be used: {error}"))?;
        }
    }
    if roots.is_empty() {
        return Err(
            "there are no certificates to check the registry with: the system has none, and none were given".to_owned()
        );
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}
