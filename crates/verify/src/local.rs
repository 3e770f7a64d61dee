//! Before a deployment: the committed contracts, the specification's own words, and the routes of this build, in-process.
//!
//! Three tellings are held against each other: what is committed, what this build would generate, and what its routes
//! answer. All three come from the same tables, so each is held against [`crate::seed`] too, which comes from none.

mod answered;
mod committed;
mod declared;

#[cfg(test)]
mod tests;

use serde_json::Value;
use svc_client::exchange::Transport;
use svc_core::{
    bundle::Files,
    contract::contracts::BASE_PATH,
    verification::{FaultCode, Level, Mode},
};
use svc_registry_api::routes::{self, Method, Serves};

use crate::{
    check::{CheckFault, Verification, VerifierCheck},
    in_process::InProcess,
    probe::{self, Depth, EndpointProbes, Probe},
    retry::RetryPolicy,
    run::ProbeRunner,
    samples::Samples,
    scorecard::{self, Sides},
    seed,
};

use self::answered::{AnsweredEndpoint, StatedAnswer};
pub use self::committed::{API_CONTRACT, Contracts, LEDGER, own_files};

/// How many checks there are, written down: a run with another number shows nothing.
pub const CHECKS: usize = 582;

/// Verifies the committed contracts and the routes of this build.
///
/// # Errors
/// When this build's own samples do not hold.
pub fn verify(committed: &Contracts, target: &str) -> Result<Verification, String> {
    let samples = Samples::make()?;
    let inputs = Inputs {
        committed,
        own: own_files(),
        routes: posts(),
        endpoints: probe::of_endpoints(samples.files(), Depth::Local)?,
        missing_routes: probe::of_missing_routes(),
        served: served_files(),
        files: samples.files().clone(),
        transport: &InProcess::default(),
    };
    Ok(inputs.verify(target))
}

/// Everything that a local verification looks at.
struct Inputs<'i> {
    committed: &'i Contracts,
    /// What this build would generate.
    own: Contracts,
    /// Method and path of every route that evaluates.
    routes: Vec<(String, String)>,
    endpoints: Vec<EndpointProbes>,
    missing_routes: Vec<Probe>,
    /// Path of each served document, and the file it is committed as.
    served: Vec<(String, String)>,
    files: Files,
    transport: &'i dyn Transport,
}

