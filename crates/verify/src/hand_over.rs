//! Hands a bundle over to a registry: each payload once, each answer held to what it must be before anybody sees it.

use svc_client::exchange::{Reply, Transport, TransportKind};
use svc_core::{
    bundle::Files,
    contract::contracts::BASE_PATH,
    verification::{FaultCode, Level, Mode},
    words::{exit_code::ExitCode, kind::ArtifactSpec},
};
use svc_proof::{hand_over::HandOverNotes, public_key::PublicKeys};

use crate::{
    check::{CheckFault, Verification, VerifierCheck},
    claims,
    judge::{self, Memory},
    log_watch::LogWatch,
    probe::{self, Probe},
    retry::RetryPolicy,
    run::ProbeRunner,
    steady::Steady,
};
pub use svc_client::exchange::CertificateFault;

pub use crate::{
    log_watch::LogKeys,
    steady::{Stop, Unanswered},
};

/// What is sent, made before the first request.
#[derive(Debug)]
pub struct HandOver {
    probes: Vec<(&'static ArtifactSpec, Probe)>,
}

/// An answer of the registry, as it came.
#[derive(Clone, Debug)]
pub struct Answered {
    pub spec: &'static ArtifactSpec,
    /// Whether it is what it must be.
    pub check: VerifierCheck,
    /// Its status and its bytes, where one came.
    pub reply: Option<(u16, Vec<u8>)>,
    pub fate: Fate,
}

/// What became of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was sent and answered with this status.
    Answered(u16),
    /// It was sent, and no whole answer came.
    Unanswered,
    /// It was not sent: an earlier failure is one that it would meet too.
    NotSent,
}

/// Everything that came of a hand-over.
#[derive(Debug)]
pub struct HandedOver {
    pub answers: Vec<Answered>,
    /// All checks together, those of the log among them.
    pub verification: Verification,
    /// The keys that the receipts were checked with, where there were any.
    pub keys: Option<PublicKeys>,
    /// The notes that led to them from a key that was known.
    pub notes: HandOverNotes,
    /// Why not everything was sent.
    pub stop: Option<Stop>,
}

impl HandOver {
    /// Makes the requests for the payloads of these kinds.
    ///
    /// # Errors
    /// When a payload is missing or is not good.
    pub fn of(files: &Files, wanted: impl Fn(&ArtifactSpec) -> bool) -> Result<Self, String> {
        let mut probes = probe::of_payloads(files)?;
        probes.retain(|(spec, _)| wanted(spec));
        Ok(Self { probes })
    }

    /// The kinds that are sent, in order.
    pub fn kinds(&self) -> impl Iterator<Item = &'static ArtifactSpec> {
        self.probes.iter().map(|(spec, _)| *spec)
    }

    /// Sends everything, one after the other, until a failure that all of the rest would meet.
    #[must_use]
    pub fn send(
        &self,
        transport: &dyn Transport,
        target: &str,
        retry: RetryPolicy,
        keys: LogKeys<'_>,
        tell: &mut dyn FnMut(&Answered),
    ) -> HandedOver {
        let transport = &Steady::over(transport);
        let watch = LogWatch::of(transport, retry, keys);
        let (keys, notes) = (watch.keys().cloned(), watch.notes().clone());
        let mut runner = ProbeRunner::new(transport, retry).with_log(watch);
        let mut answers = Vec::new();
        for (spec, probe) in &self.probes {
            let path = spec.endpoint.map(|endpoint| endpoint.path).unwrap_or_default();
            let is_over = transport.stop().is_some();
            let (check, reply) = runner.ask(&format!("POST {BASE_PATH}{path}"), probe);
            // What meets one payload meets the others: a wrong address, a proxy, a registry that fails.
            if let Some(reply) = reply.as_ref().filter(|_| is_unanswered(&check)) {
                transport.end(Stop::Unanswered(Unanswered::of(reply)));
            }
            let reply = reply.map(|reply| (reply.status, reply.body));
            let fate = match &reply {
                Some((status, _)) => Fate::Answered(*status),
                None if is_over => Fate::NotSent,
                None => Fate::Unanswered,
            };
            let answered = Answered { spec, check: insisting(check, keys.as_ref()), reply, fate };
            tell(&answered);
            answers.push(answered);
        }
        let stop = transport.stop();
        let (log, of_log) = runner.finish();
        let mut checks: Vec<VerifierCheck> = answers.iter().map(|answered| answered.check.clone()).collect();
        checks.extend(of_log.into_iter().map(|check| insisting(check, keys.as_ref())));
        let verification = Verification {
            mode: Mode::Hosted,
            target: target.to_owned(),
            expected: checks.len(),
            checks,
            gates: Vec::new(),
            demanded: Level::Contract,
            log: Some(log),
            probe: None,
        };
        HandedOver { answers, verification, keys, notes, stop }
    }
}

