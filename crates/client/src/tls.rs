//! TLS with the certificates that the system believes, and those that were given.

use std::{io, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, Error, RootCertStore, crypto,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use crate::exchange::{Cause, CertificateFault};

/// There is no way to go without a check of the certificate.
pub(crate) fn config(authority: Option<&[u8]>) -> Result<Arc<ClientConfig>, String> {
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
            "there are no certificates to check the server with: the system has none, and none were given".to_owned()
        );
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Why a handshake failed.
pub(crate) fn cause(error: &io::Error) -> Cause {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(fault)) => Cause::Certificate(certificate_fault(fault)),
        Some(_) | None => Cause::Handshake,
    }
}

fn certificate_fault(error: &CertificateError) -> CertificateFault {
    if let CertificateError::NotValidForNameContext { expected, presented } = error {
        let has = presented.iter().map(|name| plain_name(name)).collect();
        return CertificateFault::OtherName { asked: expected.to_str().into_owned(), has };
    }
    if let CertificateError::Other(other) = error
        && other.0.downcast_ref::<webpki::Error>() == Some(&webpki::Error::CaUsedAsEndEntity)
    {
        return CertificateFault::IsAuthority;
    }
    // An authority that only has the name of its issuer did not sign it.
    let is_not_signed = matches!(
        error,
        CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnsupportedSignatureAlgorithmContext { .. }
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. }
    );
    if is_not_signed {
        CertificateFault::UnknownIssuer
    } else if matches!(error, CertificateError::Expired | CertificateError::ExpiredContext { .. }) {
        CertificateFault::Expired
    } else if matches!(error, CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) {
        CertificateFault::NotYetValid
    } else if *error == CertificateError::Revoked {
        CertificateFault::Revoked
    } else {
        CertificateFault::Unusable
    }
}

/// A name as it is in a certificate: the library writes `DnsName("registry.example")`.
fn plain_name(presented: &str) -> String {
    let inner = presented.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or(presented);
    inner.trim_matches('"').to_owned()
}
