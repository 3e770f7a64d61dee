//! How often one client may ask: a bucket a client, and a bound on the buckets.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// More clients than this at once are not told apart but refused.
const MAX_CLIENTS: usize = 10_000;

/// A client: a token, or an address. Whoever has an IPv6 address has 2^64 of them, so those count as one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    per_minute: f64,
    burst: f64,
    buckets: Mutex<BTreeMap<ClientKey, Bucket>>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl RateLimit {
    pub(crate) fn new(per_minute: u32, burst: u32) -> Self {
        Self { per_minute: f64::from(per_minute), burst: f64::from(burst), buckets: Mutex::default() }
    }

    /// Takes one request, or tells after how many seconds to come back.
    pub(crate) fn take(&self, client: ClientKey, now: Instant) -> Result<(), u64> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_CLIENTS && !buckets.contains_key(&client) {
            buckets.retain(|_, bucket| self.refilled(*bucket, now).left < self.burst);
            if buckets.len() >= MAX_CLIENTS {
                return Err(60);
            }
        }
        let fresh = Bucket { left: self.burst, at: now };
        let bucket = buckets.entry(client).or_insert(fresh);
        *bucket = self.refilled(*bucket, now);
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        let seconds = (1.0 - bucket.left) * 60.0 / self.per_minute;
        Err(seconds.ceil().max(1.0) as u64)
    }

    fn refilled(&self, bucket: Bucket, now: Instant) -> Bucket {
        let minutes = now.saturating_duration_since(bucket.at).as_secs_f64() / 60.0;
        Bucket { left: (bucket.left + minutes * self.per_minute).min(self.burst), at: now }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_passes_and_then_time_must() {
        let limit = RateLimit::new(60, 3);
        let now = Instant::now();
        let client = || ClientKey::of_address("10.0.0.1".parse().unwrap());
        for _ in 0..3 {
            assert_eq!(limit.take(client(), now), Ok(()));
        }
        assert_eq!(limit.take(client(), now), Err(1));
        assert_eq!(limit.take(ClientKey::of_address("10.0.0.2".parse().unwrap()), now), Ok(()));
        assert_eq!(limit.take(client(), now + Duration::from_secs(1)), Ok(()));
    }

    #[test]
    fn addresses_of_one_network_are_one_client_and_memory_is_bounded() {
        let of = |text: &str| ClientKey::of_address(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        let limit = RateLimit::new(60, 3);
        let now = Instant::now();
        for number in 0..MAX_CLIENTS as u32 {
            assert_eq!(limit.take(ClientKey::V4(number), now), Ok(()));
        }
        assert_eq!(limit.take(ClientKey::V4(u32::MAX), now), Err(60));
        assert_eq!(limit.take(ClientKey::V4(0), now), Ok(()));
        assert_eq!(limit.take(ClientKey::V4(u32::MAX), now + Duration::from_secs(60)), Ok(()));
    }
}