impl HandedOver {
    /// Whether all that is wrong is that answers are missing: those that came are what they must be.
    #[must_use]
    pub fn is_only_cut_short(&self) -> bool {
        let demanded = self.verification.demanded;
        self.stop.is_some() && self.verification.checks.iter().all(|check| !check.breaks(demanded) || is_silent(check))
    }
}

/// Whether something answered a request, and not its payload.
fn is_unanswered(check: &VerifierCheck) -> bool {
    let is = |fault: &CheckFault| {
        matches!(fault.code, FaultCode::NotAnswered | FaultCode::Redirected | FaultCode::ServerError)
            && fault.level == Level::Closed
    };
    check.faults.iter().any(is)
}

/// Whether a check shows that no answer came, and nothing that weighs more.
fn is_silent(check: &VerifierCheck) -> bool {
    let is_silence =
        |fault: &CheckFault| matches!(fault.code, FaultCode::Unreachable | FaultCode::NoAnswer | FaultCode::NoEntry);
    let is_lie = |fault: &CheckFault| matches!(fault.code.exit(), ExitCode::OpenClaim | ExitCode::Digest);
    (is_unanswered(check) || check.faults.iter().any(is_silence)) && !check.faults.iter().any(is_lie)
}

/// A registry that shows the keys of a log gives a receipt with every answer; so does one whose keys are known.
fn insisting(mut check: VerifierCheck, keys: Option<&PublicKeys>) -> VerifierCheck {
    check.faults = insisted(std::mem::take(&mut check.faults), keys);
    check
}

fn insisted(mut faults: Vec<CheckFault>, keys: Option<&PublicKeys>) -> Vec<CheckFault> {
    let missing = faults.iter_mut().filter(|fault| keys.is_some() && fault.code == FaultCode::ReceiptMissing);
    missing.for_each(|fault| fault.level = fault.level.min(Level::Contract));
    faults
}

/// What a file says that no answer may say, whatever else it is.
#[must_use]
pub fn open_claims(bytes: &[u8]) -> Vec<CheckFault> {
    let reply = Reply { status: 200, body: bytes.to_vec(), ..Reply::default() };
    claims::open_claims(&reply, claims::Reading::Statement)
}

/// What is wrong with an answer that was kept: it must still be the no to this payload, and its receipt must prove it.
///
/// # Errors
/// When the payload is missing or is not good.
pub fn check_kept(
    files: &Files,
    spec: &'static ArtifactSpec,
    answer: &[u8],
    keys: Option<&PublicKeys>,
) -> Result<Vec<CheckFault>, String> {
    let probes = probe::of_payloads(files)?;
    let Some((_, probe)) = probes.iter().find(|(other, _)| other.kind == spec.kind) else {
        return Err(format!("no endpoint takes the {}", spec.name));
    };
    // The headers were judged when it came, and were not kept.
    let headers = [("content-type", "application/json"), ("svc-decision", "denied"), ("cache-control", "no-store")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let reply = Reply { status: 200, headers, body: answer.to_vec(), ..Reply::default() };
    let mut faults = judge::judge(probe, &reply, TransportKind::InProcess, &mut Memory::default());
    faults.extend(LogWatch::with_keys(keys.cloned()).judge(probe, &reply));
    let mut faults = insisted(faults, keys);
    faults.retain(|fault| fault.level <= Level::Contract);
    Ok(faults)
}
