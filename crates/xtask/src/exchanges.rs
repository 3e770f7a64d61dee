//! `conformance/vectors/exchanges.json`: requests to a registry, and what it answers; and the contracts of the kit, so
//! that whoever has only its folder has all of it.
//!
//! What each request comes to is written here by hand; the task stops when the registry of this build says otherwise.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Map, Value, json};
use svc_core::samples::rules;
use svc_core::{
    contract::contracts::BASE_PATH,
    read,
    words::{
        kind::{self, ArtifactSpec},
        problem_code::ProblemCode,
    },
};
use svc_registry_api::{registry::Registry, request::RequestHead};
use svc_testkit::kit::{self, Kit};

use crate::{conformance::insert_json, kit_rules, tree::Tree};

/// The contracts that the kit carries, beside the schemas of artifacts and answers.
const CONTRACTS: &[&str] = &[
    "forms.json",
    "hosted-registry-api-contract.json",
    "hosted-registry-readiness-contract.json",
    "lifecycle-catalog.json",
    "limits.json",
    "problems.json",
];

/// Pages of the reference that the kit carries.
const PAGES: &[&str] = &["journal.md"];

/// The schemas of what is answered; those of the artifacts come with them.
const ANSWERS: &[&str] = &["decision", "journal-entry", "journal-record", "problem", "receipt"];

/// Paths below the base path where nothing is, and must not be.
const NOWHERE: &[&str] = &["/submissions", "/accept", "/sign", "/install", "/stages", "/ACCEPTANCE-REQUESTS"];

/// Paths of the journal that a registry has nothing at: no such record, no such spelling, no change of a key, nothing pruned. One
/// that keeps no journal has nothing at any of them.
const NOT_IN_THE_JOURNAL: &[&str] = &[
    "/journal/hand-overs",
    "/journal/minimum-index",
    "/journal/proof/9007199254740991",
    "/journal/proof/00",
    "/journal/proof/-1",
    "/journal/proof/",
    "/journal/proof",
];

const JSON_BODY: (&str, &str) = ("content-type", "application/json");
const FOR_A_PAGE: (&str, &str) = ("accept", "text/html");

/// A request to one endpoint that is refused before its body counts: name, what it changes, and the refusal.
const WRONG_FORMS: &[(&str, Change, ProblemCode)] = &[
    ("as-plain-text", |it| it.headers = vec![("content-type", "text/plain")], ProblemCode::UnsupportedMediaType),
    ("without-a-type", |it| it.headers.clear(), ProblemCode::UnsupportedMediaType),
    ("as-compressed", |it| it.headers.push(("content-encoding", "gzip")), ProblemCode::UnsupportedMediaType),
    ("for-a-page", |it| it.headers.push(FOR_A_PAGE), ProblemCode::NotAcceptable),
    ("by-put", |it| it.method = "PUT", ProblemCode::MethodNotAllowed),
    ("by-get", by_get, ProblemCode::MethodNotAllowed),
    ("with-a-query", |it| it.path.push_str("?again=1"), ProblemCode::NotFound),
    ("with-a-slash-behind", |it| it.path.push('/'), ProblemCode::NotFound),
    // Two faults in one request: the answer names the one that is checked first.
    ("with-a-query-by-put", with_a_query_by_put, ProblemCode::NotFound),
    ("by-put-as-plain-text", by_put_as_plain_text, ProblemCode::MethodNotAllowed),
    ("as-plain-text-for-a-page", as_plain_text_for_a_page, ProblemCode::UnsupportedMediaType),
    ("as-compressed-for-a-page", as_compressed_for_a_page, ProblemCode::UnsupportedMediaType),
];

/// A body that is no artifact at all: name, the body, and the refusal.
const NO_ARTIFACTS: &[(&str, &str, ProblemCode)] = &[
    ("nothing", "", ProblemCode::MalformedJson),
    ("a-list", "[]", ProblemCode::MalformedJson),
    ("plain-text", "accept me", ProblemCode::MalformedJson),
    ("an-empty-object", "{}", ProblemCode::ArtifactInvalid),
];

type Change = fn(&mut Exchange);

/// A request of the kit.
#[derive(Clone)]
struct Exchange {
    name: String,
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, &'static str)>,
    body: Body,
}

