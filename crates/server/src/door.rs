//! The door of the service: whom it lets in before a body is read, by host, token and rate. What it lets in is the
//! registry's to answer ([`svc_registry_api`]).
//!
//! Nothing here waits or touches the network.

use std::{net::IpAddr, time::Instant};

use svc_core::{journal::scalars::ProbeId, rules::ruleset::Rules};
use svc_registry_api::{
    admission,
    answer::Answer,
    caller::claimed_probe,
    documents::status,
    guard::Withheld,
    refusals,
    registry::Registry,
    request::{RequestHead, RequestName},
    routes::{self, Method, Operation, Serves},
    scope::TokenScope,
};

use crate::{
    auth::{
        rate::ClientKey,
        sender::{TwoAuthorizations, authorization, is_from_here},
        token_store::{HeldToken, TokenStore},
    },
    console::{self, Console, ConsoleSite},
    health::{Health, Phase},
    hosts::AllowedHosts,
    live::{LiveSettings, LiveValues},
    log,
    metrics::Metrics,
};

/// The registry, and what a request passes on its way to it.
#[derive(Debug)]
pub struct Door {
    pub registry: Registry,
    admin_operations: Vec<Operation>,
    tokens: Option<TokenStore>,
    /// What may change while it runs.
    pub live: LiveSettings,
    is_behind_proxy: bool,
    has_public_journal: bool,
    console: Option<Console>,
    /// Whether it takes requests.
    pub health: Health,
    pub metrics: Metrics,
}

/// A request that may be performed.
#[derive(Clone, Debug)]
pub struct Admitted<'a> {
    /// What it asks for.
    pub operation: &'a Operation,
    /// The name of its token, where one was needed.
    pub token: Option<String>,
}

/// How the door is set up.
#[derive(Debug, Default)]
pub struct Setup {
    /// Tokens; without them everyone may ask.
    pub tokens: Option<TokenStore>,
    /// What may change later.
    pub live: LiveValues,
    pub commit: Option<&'static str>,
    /// Whether a proxy stands in front, so that everybody may seem to come from this machine.
    pub is_behind_proxy: bool,
    /// Whether what proves the log is for everybody.
    pub has_public_journal: bool,
    /// Whether there are pages for people.
    pub has_console: bool,
}

/// What the console answers, under the name that it has in logs and metrics.
#[derive(Debug)]
pub(crate) struct ConsoleAnswer {
    pub(crate) operation: &'static str,
    pub(crate) answer: Answer,
}

