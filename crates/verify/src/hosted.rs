//! A running registry: the six payloads, the attacks on them, and the documents it serves.

use svc_client::exchange::Transport;
use svc_core::{
    bundle::Files,
    contract::contracts::BASE_PATH,
    verification::{CheckEnd, FaultCode, Level, Mode},
    words::kind::ArtifactSpec,
};

use svc_proof::{policy::Policy, public_key::PublicKeys};

use crate::{
    author_words,
    check::{Verification, VerifierCheck},
    described::Description,
    kit,
    log_watch::LogWatch,
    order::Order,
    probe::{self, Depth, EndpointProbes, Probe},
    run::ProbeRunner,
    samples::Samples,
    scorecard::Sides,
};

pub use crate::{log_watch::CHECKS as LOG_CHECKS, retry::RetryPolicy};

/// How many checks level `closed` has, written down: a run with another number shows nothing.
pub const CHECKS: usize = 361;

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
    other_sites: Vec<Probe>,
    policy: Option<Policy>,
    /// The order of a run that is not to be known by it.
    shuffled: Option<Order>,
}

/// What is posted to one endpoint, or all that is posted of the kit.
struct Group<'p> {
    area: String,
    /// Each with the area of its check.
    probes: Vec<(String, &'p Probe)>,
    is_kit: bool,
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
        Self::make_of(files, demanded, &Samples::make()?)
    }

    /// The same in an order of its own, with samples under names of their own: nothing in it tells the verifier from others.
    ///
    /// # Errors
    /// As [`Plan::make`].
    pub fn make_unmarked(files: Files, demanded: Level, mut order: Order) -> Result<Self, String> {
        let samples = Samples::make_with_names(&mut order)?;
        Ok(Self { shuffled: Some(order), ..Self::make_of(files, demanded, &samples)? })
    }

    fn make_of(files: Files, demanded: Level, samples: &Samples) -> Result<Self, String> {
        let (kit, words_in_requests) = match demanded {
            Level::Closed => (Vec::new(), Vec::new()),
            Level::Contract | Level::Build => {
                let words = author_words::of_endpoints(samples)?;
                let both = kit::of_endpoints(samples)?.into_iter().chain(words).collect();
                (both, author_words::of_requests(samples)?)
            }
        };
        Ok(Self {
            demanded,
            kit,
            words_in_requests,
            endpoints: probe::of_endpoints_with(&files, Depth::Hosted, samples)?,
            other_sites: probe::of_other_sites(&files)?,
            documents: probe::of_documents(),
            missing_routes: probe::of_missing_routes(),
            files,
            policy: None,
            shuffled: None,
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
        let groups = self.groups();
        let of = groups.len() + 2;
        let mut answered = self.ask_groups(&mut runner, &groups, &mut sides);
        for (index, (group, asked)) in groups.iter().zip(&mut answered).enumerate() {
            tell(self.progress((index + 1, of), &group.area, asked));
            checks.append(asked);
        }
        let documents = self.ask_documents(&mut runner, &mut sides);
        tell(self.progress((of - 1, of), "documents", &documents));
        checks.extend(documents);
        let routes = self.ask_routes(&mut runner, &sides, transport.has_token());
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

    /// What is posted, in the order of the report.
    fn groups(&self) -> Vec<Group<'_>> {
        let of_endpoint = |endpoint: &'_ EndpointProbes| format!("POST {BASE_PATH}{}", endpoint.path);
        let endpoints = self.endpoints.iter().map(|endpoint| {
            let area = of_endpoint(endpoint);
            let probes = endpoint.probes.iter().map(|probe| (area.clone(), probe)).collect();
            Group { area, probes, is_kit: false }
        });
        let of_kit = self.kit.iter().flat_map(|endpoint| {
            endpoint.probes.iter().map(move |probe| (format!("kit, {}", of_endpoint(endpoint)), probe))
        });
        let of_requests = self.words_in_requests.iter().map(|probe| ("kit, other requests".to_owned(), probe));
        let kit =
            Group { area: "conformance kit".to_owned(), probes: of_kit.chain(of_requests).collect(), is_kit: true };
        endpoints.chain(Some(kit).filter(|kit| !kit.probes.is_empty())).collect()
    }

    /// Asks all groups: one after the other, or mixed with each other, and only the first of each endpoint before the rest.
    fn ask_groups(
        &self,
        runner: &mut ProbeRunner<'_>,
        groups: &[Group<'_>],
        sides: &mut Sides,
    ) -> Vec<Vec<VerifierCheck>> {
        let mut turns: Vec<(usize, usize)> = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            turns.extend((0..group.probes.len()).map(|at| (number, at)));
        }
        if let Some(mut order) = self.shuffled.clone() {
            order.shuffle(&mut turns);
            turns.sort_by_key(|(number, at)| *at != 0 || groups.get(*number).is_none_or(|group| group.is_kit));
        }
        let mut answered: Vec<(usize, usize, VerifierCheck)> = Vec::new();
        for (number, at) in turns {
            let Some(group) = groups.get(number) else { continue };
            let Some((area, probe)) = group.probes.get(at) else { continue };
            let (check, reply) = runner.ask(area, probe);
            if at == 0 && !group.is_kit {
                sides.answered(reply.as_ref());
            }
            answered.push((number, at, if group.is_kit { of_contract(check) } else { check }));
        }
        answered.sort_by_key(|(number, at, _)| (*number, *at));
        let mut by_group: Vec<Vec<VerifierCheck>> = groups.iter().map(|_| Vec::new()).collect();
        for (number, _, check) in answered {
            by_group.get_mut(number).into_iter().for_each(|checks| checks.push(check.clone()));
        }
        by_group
    }

    /// Paths that must not exist, requests of other sites, and every route that the registry says it has.
    fn ask_routes(&self, runner: &mut ProbeRunner<'_>, sides: &Sides, has_token: bool) -> Vec<VerifierCheck> {
        // Nobody knows beforehand by which method a route will be tried.
        let drawn = || Order::any().unwrap_or(Order::of(0));
        let mut order = self.shuffled.clone().unwrap_or_else(drawn);
        let mut probes: Vec<&Probe> = self.missing_routes.iter().chain(&self.other_sites).collect();
        if self.shuffled.is_some() {
            order.shuffle(&mut probes);
        }
        let mut routes: Vec<VerifierCheck> =
            probes.into_iter().map(|probe| runner.ask("other routes", probe).0).collect();
        let described = Description::read(sides.openapi.as_ref(), sides.contract.as_ref());
        let gets = described.gets(|path| runner.has_read(path));
        for (name, mut probes) in [
            ("GET of each described route", gets),
            ("HEAD of each described route", described.heads()),
            ("each described route by another method", described.others(&mut order)),
        ] {
            if self.shuffled.is_some() {
                order.shuffle(&mut probes);
            }
            routes.push(runner.ask_all("other routes", name, &probes));
        }
        if has_token {
            routes.push(runner.ask("other routes", &probe::of_a_stranger()).0);
        }
        routes
    }

    fn ask_documents(&self, runner: &mut ProbeRunner<'_>, sides: &mut Sides) -> Vec<VerifierCheck> {
        let mut checks = Vec::new();
        for probe in &self.documents {
            let (check, reply) = runner.ask("documents", probe);
            let served = reply.as_ref().filter(|reply| reply.status == 200);
            let value = || served.and_then(|reply| serde_json::from_slice(&reply.body).ok());
            match probe.request.path.strip_prefix(BASE_PATH) {
                Some("/readiness") => sides.ledger = value(),
                Some("/contract") => sides.contract = value(),
                Some("/openapi.json") => sides.openapi = value(),
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
