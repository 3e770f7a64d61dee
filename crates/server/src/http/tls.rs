//! TLS from a certificate and a key on disk, which may be replaced while the service runs.

use std::{
    fmt::Display,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use svc_archive::regular_file;
pub use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::{
    Error, InconsistentKeys, ServerConfig,
    crypto::{self, CryptoProvider},
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject as _},
    },
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};

pub use super::certificate::CertificateFacts;
use crate::{clock, file_watch::FileWatch, log};

const MAX_PEM_BYTES: u64 = 1024 * 1024;

/// A certificate with its key, shared by all who hold a copy.
#[derive(Clone, Debug)]
pub struct CertificateStore(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    current: RwLock<Arc<Pair>>,
    look: Mutex<Look>,
}

#[derive(Debug)]
struct Pair {
    certified: Arc<CertifiedKey>,
    facts: CertificateFacts,
}

#[derive(Debug)]
struct Look {
    certificate: FileWatch,
    key: FileWatch,
    /// Why the files could not be used, as it was told.
    fault: Option<String>,
}

impl CertificateStore {
    /// Reads the certificate chain and the key, both PEM.
    ///
    /// # Errors
    /// When either cannot be read, they do not fit together, or the certificate has ended.
    pub fn open(certificate: PathBuf, key: PathBuf) -> io::Result<Self> {
        let (certificate, key) = (FileWatch::new(certificate), FileWatch::new(key));
        let pair = Pair::read(certificate.path(), key.path())?;
        let look = Mutex::new(Look { certificate, key, fault: None });
        Ok(Self(Arc::new(Shared { current: RwLock::new(Arc::new(pair)), look })))
    }

    /// What speaks TLS with the pair as it is at each handshake.
    ///
    /// # Errors
    /// When there is no version of TLS that can be spoken.
    pub fn acceptor(&self) -> io::Result<TlsAcceptor> {
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&self.0) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    /// Whom the certificate that is in use is for, and until when.
    #[must_use]
    pub fn facts(&self) -> CertificateFacts {
        self.0.current().facts.clone()
    }

    /// Reads the files again if one of them has changed. A pair that cannot be used, as while somebody is replacing it, leaves
    /// the one in use, which is told once.
    pub fn refresh(&self) {
        let Ok(mut look) = self.0.look.try_lock() else { return };
        // Both are asked: what is seen now is not seen as a change the next time.
        let changed = [look.certificate.has_changed(), look.key.has_changed()];
        if changed.contains(&true) {
            self.0.read_again(&mut look);
        }
    }
}

impl Shared {
    fn current(&self) -> Arc<Pair> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn read_again(&self, look: &mut Look) {
        let before = self.current();
        match Pair::read(look.certificate.path(), look.key.path()) {
            Ok(pair) => {
                look.fault = None;
                if pair.certified.cert == before.certified.cert {
                    return;
                }
                let told = format!("{}: {}", look.certificate.path().display(), pair.facts);
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(pair);
                log::note("the certificate was read again", &told);
            }
            Err(error) => {
                let fault = format!("{error}; in use until it is mended: {}", before.facts);
                if look.fault.as_ref() != Some(&fault) {
                    log::warn("the certificate was not replaced", &fault);
                }
                look.fault = Some(fault);
            }
        }
    }
}

impl ResolvesServerCert for Shared {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current().certified))
    }
}

impl Pair {
    fn read(certificate: &Path, key: &Path) -> io::Result<Self> {
        let chain =
            regular_file::read_guarded(certificate, MAX_PEM_BYTES).map_err(|error| wrong(certificate, &error))?;
        let chain = CertificateDer::pem_slice_iter(&chain).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| wrong(certificate, &of_pem(&error)))?;
        let first =
            chain.first().ok_or_else(|| wrong(certificate, &"it must hold a certificate in PEM, and holds none"))?;
        let mut facts =
            CertificateFacts::read(first).ok_or_else(|| wrong(certificate, &"its first certificate is damaged"))?;
        // A chain is good until the first of it ends.
        let ends = chain.iter().filter_map(|one| CertificateFacts::read(one).map(|facts| facts.ends)).min();
        facts.ends = ends.unwrap_or(facts.ends);
        if facts.is_over(clock::seconds_now()) {
            return Err(wrong(certificate, &format!("the certificate has ended: it is {facts}")));
        }
        let secret = regular_file::read_guarded(key, MAX_PEM_BYTES).map_err(|error| wrong(key, &error))?;
        let secret = PrivateKeyDer::from_pem_slice(&secret).map_err(|error| {
            let is_empty = matches!(error, pem::Error::NoItemsFound);
            let none = || "it must hold a private key in PEM, and holds none".to_owned();
            wrong(key, &if is_empty { none() } else { of_pem(&error) })
        })?;
        let certified = CertifiedKey::from_der(chain, secret, &provider()).map_err(|error| {
            if error == Error::InconsistentKeys(InconsistentKeys::KeyMismatch) {
                return wrong(key, &format!("it is not the key of the certificate in {}", certificate.display()));
            }
            let is_of_certificate = matches!(error, Error::InvalidCertificate(_));
            wrong(if is_of_certificate { certificate } else { key }, &error)
        })?;
        if let Some(told) = regular_file::shown_to_everybody(key) {
            log::warn("the key of the certificate is no secret", &told);
        }
        Ok(Self { certified: Arc::new(certified), facts })
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(crypto::ring::default_provider())
}

/// The library's words may repeat a line of the file, which may be one of a key.
fn of_pem(error: &pem::Error) -> String {
    let said = if matches!(error, pem::Error::MissingSectionEnd { .. }) {
        "it is not whole: a section of PEM has no end"
    } else if matches!(error, pem::Error::Base64Decode(_)) {
        "it is damaged: a section of PEM is not base64"
    } else {
        "it is not PEM"
    };
    said.to_owned()
}

fn wrong(file: &Path, error: &dyn Display) -> io::Error {
    io::Error::other(format!("{}: {error}", file.display()))
}
