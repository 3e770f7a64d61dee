//! Everything that is generated from the tables: contracts, catalogs and schemas, each once.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use svc_json::{canonical, digest::Digest};

use crate::{
    artifact::any,
    closed::ClosedOutcome,
    contract::{readiness::ReadinessLedger, scalars::Forms},
    decision::{self, Decision},
    diagnostics::{self, Diagnostics},
    gates::{Evidenced, GateStatuses, HashGateStatus as _, Unevidenced},
    journal::{
        attribution::{self, JournalEntry},
        delivery::{self, EventDelivery, TestDelivery},
        event::EventType,
        receipt::{self, Receipt},
        record::{self, Record},
    },
    lifecycle, pack,
    package::fact_table::{self, FactSpec},
    problem::{self, Problem},
    rules::{
        example_package::{BASE, Base},
        ruleset::{self, Rules},
    },
    scalar::any_rule_code::AnyRuleCode,
    schema,
    verification::{self, VerificationReport},
    words::{
        example::Example,
        exit_code::ExitCode,
        gate::Gate,
        kind::{self, ArtifactSpec, SchemaVersion},
        limits,
        problem_code::{ProblemCode, RefusedAt},
        rule::Parameter,
        stage::Stage,
    },
};

pub use crate::words::problem_code::BASE_PATH;

/// A generated document.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    /// The name at the command line.
    pub name: &'static str,
    /// The file below `contracts/`.
    pub file: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its bytes, as these rules give them.
    pub render: fn(&Rules) -> Vec<u8>,
}

/// Every generated document but the schemas.
pub static CONTRACTS: &[Contract] = &[
    Contract {
        name: "api",
        file: "hosted-registry-api-contract.json",
        about: "the six endpoints of the hosted registry",
        render: |_| canonical::to_pretty(&ApiContract::now()),
    },
    Contract {
        name: "readiness",
        file: "hosted-registry-readiness-contract.json",
        about: "the state of each gate",
        render: |_| canonical::to_pretty(&ReadinessLedger::now()),
    },
    Contract {
        name: "lifecycle",
        file: "lifecycle-catalog.json",
        about: "the stages and the evidence each adds",
        render: |_| canonical::to_pretty(&Catalog::now()),
    },
    Contract {
        name: "ruleset",
        file: "ruleset.json",
        about: "every rule",
        render: |rules| canonical::to_pretty(&Ruleset::of(rules)),
    },
    Contract {
        name: "problems",
        file: "problems.json",
        about: "every problem code of the hosted registry",
        render: |_| canonical::to_pretty(&problems()),
    },
    Contract {
        name: "events",
        file: "events.json",
        about: "every type of event of the hosted registry's log",
        render: |_| canonical::to_pretty(&events()),
    },
    Contract {
        name: "limits",
        file: "limits.json",
        about: "every limit",
        render: |_| canonical::to_pretty(&limits_list()),
    },
    Contract {
        name: "exit-codes",
        file: "exit-codes.json",
        about: "every exit code of the command line",
        render: |_| canonical::to_pretty(&exit_codes()),
    },
    Contract {
        name: "forms",
        file: "forms.json",
        about: "the forms of leaves and the lists they go by, for other implementations",
        render: |_| canonical::to_pretty(&Forms::now()),
    },
];

/// The contract of this name or file name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Contract> {
    CONTRACTS.iter().find(|contract| contract.name == name || contract.file == name)
}

