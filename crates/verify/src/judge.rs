//! Holds a reply against what must come back. Whatever is not expected is a fault.

mod closed;
mod described;
mod documents;
pub(crate) mod headers;
mod rejection;
mod shapes;
mod words;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde_json::{Map, Value};
use svc_client::exchange::{Reply, TransportKind};
use svc_core::samples::rules;
use svc_core::{
    contract::contracts,
    gates::{GateStatuses, HashGateStatus as _, Unevidenced},
    rules::syntax,
    verification::{FaultCode, Level},
    words::problem_code::ProblemCode,
};
use svc_json::{canonical, tree, typed};

use self::{
    headers::{closed_headers, cross_origin, exact_header, media_type, wire_headers},
    shapes::Shape,
    words::{shown_code, told, with_claims, wrong_status},
};
use crate::{
    check::{CheckFault, cut},
    claims::{self, Reading},
    compare::{Difference, differences},
    field::fields,
    probe::{Asks, DemandedBy, ExpectedRefusal, ExpectedReply, Probe},
};

/// What is remembered from reply to reply.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    request_ids: BTreeSet<String>,
    /// What was said to the valid payload at each path.
    valid: BTreeMap<String, rejection::Said>,
    /// The head of the answer to each GET, by its path.
    gets: BTreeMap<String, described::Head>,
}

impl Memory {
    fn read(&mut self, probe: &Probe, reply: &Reply) {
        self.gets.insert(probe.request.path.clone(), described::Head::of(reply));
    }

    /// Whether a path was asked for.
    pub(crate) fn has_read(&self, path: &str) -> bool {
        self.gets.contains_key(path)
    }
}

/// Everything that is wrong with a reply.
pub(crate) fn judge(probe: &Probe, reply: &Reply, via: TransportKind, memory: &mut Memory) -> Vec<CheckFault> {
    let mut faults = match &probe.expected {
        ExpectedReply::Denied { spec, decision } => {
            let before = memory.valid.contains_key(&probe.request.path);
            let earlier = if before { closed::Earlier::Answered } else { closed::Earlier::Nothing };
            let closed = closed::unanswered(spec, reply, earlier);
            if closed::is_answered(&closed) {
                memory.valid.entry(probe.request.path.clone()).or_insert_with(|| rejection::Said::of(reply));
            }
            denied(closed, decision, reply, memory)
        }
        ExpectedReply::Refused(refusal) => {
            let faults = refused(refusal, probe, reply, memory);
            if probe.needs_package_rules {
                faults.into_iter().map(|fault| fault.at(Level::Build)).collect()
            } else {
                faults
            }
        }
        ExpectedReply::Document { body, media_type, reading, except } => {
            let faults = documents::judge(&probe.request.path, reply, (body, media_type), *reading, except, via);
            memory.read(probe, reply);
            return faults.into_iter().chain(cross_origin(&probe.request, reply)).collect();
        }
        ExpectedReply::Described { statuses, reading } => {
            let faults = described::judge_get(statuses, reply, *reading, via);
            memory.read(probe, reply);
            return faults.into_iter().chain(cross_origin(&probe.request, reply)).collect();
        }
        ExpectedReply::LikeGet { get } => {
            let faults = described::judge_head(memory.gets.get(get), reply, via);
            return faults.into_iter().chain(cross_origin(&probe.request, reply)).collect();
        }
        ExpectedReply::Anything => Vec::new(),
    };
    faults.extend(cross_origin(&probe.request, reply));
    faults.extend(repeated_words(probe, reply));
    if matches!(probe.expected, ExpectedReply::Anything) {
        return with_claims(faults, claims::open_claims(reply, Reading::Statement));
    }
    faults.extend(closed_headers(reply, via));
    faults.extend(wire_headers(reply, via));
    with_claims(faults, claims::open_claims(reply, Reading::Statement))
}

fn denied(mut closed: Vec<CheckFault>, expected: &Value, reply: &Reply, memory: &mut Memory) -> Vec<CheckFault> {
    if reply.partly_sent.is_some() && reply.status == 200 {
        let message = "the payload was answered before it had arrived, so that no digest can have been recomputed";
        closed.push(CheckFault::new(FaultCode::DigestVerdict, message));
    }
    if reply.status == 200 {
        closed.extend(decided(expected, reply, memory));
    } else if closed.is_empty() {
        // The specification gives no status; the contract does.
        closed.push(wrong_status(200, reply).at(Level::Contract));
    }
    closed
}

