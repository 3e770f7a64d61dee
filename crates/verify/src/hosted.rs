//! A running registry: the six payloads, the attacks on them, and the documents it serves.

use svc_core::{
    bundle::Files,
    contract::contracts::BASE_PATH,
    verification::{CheckEnd, FaultCode, Level, Mode},
    words::kind::ArtifactSpec,
};

use svc_journal::{key::PublicKeys, policy::Policy};

use crate::{
    author_words,
    check::{Verification, VerifierCheck},
    exchange::Transport,
    kit,
    log_watch::LogWatch,
    probe::{self, Depth, EndpointProbes, Probe},
    run::ProbeRunner,
    samples::Samples,
    scorecard::Sides,
};

pub use crate::{log_watch::CHECKS as LOG_CHECKS, retry::RetryPolicy};

/// How many checks level `closed` has, written down: a run with another number shows nothing.
pub const CHECKS: usize = 354;

/// How many more levels `contract` and `build` have: the conformance kit, and words that only the client knows.
pub const KIT_CHECKS: usize = 230;

/// How many probes each endpoint gets, written down.
pub const PROBES_PER_ENDPOINT: [usize; 6] = [56, 52, 52, 53, 54, 52];

/// Everything that is sent, made before the first request.
#[derive(Debug)]
pub struct Plan {
    files: Files,
    demanded: Level,
    endpoints: Vec<EndpointProbes>,
    documents: Vec<Probe>,
    missing_routes: Vec<Probe>,
    kit: Vec<EndpointProbes>,
    words_in_requests: Vec<Probe>,
    policy: Option<Policy>,
}

/// How far a verification has come.
#[derive(Clone, Copy, Debug)]
pub struct GroupProgress<'p> {
    /// Which group, from one.
    pub number: usize,
    /// Of how many.
    pub of: usize,
    /// What was asked.
    pub area: &'p str,
    pub checks: usize,
    /// How many of them did not end as declared.
    pub failed: usize,
    /// How many of them did not run.
    pub not_run: usize,
}

impl Plan {
    /// Makes everything that a level asks for from the six payloads, and from level `contract` on from the kit.
    ///
    /// # Errors
    /// When a payload is missing or is not good.
    pub fn make(files: Files, demanded: Level) -> Result<Self, String> {
        let samples = Samples::make()?;
        let (kit, words_in_requests) = match demanded {
            Level::Closed => (Vec::new(), Vec::new()),
            Level::Contract | Level::Build => {
                let words = author_words::of_endpoints(&samples)?;
                let both = kit::of_endpoints(&samples)?.into_iter().chain(words).collect();
                (both, author_words::of_requests(&samples)?)
            }
        };
        Ok(Self {
            demanded,
            kit,
            words_in_requests,
            endpoints: probe::of_endpoints(&files, Depth::Hosted)?,
            documents: probe::of_documents(),
            missing_routes: probe::of_missing_routes(),
            files,
            policy: None,
        })
    }

    /// The same plan, which demands that the quorum of a policy has seen what was answered.
    #[must_use]
    pub fn with_policy(self, policy: Option<Policy>) -> Self {
        Self { policy, ..self }
    }

    /// The endpoints, and how many probes each gets.
    pub fn endpoints(&self) -> impl Iterator<Item = (&'static ArtifactSpec, usize)> {
        self.endpoints.iter().map(|endpoint| (endpoint.spec, endpoint.probes.len()))
    }