/// What is sent.
#[derive(Clone)]
enum Body {
    Nothing,
    Text(&'static str),
    /// A case of the kit, as `TABLE.json#NAME`.
    Case(String),
    /// The same, with spaces behind it up to a length.
    Padded(String, usize),
}

/// What must come back.
enum Answered {
    Decision(Value),
    Problem(ProblemCode),
    /// A file of the kit, value for value.
    File(&'static str),
}

/// Adds the files. The contracts must be in the tree already.
pub(crate) fn generate(kit: &Kit, files: &mut Tree) -> Result<()> {
    add_contracts(files)?;
    let registry = Registry::new(rules().clone());
    let mut rows = Vec::new();
    for spec in kind::ALL {
        let Some(endpoint) = spec.endpoint else { continue };
        for (exchange, answered) in of_endpoint(spec, endpoint.path, kit)? {
            rows.push(row(&registry, &exchange, &answered, (kit, files))?);
        }
    }
    for (exchange, answered) in of_other_paths() {
        rows.push(row(&registry, &exchange, &answered, (kit, files))?);
    }
    insert_json(files, "conformance/vectors/exchanges.json", &Value::Array(rows));
    Ok(())
}

fn add_contracts(files: &mut Tree) -> Result<()> {
    let schemas = kind::ALL.iter().map(|spec| spec.name).chain(ANSWERS.iter().copied());
    let schemas = schemas.map(|name| format!("contracts/schemas/{name}.schema.json"));
    let contracts = CONTRACTS.iter().map(|file| format!("contracts/{file}"));
    let pages = PAGES.iter().map(|file| format!("docs/reference/{file}"));
    for source in schemas.chain(contracts).chain(pages) {
        let bytes = files.get(Path::new(&source)).with_context(|| format!("no {source}"))?.clone();
        let place = source.trim_start_matches("docs/");
        files.insert(Path::new("conformance").join(place), bytes);
    }
    Ok(())
}

fn of_endpoint(spec: &'static ArtifactSpec, path: &str, kit: &Kit) -> Result<Vec<(Exchange, Answered)>> {
    let valid = format!("{}.json#valid", spec.name);
    let good = Exchange {
        name: format!("{}/good", spec.name),
        method: "POST",
        path: format!("{BASE_PATH}{path}"),
        headers: vec![JSON_BODY],
        body: Body::Case(valid.clone()),
    };
    let named = |name: &str| Exchange { name: format!("{}/{name}", spec.name), ..good.clone() };
    let mut all = Vec::new();
    // The good documents besides `valid` have decisions that list other packages.
    for row in kit.rows(spec.name).iter().filter(|row| kit::name_of(row).starts_with("valid")) {
        let name = kit::name_of(row);
        let decision = read::decide(rules(), spec.artifact, &kit.document(row))
            .map_err(|_| anyhow::anyhow!("{}.json#{name} is refused", spec.name))?;
        let exchange = Exchange {
            body: Body::Case(format!("{}.json#{name}", spec.name)),
            ..named(if name == "valid" { "good" } else { name })
        };
        all.push((exchange, Answered::Decision(kit_rules::decision(&decision)?)));
    }
    for (name, change, code) in WRONG_FORMS {
        let mut exchange = named(name);
        change(&mut exchange);
        all.push((exchange, Answered::Problem(*code)));
    }
    for (name, text, code) in NO_ARTIFACTS {
        all.push((Exchange { body: Body::Text(text), ..named(name) }, Answered::Problem(*code)));
    }
    let oversized = Body::Padded(valid, spec.most_bytes + 1);
    let mut for_a_page = Exchange { body: oversized.clone(), ..named("for-a-page-oversized") };
    for_a_page.headers.push(FOR_A_PAGE);
    all.push((for_a_page, Answered::Problem(ProblemCode::NotAcceptable)));
    all.push((Exchange { body: oversized, ..named("oversized") }, Answered::Problem(ProblemCode::BodyTooLarge)));
    let mut others = kind::ALL.iter().cycle().skip_while(|other| other.kind != spec.kind).skip(1);
    let other = others.next().map_or("", |other| other.name);
    let of_another = Body::Case(format!("{other}.json#valid"));
    all.push((Exchange { body: of_another, ..named("of-another-kind") }, Answered::Problem(ProblemCode::WrongKind)));
    Ok(all)
}

fn of_other_paths() -> Vec<(Exchange, Answered)> {
    let post = |path: &&str| {
        let exchange = Exchange {
            name: format!("nowhere{path}"),
            method: "POST",
            path: format!("{BASE_PATH}{path}"),
            headers: vec![JSON_BODY],
            body: Body::Text("{}"),
        };
        (exchange, Answered::Problem(ProblemCode::NotFound))
    };
    let get = |(path, file): (&str, &'static str)| {
        let exchange = Exchange {
            name: format!("documents{path}"),
            method: "GET",
            path: format!("{BASE_PATH}{path}"),
            headers: Vec::new(),
            body: Body::Nothing,
        };
        (exchange, Answered::File(file))
    };
    let documents = [
        ("/contract", "contracts/hosted-registry-api-contract.json"),
        ("/readiness", "contracts/hosted-registry-readiness-contract.json"),
    ];
    let empty = NOT_IN_THE_JOURNAL.iter().map(|path| {
        let (exchange, _) = get((path, ""));
        (Exchange { name: format!("nowhere{path}"), ..exchange }, Answered::Problem(ProblemCode::NotFound))
    });
    NOWHERE.iter().map(post).chain(documents.into_iter().map(get)).chain(empty).collect()
}

fn with_a_query_by_put(exchange: &mut Exchange) {
    exchange.path.push_str("?again=1");
    exchange.method = "PUT";
}

fn by_put_as_plain_text(exchange: &mut Exchange) {
    exchange.method = "PUT";
    exchange.headers = vec![("content-type", "text/plain")];
}

fn as_plain_text_for_a_page(exchange: &mut Exchange) {
    exchange.headers = vec![("content-type", "text/plain"), FOR_A_PAGE];
}

fn as_compressed_for_a_page(exchange: &mut Exchange) {
    exchange.headers.extend([("content-encoding", "gzip"), FOR_A_PAGE]);
}

fn by_get(exchange: &mut Exchange) {
    exchange.method = "GET";
    exchange.headers.clear();
    exchange.body = Body::Nothing;
}

/// The row of a request, after the registry of this build was asked.
fn row(registry: &Registry, exchange: &Exchange, answered: &Answered, (kit, files): (&Kit, &Tree)) -> Result<Value> {
    let (status, media_type, member, value) = match answered {
        Answered::Decision(decision) => (200, "application/json", "decision", decision.clone()),
        Answered::Problem(code) => (code.spec().status, "application/problem+json", "code", json!(code)),
        Answered::File(file) => (200, "application/json", "file", json!(file)),
    };
    // How much of a body is read is decided where there is a socket; the tests of the command line send this one too.
    if !matches!(answered, Answered::Problem(ProblemCode::BodyTooLarge)) {
        let name = &exchange.name;
        let (found, said) = ask(registry, exchange, kit)?;
        ensure!(found == status, "exchange `{name}`: {found} instead of {status}");
        ensure!(is_said(answered, &said, files)?, "exchange `{name}` is answered otherwise: {said}");
    }
    Ok(json!({
        "mediaType": media_type, "name": exchange.name, "request": request(exchange), "status": status, member: value,
    }))
}

/// Whether an answer says what it is to say, as far as that does not hang on the rules of this build.
fn is_said(answered: &Answered, said: &Value, files: &Tree) -> Result<bool> {
    Ok(match answered {
        Answered::Decision(decision) => {
            let same = ["artifact", "digestCheck", "gateStatuses", "missingGates", "operation", "outcome"];
            same.iter().all(|member| said.get(member) == decision.get(member))
        }
        Answered::Problem(code) => said.get("code") == Some(&json!(code)),
        Answered::File(file) => {
            let path = Path::new("conformance").join(file);
            *said == serde_json::from_slice::<Value>(files.get(&path).with_context(|| format!("no {file}"))?)?
        }
    })
}

fn request(exchange: &Exchange) -> Value {
    let headers: Map<String, Value> =
        exchange.headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let mut request = json!({ "headers": headers, "method": exchange.method, "path": exchange.path });
    let body: &[(&str, Value)] = match &exchange.body {
        Body::Nothing => &[],
        Body::Text(text) => &[("text", json!(text))],
        Body::Case(case) => &[("case", json!(case))],
        Body::Padded(case, length) => &[("case", json!(case)), ("paddedTo", json!(length))],
    };
    if let Some(members) = request.as_object_mut() {
        members.extend(body.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    }
    request
}

/// What the registry of this build answers, in-process: its status and its body.
fn ask(registry: &Registry, exchange: &Exchange, kit: &Kit) -> Result<(u16, Value)> {
    let mut headers = hyper::HeaderMap::new();
    headers.insert(hyper::header::HOST, hyper::header::HeaderValue::from_static("localhost"));
    for (name, value) in &exchange.headers {
        headers.append(*name, hyper::header::HeaderValue::from_static(value));
    }
    let (path, query) = exchange.path.split_once('?').map_or((exchange.path.as_str(), false), |(path, _)| (path, true));
    let head = RequestHead { method: exchange.method, path, has_query: query, headers: &headers, address: None };
    let answer = registry.answer(head, &body_of(&exchange.body, kit)?);
    Ok((answer.status, serde_json::from_slice(&answer.body)?))
}

fn body_of(body: &Body, kit: &Kit) -> Result<Vec<u8>> {
    let case = |case: &str| {
        let (table, name) = case.split_once(".json#").with_context(|| format!("no case {case}"))?;
        anyhow::Ok(kit.document(kit.row(table, name)))
    };
    Ok(match body {
        Body::Nothing => Vec::new(),
        Body::Text(text) => text.as_bytes().to_vec(),
        Body::Case(id) => case(id)?,
        Body::Padded(id, length) => {
            let mut bytes = case(id)?;
            bytes.resize(*length, b' ');
            bytes
        }
    })
}
