//! Examples: what this build answers, to a sample and to attacks on it. Nothing here is written by hand but the id of the
//! request and the time of its record.

use std::{collections::BTreeMap, sync::LazyLock};

use serde_json::{Map, Value, json};
use svc_core::{
    attacks::{self, SeenIn},
    bundle::Files,
    contract::contracts::{self, BASE_PATH},
    journal::{attribution::JournalEntry, scalars::Count, timestamp::Timestamp},
    samples,
    words::{
        kind::{self, ArtifactSpec},
        problem_code::ProblemCode,
    },
};

use super::name::{pascal, reference};
use crate::{
    answer::{Answer, AnswerKind},
    caller::Caller,
    documents::{journal_page, problem_page, status},
    evaluate::{Evaluation, Recording, evaluate},
    readiness::Readiness,
    record, refusals,
    request::RequestName,
    scope::{AuthError, TokenScope},
};

/// The name of the request in every example.
const REQUEST_ID: &str = "4f1d6f0c8a7e4b52b3d09c6e2a915d78";

/// The time of its record.
const TIME: &str = "2026-11-15T05:22:07.123Z";

/// Examples by their names among the components.
pub(super) struct Examples(BTreeMap<String, Example>);

struct Example {
    about: String,
    value: Value,
}

impl Examples {
    /// They are the same in every registry of a process, and made once.
    pub(super) fn of_this_build() -> &'static Self {
        static EXAMPLES: LazyLock<Examples> = LazyLock::new(Examples::made);
        &EXAMPLES
    }

    fn made() -> Self {
        let mut examples = Self(BTreeMap::new());
        let sample = samples::bundle("{}", 0).unwrap_or_default();
        for spec in kind::ALL.iter().filter(|spec| spec.endpoint.is_some()) {
            let Some(document) = sample.get(spec.file) else { continue };
            examples.add(pascal(spec.name), format!("The sample's `{}`", spec.file), document);
            examples.add(decision(spec), "The answer: no".to_owned(), &ask(spec, document).body);
        }
        examples.add(document("/journal/entries"), "A record of the log".to_owned(), &journal_page(&sample));
        for (path, body) in documents() {
            examples.add(document(path), format!("`{path}`"), &body);
        }
        refusals(&sample).iter().for_each(|refusal| examples.add_refusal(refusal));
        examples
    }

    /// Every example, as a component.
    pub(super) fn components(&self) -> Value {
        let written = |(name, example): (&String, &Example)| {
            (name.clone(), json!({ "summary": example.about, "value": example.value }))
        };
        Value::Object(self.0.iter().map(written).collect())
    }

    /// References to those of these names that there are.
    pub(super) fn named(&self, names: &[String]) -> Value {
        let there = names.iter().filter(|name| self.0.contains_key(*name));
        Value::Object(there.map(|name| (name.clone(), reference("examples", name))).collect::<Map<_, _>>())
    }

    fn add(&mut self, name: String, about: String, body: &[u8]) {
        if let Ok(value) = serde_json::from_slice(body) {
            self.0.insert(name, Example { about, value });
        }
    }

    /// The first refusal of a code is its example.
    fn add_refusal(&mut self, refusal: &Answer) {
        if let AnswerKind::Refused(code) = refusal.kind
            && !self.0.contains_key(&problem(code))
        {
            self.add(problem(code), code.spec().title.to_owned(), &refusal.body);
        }
    }
}

/// The name of the answer to a kind.
pub(super) fn decision(spec: &ArtifactSpec) -> String {
    format!("{}Decision", pascal(spec.name))
}

/// The name of what a path serves.
pub(super) fn document(path: &str) -> String {
    format!("Document{}", pascal(path))
}

/// The name of a refusal.
pub(super) fn problem(code: ProblemCode) -> String {
    format!("Problem{}", pascal(code.as_str()))
}

fn path_of(spec: &ArtifactSpec) -> String {
    format!("{BASE_PATH}{}", spec.endpoint.map_or("", |endpoint| endpoint.path))
}

fn named(path: &str) -> RequestName {
    RequestName { id: REQUEST_ID.to_owned(), ..RequestName::new(path) }
}

