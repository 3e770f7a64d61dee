//! How often one client may ask: a due time a client (the generic cell rate algorithm), and a bound on the clients.
//!
//! Tokens and addresses have tables of their own: whoever has many addresses fills theirs, and nobody with a token is turned
//! away for it. In a full table those who are known go on, and strangers wait.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// More tokens, or more addresses, than this at once are not told apart but refused.
const MAX_CLIENTS: usize = 10_000;

/// How often a full table is looked through for clients that need no place any more. It takes as long as a few hundred
/// requests, so that not every stranger may have it done.
const SWEEP_INTERVAL_NANOS: u128 = 1_000_000_000;

/// After how many seconds a stranger may come back to a full table.
const FULL_RETRY_SECONDS: u64 = 60;

/// A client: a token, or an address. Whoever has an IPv6 address has 2^64 of them, so those count as one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ClientKey {
    Token(String),
    V4(u32),
    V6(u64),
}

impl ClientKey {
    pub(crate) fn of_address(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.to_bits()),
            IpAddr::V6(address) => Self::V6((address.to_bits() >> 64) as u64),
        }
    }
}

#[derive(Debug)]
pub(crate) struct RateLimit {
    /// Times are nanoseconds from here.
    start: Instant,
    /// What one request costs.
    interval: u128,
    /// How far a client may be ahead of its rate.
    tolerance: u128,
    tokens: Mutex<ClientTable>,
    addresses: Mutex<ClientTable>,
}

#[derive(Debug, Default)]
struct ClientTable {
    /// When each client will have paid for what it asked.
    due: HashMap<ClientKey, u128>,
    swept: u128,
}

impl RateLimit {
    pub(crate) fn new(per_minute: u32, burst: u32) -> Self {
        let interval = 60_000_000_000 / u128::from(per_minute.max(1));
        Self {
            start: Instant::now(),
            interval,
            tolerance: interval * u128::from(burst.max(1) - 1),
            tokens: Mutex::default(),
            addresses: Mutex::default(),
        }
    }

    /// Takes one request, or tells after how many seconds to come back.
    pub(crate) fn take(&self, client: ClientKey, now: Instant) -> Result<(), u64> {
        let table = match client {
            ClientKey::Token(_) => &self.tokens,
            ClientKey::V4(_) | ClientKey::V6(_) => &self.addresses,
        };
        let now = now.saturating_duration_since(self.start).as_nanos();
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(due) = table.place(client, now) else { return Err(FULL_RETRY_SECONDS) };
        let paid = (*due).max(now);
        let wait = (paid - now).saturating_sub(self.tolerance);
        if wait > 0 {
            return Err(u64::try_from(wait.div_ceil(1_000_000_000)).unwrap_or(u64::MAX));
        }
        *due = paid + self.interval;
        Ok(())
    }
}

impl ClientTable {
    /// The place of a client, unless it is a stranger and there is none left.
    fn place(&mut self, client: ClientKey, now: u128) -> Option<&mut u128> {
        if self.due.len() >= MAX_CLIENTS && !self.due.contains_key(&client) {
            if now.saturating_sub(self.swept) < SWEEP_INTERVAL_NANOS && self.swept != 0 {
                return None;
            }
            self.swept = now.max(1);
            // Whoever has paid for everything is as good as a stranger.
            self.due.retain(|_, due| *due > now);
            if self.due.len() >= MAX_CLIENTS {
                return None;
            }
        }
        Some(self.due.entry(client).or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn address(text: &str) -> ClientKey {
        ClientKey::of_address(text.parse().unwrap())
    }

    #[test]
    fn a_burst_passes_and_then_time_must() {
        let limit = RateLimit::new(60, 3);
        let now = Instant::now();
        let client = || address("10.0.0.1");
        for _ in 0..3 {
            assert_eq!(limit.take(client(), now), Ok(()));
        }
        assert_eq!(limit.take(client(), now), Err(1));
        assert_eq!(limit.take(address("10.0.0.2"), now), Ok(()));
        assert_eq!(limit.take(client(), now + Duration::from_secs(1)), Ok(()));
        assert_eq!(limit.take(client(), now + Duration::from_secs(1)), Err(1));
        for _ in 0..3 {
            assert_eq!(limit.take(client(), now + Duration::from_secs(60)), Ok(()), "a rest gives back a burst");
        }
        assert_eq!(limit.take(client(), now + Duration::from_secs(60)), Err(1), "and no more than one");
        let slow = RateLimit::new(1, 1);
        assert_eq!(slow.take(client(), now), Ok(()));
        assert_eq!(slow.take(client(), now + Duration::from_millis(500)), Err(60));
        let any = RateLimit::new(u32::MAX, u32::MAX);
        (0..100_000).for_each(|_| assert_eq!(any.take(client(), now), Ok(())));
    }

    #[test]
    fn addresses_of_one_network_are_one_client() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:10.0.0.1"), address("10.0.0.1"));
    }

    #[test]
    fn a_flood_of_addresses_turns_away_strangers_and_nobody_who_is_known_or_has_a_token() {
        let limit = RateLimit::new(60, 3);
        let (token, now) = (|| ClientKey::Token("ci".to_owned()), Instant::now());
        for number in 0..MAX_CLIENTS as u32 {
            assert_eq!(limit.take(ClientKey::V4(number), now), Ok(()));
        }
        for at in [now, now + Duration::from_millis(10)] {
            assert_eq!(limit.take(ClientKey::V4(u32::MAX), at), Err(60));
            assert_eq!(limit.take(ClientKey::V6(1), at), Err(60));
            assert_eq!(limit.take(ClientKey::V4(0), at), Ok(()));
            assert_eq!(limit.take(token(), at), Ok(()));
        }
        assert_eq!(limit.addresses.lock().unwrap().due.len(), MAX_CLIENTS);
        assert_eq!(limit.take(ClientKey::V4(u32::MAX), now + Duration::from_secs(60)), Ok(()));
        assert_eq!(limit.addresses.lock().unwrap().due.len(), 1, "those who paid have no place");
    }
}