impl Door {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let commit = setup.commit.unwrap_or("unknown");
        let rules = Rules::svc_default();
        let registry = Registry::new(rules.clone()).with_commit(commit).on_withheld(note_withheld);
        Self {
            tokens: setup.tokens,
            live: LiveSettings::new(setup.live),
            is_behind_proxy: setup.is_behind_proxy,
            has_public_journal: setup.has_public_journal,
            console: setup.has_console.then(|| Console::new(&rules)),
            health: Health::new(registry.guard_trips()),
            metrics: Metrics::new(&rules, commit),
            admin_operations: routes::admin(),
            registry,
        }
    }

    /// Answers a whole request.
    #[must_use]
    pub fn answer(&self, head: RequestHead<'_>, body: &[u8]) -> Answer {
        let request = RequestName::new(head.path);
        if let Some(ConsoleAnswer { answer, .. }) = self.show(head, &request) {
            return self.guarded(head, answer, &request);
        }
        let answer = match self.admit(head, &request) {
            Ok(admitted) => self.perform(admitted.operation, head, body, &request),
            Err(refusal) => refusal,
        };
        self.guarded(head, answer, &request)
    }

    /// Whether everybody may read this, without a token and without being counted.
    #[must_use]
    pub fn is_public(&self, operation: &Operation) -> bool {
        self.has_public_journal && matches!(operation.serves, Serves::Journal(wanted) if wanted.is_public())
    }

    /// Everything that can be told before the body is read.
    ///
    /// # Errors
    /// The refusal.
    pub fn admit(&self, head: RequestHead<'_>, request: &RequestName) -> Result<Admitted<'_>, Answer> {
        let admitted = self.at_the_door(head, request);
        // Whoever is refused is counted like whoever is not: nobody guesses tokens or paths at a higher rate.
        self.check_rate(admitted.as_ref().ok(), head.address, request)?;
        let Admitted { operation, token } = admitted?;
        if self.health.phase() == Phase::Stopping && operation.method == Method::Post {
            return Err(refusals::STOPPING.with_retry(5, request));
        }
        admission::check_form(operation, head, request)?;
        Ok(Admitted { operation, token })
    }

    /// What is asked for, and by whom.
    fn at_the_door(&self, head: RequestHead<'_>, request: &RequestName) -> Result<Admitted<'_>, Answer> {
        let operations = self.registry.operations();
        check_host(self.live.now().hosts(), operations, head, request)?;
        admission::check_probe(head.headers, request)?;
        let operation = admission::route(operations, head, request)?;
        let token = self.authenticate(operation, head, request)?;
        Ok(Admitted { operation, token })
    }

    /// The run of the verifier that a request belongs to, when it may say so. Where tokens are in use, a token says who may:
    /// behind a proxy on the same machine everybody comes from here.
    #[must_use]
    pub fn probe_of(&self, head: RequestHead<'_>) -> Option<ProbeId> {
        let probe = claimed_probe(head.headers).ok()??;
        let may = match &self.tokens {
            Some(tokens) => authorization(head.headers)
                .is_ok_and(|authorization| tokens.authorize(authorization, TokenScope::Probe).is_ok()),
            None => {
                !self.is_behind_proxy
                    && !self.live.now().is_proxy(head.address)
                    && is_from_here(head.address, head.headers)
            }
        };
        may.then_some(probe)
    }

    /// What the admin address lets in: the probes, and with tokens the metrics for those of their scope.
    ///
    /// # Errors
    /// The refusal.
    pub fn admit_to_admin(&self, head: RequestHead<'_>, request: &RequestName) -> Result<Admitted<'_>, Answer> {
        check_host(self.live.now().admin_hosts(), &self.admin_operations, head, request)?;
        let operation = admission::route(&self.admin_operations, head, request)?;
        let token = self.authenticate(operation, head, request)?;
        Ok(Admitted { operation, token })
    }

    /// What the console says to a request for one of its paths, when there is a console. No token is asked for: its files hold
    /// nothing that the program does not.
    pub(crate) fn show(&self, head: RequestHead<'_>, request: &RequestName) -> Option<ConsoleAnswer> {
        let site = &self.console_at(head.path)?.public;
        let counted = self.check_rate(None, head.address, request);
        Some(shown(site, self.live.now().hosts(), counted, head, request))
    }

    /// The same at the admin address, where nothing is counted.
    pub(crate) fn show_to_admin(&self, head: RequestHead<'_>, request: &RequestName) -> Option<ConsoleAnswer> {
        let site = &self.console_at(head.path)?.admin;
        Some(shown(site, self.live.now().admin_hosts(), Ok(()), head, request))
    }

    /// The console, when there is one and the path is its to answer.
    pub(crate) fn console_at(&self, path: &str) -> Option<&Console> {
        self.console.as_ref().filter(|_| console::is_below(path))
    }

    /// Counts a request against its client's rate: the token's, else the address's. Whoever has a token is not kept out by
    /// a neighbour who has none. Probes of health are never counted, or a busy client could make a healthy service look ill.
    fn check_rate(
        &self,
        admitted: Option<&Admitted<'_>>,
        address: Option<IpAddr>,
        request: &RequestName,
    ) -> Result<(), Answer> {
        if admitted.is_some_and(|Admitted { operation, .. }| operation.is_probe() || self.is_public(operation)) {
            return Ok(());
        }
        let by_token = admitted.and_then(|admitted| admitted.token.clone()).map(ClientKey::Token);
        let client = by_token.or_else(|| address.map(ClientKey::of_address));
        let live = self.live.now();
        let (Some(rate), Some(client)) = (&live.rate, client) else { return Ok(()) };
        rate.take(client, Instant::now()).map_err(|seconds| refusals::TOO_OFTEN.with_retry(seconds, request))
    }

    /// Counts what came from an address and was no request.
    pub(crate) fn count_malformed(&self, address: IpAddr) {
        self.metrics.malformed();
        if let Some(rate) = &self.live.now().rate {
            let _ = rate.take(ClientKey::of_address(address), Instant::now());
        }
    }

    /// Does what the route is for: what tells of the service itself here, the rest in the registry.
    #[must_use]
    pub fn perform(&self, operation: &Operation, head: RequestHead<'_>, body: &[u8], request: &RequestName) -> Answer {
        match operation.serves {
            Serves::Ready => status::ready(&self.health.readiness()),
            Serves::Metrics => {
                let ends = self.tokens.as_ref().map(TokenStore::next_ends).unwrap_or_default();
                self.metrics.answer(&self.health, &ends)
            }
            Serves::Evaluation(_)
            | Serves::Contract(_)
            | Serves::Schema(_)
            | Serves::Problem(_)
            | Serves::Links
            | Serves::OpenApi
            | Serves::Live
            | Serves::Version
            | Serves::Journal(_) => self.registry.perform(operation, head, body, request),
        }
    }

    /// The token of a request that was let in, where one is needed: for an answer that goes on for longer than a token may.
    pub(crate) fn held_token(
        &self,
        operation: &Operation,
        head: RequestHead<'_>,
        request: &RequestName,
    ) -> Result<Option<HeldToken>, Answer> {
        let (Some(tokens), Some(scope)) = (&self.tokens, operation.scope) else { return Ok(None) };
        if self.is_public(operation) {
            return Ok(None);
        }
        let authorization =
            authorization(head.headers).map_err(|TwoAuthorizations| refusals::TWO_AUTHORIZATIONS.of(request))?;
        let held = tokens.hold(authorization, scope);
        held.map(Some).map_err(|denied| refusals::unauthorized(denied, request))
    }

    /// The last line before an answer leaves. Behind it, an answer of the console only gets the headers that all of its have,
    /// and a refusal there may become a page.
    pub(crate) fn guarded(&self, head: RequestHead<'_>, answer: Answer, request: &RequestName) -> Answer {
        let answer = self.registry.guarded(answer, request);
        self.registry.expect_listed(head, &answer);
        match self.console_at(head.path) {
            Some(_) => console::dressed(answer, head.path, head.headers, request),
            None => answer,
        }
    }

    /// The name of the token, where one is needed.
    fn authenticate(
        &self,
        operation: &Operation,
        head: RequestHead<'_>,
        request: &RequestName,
    ) -> Result<Option<String>, Answer> {
        let (Some(tokens), Some(scope)) = (&self.tokens, operation.scope) else { return Ok(None) };
        if self.is_public(operation) {
            return Ok(None);
        }
        let authorization =
            authorization(head.headers).map_err(|TwoAuthorizations| refusals::TWO_AUTHORIZATIONS.of(request))?;
        match tokens.authorize(authorization, scope) {
            Ok(id) => Ok(Some(id)),
            Err(denied) => Err(refusals::unauthorized(denied, request)),
        }
    }
}

/// Whoever is refused by the console is counted like whoever is not.
fn shown(
    site: &ConsoleSite,
    hosts: Option<&AllowedHosts>,
    counted: Result<(), Answer>,
    head: RequestHead<'_>,
    request: &RequestName,
) -> ConsoleAnswer {
    let found =
        check_host(hosts, &[], head, request).and_then(|()| site.find(head.method, head.path, head.has_query, request));
    match counted.and(found) {
        Ok(page) => ConsoleAnswer { operation: page.operation(), answer: page.answer(head.headers) },
        Err(answer) => ConsoleAnswer { operation: "refused", answer },
    }
}

/// One `Host`, and one that this service answers to. Probes ask by whatever name they found it.
fn check_host(
    hosts: Option<&AllowedHosts>,
    operations: &[Operation],
    head: RequestHead<'_>,
    request: &RequestName,
) -> Result<(), Answer> {
    let host = admission::one_host(head.headers, request)?;
    let is_probe = || operations.iter().any(|operation| operation.is_probe() && operation.is_at(head.path));
    let is_ours = |hosts: &AllowedHosts| host.to_str().is_ok_and(|host| hosts.allows(host));
    if hosts.is_none_or(is_ours) || is_probe() {
        return Ok(());
    }
    Err(refusals::NOT_OUR_NAME.of(&request.without_path()))
}

fn note_withheld(withheld: Withheld, request: &RequestName) {
    log::error(withheld.message(), &format!("request {}", request.id));
}