/// A decision of the contract, and of this build.
fn decided(expected: &Value, reply: &Reply, memory: &mut Memory) -> Vec<CheckFault> {
    let mut faults = media_type(reply, "application/json");
    faults.extend(exact_header(reply, "svc-decision", "denied"));
    let body = match strict_object(reply) {
        Ok(body) => body,
        Err(fault) => return [faults, vec![fault]].concat(),
    };
    faults.extend(shapes::faults(Shape::Decision, reply));
    faults.extend(request_id(&body, reply, memory));
    faults.extend(decision_id(&body));
    faults.extend(no_blockers(&body));
    let mut found = body;
    for own in members_of_the_request() {
        found.remove(*own);
    }
    let differing = differences(expected, &Value::Object(found));
    // The id changes with everything else; by itself it is told above.
    let others = differing.iter().any(|difference| difference.member() != "decisionId");
    let told = differing.iter().filter(|difference| !others || difference.member() != "decisionId");
    faults.extend(told.map(decision_fault));
    faults
}

fn decision_fault(difference: &Difference) -> CheckFault {
    let within = |member: &str| difference.pointer.split('/').any(|part| part == member);
    let digest = within("digestCheck");
    let code = match difference.member() {
        "gateStatuses" | "missingGates" => FaultCode::GateDiffers,
        "artifact" | "decisionId" => FaultCode::DigestVerdict,
        "ruleset" => FaultCode::ContractDrift,
        _ if digest => FaultCode::DigestVerdict,
        _ => FaultCode::WrongAnswer,
    };
    // What a decision says of its package is this build's; that it is a decision on this payload is the contract's.
    let level =
        if matches!(difference.member(), "artifact" | "gateStatuses" | "missingGates" | "nextGate" | "operation")
            || digest
            || within("reviewed")
            || within("stage")
            || difference.pointer == "/entries"
            || difference.pointer.starts_with("/ruleset/declared")
        {
            Level::Contract
        } else {
            Level::Build
        };
    CheckFault::new(code, told(difference)).at(level)
}

/// Whatever a registry's own rules find, the gates are in the way: a list of nothing says that nothing is.
fn no_blockers(body: &Map<String, Value>) -> Option<CheckFault> {
    let at_top = body.get("blockers");
    let entries = body.get("entries").and_then(Value::as_array).into_iter().flatten();
    let lists = at_top.into_iter().chain(entries.filter_map(|entry| entry.get("blockers")));
    let is_empty = lists.filter_map(Value::as_array).any(Vec::is_empty);
    is_empty.then(|| {
        let message = "/blockers is empty, as if nothing were in the way";
        CheckFault::new(FaultCode::WrongAnswer, message).at(Level::Contract)
    })
}

/// The decision's name is the digest of all that does not change from request to request.
fn decision_id(body: &Map<String, Value>) -> Option<CheckFault> {
    let mut hashed = body.clone();
    let declared = hashed.remove("decisionId");
    for own in members_of_the_request() {
        hashed.remove(*own);
    }
    let recomputed = canonical::digest(&hashed).0.to_string();
    let fits = declared.as_ref().and_then(Value::as_str) == Some(&recomputed);
    (!fits).then(|| {
        let message = "/decisionId must be the digest of the decision, and differs";
        CheckFault::new(FaultCode::DigestVerdict, message).at(Level::Contract)
    })
}

/// Members that differ from request to request, as far as the schema of decisions knows them.
fn members_of_the_request() -> &'static [&'static str] {
    static KNOWN: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let known = members_of("decision");
        ["requestId", "receipt"].into_iter().filter(|member| known.iter().any(|name| name == member)).collect()
    });
    &KNOWN
}