    /// Sends everything and judges what comes back.
    #[must_use]
    pub fn verify(
        &self,
        transport: &dyn Transport,
        target: &str,
        retry: RetryPolicy,
        pinned: Option<&PublicKeys>,
        tell: &mut dyn FnMut(GroupProgress<'_>),
    ) -> Verification {
        let mut runner = ProbeRunner::new(transport, retry)
            .with_log(LogWatch::of(transport, retry, pinned).with_policy(self.policy.clone()));
        let mut sides = Sides::default();
        let mut checks = Vec::new();
        let of = self.endpoints.len() + 2 + usize::from(!self.kit.is_empty());
        for (index, endpoint) in self.endpoints.iter().enumerate() {
            let area = format!("POST {BASE_PATH}{}", endpoint.path);
            let asked = self.ask_endpoint(&mut runner, &area, endpoint, &mut sides);
            tell(self.progress((index + 1, of), &area, &asked));
            checks.extend(asked);
        }
        if !self.kit.is_empty() {
            let asked = self.ask_kit(&mut runner);
            tell(self.progress((of - 2, of), "conformance kit", &asked));
            checks.extend(asked);
        }
        let documents = self.ask_documents(&mut runner, &mut sides);
        tell(self.progress((of - 1, of), "documents", &documents));
        checks.extend(documents);
        let mut routes: Vec<VerifierCheck> =
            self.missing_routes.iter().map(|probe| runner.ask("other routes", probe).0).collect();
        if transport.has_token() {
            routes.push(runner.ask("other routes", &probe::of_a_stranger()).0);
        }
        tell(self.progress((of, of), "other routes", &routes));
        checks.extend(routes);
        let of_kit = if self.kit.is_empty() { 0 } else { KIT_CHECKS };
        let expected = CHECKS + of_kit + usize::from(transport.has_token()) + usize::from(self.policy.is_some());
        let gates = sides.lines(&self.files);
        let (log, of_log) = runner.finish();
        checks.extend(of_log);
        let (target, demanded) = (target.to_owned(), self.demanded);
        Verification {
            mode: Mode::Hosted,
            target,
            checks,
            gates,
            expected,
            demanded,
            log: Some(log),
            probe: transport.probe().cloned(),
        }
    }

    fn ask_endpoint(
        &self,
        runner: &mut ProbeRunner<'_>,
        area: &str,
        endpoint: &EndpointProbes,
        sides: &mut Sides,
    ) -> Vec<VerifierCheck> {
        let mut checks = Vec::new();
        for (index, probe) in endpoint.probes.iter().enumerate() {
            let (check, reply) = runner.ask(area, probe);
            if index == 0 {
                sides.answered(reply.as_ref());
            }
            checks.push(check);
        }
        checks
    }

    fn ask_kit(&self, runner: &mut ProbeRunner<'_>) -> Vec<VerifierCheck> {
        let of_endpoints = self.kit.iter().flat_map(|endpoint| {
            let area = format!("kit, POST {BASE_PATH}{}", endpoint.path);
            endpoint.probes.iter().map(move |probe| (area.clone(), probe))
        });
        let of_requests = self.words_in_requests.iter().map(|probe| ("kit, other requests".to_owned(), probe));
        let all: Vec<(String, &Probe)> = of_endpoints.chain(of_requests).collect();
        all.into_iter().map(|(area, probe)| of_contract(runner.ask(&area, probe).0)).collect()
    }

    fn ask_documents(&self, runner: &mut ProbeRunner<'_>, sides: &mut Sides) -> Vec<VerifierCheck> {
        let mut checks = Vec::new();
        for probe in &self.documents {
            let (check, reply) = runner.ask("documents", probe);
            let served = reply.as_ref().filter(|reply| reply.status == 200);
            let value = || served.and_then(|reply| serde_json::from_slice(&reply.body).ok());
            match probe.request.path.strip_prefix(BASE_PATH) {
                Some("/readiness") => sides.ledger = value(),
                Some("/schemas/decision") => sides.schema = value(),
                Some(_) | None => {}
            }
            checks.push(check);
        }
        checks
    }

    /// What breaks a level that was not asked for is told in the table of levels.
    fn progress<'p>(&self, (number, of): (usize, usize), area: &'p str, checks: &[VerifierCheck]) -> GroupProgress<'p> {
        let failed = checks.iter().filter(|check| check.breaks(self.demanded)).count();
        let not_run = checks.iter().filter(|check| check.end == CheckEnd::NotRun).count();
        GroupProgress { number, of, area, checks: checks.len(), failed, not_run }
    }
}

/// A check of the kit: its documents are the contract's, so that how they are answered is too. A lie is one at every level.
fn of_contract(mut check: VerifierCheck) -> VerifierCheck {
    for fault in &mut check.faults {
        let is_lie = matches!(
            fault.code,
            FaultCode::OpenClaim | FaultCode::ReceiptUnproven | FaultCode::LogRewritten | FaultCode::KeyDiffers
        );
        if !is_lie {
            fault.level = fault.level.max(Level::Contract);
        }
    }
    check
}