/// A JSON Schema: its name and how it is made.
pub type SchemaSource = (&'static str, Box<dyn Fn() -> serde_json::Value>);

/// Every JSON Schema, the artifacts' first.
#[must_use]
pub fn schema_sources() -> Vec<SchemaSource> {
    let mut sources: Vec<SchemaSource> = Vec::new();
    let mut add = |name, source: fn() -> serde_json::Value| sources.push((name, Box::new(source) as _));
    add("app-manifest", pack::manifest_schema);
    add("decision", || schema::for_type::<Decision>(decision::SCHEMA, "svc-registry-decision"));
    add("diagnostics", || schema::for_type::<Diagnostics<'_>>(diagnostics::SCHEMA, "svc.diagnostics/v1"));
    add("event-delivery", || schema::for_type::<EventDelivery>(delivery::SCHEMA, "event-delivery"));
    add("event-test", || schema::for_type::<TestDelivery>(delivery::TEST_SCHEMA, "event-test"));
    add("journal-entry", || schema::for_type::<JournalEntry>(attribution::ENTRY_SCHEMA, "journal-entry"));
    add("journal-record", || schema::for_type::<Record>(record::SCHEMA, "svc-journal-record"));
    add("problem", || schema::for_type::<Problem>(problem::SCHEMA, "problem"));
    add("receipt", || schema::for_type::<Receipt>(receipt::SCHEMA, "receipt"));
    add("verification", || schema::for_type::<VerificationReport>(verification::SCHEMA, "svc.verification/v1"));
    let artifacts = kind::ALL.iter().map(|spec| -> SchemaSource {
        let kind = spec.artifact;
        (spec.name, Box::new(move || any::json_schema(kind)))
    });
    artifacts.chain(sources).collect()
}

/// The schema of a document that is served, as far as clients may rely on it: later versions add members.
#[must_use]
pub fn document_schema(name: &str) -> Option<serde_json::Value> {
    match name {
        "api" => Some(schema::for_type::<ApiContract>("", "api-contract")),
        "readiness" => Some(schema::for_type::<ReadinessLedger>("", "readiness-ledger")),
        "lifecycle" => Some(schema::for_type::<Catalog>("", "lifecycle-catalog")),
        "ruleset" => Some(schema::for_type::<Ruleset>("", "rule-catalog")),
        "limits" => Some(schema::for_type::<Vec<LimitRow>>("", "limits")),
        _ => None,
    }
}

/// The schema of this name, as its file under `contracts/schemas/` holds it.
#[must_use]
pub fn schema(name: &str) -> Option<Vec<u8>> {
    let (_, make) = schema_sources().into_iter().find(|(known, _)| *known == name)?;
    Some(canonical::to_pretty(&make()))
}

/// The six endpoints.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "api-contract")]
struct ApiContract {
    /// The path below which all endpoints lie.
    base_path: &'static str,
    /// The gates that are missing in every decision.
    missing_gates: Vec<Gate>,
    /// The name of this document.
    name: &'static str,
    /// The endpoints, one for each kind of artifact that has one.
    operations: Vec<Operation>,
    /// The outcome of every evaluation.
    outcome: ClosedOutcome,
    /// The schema of problems.
    problem_schema: &'static str,
    /// The version of the schemas.
    schema_version: SchemaVersion,
}

/// One endpoint.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "contract-operation")]
struct Operation {
    /// The schema of the answer.
    answer_schema: &'static str,
    /// The word of each gate in a decision.
    decision_gate_statuses: GateStatuses<Evidenced>,
    /// The kind of artifact that it takes.
    kind: &'static str,
    /// The HTTP method.
    method: &'static str,
    /// The largest body, in bytes.
    most_bytes: usize,
    /// The name in decisions.
    operation: &'static str,
    /// The path below the base path.
    path: &'static str,
    /// The file of a bundle that is sent.
    payload: &'static str,
    /// The schema of the body.
    payload_schema: &'static str,
    /// The word of each gate in a problem.
    problem_gate_statuses: GateStatuses<Unevidenced>,
    /// The problems that it may answer with.
    problems: Vec<ProblemCode>,
    /// The statuses of its answers: 200 for a decision, the others for problems.
    statuses: BTreeSet<u16>,
}

/// The problems that the evaluation of a kind may answer with.
#[must_use]
pub fn evaluation_problems(spec: &ArtifactSpec) -> Vec<ProblemCode> {
    let may_answer = |code: &ProblemCode| match code.spec().refused_at {
        RefusedAt::Request
        | RefusedAt::Admission
        | RefusedAt::Token
        | RefusedAt::Accept
        | RefusedAt::Capacity
        | RefusedAt::Body
        | RefusedAt::Document
        | RefusedAt::Journal
        | RefusedAt::Witnesses
        | RefusedAt::Shutdown => true,
        RefusedAt::Index => spec.artifact == kind::INDEX.artifact,
        RefusedAt::Following => false,
    };
    ProblemCode::ALL.iter().copied().filter(may_answer).collect()
}

impl ApiContract {
    fn now() -> Self {
        Self {
            base_path: BASE_PATH,
            missing_gates: Evidenced::missing(),
            name: "hosted-registry-api-contract",
            operations: operations(),
            outcome: ClosedOutcome::default(),
            problem_schema: problem::SCHEMA,
            schema_version: SchemaVersion::V1_0,
        }
    }
}

fn operations() -> Vec<Operation> {
    let with_endpoint = kind::ALL.iter().filter_map(|spec| Some((spec, spec.endpoint?)));
    with_endpoint
        .map(|(spec, endpoint)| {
            let problems = evaluation_problems(spec);
            Operation {
                answer_schema: decision::SCHEMA,
                decision_gate_statuses: GateStatuses::now(),
                kind: spec.kind,
                method: "POST",
                most_bytes: spec.most_bytes,
                operation: endpoint.operation,
                path: endpoint.path,
                payload: spec.file,
                payload_schema: spec.schema,
                problem_gate_statuses: GateStatuses::now(),
                statuses: [200].into_iter().chain(problems.iter().map(|code| code.spec().status)).collect(),
                problems,
            }
        })
        .collect()
}

/// The stages and the evidence each adds.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "lifecycle-catalog")]
struct Catalog {
    /// The name of this document.
    name: &'static str,
    /// The version of the schemas.
    schema_version: SchemaVersion,
    /// The stages, in their order.
    stages: Vec<CatalogStage>,
}

/// One stage.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "catalog-stage")]
struct CatalogStage {
    /// What the stage needs.
    evidence: Vec<CatalogEvidence>,
    /// The word for the stage.
    id: Stage,
    /// Its name for people.
    label: &'static str,
    /// What it means.
    meaning: &'static str,
    /// For the last stage alone: the gates that no evidence clears.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_gates: Option<Vec<Gate>>,
}

/// What a stage needs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "catalog-evidence")]
struct CatalogEvidence {
    /// What is there.
    holds: &'static str,
    /// Where it stands in an artifact.
    pointer: &'static str,
}

impl Catalog {
    fn now() -> Self {
        let stages = lifecycle::SDK_DISTRIBUTION_LIFECYCLE_CATALOG.iter().map(|stage| {
            let spec = stage.spec();
            let evidence = lifecycle::evidence_of(*stage).iter();
            CatalogStage {
                evidence: evidence.map(|it| CatalogEvidence { holds: it.holds, pointer: it.pointer }).collect(),
                id: *stage,
                label: spec.label,
                meaning: spec.meaning,
                missing_gates: (*stage == Stage::SignedPackage).then(Evidenced::missing),
            }
        });
        Self { name: lifecycle::CATALOG_NAME, schema_version: SchemaVersion::V1_0, stages: stages.collect() }
    }
}

/// Every rule.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "rule-catalog")]
struct Ruleset<'r> {
    /// The package that examples change.
    base: &'static Base,
    /// The digest over every rule's code, severity, parameters and revision.
    #[schemars(with = "Digest")]
    digest: String,
    /// The facts that reading files can tell.
    facts: &'static [&'static FactSpec],
    /// The version of the reading.
    facts_version: u32,
    /// The rules, in order of code.
    rules: Vec<RuleRow<'r>>,
    /// The version for people.
    version: &'r str,
}

