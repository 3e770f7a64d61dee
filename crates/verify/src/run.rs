//! Sends probes one after the other, waits where it is asked to, and stops when nobody answers.

use std::time::Duration;

use svc_client::exchange::{PartlySent, Reply, Transport, TransportError};
use svc_core::verification::{FaultCode, Level, LogLine};

use crate::{
    check::{CheckFault, VerifierCheck, cut},
    claims::{self, Reading},
    judge::{self, Memory},
    log_watch::LogWatch,
    probe::Probe,
    retry::RetryPolicy,
    shell,
};

/// Requests without a usable answer, one after the other, after which no more are sent.
const MAX_SILENT: u32 = 3;

/// The most faults of one check that asked for many things, the heaviest of them kept.
const MAX_FAULTS: usize = 12;

pub(crate) struct ProbeRunner<'t> {
    transport: &'t dyn Transport,
    memory: Memory,
    retry: RetryPolicy,
    waited: Duration,
    silent: u32,
    /// What watches the receipts, where a log is looked for.
    log: Option<LogWatch>,
}

impl<'t> ProbeRunner<'t> {
    pub(crate) fn new(transport: &'t dyn Transport, retry: RetryPolicy) -> Self {
        Self { transport, memory: Memory::default(), retry, waited: Duration::ZERO, silent: 0, log: None }
    }

    pub(crate) fn with_log(self, log: LogWatch) -> Self {
        Self { log: Some(log), ..self }
    }

    /// What the log comes to, after the last request.
    pub(crate) fn finish(self) -> (LogLine, Vec<VerifierCheck>) {
        let is_silent = self.silent >= MAX_SILENT;
        self.log.unwrap_or_default().finish(self.transport, self.retry, is_silent)
    }

    /// Sends a probe and judges what comes back.
    pub(crate) fn ask(&mut self, area: &str, probe: &Probe) -> (VerifierCheck, Option<Reply>) {
        if self.silent >= MAX_SILENT {
            return (VerifierCheck::not_run(area, &probe.name), None);
        }
        let mut faults = Vec::new();
        match self.send(probe, &mut faults) {
            Ok(reply) => {
                faults.extend(judge::judge(probe, &reply, self.transport.kind(), &mut self.memory));
                faults.extend(self.log.as_mut().map(|log| log.judge(probe, &reply)).unwrap_or_default());
                faults.iter_mut().for_each(|fault| fault.message.push_str(&early_note(&reply)));
                let refused_entry =
                    faults.iter().any(|fault| fault.code == FaultCode::NoEntry && fault.level == Level::Closed);
                self.silent = if refused_entry { self.silent + 1 } else { 0 };
                (self.told(area, probe, faults), Some(reply))
            }
            Err(unanswered) => {
                let gone = unanswered.code == FaultCode::Unreachable;
                self.silent = if gone { MAX_SILENT } else { self.silent + 1 };
                faults.push(CheckFault::new(unanswered.code, unanswered.message));
                (self.told(area, probe, faults), None)
            }
        }
    }

    /// Whether the answer to a GET of a path is remembered.
    pub(crate) fn has_read(&self, path: &str) -> bool {
        self.memory.has_read(path)
    }

    /// Sends several probes as one check, whose faults name the request.
    pub(crate) fn ask_all(&mut self, area: &str, name: &str, probes: &[Probe]) -> VerifierCheck {
        let mut found: Vec<(CheckFault, Option<String>)> = Vec::new();
        for probe in probes {
            let (check, _) = self.ask(area, probe);
            let VerifierCheck { faults, request, .. } = check;
            let named =
                |fault: CheckFault| CheckFault { message: format!("{}: {}", cut(&probe.name), fault.message), ..fault };
            found.extend(faults.into_iter().map(|fault| (named(fault), request.clone())));
        }
        if self.silent >= MAX_SILENT && found.is_empty() {
            return VerifierCheck::not_run(area, name);
        }
        found.sort_by_key(|(fault, _)| (fault.code != FaultCode::OpenClaim, fault.level));
        found.truncate(MAX_FAULTS);
        let request = found.first().and_then(|(_, request)| request.clone());
        let check = VerifierCheck::ran(area, name, found.into_iter().map(|(fault, _)| fault).collect());
        VerifierCheck { request, ..check }
    }

    fn told(&self, area: &str, probe: &Probe, faults: Vec<CheckFault>) -> VerifierCheck {
        VerifierCheck::ran(area, &probe.name, faults).by(shell::curl(
            self.transport.base(),
            self.transport.has_token(),
            probe,
        ))
    }

    /// A request is sent again only when it did not get there, or when the registry asks to come back.
    fn send(&mut self, probe: &Probe, faults: &mut Vec<CheckFault>) -> Result<Reply, TransportError> {
        let mut tried = 1;
        loop {
            let sent = self.transport.send(&probe.request);
            let seen = match &sent {
                Ok(reply) => Some(reply),
                Err(unanswered) => unanswered.partial.as_deref(),
            };
            let wait = self.wait_before_another(&sent, tried);
            let Some(wait) = wait else {
                // A whole reply is judged with all that is in it; of one that broke off only claims are left to see.
                if let Err(TransportError { partial: Some(partial), .. }) = &sent {
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

    fn wait_before_another(&self, sent: &Result<Reply, TransportError>, tried: u32) -> Option<Duration> {
        self.retry.wait_before_another(sent, tried).filter(|wait| self.waited + *wait <= self.retry.max_total_wait)
    }
}

/// What a fault of an answer says of it that came before the request was sent.
fn early_note(reply: &Reply) -> String {
    reply.partly_sent.map_or_else(String::new, |PartlySent { sent, of }| {
        format!(" (the answer came after {sent} of {of} bytes of the request body)")
    })
}