fn ask(spec: &'static ArtifactSpec, body: &[u8]) -> Answer {
    let request = named(&path_of(spec));
    evaluate(samples::rules(), spec, body, &request, Recording::Off).recorded_by(None, &request)
}

/// Path and body of documents that are short enough to show.
fn documents() -> Vec<(&'static str, Vec<u8>)> {
    let contract = |name| contracts::find(name).map(|contract| (contract.render)(samples::rules())).unwrap_or_default();
    vec![
        ("/contract", contract("api")),
        ("/readiness", contract("readiness")),
        ("/lifecycle", contract("lifecycle")),
        ("/limits", contract("limits")),
        ("/livez", status::live().body.to_vec()),
        ("/readyz", status::ready(&Readiness::default()).body.to_vec()),
        ("/version", status::version(samples::rules(), "unknown").body.to_vec()),
        ("/problems/digest-mismatch", problem_page::render(ProblemCode::DigestMismatch)),
    ]
}

/// The log after the sample's acceptance request was answered.
fn journal_page(sample: &Files) -> Vec<u8> {
    let spec = &kind::ACCEPTANCE_REQUEST;
    let Some((body, time)) = sample.get(spec.file).zip(Timestamp::parse(TIME)) else { return Vec::new() };
    let Evaluation::ToRecord(recorded) =
        evaluate(samples::rules(), spec, body, &named(&path_of(spec)), Recording::On(&Caller::default()))
    else {
        return Vec::new();
    };
    let record = recorded.0.record.place(Count::default(), time);
    journal_page::render(vec![JournalEntry { attribution: None, record }], None, 1)
}

/// Refusals at the door, and of bodies.
fn refusals(sample: &Files) -> Vec<Answer> {
    let request = named(&path_of(&kind::ACCEPTANCE_REQUEST));
    let mut refusals: Vec<Answer> = [
        refusals::NOT_ONE_HOST,
        refusals::WRONG_METHOD,
        refusals::NOT_JSON,
        refusals::TAKES_NO_JSON,
        refusals::STOPPING,
        refusals::NO_QUORUM,
        refusals::TOO_OFTEN,
    ]
    .iter()
    .map(|refusal| refusal.of(&request))
    .collect();
    refusals.push(refusals::NO_ROUTE.of(&request.without_path()));
    for denied in [AuthError::Unauthenticated, AuthError::TokenScope(TokenScope::Preflight)] {
        refusals.push(refusals::unauthorized(denied, &request));
    }
    refusals.push(record::unrecorded(&request));
    for body in [&b"{"[..], br#"{"kind": "a", "kind": "b"}"#, b"\"\xff\""] {
        refusals.push(ask(&kind::ACCEPTANCE_REQUEST, body));
    }
    refusals.extend(sample.get(kind::INDEX.file).map(|index| ask(&kind::ACCEPTANCE_REQUEST, index)));
    refusals.extend(attacked(sample));
    refusals
}

/// For each code of a refused document the answer to an attack: on the acceptance request where that can be, else on the
/// index. Few are tried, because this is made while somebody waits for the description.
fn attacked(sample: &Files) -> Vec<Answer> {
    let other = samples::bundle(r#"{"id": "dev.acme.other-board"}"#, 0).unwrap_or_default();
    let forged = |code: &ProblemCode| {
        let kinds = [&kind::ACCEPTANCE_REQUEST, &kind::INDEX].into_iter();
        let attacks = kinds.flat_map(|spec| attacks::ALL.iter().map(move |attack| (spec, attack)));
        let mut answers = attacks
            .filter(|(_, attack)| {
                samples::rules().row(attack.caught_by).problem == *code && attack.seen_in == SeenIn::Document
            })
            .filter(|(spec, attack)| attack.applies_to(spec))
            .filter_map(|(spec, attack)| {
                Some(ask(spec, &attack.forge(spec, sample.get(spec.file)?, other.get(spec.file)?).ok()?))
            });
        answers.find(|answer| answer.kind == AnswerKind::Refused(*code))
    };
    ProblemCode::ALL.iter().filter_map(forged).collect()
}