/// An example as it is written: new forms may come.
#[derive(JsonSchema)]
#[schemars(rename = "rule-example")]
#[expect(dead_code, reason = "it is a form and no value")]
struct RuleExample {
    /// How the text is to be read.
    form: String,
    /// The text.
    text: String,
}

/// One rule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "rule")]
struct RuleRow<'r> {
    /// The code.
    #[schemars(with = "AnyRuleCode")]
    code: &'r str,
    /// The exit code of the command line.
    exit: u8,
    /// Something that it fires on.
    #[schemars(with = "RuleExample")]
    fires: Example,
    /// The way out.
    fix: &'r str,
    /// What it must see to run.
    needs: &'static str,
    /// Numbers and lists that it goes by.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    parameters: BTreeMap<&'static str, Parameter>,
    /// Something that it lets pass.
    #[schemars(with = "RuleExample")]
    passes: Example,
    /// The problem code of a refusal.
    problem: ProblemCode,
    /// How often its meaning was changed.
    revision: u32,
    /// How much a finding weighs.
    severity: &'static str,
    /// What is wrong when it fires.
    title: &'r str,
    /// Why it exists.
    why: &'r str,
}

impl<'r> Ruleset<'r> {
    fn of(rules: &'r Rules) -> Self {
        let rows = rules.all().map(|rule| RuleRow {
            code: &rule.code,
            exit: ExitCode::from_exit(rule.exit).code(),
            fires: rule.fires,
            fix: &rule.fix,
            needs: rule.needs.as_str(),
            parameters: rule.parameters.iter().copied().collect(),
            passes: rule.passes,
            problem: rule.problem,
            revision: rule.revision,
            severity: rule.severity.as_str(),
            title: &rule.title,
            why: &rule.why,
        });
        Self {
            base: &BASE,
            digest: rules.ruleset().digest.to_string(),
            facts: fact_table::ALL,
            facts_version: ruleset::FACTS_VERSION,
            rules: rows.collect(),
            version: rules.ruleset().version.as_str(),
        }
    }
}

