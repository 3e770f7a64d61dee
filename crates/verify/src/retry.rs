//! When a request is sent again, and how long is waited before.

use std::time::Duration;

use svc_client::exchange::{Reply, Request, Transport, TransportError};
use svc_core::verification::FaultCode;

/// How long to bear with a registry.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// How often a request is sent when the registry cannot be reached or asks to come back.
    pub max_attempts: u32,
    /// The longest wait that it may ask for.
    pub max_wait: Duration,
    /// All waits together.
    pub max_total_wait: Duration,
    /// The first wait when it cannot be reached.
    pub first_wait: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            max_wait: Duration::from_secs(60),
            max_total_wait: Duration::from_secs(1800),
            first_wait: Duration::from_millis(250),
        }
    }
}

impl RetryPolicy {
    /// How long to wait before a request is sent again: when it did not get there, or the registry asks to come back.
    pub(crate) fn wait_before_another(&self, sent: &Result<Reply, TransportError>, tried: u32) -> Option<Duration> {
        let wait = match sent {
            Err(unanswered) if unanswered.code == FaultCode::Unreachable => self.first_wait * tried,
            Ok(reply) if matches!(reply.status, 429 | 503) => {
                Duration::from_secs(reply.only("retry-after")?.trim().parse().ok()?)
            }
            Ok(_) | Err(_) => return None,
        };
        (wait <= self.max_wait && tried < self.max_attempts).then_some(wait)
    }

    /// Sends a request, and again where that is asked for.
    pub(crate) fn send(&self, transport: &dyn Transport, request: &Request) -> Result<Reply, TransportError> {
        let mut tried = 1;
        loop {
            let sent = transport.send(request);
            let Some(wait) = self.wait_before_another(&sent, tried) else { return sent };
            std::thread::sleep(wait);
            tried += 1;
        }
    }
}
