//! Admission: what a request passes before its body is read, and the routes without a socket.
//!
//! Nothing here waits or touches the network, so that the verifier and the self-test drive the same code in-process.

use std::{net::IpAddr, time::Instant};

use hyper::{HeaderMap, header};
use svc_core::{journal::scalars::ProbeId, rules::ruleset::Rules, words::problem_code::ProblemCode};

use crate::{
    answer::{Answer, AnswerKind, JSON, RequestName},
    auth::{
        asker::{TwoAuthorizations, authorization, claimed_probe, is_from_here},
        rate::ClientKey,
        token_store::{HeldToken, TokenStore},
        tokens::Scope,
    },
    conditional::unless_known,
    console::{self, Console, ConsoleSite},
    documents::{Documents, status},
    evaluate::{Recording, evaluate},
    guard,
    health::{Health, Phase},
    hosts::AllowedHosts,
    live::{LiveSettings, LiveValues},
    metrics::Metrics,
    record::without_record,
    refusals,
    routes::{self, Method, Operation, Serves},
};

/// The registry: its routes, its documents and its state.
#[derive(Debug)]
pub struct Registry {
    /// The rules that everything is evaluated by.
    pub rules: Rules,
    operations: Vec<Operation>,
    admin_operations: Vec<Operation>,
    documents: Documents,
    tokens: Option<TokenStore>,
    /// What may change while it runs.
    pub live: LiveSettings,
    commit: &'static str,
    is_behind_proxy: bool,
    has_public_journal: bool,
    console: Option<Console>,
    /// Whether it takes requests.
    pub health: Health,
    pub metrics: Metrics,
}

/// A request without its body.
#[derive(Clone, Copy, Debug)]
pub struct RequestHead<'a> {
    pub method: &'a str,
    /// The path, as it came.
    pub path: &'a str,
    /// Whether the address had a query.
    pub has_query: bool,
    pub headers: &'a HeaderMap,
    /// Who asks.
    pub address: Option<IpAddr>,
}

/// A request that may be performed.
#[derive(Clone, Debug)]
pub struct Admitted<'a> {
    /// What it asks for.
    pub operation: &'a Operation,
    /// The name of its token, where one was needed.
    pub token: Option<String>,
}

/// How the registry is set up.
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

