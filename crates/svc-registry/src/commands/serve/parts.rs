//! What a service is made of, each part from the settings: a start makes them, and a check of the settings tries them.

use std::io;

use svc_cli::failure::Failure;
use svc_core::words::exit_code::ExitCode;
use svc_journal::open::Location;
use svc_proof::fault::JournalFault;
use svc_registry_api::self_test::{self, Passed};
use svc_server::{
    auth::token_store::TokenStore,
    config::Config,
    door::{Door, Setup},
    http::tls::CertificateStore,
};

pub(super) fn certificate(config: &Config) -> Result<Option<CertificateStore>, Failure> {
    let opened = config.tls.clone().map(|(certificate, key)| CertificateStore::open(certificate, key)).transpose();
    opened.map_err(|error| {
        cannot("use the certificate and key", &error, "give a certificate chain and its private key, both in PEM")
    })
}

pub(super) fn tokens(config: &Config) -> Result<Option<TokenStore>, Failure> {
    let Some(path) = &config.tokens else { return Ok(None) };
    let what = format!("read the token file {}", path.display());
    let store = TokenStore::open(path.clone());
    let store = store.map_err(|error| cannot(&what, &error, "`svc-registry token create` writes a token file"))?;
    if store.count() == 0 {
        return Err(Failure::usage(
            format!("the token file {} must hold at least one token, and holds none", path.display()),
            "make one with `svc-registry token create NAME --file FILE`",
        ));
    }
    Ok(Some(store))
}

pub(super) fn setup(config: &Config, tokens: Option<TokenStore>) -> Setup {
    Setup {
        tokens,
        live: config.live.clone(),
        commit: option_env!("SVC_COMMIT"),
        is_behind_proxy: config.behind_proxy,
        has_public_journal: config.journal.is_public(),
        has_console: config.has_console,
    }
}

pub(super) fn self_test(door: &Door) -> Result<Passed, Failure> {
    self_test::run(&door.registry).map_err(|open| Failure {
        exit: ExitCode::OpenClaim,
        message: format!("the self-test failed, so no socket was opened: {open}"),
        help: Some("do not run this build; report it".to_owned()),
    })
}

/// Does something with the journal, if there is to be one.
pub(super) fn with_journal<T>(
    config: &Config,
    act: impl FnOnce(Location) -> Result<T, JournalFault>,
) -> Result<Option<T>, Failure> {
    let done = config.journal.location().and_then(|location| location.map(act).transpose());
    done.map_err(|fault| Failure::journal(&fault))
}

/// An address that cannot be listened on, by the name of its setting.
pub(super) fn cannot_listen(setting: &str, address: impl std::fmt::Display, error: &io::Error) -> Failure {
    let is = |kind: io::ErrorKind| error.kind() == kind;
    let help = if is(io::ErrorKind::PermissionDenied) {
        "give a port from 1024 on, or let the service manager open the socket (deploy/svc-registry.socket)"
    } else if is(io::ErrorKind::AddrNotAvailable) {
        "give an address that this machine has, or 127.0.0.1"
    } else {
        "give an address of this machine and a free port, or stop the process that uses it"
    };
    cannot(&format!("listen on {address} (`{setting}`)"), error, help)
}

pub(super) fn cannot(what: &str, error: &io::Error, help: &str) -> Failure {
    let message = format!("cannot {what}: {error}");
    Failure { exit: ExitCode::InputOutput, message, help: Some(help.to_owned()) }
}
