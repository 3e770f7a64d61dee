//! The settings that may change while the service runs. A request goes by those that stood when it came.

use std::{
    net::IpAddr,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use hyper::HeaderMap;

use crate::{
    auth::{client_address::ProxyRule, rate::RateLimit},
    hosts::AllowedHosts,
    log::LogLevel,
};

/// What may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveValues {
    /// Requests a minute and the burst of each client; without it there is no bound.
    pub rate: Option<(u32, u32)>,
    /// How long a service that was told to stop still takes requests, while it says that it is not ready.
    pub drain_pause: Duration,
    /// Whose word about a client's address is taken.
    pub proxies: Option<ProxyRule>,
    /// The names by which it may be asked for. A service always has some; without a socket there are no names.
    pub hosts: Option<AllowedHosts>,
    /// The same for the admin address.
    pub admin_hosts: Option<AllowedHosts>,
    /// Which lines the log has.
    pub log_level: LogLevel,
}

/// The values in force, shared by all who hold a copy.
#[derive(Clone, Debug, Default)]
pub struct LiveSettings(Arc<RwLock<Arc<InForce>>>);

#[derive(Debug, Default)]
pub(crate) struct InForce {
    values: LiveValues,
    pub(crate) rate: Option<Arc<RateLimit>>,
}

impl LiveSettings {
    #[must_use]
    pub fn new(values: LiveValues) -> Self {
        let settings = Self::default();
        settings.change(values);
        settings
    }

    /// Puts other values in force. What clients have used up of a rate is kept as long as the rate is the same.
    pub fn change(&self, values: LiveValues) {
        let mut place = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let rate = if values.rate == place.values.rate {
            place.rate.clone()
        } else {
            values.rate.map(|(per_minute, burst)| Arc::new(RateLimit::new(per_minute, burst)))
        };
        *place = Arc::new(InForce { values, rate });
    }

    pub(crate) fn now(&self) -> Arc<InForce> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl InForce {
    pub(crate) fn drain_pause(&self) -> Duration {
        self.values.drain_pause
    }

    pub(crate) fn hosts(&self) -> Option<&AllowedHosts> {
        self.values.hosts.as_ref()
    }

    pub(crate) fn admin_hosts(&self) -> Option<&AllowedHosts> {
        self.values.admin_hosts.as_ref()
    }

    /// The address of a client, from that of its connection and what a proxy says.
    pub(crate) fn client_address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.values.proxies.as_ref().map_or(peer, |rule| rule.client(peer, headers))
    }

    /// Whether this is the address of a proxy, so that what comes from it need not be its own.
    pub(crate) fn is_proxy(&self, address: Option<IpAddr>) -> bool {
        address.zip(self.values.proxies.as_ref()).is_some_and(|(address, rule)| rule.is_proxy(address))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::auth::rate::ClientKey;

    #[test]
    fn a_change_of_something_else_gives_nobody_a_fresh_rate() {
        let rate = |burst| LiveValues { rate: Some((1, burst)), ..LiveValues::default() };
        let take = |settings: &LiveSettings| {
            let client = ClientKey::of_address([192, 0, 2, 1].into());
            settings.now().rate.as_ref().map(|rate| rate.take(client, Instant::now()).is_ok())
        };
        let settings = LiveSettings::new(rate(1));
        assert_eq!((take(&settings), take(&settings)), (Some(true), Some(false)));
        settings.change(LiveValues { drain_pause: Duration::from_secs(9), ..rate(1) });
        assert_eq!(take(&settings), Some(false));
        assert_eq!(settings.now().drain_pause(), Duration::from_secs(9));
        settings.change(rate(2));
        assert_eq!(take(&settings), Some(true));
        settings.change(LiveValues::default());
        assert_eq!(take(&settings), None);
    }
}
