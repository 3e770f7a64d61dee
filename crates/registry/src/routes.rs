//! Every route, in one table: the router, the contract and OpenAPI come from it.

pub mod journal;

use svc_core::{
    contract::contracts::{self, BASE_PATH},
    words::{
        kind::{self, ArtifactSpec},
        problem_code::{ProblemCode, RefusedAt},
    },
};

pub use self::journal::JournalDocument;
use crate::scope::TokenScope;

/// A method. There are no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads a document.
    Get,
    /// Evaluates an artifact.
    Post,
}

impl Method {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }

    /// What an `Allow` header says of a route with this method. Whatever can be read can be headed.
    #[must_use]
    pub const fn allow(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Operation {
    /// Its name in OpenAPI, logs and metrics.
    pub id: String,
    pub method: Method,
    /// Its whole path.
    pub path: String,
    pub about: String,
    /// What a token must allow; nothing for what anyone may see.
    pub scope: Option<TokenScope>,
    pub serves: Serves,
}

#[derive(Clone, Copy, Debug)]
pub enum Serves {
    Evaluation(&'static ArtifactSpec),
    Contract(&'static str),
    Schema(&'static str),
    Problem(ProblemCode),
    Links,
    OpenApi,
    Live,
    Ready,
    Version,
    /// The counters, at an address of their own.
    Metrics,
    /// A part of the journal.
    Journal(JournalDocument),
}

impl Operation {
    /// Whether a path is the route's. All but those of the journal's tiles are compared whole.
    #[must_use]
    pub fn is_at(&self, path: &str) -> bool {
        match self.serves {
            Serves::Journal(wanted) => journal::matches(wanted, &self.path, path),
            Serves::Evaluation(_)
            | Serves::Contract(_)
            | Serves::Schema(_)
            | Serves::Problem(_)
            | Serves::Links
            | Serves::OpenApi
            | Serves::Live
            | Serves::Ready
            | Serves::Version
            | Serves::Metrics => self.path == path,
        }
    }

    /// The kind that it takes, when it evaluates one.
    #[must_use]
    pub fn evaluates(&self) -> Option<&'static ArtifactSpec> {
        match self.serves {
            Serves::Evaluation(spec) => Some(spec),
            Serves::Contract(_)
            | Serves::Schema(_)
            | Serves::Problem(_)
            | Serves::Links
            | Serves::OpenApi
            | Serves::Live
            | Serves::Ready
            | Serves::Version
            | Serves::Metrics
            | Serves::Journal(_) => None,
        }
    }

    /// Whether it can answer with this problem. The contract and OpenAPI list these and no others.
    #[must_use]
    pub fn may_refuse_with(&self, code: ProblemCode) -> bool {
        let follows = matches!(self.serves, Serves::Journal(JournalDocument::Stream | JournalDocument::Entries));
        let reads_journal = matches!(self.serves, Serves::Journal(_));
        if let Some(spec) = self.evaluates() {
            return contracts::evaluation_problems(spec).contains(&code);
        }
        match code.spec().refused_at {
            RefusedAt::Request => true,
            RefusedAt::Admission => !self.is_probe(),
            RefusedAt::Token => self.scope.is_some(),
            RefusedAt::Accept => !reads_journal,
            RefusedAt::Capacity => !self.is_probe() && !matches!(self.serves, Serves::Metrics),
            RefusedAt::Journal => reads_journal,
            RefusedAt::Shutdown | RefusedAt::Following => follows,
            RefusedAt::Body | RefusedAt::Document | RefusedAt::Index | RefusedAt::Witnesses => false,
        }
    }

    /// Whether it tells of health, which nothing may keep it from.
    #[must_use]
    pub fn is_probe(&self) -> bool {
        matches!(self.serves, Serves::Live | Serves::Ready)
    }
}

/// Documents of fixed names below the base path: path, operation, what it is, what is served.
const DOCUMENTS: &[(&str, &str, &str, Serves)] = &[
    ("", "links", "The routes below this path", Serves::Links),
    ("/contract", "api-contract", "The six endpoints", Serves::Contract("api")),
    ("/readiness", "readiness-ledger", "The state of each gate", Serves::Contract("readiness")),
    ("/lifecycle", "lifecycle-catalog", "The stages and the evidence each adds", Serves::Contract("lifecycle")),
    ("/ruleset", "ruleset", "Every rule", Serves::Contract("ruleset")),
    ("/limits", "limits", "Every limit", Serves::Contract("limits")),
    ("/openapi.json", "openapi", "This API in OpenAPI 3.1", Serves::OpenApi),
];

/// What is asked of any service, at the root and, for whoever is handed on nothing else, below the base path.
const ROOT_DOCUMENTS: &[(&str, &str, &str, Serves)] = &[
    ("/livez", "live", "Whether the process lives", Serves::Live),
    ("/readyz", "ready", "Whether it takes requests", Serves::Ready),
    ("/version", "version", "What is running", Serves::Version),
];

/// All routes, the six POSTs first.
#[must_use]
pub fn all() -> Vec<Operation> {
    let mut operations: Vec<Operation> = kind::ALL.iter().filter_map(|spec| evaluation(spec)).collect();
    operations.extend(DOCUMENTS.iter().map(|(path, id, about, serves)| Operation {
        scope: Some(TokenScope::Read),
        ..document(format!("{BASE_PATH}{path}"), (*id).to_owned(), about, *serves)
    }));
    operations.extend(contracts::schema_sources().into_iter().map(|(name, _)| Operation {
        scope: Some(TokenScope::Read),
        ..document(
            format!("{BASE_PATH}/schemas/{name}"),
            format!("schema-{name}"),
            "A JSON Schema",
            Serves::Schema(name),
        )
    }));
    operations.extend(journal::ROUTES.iter().map(|(path, id, about, wanted)| Operation {
        scope: Some(TokenScope::Read),
        ..document(format!("{BASE_PATH}{path}"), (*id).to_owned(), about, Serves::Journal(*wanted))
    }));
    operations.extend(
        ProblemCode::ALL
            .iter()
            .map(|code| document(code.page(), format!("problem-{code}"), code.spec().title, Serves::Problem(*code))),
    );
    operations.extend(root_documents());
    operations.extend(root_documents().map(|operation| Operation {
        id: format!("registry-{}", operation.id),
        path: format!("{BASE_PATH}{}", operation.path),
        ..operation
    }));
    operations
}

/// The routes at the admin address: the metrics, which are no part of the API, and the probes.
#[must_use]
pub fn admin() -> Vec<Operation> {
    let metrics = document("/metrics".to_owned(), "metrics".to_owned(), "What was counted", Serves::Metrics);
    let mut operations = vec![Operation { scope: Some(TokenScope::Metrics), ..metrics }];
    operations.extend(root_documents().filter(Operation::is_probe));
    operations
}

fn root_documents() -> impl Iterator<Item = Operation> {
    let own = |text: &&str| (*text).to_owned();
    ROOT_DOCUMENTS.iter().map(move |(path, id, about, serves)| document(own(path), own(id), about, *serves))
}

fn evaluation(spec: &'static ArtifactSpec) -> Option<Operation> {
    let endpoint = spec.endpoint?;
    Some(Operation {
        id: endpoint.operation.to_owned(),
        method: Method::Post,
        path: format!("{BASE_PATH}{}", endpoint.path),
        about: format!("Evaluate a `{}`; the answer is no", spec.kind),
        scope: Some(TokenScope::Preflight),
        serves: Serves::Evaluation(spec),
    })
}

fn document(path: String, id: String, about: &str, serves: Serves) -> Operation {
    Operation { id, method: Method::Get, path, about: about.to_owned(), scope: None, serves }
}
