//! Every gate, as each side tells it: specification, ledger, contract, routes, evidence.

use serde_json::Value;
use svc_client::exchange::Reply;
use svc_core::{bundle::Files, verification::GateLine, words::gate::Gate};

use crate::{check::cut, seed};

/// What each side has to say.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    /// The readiness ledger.
    pub(crate) ledger: Option<Value>,
    /// The schema of decisions, in which the contract fixes the words.
    pub(crate) schema: Option<Value>,
    /// The API contract and the description of the routes.
    pub(crate) contract: Option<Value>,
    pub(crate) openapi: Option<Value>,
    /// What the six routes answered to good documents.
    pub(crate) answers: Vec<Option<Value>>,
}

/// Where a side says nothing.
pub(crate) const ABSENT: &str = "absent";
/// Where a side could not be asked.
const NOT_SERVED: &str = "not served";
const DIFFERS: &str = "differs";

impl Sides {
    pub(crate) fn answered(&mut self, reply: Option<&Reply>) {
        self.answers.push(reply.and_then(|reply| serde_json::from_slice(&reply.body).ok()));
    }

    pub(crate) fn lines(&self, files: &Files) -> Vec<GateLine> {
        let line = |gate: &Gate| GateLine {
            contract: self.contract(gate.as_str()),
            evidence: evidence(self.shown_by(gate.as_str()), files),
            gate: *gate,
            ledger: self.recorded(gate.as_str()),
            server: self.answered_word(gate.as_str()),
            specified: seed::word(gate.as_str()).unwrap_or(ABSENT).to_owned(),
        };
        Gate::ALL.iter().map(line).collect()
    }

    /// The word that the ledger records.
    fn recorded(&self, gate: &str) -> String {
        if self.ledger.is_none() {
            return NOT_SERVED.to_owned();
        }
        let word = self.row(gate).and_then(|row| row.get("status")).and_then(Value::as_str);
        word.map_or_else(|| ABSENT.to_owned(), cut)
    }

    /// The places that the ledger names as evidence.
    pub(crate) fn shown_by(&self, gate: &str) -> Vec<&str> {
        let places = self.row(gate).and_then(|row| row.get("shownBy")).and_then(Value::as_array);
        places.map(|places| places.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    }

    fn row(&self, gate: &str) -> Option<&Value> {
        let rows = self.ledger.as_ref()?.get("gates")?.as_array()?;
        rows.iter().find(|row| row.get("gate").and_then(Value::as_str) == Some(gate))
    }

    /// The one word that the schema of decisions allows.
    fn contract(&self, gate: &str) -> String {
        let Some(schema) = &self.schema else { return NOT_SERVED.to_owned() };
        let statuses = schema.pointer("/properties/gateStatuses").map(|statuses| resolve(schema, statuses));
        let word = statuses.and_then(|statuses| statuses.get("properties")?.get(gate));
        let word = word.and_then(|word| resolve(schema, word).get("const")?.as_str());
        word.map_or_else(|| ABSENT.to_owned(), cut)
    }

    /// The word that all routes give.
    fn answered_word(&self, gate: &str) -> String {
        let mut words = self.answers.iter().map(|answer| {
            let word = answer.as_ref().and_then(|answer| answer.get("gateStatuses")?.get(gate)?.as_str());
            word.unwrap_or(ABSENT)
        });
        let first = words.next().unwrap_or(ABSENT);
        if words.all(|word| word == first) { cut(first) } else { DIFFERS.to_owned() }
    }
}

fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    target.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// Which of the named places are in the artifacts.
fn evidence(shown_by: Vec<&str>, files: &Files) -> String {
    let pointers: Vec<&str> = shown_by.into_iter().filter(|place| place.starts_with('/')).collect();
    match missing_place(&pointers, files) {
        _ if pointers.is_empty() => ABSENT.to_owned(),
        Some(place) => format!("{} is absent", cut(&place)),
        None => cut(&pointers.join(", ")),
    }
}

/// The first place that no artifact has. All places of a gate stand in one artifact.
pub(crate) fn missing_place(pointers: &[&str], files: &Files) -> Option<String> {
    let documents: Vec<Value> = files.values().filter_map(|bytes| serde_json::from_slice(bytes).ok()).collect();
    let has = |document: &Value, pointer: &&str| document.pointer(pointer).is_some();
    if documents.iter().any(|document| pointers.iter().all(|pointer| has(document, pointer))) {
        return None;
    }
    let absent = pointers.iter().find(|pointer| !documents.iter().any(|document| has(document, pointer)));
    absent.or(pointers.first()).map(|pointer| (*pointer).to_owned())
}