impl Inputs<'_> {
    fn verify(&self, target: &str) -> Verification {
        let mut sides = Sides {
            ledger: self.committed_json(LEDGER),
            schema: self.committed_json("schemas/decision.schema.json"),
            answers: Vec::new(),
            ..Sides::default()
        };
        let mut checks = committed::checks(self.committed, &self.own);
        checks.extend(declared::ledger(sides.ledger.as_ref()));
        checks.extend(declared::contract(self.committed_json(API_CONTRACT).as_ref(), &self.routes));
        let mut runner = ProbeRunner::new(self.transport, RetryPolicy::default());
        let (asked, answered) = self.ask_endpoints(&mut runner, &mut sides);
        checks.extend(answered::checks(self.committed_json(API_CONTRACT).as_ref(), &answered));
        checks.extend(self.gates(&sides, &asked));
        checks.extend(declared::wording(self.committed, &sides.answers));
        checks.extend(asked);
        checks.extend(self.missing_routes.iter().map(|probe| runner.ask("other routes", probe).0));
        checks.extend(self.served.iter().map(|(path, file)| self.serves(path, file)));
        let gates = sides.lines(&self.files);
        let (target, demanded) = (target.to_owned(), Level::Build);
        Verification { mode: Mode::Local, target, checks, gates, expected: CHECKS, demanded, log: None, probe: None }
    }

    fn committed_json(&self, name: &str) -> Option<Value> {
        serde_json::from_slice(self.committed.get(name)?).ok()
    }

    fn ask_endpoints(
        &self,
        runner: &mut ProbeRunner<'_>,
        sides: &mut Sides,
    ) -> (Vec<VerifierCheck>, Vec<AnsweredEndpoint>) {
        let (mut checks, mut answered) = (Vec::new(), Vec::new());
        for endpoint in &self.endpoints {
            let area = format!("POST {BASE_PATH}{}", endpoint.path);
            let mut answers = Vec::new();
            for (index, probe) in endpoint.probes.iter().enumerate() {
                let (check, reply) = runner.ask(&area, probe);
                if index == 0 {
                    sides.answered(reply.as_ref());
                }
                // A request for another method or path is not one of this endpoint.
                let is_here =
                    probe.request.method == "POST" && probe.request.path == format!("{BASE_PATH}{}", endpoint.path);
                answers.extend(reply.as_ref().filter(|_| is_here).and_then(StatedAnswer::of));
                checks.push(check);
            }
            answered.push(AnsweredEndpoint { path: endpoint.path.to_owned(), answers });
        }
        (checks, answered)
    }

    /// Each gate: one word on all sides, and the evidence that the ledger names.
    fn gates(&self, sides: &Sides, asked: &[VerifierCheck]) -> Vec<VerifierCheck> {
        let mut checks = Vec::new();
        for line in sides.lines(&self.files) {
            let told = [&line.specified, &line.ledger, &line.contract, &line.server];
            let agree = told.iter().all(|word| *word == &line.specified);
            let fault = (!agree).then(|| {
                let message = format!(
                    "{}: specification `{}`, ledger `{}`, contract `{}`, routes `{}`",
                    line.gate, line.specified, line.ledger, line.contract, line.server
                );
                // What is absent claims nothing; another word does.
                let claims = told.iter().any(|word| *word != &line.specified && *word != scorecard::ABSENT);
                CheckFault::new(if claims { FaultCode::GateDiffers } else { FaultCode::ContractDrift }, message)
            });
            let name = format!("{}: the same word on all sides", line.gate);
            checks.push(VerifierCheck::ran("gates", name, fault.into_iter().collect()));
            let fault = self.evidence_fault(line.gate.as_str(), sides, asked);
            let name = format!("{}: the evidence is there", line.gate);
            checks.push(VerifierCheck::ran("gates", name, fault.into_iter().collect()));
        }
        checks
    }

    fn evidence_fault(&self, gate: &str, sides: &Sides, asked: &[VerifierCheck]) -> Option<CheckFault> {
        let missing = |message| Some(CheckFault::new(FaultCode::EvidenceMissing, message));
        let pointers: Vec<&str> = sides.shown_by(gate).into_iter().filter(|place| place.starts_with('/')).collect();
        if pointers.is_empty() {
            return missing(format!("{gate}: the ledger names no field of an artifact"));
        }
        if let Some(place) = scorecard::missing_place(&pointers, &self.files) {
            return missing(format!("{gate}: no artifact has `{place}`"));
        }
        let recomputes = |check: &&VerifierCheck| check.name == "file-digest-changed" && check.faults.is_empty();
        let routes = asked.iter().filter(recomputes).count();
        if gate == "artifact-hash" && routes != seed::SIX_POSTS.len() {
            return missing(format!("{gate}: {routes} of 6 routes refuse a digest that does not recompute"));
        }
        None
    }

    /// A served document is the committed one.
    fn serves(&self, path: &str, file: &str) -> VerifierCheck {
        let differs = |message: String| vec![CheckFault::new(FaultCode::ContractDrift, message)];
        let faults = match (self.transport.send(&probe::get(path.to_owned())), self.committed.get(file)) {
            (Ok(reply), Some(bytes)) if reply.status == 200 && reply.body == *bytes => Vec::new(),
            (Ok(_), Some(_)) => differs(format!("{path} serves something else than {file} holds")),
            (Ok(_), None) => differs(format!("{path} is served, and {file} is missing")),
            (Err(unanswered), _) => vec![CheckFault::new(unanswered.code, unanswered.message)],
        };
        VerifierCheck::ran("served documents", format!("GET {path}"), faults)
    }
}

/// The routes that evaluate, as the registry of this build has them.
fn posts() -> Vec<(String, String)> {
    let operations = routes::all()
        .into_iter()
        .filter(|operation| operation.method != Method::Get || matches!(operation.serves, Serves::Evaluation(_)));
    operations.map(|operation| (operation.method.as_str().to_owned(), operation.path)).collect()
}

/// The documents that are both served and committed.
fn served_files() -> Vec<(String, String)> {
    let served = routes::all().into_iter().filter_map(|operation| {
        let file = match operation.serves {
            Serves::Contract(name) => svc_core::contract::contracts::find(name)?.file.to_owned(),
            Serves::Schema(name) => format!("schemas/{name}.schema.json"),
            Serves::OpenApi => committed::OPENAPI.to_owned(),
            Serves::Evaluation(_)
            | Serves::Problem(_)
            | Serves::Links
            | Serves::Metrics
            | Serves::Live
            | Serves::Ready
            | Serves::Version
            | Serves::Journal(_) => return None,
        };
        Some((operation.path, file))
    });
    served.collect()
}