/// The members that a schema knows.
fn members_of(schema: &str) -> Vec<String> {
    let schema = contracts::schema_sources().into_iter().find(|(name, _)| *name == schema).map(|(_, make)| make());
    let properties = schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

fn refused(refusal: &ExpectedRefusal, probe: &Probe, reply: &Reply, memory: &mut Memory) -> Vec<CheckFault> {
    if refusal.demanded_by == DemandedBy::Specification {
        let valid = memory.valid.get(&probe.request.path);
        if let Some(fault) = rejection::fault(reply, valid) {
            return vec![fault];
        }
    }
    let expected = refusal.code.spec();
    if (200..300).contains(&reply.status) {
        let (code, what) = if refusal.code == ProblemCode::DigestMismatch {
            (FaultCode::DigestVerdict, "a digest that does not recompute was let through")
        } else {
            (FaultCode::AttackEvaluated, "the request was evaluated instead of refused")
        };
        let mut faults = vec![CheckFault::new(code, what).at(Level::Contract)];
        if refusal.demanded_by == DemandedBy::Contract(Asks::Payload) {
            faults.extend(closed::no_missing(reply));
        }
        return faults;
    }
    if reply.status != expected.status {
        let fault = wrong_status(expected.status, reply);
        // How something is refused is the contract's; what was not looked at shows nothing.
        let is_payload = refusal.demanded_by == DemandedBy::Contract(Asks::Payload);
        if !is_payload || !matches!(reply.status, 401 | 429 | 502..=504) {
            return vec![fault.at(Level::Contract)];
        }
        let message = format!(
            "a payload that must be refused was answered with {}{}, which says that nothing looked at it",
            reply.status,
            shown_code(reply)
        );
        return vec![CheckFault::new(fault.code, message).at(fault.level)];
    }
    let mut faults = media_type(reply, "application/problem+json");
    faults.extend(shapes::faults(Shape::Problem, reply));
    faults.extend(reply.values("svc-decision").next().map(|_| {
        CheckFault::new(
            FaultCode::WrongHeader,
            "a refusal carries `svc-decision`, as if an evaluation had been completed",
        )
    }));
    match strict_object(reply) {
        Ok(body) => {
            faults.extend(request_id(&body, reply, memory));
            faults.extend(problem(refusal, probe, &body));
        }
        Err(fault) => faults.push(fault),
    }
    faults
}

fn problem(refusal: &ExpectedRefusal, probe: &Probe, body: &Map<String, Value>) -> Vec<CheckFault> {
    let spec = refusal.code.spec();
    let mut faults = Vec::new();
    let constants = [
        ("gateStatuses", value_of(&GateStatuses::<Unevidenced>::now()), FaultCode::GateDiffers, Level::Contract),
        ("missingGates", value_of(&Unevidenced::missing()), FaultCode::GateDiffers, Level::Contract),
        ("code", Value::from(refusal.code.as_str()), wrong_code(refusal.code), Level::Contract),
        ("status", Value::from(spec.status), FaultCode::WrongProblem, Level::Contract),
        ("title", Value::from(spec.title), FaultCode::WrongProblem, Level::Contract),
        ("type", Value::from(refusal.code.page()), FaultCode::WrongProblem, Level::Build),
    ];
    for (member, expected, code, level) in &constants {
        let found = body.get(*member).cloned().unwrap_or(Value::Null);
        let differing = differences(expected, &found);
        faults.extend(differing.first().map(|difference| {
            let message = format!("/{member}{}", told(difference).trim_start_matches("the whole"));
            CheckFault::new(*code, message).at(*level)
        }));
    }
    // A path that is no route's is not repeated: its words are the client's.
    let asked = probe.request.path.split('?').next().unwrap_or_default();
    let path = if refusal.code == ProblemCode::NotFound { "/" } else { asked };
    if !body.get("instance").and_then(Value::as_str).is_some_and(|instance| instance.ends_with(path)) {
        faults
            .push(CheckFault::new(FaultCode::WrongProblem, format!("/instance must be `{path}`")).at(Level::Contract));
    }
    if body.get("detail").and_then(Value::as_str).is_none_or(str::is_empty) {
        faults.push(CheckFault::new(FaultCode::WrongProblem, "/detail must not be empty").at(Level::Contract));
    }
    faults.extend(counted_errors(refusal, body).map(|fault| fault.at(Level::Contract)));
    let of_build = problem_errors(refusal, body.get("errors")).into_iter().chain(unknown_members(body));
    faults.extend(of_build.map(|fault| fault.at(Level::Build)));
    faults
}

/// Whether a refused document has a reason, and whether the reasons are counted as they are listed.
fn counted_errors(refusal: &ExpectedRefusal, body: &Map<String, Value>) -> Option<CheckFault> {
    let listed = body.get("errors").and_then(Value::as_array)?.len();
    let counted = body.get("errorCount").and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let is_cut = body.get("truncated").and_then(Value::as_bool);
    let message = if listed == 0 && !refusal.reasons.is_empty() {
        "/errors is empty, and the document was refused for something".to_owned()
    } else if counted.is_some_and(|counted| counted < listed || is_cut.is_some_and(|cut| cut != (counted > listed))) {
        format!("/errors lists {listed}, which /errorCount and /truncated contradict")
    } else {
        return None;
    };
    Some(CheckFault::new(FaultCode::WrongProblem, message))
}

fn wrong_code(expected: ProblemCode) -> FaultCode {
    if expected == ProblemCode::DigestMismatch { FaultCode::DigestVerdict } else { FaultCode::WrongProblem }
}

/// The reasons: the same rules at the same places as this build finds.
fn problem_errors(refusal: &ExpectedRefusal, errors: Option<&Value>) -> Option<CheckFault> {
    let text = |error: &Value, member: &str| error.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some(Value::Array(errors)) = errors else {
        return Some(CheckFault::new(FaultCode::WrongProblem, "/errors must be a list"));
    };
    let found: BTreeSet<(String, String)> =
        errors.iter().map(|error| (text(error, "rule"), text(error, "pointer"))).collect();
    let absent = refusal.reasons.difference(&found).next();
    let extra = found.difference(&refusal.reasons).next();
    absent
        .map(|(rule, pointer)| format!("/errors does not name {rule} at `{}`", cut(pointer)))
        .or_else(|| {
            extra.map(|(rule, pointer)| {
                format!("/errors names {} at `{}`, where the document is right", cut(rule), cut(pointer))
            })
        })
        .map(|message| CheckFault::new(FaultCode::WrongProblem, message))
}

fn unknown_members(body: &Map<String, Value>) -> Option<CheckFault> {
    static KNOWN: LazyLock<Vec<String>> = LazyLock::new(|| members_of("problem"));
    let unknown = body.keys().find(|name| !KNOWN.contains(name))?;
    Some(CheckFault::new(FaultCode::WrongProblem, format!("unknown member `{}`", cut(unknown))))
}

fn strict_object(reply: &Reply) -> Result<Map<String, Value>, CheckFault> {
    typed::from_slice::<Map<String, Value>>(&reply.body).map_err(|refused| {
        let why = match tree::read(&reply.body) {
            Ok(document) => document
                .faults
                .first()
                .map(|fault| format!("{}: {}", rules().row(syntax::rule_of(fault.kind)).title, fault.detail)),
            Err(faults) => faults
                .first()
                .map(|fault| format!("{}: {}", rules().row(syntax::rule_of(fault.kind)).title, fault.detail)),
        };
        CheckFault::new(FaultCode::NotStrict, cut(&why.unwrap_or_else(|| refused.to_string())))
    })
}

/// Words of the author that come back, in the body, behind an escape, or in a header.
fn repeated_words(probe: &Probe, reply: &Reply) -> Option<CheckFault> {
    let unescaped = serde_json::from_slice::<Value>(&reply.body).map(|body| body.to_string()).unwrap_or_default();
    let fields = fields(reply).map(|field| (field.shown(), format!("{}: {}", field.name, field.value)));
    let reason = reply.reason.iter().map(|reason| ("the reason phrase".to_owned(), reason.clone()));
    let mut places: Vec<(String, String)> = fields.chain(reason).collect();
    places.push(("the answer".to_owned(), String::from_utf8_lossy(&reply.body).into_owned()));
    places.push(("the answer".to_owned(), unescaped));
    let (place, word) = places.iter().find_map(|(place, text)| {
        let text = text.to_lowercase();
        Some((place, probe.author_words.iter().find(|word| text.contains(word.as_str()))?))
    })?;
    let message =
        format!("{place} repeats `{word}`, a word that only this request had: an author can make the registry say it");
    Some(CheckFault::new(FaultCode::WordsRepeated, message))
}

/// Every answer has an id of its own; one that comes again was kept by somebody.
fn request_id(body: &Map<String, Value>, reply: &Reply, memory: &mut Memory) -> Vec<CheckFault> {
    let Some(id) = body.get("requestId").and_then(Value::as_str).filter(|id| !id.is_empty()) else {
        return vec![CheckFault::new(FaultCode::WrongAnswer, "/requestId is missing")];
    };
    let mut faults = Vec::new();
    if reply.values("svc-request-id").any(|header| header != id) {
        faults.push(CheckFault::new(
            FaultCode::WrongHeader,
            "the header `svc-request-id` and /requestId must be equal, and differ",
        ));
    }
    if !memory.request_ids.insert(id.to_owned()) {
        let message = format!("the request id `{}` was given before", cut(id));
        faults.push(CheckFault::new(FaultCode::RepeatedAnswer, message));
    }
    faults
}

fn value_of<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