#[derive(Serialize)]
struct ProblemRow {
    code: ProblemCode,
    help: &'static str,
    status: u16,
    title: &'static str,
}

fn problems() -> Vec<ProblemRow> {
    let rows = ProblemCode::ALL.iter().map(|code| {
        let spec = code.spec();
        ProblemRow { code: *code, help: spec.help, status: spec.status, title: spec.title }
    });
    rows.collect()
}

#[derive(Serialize)]
struct EventRow {
    about: &'static str,
    /// The problems of the refusals that it tells of; none for a completed evaluation.
    problems: Vec<ProblemCode>,
    r#type: EventType,
}

fn events() -> Vec<EventRow> {
    let refusals = |event| {
        let problems = ProblemCode::ALL.iter().copied().filter(|code| record::is_recorded_problem(*code));
        problems.filter(move |code| event != EventType::Denied && EventType::of_problem(*code) == event)
    };
    EventType::ALL
        .iter()
        .map(|event| EventRow { about: event.about(), problems: refusals(*event).collect(), r#type: *event })
        .collect()
}

/// One limit.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "limit")]
struct LimitRow {
    /// Its name.
    limit: &'static str,
    /// What is counted.
    unit: &'static str,
    /// The most.
    value: u64,
    /// What it bounds.
    what: &'static str,
}

fn limits_list() -> Vec<LimitRow> {
    let rows = limits::ALL.iter();
    rows.map(|limit| LimitRow { limit: limit.name, unit: limit.unit, value: limit.value, what: limit.what }).collect()
}

#[derive(Serialize)]
struct ExitRow {
    code: u8,
    meaning: &'static str,
}

fn exit_codes() -> Vec<ExitRow> {
    ExitCode::ALL.iter().map(|code| ExitRow { code: code.code(), meaning: code.meaning() }).collect()
}