impl Registry {
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let operations = routes::all();
        let rules = Rules::svc_default();
        Self {
            documents: Documents::of(&operations),
            tokens: setup.tokens,
            live: LiveSettings::new(setup.live),
            commit: setup.commit.unwrap_or("unknown"),
            is_behind_proxy: setup.is_behind_proxy,
            has_public_journal: setup.has_public_journal,
            console: setup.has_console.then(|| Console::new(&rules)),
            health: Health::default(),
            metrics: Metrics::new(&rules, setup.commit.unwrap_or("unknown")),
            admin_operations: routes::admin(),
            operations,
            rules,
        }
    }

    /// Answers a whole request.
    #[must_use]
    pub fn answer(&self, head: RequestHead<'_>, body: &[u8]) -> Answer {
        let request = RequestName::new(head.path);
        if let Some(ConsoleAnswer { answer, .. }) = self.show(head, &request) {
            return self.checked_at(head, answer, &request);
        }
        let answer = match self.admit(head, &request) {
            Ok(admitted) => self.perform(admitted.operation, head, body, &request),
            Err(refusal) => self.checked(refusal, &request),
        };
        self.expect_listed(head, &answer);
        answer
    }

    /// In tests: no route sends a problem that the contract and OpenAPI do not list for it.
    fn expect_listed(&self, head: RequestHead<'_>, answer: &Answer) {
        let (AnswerKind::Refused(code) | AnswerKind::Page(Some(code))) = answer.kind else { return };
        let method = if head.method == "HEAD" { "GET" } else { head.method };
        let is_asked = |operation: &&Operation| operation.is_at(head.path) && operation.method.as_str() == method;
        if let Some(operation) = self.operations.iter().find(is_asked) {
            debug_assert!(operation.may_refuse_with(code), "{} answers {code}, which is not listed", operation.id);
        }
    }

    /// What the POST route at a path answers, past the door: for the self-test, which has no token.
    pub(crate) fn evaluate_at(&self, path: &str, body: &[u8]) -> Answer {
        let request = RequestName::new(path);
        match self.operations.iter().find(|operation| operation.path == path) {
            Some(operation) => self.evaluate(operation, body, &request),
            None => self.checked(refusals::NO_ROUTE.of(&request), &request),
        }
    }

    /// Evaluates a body; nothing is put on record.
    pub(crate) fn evaluate(&self, operation: &Operation, body: &[u8], request: &RequestName) -> Answer {
        let answer = match operation.evaluates() {
            Some(spec) => without_record(evaluate(&self.rules, spec, body, request, Recording::Off), request),
            None => Answer::problem(ProblemCode::Internal, "the route evaluates nothing", request),
        };
        self.checked(answer, request)
    }

    /// Which build runs, for the log.
    pub(crate) fn running(&self) -> String {
        status::running(&self.rules, self.commit)
    }

    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
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
        if operation.method == Method::Post {
            check_content_type(head, request)?;
        }
        if !matches!(operation.serves, Serves::Journal(_)) {
            check_accept(head, request)?;
        }
        Ok(Admitted { operation, token })
    }

    /// What is asked for, and by whom.
    fn at_the_door(&self, head: RequestHead<'_>, request: &RequestName) -> Result<Admitted<'_>, Answer> {
        check_host(self.live.now().hosts(), &self.operations, head, request)?;
        claimed_probe(head.headers).map_err(|_| refusals::NOT_A_PROBE.of(request))?;
        let operation = route(&self.operations, head, request)?;
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
                .is_ok_and(|authorization| tokens.authorize(authorization, Scope::Probe).is_ok()),
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
        let operation = route(&self.admin_operations, head, request)?;
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

    /// Does what the route is for. The answer has passed the guard.
    #[must_use]
    pub fn perform(&self, operation: &Operation, head: RequestHead<'_>, body: &[u8], request: &RequestName) -> Answer {
        let answer = match operation.serves {
            Serves::Evaluation(_) => return self.evaluate(operation, body, request),
            Serves::Live => status::live(),
            Serves::Ready => status::ready(&self.health),
            Serves::Version => status::version(&self.rules, self.commit),
            Serves::Metrics => {
                let ends = self.tokens.as_ref().map(TokenStore::next_ends).unwrap_or_default();
                status::metrics(&self.metrics, &self.health, &ends)
            }
            // `http` has the journal, and answers before it comes to this.
            Serves::Journal(_) => refusals::NO_JOURNAL.of(request),
            Serves::Contract(_) | Serves::Schema(_) | Serves::Problem(_) | Serves::Links | Serves::OpenApi => {
                match self.documents.answer(&self.rules, head.path, &self.operations) {
                    Some(document) => unless_known(document, head.headers),
                    None => Answer::problem(ProblemCode::NotFound, "there is no document at this path", request),
                }
            }
        };
        self.checked(answer, request)
    }

    /// The last line before an answer leaves.
    #[must_use]
    pub fn checked(&self, answer: Answer, request: &RequestName) -> Answer {
        guard::check(answer, request, &self.health)
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

    /// The same, and what every answer under the console has.
    pub(crate) fn checked_at(&self, head: RequestHead<'_>, answer: Answer, request: &RequestName) -> Answer {
        let answer = self.checked(answer, request);
        self.expect_listed(head, &answer);
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
    let mut named = head.headers.get_all(header::HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else {
        return Err(refusals::NOT_ONE_HOST.of(request));
    };
    let is_probe = || operations.iter().any(|operation| operation.is_probe() && operation.is_at(head.path));
    let is_ours = |hosts: &AllowedHosts| host.to_str().is_ok_and(|host| hosts.allows(host));
    if hosts.is_none_or(is_ours) || is_probe() {
        return Ok(());
    }
    Err(refusals::NOT_OUR_NAME.of(&request.without_path()))
}

/// Paths are exact: nothing is decoded, cleaned up or guessed.
fn route<'o>(
    operations: &'o [Operation],
    head: RequestHead<'_>,
    request: &RequestName,
) -> Result<&'o Operation, Answer> {
    let mut here = operations.iter().filter(|operation| operation.is_at(head.path)).peekable();
    if here.peek().is_none() || head.has_query {
        return Err(refusals::NO_ROUTE.of(&request.without_path()));
    }
    let method = if head.method == "HEAD" { "GET" } else { head.method };
    here.clone().find(|operation| operation.method.as_str() == method).ok_or_else(|| {
        let allowed: Vec<&str> = here.map(|operation| operation.method.allow()).collect();
        refusals::WRONG_METHOD.of(request).with_header("allow", allowed.join(", "))
    })
}

/// A body is JSON as it is: one exact media type, no encoding.
fn check_content_type(head: RequestHead<'_>, request: &RequestName) -> Result<(), Answer> {
    let one = |name| {
        let mut values = head.headers.get_all(name).iter();
        (values.next().and_then(|value| value.to_str().ok()), values.next().is_some())
    };
    let (media_type, again) = one(header::CONTENT_TYPE);
    let is_json = media_type.is_some_and(|value| {
        let mut parts = value.split(';').map(|part| part.trim().to_ascii_lowercase());
        parts.next().as_deref() == Some(JSON) && parts.all(|part| part == "charset=utf-8")
    });
    if !is_json || again {
        return Err(refusals::NOT_JSON.of(request));
    }
    if head.headers.contains_key(header::CONTENT_ENCODING) {
        return Err(refusals::ENCODED.of(request));
    }
    Ok(())
}

fn check_accept(head: RequestHead<'_>, request: &RequestName) -> Result<(), Answer> {
    let Some(accepted) = head.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()) else { return Ok(()) };
    let takes_json = accepted.split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        let refused = parts.any(|parameter| matches!(parameter, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        !refused && matches!(kind.as_str(), "*/*" | "application/*" | "application/json" | "application/schema+json")
    });
    if takes_json || accepted.trim().is_empty() {
        return Ok(());
    }
    Err(refusals::TAKES_NO_JSON.of(request))
}
