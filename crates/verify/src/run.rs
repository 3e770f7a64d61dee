//! Sends probes one after the other, waits where it is asked to, and stops when nobody answers.

use std::time::Duration;

use svc_core::verification::FaultCode;

use crate::{
    check::{Check, Fault},
    claims::{self, Reading},
    exchange::{Reply, Transport, Unanswered},
    judge::{self, Memory},
    probe::Probe,
};

/// How long to bear with a registry.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// How often a request is sent when the registry cannot be reached or asks to come back.
    pub tries: u32,
    /// The longest wait that it may ask for.
    pub longest: Duration,
    /// All waits together.
    pub altogether: Duration,
    /// The first wait when it cannot be reached.
    pub first: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 4,
            longest: Duration::from_secs(60),
            altogether: Duration::from_secs(900),
            first: Duration::from_millis(250),
        }
    }
}

/// Requests without a usable answer, one after the other, after which no more are sent.
const MOST_SILENT: u32 = 3;

/// A run of probes.
pub(crate) struct Runner<'t> {
    transport: &'t dyn Transport,
    memory: Memory,
    patience: Patience,
    waited: Duration,
    silent: u32,
}

impl<'t> Runner<'t> {
    pub(crate) fn new(transport: &'t dyn Transport, patience: Patience) -> Self {
        Self { transport, memory: Memory::default(), patience, waited: Duration::ZERO, silent: 0 }
    }

    /// Sends a probe and judges what comes back.
    pub(crate) fn ask(&mut self, area: &str, probe: &Probe) -> (Check, Option<Reply>) {
        if self.silent >= MOST_SILENT {
            return (Check::not_run(area, &probe.name), None);
        }
        let mut faults = Vec::new();
        match self.send(probe, &mut faults) {
            Ok(reply) => {
                faults.extend(judge::judge(probe, &reply, self.transport.rim(), &mut self.memory));
                let refused_entry = faults.iter().any(|fault| fault.code == FaultCode::NoEntry);
                self.silent = if refused_entry { self.silent + 1 } else { 0 };
                (Check::ran(area, &probe.name, faults), Some(reply))
            }
            Err(unanswered) => {
                let gone = unanswered.code == FaultCode::Unreachable;
                self.silent = if gone { MOST_SILENT } else { self.silent + 1 };
                faults.push(Fault::new(unanswered.code, unanswered.message));
                (Check::ran(area, &probe.name, faults), None)
            }
        }
    }

    /// A request is sent again only when it did not get there, or when the registry asks to come back.
    fn send(&mut self, probe: &Probe, faults: &mut Vec<Fault>) -> Result<Reply, Unanswered> {
        let mut tried = 1;
        loop {
            let sent = self.transport.send(&probe.request);
            let seen = match &sent {
                Ok(reply) => Some(reply),
                Err(unanswered) => unanswered.partial.as_ref(),
            };
            let wait = self.wait_before_another(&sent, tried);
            let (Some(wait), true) = (wait, tried < self.patience.tries) else {
                // A whole reply is judged with all that is in it; of one that broke off only claims are left to see.
                if let Err(Unanswered { partial: Some(partial), .. }) = &sent {
                    faults.extend(claims::open_claims(partial, Reading::Statement));
                }
                return sent;
            };
            faults.extend(seen.into_iter().flat_map(|reply| claims::open_claims(reply, Reading::Statement)));
            self.waited += wait;
            std::thread::sleep(wait);
            tried += 1;
        }
    }

    fn wait_before_another(&self, sent: &Result<Reply, Unanswered>, tried: u32) -> Option<Duration> {
        let wait = match sent {
            Err(unanswered) if unanswered.code == FaultCode::Unreachable => self.patience.first * tried,
            Ok(reply) if matches!(reply.status, 429 | 503) => {
                Duration::from_secs(reply.only("retry-after")?.trim().parse().ok()?)
            }
            Ok(_) | Err(_) => return None,
        };
        (wait <= self.patience.longest && self.waited + wait <= self.patience.altogether).then_some(wait)
    }
}
