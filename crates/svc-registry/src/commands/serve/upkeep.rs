//! What goes on beside the requests: files that change are read again, and on SIGHUP the settings.
//!
//! Whatever is wrong changes nothing, but for a token file that cannot be used, which lets nobody in.

use std::{io, sync::Arc, time::Duration};

use clap::ArgMatches;
use svc_cli::failure::Failure;
use svc_server::{
    auth::token_store::TokenStore,
    config::Config,
    http::tls::CertificateStore,
    live::{LiveSettings, LiveValues},
    log,
    metrics::CertificateEnd,
};
use tokio::time::MissedTickBehavior;

use super::{manager::ServiceManager, settings, sockets::SocketAddresses};

/// How often files are looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// What is looked after.
pub(super) struct Upkeep {
    pub(super) arguments: ArgMatches,
    pub(super) addresses: SocketAddresses,
    pub(super) config: Config,
    pub(super) live: LiveSettings,
    pub(super) tokens: Option<TokenStore>,
    pub(super) certificate: Option<CertificateStore>,
    /// Where the metrics take the end of the certificate from.
    pub(super) certificate_end: CertificateEnd,
    pub(super) manager: Arc<ServiceManager>,
    /// What the manager is told once the settings were read again.
    pub(super) status: String,
}

impl Upkeep {
    /// Goes on until it is dropped. Files are read where waiting is allowed.
    pub(super) async fn run(mut self, mut hangups: Hangups) {
        let mut looks = tokio::time::interval(INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let is_hangup = tokio::select! {
                () = hangups.next() => true,
                _ = looks.tick() => false,
            };
            let work = tokio::task::spawn_blocking(move || {
                if is_hangup {
                    self.reload();
                }
                self.refresh();
                self
            });
            // A panic was told in the log already; without this there would be no second one.
            let Ok(back) = work.await else { return };
            self = back;
        }
    }

    fn refresh(&self) {
        if let Some(tokens) = &self.tokens {
            tokens.refresh();
        }
        if let Some(certificate) = &self.certificate {
            certificate.refresh();
            self.certificate_end.set(certificate.facts().ends);
        }
    }

    fn reload(&mut self) {
        self.manager.reloading();
        match settings::read(&self.arguments, self.addresses) {
            Ok(next) => match next.live_beside(&self.config) {
                Ok(live) => self.apply(&next, live),
                Err(errors) => refused(settings::unusable(&errors)),
            },
            Err(failure) => refused(failure),
        }
        self.manager.ready(&self.status);
    }

    fn apply(&mut self, next: &Config, values: LiveValues) {
        let (live, waiting) = self.config.changes(next);
        self.live.change(values.clone());
        let list = |names: &[&str]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        let detail = format!("changed: {}; changed, but only after a restart: {}", list(&live), list(&waiting));
        // Somebody has to restart it, or to take the change back.
        let tell = if waiting.is_empty() { log::note } else { log::warn };
        tell("the settings were read again", &detail);
        log::set_level(values.log_level);
        // What waits for a restart is told again at the next time.
        self.config.adopt_live(next, values);
    }
}

fn refused(Failure { message, help, .. }: Failure) {
    let help = help.map(|help| format!("; {help}")).unwrap_or_default();
    log::error("the settings were not read again, and nothing changed", &format!("{message}{help}"));
}

/// The wishes to read the settings again. From the first of these values on, SIGHUP does not end the process.
pub(super) struct Hangups {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Hangups {
    /// Must be called within a runtime.
    pub(super) fn watch() -> io::Result<Self> {
        Ok(Self { signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())? })
    }

    async fn next(&mut self) {
        if self.signal.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
impl Hangups {
    pub(super) fn watch() -> io::Result<Self> {
        Ok(Self {})
    }

    async fn next(&mut self) {
        std::future::pending().await
    }
}
