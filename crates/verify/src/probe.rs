//! What is sent, and what must come back: made from good documents and from every way to tamper with them.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use svc_client::exchange::{Body, Identity, Request, Transport as _};
use svc_core::samples::rules;
use svc_core::{
    attacks::{self, Attack, SeenIn},
    bundle::Files,
    contract::contracts::BASE_PATH,
    finding,
    words::{
        kind::{self, ArtifactSpec},
        problem_code::ProblemCode,
    },
};
use svc_registry_api::routes::{self, Serves};

use crate::{claims::Reading, in_process::InProcess, samples::Samples};

/// A request and what must come back.
#[derive(Clone, Debug)]
pub struct Probe {
    /// What is tried.
    pub name: String,
    /// The file of the payload that is sent as it is.
    pub(crate) file: Option<&'static str>,
    pub(crate) request: Request,
    pub(crate) expected: ExpectedReply,
    /// Words in the request that only the client knows, and that no answer may repeat.
    pub(crate) author_words: Vec<String>,
    /// Whether only a reader with the package rules of this build can refuse it, so that no lower level asks for that.
    pub(crate) needs_package_rules: bool,
}

impl Probe {
    pub(crate) fn new(name: String, request: Request, expected: ExpectedReply) -> Self {
        Self { name, file: None, request, expected, author_words: Vec::new(), needs_package_rules: false }
    }

    /// The probe with words that no answer may repeat.
    pub(crate) fn with_words(self, author_words: Vec<String>) -> Self {
        Self { author_words, ..self }
    }
}

/// What must come back.
#[derive(Clone, Debug)]
pub(crate) enum ExpectedReply {
    /// This decision on the payload of a kind, but for what names the request.
    Denied {
        spec: &'static ArtifactSpec,
        decision: Value,
    },
    Refused(ExpectedRefusal),
    Document {
        body: Arc<[u8]>,
        media_type: String,
        reading: Reading,
        except: &'static [&'static str],
    },
    /// What a GET of a route that the registry describes may bring: one of these statuses, if it lists any.
    Described {
        statuses: BTreeSet<u16>,
        reading: Reading,
    },
    /// To HEAD: what was said to GET at this path, without its body.
    LikeGet {
        get: String,
    },
    /// Whatever opens nothing.
    Anything,
}

/// A refusal and its reasons.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedRefusal {
    pub(crate) code: ProblemCode,
    /// Rule and place of each reason.
    pub(crate) reasons: BTreeSet<(String, String)>,
    pub(crate) demanded_by: DemandedBy,
}

impl ExpectedRefusal {
    /// A refusal of what is not in the specification.
    pub(crate) fn of_contract(code: ProblemCode) -> Self {
        Self { code, reasons: BTreeSet::new(), demanded_by: DemandedBy::Contract(Asks::Other) }
    }
}

/// Who demands that a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemandedBy {
    /// The specification: the package artifact does not have its digest (4.2).
    Specification,
    /// The API contract alone.
    Contract(Asks),
}

/// What a request asks for that only the contract refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// That a document is evaluated by its endpoint.
    Payload,
    /// Something that is not in the specification: another path, method or media type.
    Other,
}

/// Everything that is sent to one endpoint.
#[derive(Clone, Debug)]
pub struct EndpointProbes {
    /// The kind it takes.
    pub spec: &'static ArtifactSpec,
    /// Its path below the base path.
    pub path: &'static str,
    /// The requests, the good document first.
    pub probes: Vec<Probe>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What works on any good bundle, over a network, within a client's rate.
    Hosted,
    /// Every attack there is, in-process.
    Local,
}

/// The attacks that change any good document of the kinds that they are for. The others need something to be in the package.
const ON_ANY: &[&str] = &[
    "accepted-true",
    "accepted-true-resealed",
    "signed-true",
    "installable-true",
    "accepted-as-text",
    "installable-as-one",
    "status-complete",
    "gate-dropped",
    "gate-cleared",
    "gate-added",
    "unknown-member",
    "duplicate-member",
    "duplicate-member-escaped",
    "wrong-kind",
    "stale-schema-version",
    "document-digest-changed",
    "digest-other-algorithm",
    "flag-missing",
    "array-for-object",
    "trailing-data",
    "truncated",
    "byte-order-mark",
    "deep-nesting",
    "file-digest-changed",
    "declared-digest-changed",
    "declared-digest-start-changed",
    "manifest-changed",
    "package-of-another",
    "package-name-drift",
    "parent-of-other-kind",
    "required-gate-dropped",
    "requirement-dropped",
    "publisher-drift",
    "evidence-stored",
    "storage-key-moved",
    "signature-added",
    "statement-drift",
    "payload-drift",
    "index-reordered",
    "index-entry-twice",
    "index-emptied",
    "index-entry-accepted",
    "index-digest-swapped",
    "index-parent-broken",
];

/// The attacks after which the package artifact does not have the digest that is declared for it, whatever else is checked.
const ON_PACKAGE_DIGEST: [&str; 7] = [
    ANY_DIGIT,
    ANY_ROW,
    "file-digest-changed",
    "declared-digest-changed",
    "declared-digest-start-changed",
    "package-of-another",
    "manifest-changed",
];

/// The two whose place is chosen by chance.
const ANY_DIGIT: &str = "one digit of the declared digest";
const ANY_ROW: &str = "one digit of one file's digest";

/// Attacks on the order of two entries.
const ON_TWO_ENTRIES: [&str; 2] = ["index-reordered", "index-digest-swapped"];

/// Whether an attack changes any good document.
pub(crate) fn is_on_any(attack: &Attack) -> bool {
    ON_ANY.contains(&attack.name)
}

const JSON_BODY: (&str, &str) = ("content-type", "application/json");

/// The probes of all six endpoints, in the order of the table.
///
/// # Errors
/// When a document is missing, is not good, or an attack does not change it.
pub fn of_endpoints(files: &Files, depth: Depth) -> Result<Vec<EndpointProbes>, String> {
    of_endpoints_with(files, depth, &Samples::make()?)
}

/// The same with the samples of a run.
pub(crate) fn of_endpoints_with(files: &Files, depth: Depth, samples: &Samples) -> Result<Vec<EndpointProbes>, String> {
    let with_endpoint = kind::ALL.iter().filter_map(|spec| Some((*spec, spec.endpoint?.path)));
    with_endpoint
        .map(|(spec, path)| {
            let maker = ProbeBuilder { spec, path: format!("{BASE_PATH}{path}"), files, samples };
            Ok(EndpointProbes { spec, path, probes: maker.probes(depth)? })
        })
        .collect()
}

/// The good payload of each endpoint, once.
///
/// # Errors
/// When a document is missing or is not good.
pub(crate) fn of_payloads(files: &Files) -> Result<Vec<(&'static ArtifactSpec, Probe)>, String> {
    let samples = Samples::make()?;
    let with_endpoint = kind::ALL.iter().filter_map(|spec| Some((*spec, spec.endpoint?.path)));
    with_endpoint
        .map(|(spec, path)| {
            let maker = ProbeBuilder { spec, path: format!("{BASE_PATH}{path}"), files, samples: &samples };
            let (good, decision) = maker.payload()?;
            Ok((spec, maker.good("payload", &good, &decision)))
        })
        .collect()
}

/// Makes the probes of one endpoint.
pub(crate) struct ProbeBuilder<'f> {
    pub(crate) spec: &'static ArtifactSpec,
    /// The endpoint, with the base path.
    pub(crate) path: String,
    pub(crate) files: &'f Files,
    pub(crate) samples: &'f Samples,
}

impl ProbeBuilder<'_> {
    /// The document of the bundle, and the decision on it.
    fn payload(&self) -> Result<(Arc<[u8]>, Value), String> {
        let good = bytes_of(self.files, self.spec)?;
        let decision = svc_core::read::decide(rules(), self.spec.artifact, &good)
            .map_err(|_| format!("{} does not hold", self.spec.file))?;
        let decision = serde_json::to_value(&decision).map_err(|error| error.to_string())?;
        Ok((good, decision))
    }

    fn probes(&self, depth: Depth) -> Result<Vec<Probe>, String> {
        let (good, decision) = self.payload()?;
        let last = good.clone();
        // In other bytes: who compares bytes has recomputed nothing.
        let other: Value = serde_json::from_slice(&good).map_err(|error| error.to_string())?;
        let mut other = other.to_string();
        if other.as_bytes() == &good[..] {
            other.insert(1, ' ');
        }
        let mut probes = vec![
            self.good("good document", &good, &decision),
            self.good("good document again", &good, &decision),
            Probe { file: None, ..self.good("good document in other bytes", &other.into_bytes().into(), &decision) },
        ];
        for attack in attacks::ALL.iter().filter(|attack| self.takes(attack, depth)) {
            probes.push(self.refused_body(attack.name, self.forged(attack)?)?);
        }
        if depth == Depth::Hosted {
            probes.extend(self.unguessed()?);
            // Whoever refuses everything but the first payload has recomputed nothing either.
            probes.push(self.evaluated_body("another package", self.samples.other(self.spec)?.into())?);
        }
        for other in self.others(depth) {
            let document = self.samples.good(other)?;
            let name = match depth {
                Depth::Hosted => "of another kind".to_owned(),
                Depth::Local => format!("of another kind: {}", other.name),
            };
            probes.push(self.refused_body(&name, document.into())?);
        }
        for (name, body) in [("nothing", ""), ("a list", "[]"), ("an empty object", "{}"), ("plain text", "accept me")]
        {
            probes.push(self.refused_body(name, body.as_bytes().into())?);
        }
        // The payload is the file as it is; only the request around it is another.
        probes.extend(self.wrong_forms(&good).into_iter().map(|probe| Probe { file: Some(self.spec.file), ..probe }));
        if depth == Depth::Hosted {
            let oversized = Body::Padded(good, self.spec.most_bytes + 1);
            probes.push(self.refused("oversized", ProblemCode::BodyTooLarge, |request| request.body = oversized));
        }
        // After all of it: whoever refuses the fourth request whatever it is has recomputed nothing.
        probes.push(self.good("good document at the end", &last, &decision));
        Ok(probes)
    }

    /// Changes of the package artifact at places that nobody can know before: who compares a part, or hashes a part, is found.
    fn unguessed(&self) -> Result<Vec<Probe>, String> {
        let mut random = [0_u8; 2];
        getrandom::fill(&mut random).map_err(|error| format!("cannot choose a place: {error}"))?;
        let [digit, row] = random.map(usize::from);
        let good = bytes_of(self.files, self.spec)?;
        let changed = |name: &str, pointer: &str, digit: usize| {
            let forged = attacks::with_other_digit(self.spec, &good, pointer, digit);
            self.refused_body(name, forged.map_err(|error| error.to_string())?.into())
        };
        let document: Value = serde_json::from_slice(&good).map_err(|error| error.to_string())?;
        let files = attacks::package_part(self.spec, &document, "/packageArtifact/files");
        let rows = files.and_then(Value::as_array).map_or(1, Vec::len).max(1);
        let row = format!("/packageArtifact/files/{}/digest", row % rows);
        Ok(vec![changed(ANY_DIGIT, "/artifactDigests/1/digest", digit % 64)?, changed(ANY_ROW, &row, digit / 4)?])
    }

    fn takes(&self, attack: &Attack, depth: Depth) -> bool {
        let known = depth == Depth::Local || is_on_any(attack);
        known && attack.seen_in == SeenIn::Document && attack.applies_to(self.spec)
    }

    pub(crate) fn forged(&self, attack: &Attack) -> Result<Arc<[u8]>, String> {
        let good = if ON_TWO_ENTRIES.contains(&attack.name) {
            self.samples.index_of_both()?.into()
        } else {
            bytes_of(self.files, self.spec)?
        };
        let forged = attack.forge(self.spec, &good, self.samples.other(self.spec)?);
        forged.map(Arc::from).map_err(|error| error.to_string())
    }

    /// Kinds that belong elsewhere: all in-process, the next one over a network.
    fn others(&self, depth: Depth) -> Vec<&'static ArtifactSpec> {
        let others = kind::ALL.iter().copied().cycle().skip_while(|spec| spec.kind != self.spec.kind).skip(1);
        others.take(if depth == Depth::Local { kind::ALL.len() - 1 } else { 1 }).collect()
    }

    /// A good document in a request that is not what the endpoint takes.
    fn wrong_forms(&self, good: &Arc<[u8]>) -> Vec<Probe> {
        let with = |request: &mut Request, headers: &[(&'static str, &'static str)]| {
            request.body = Body::Bytes(good.clone());
            request.headers = headers.iter().map(|(name, value)| (*name, (*value).into())).collect();
        };
        vec![
            self.refused("as plain text", ProblemCode::UnsupportedMediaType, |request| {
                with(request, &[("content-type", "text/plain")]);
            }),
            self.refused("without a type", ProblemCode::UnsupportedMediaType, |request| with(request, &[])),
            self.refused("for a page", ProblemCode::NotAcceptable, |request| {
                with(request, &[JSON_BODY, ("accept", "text/html")]);
            }),
            self.refused("as compressed", ProblemCode::UnsupportedMediaType, |request| {
                with(request, &[JSON_BODY, ("content-encoding", "gzip")]);
            }),
            self.refused("by PUT", ProblemCode::MethodNotAllowed, |request| {
                with(request, &[JSON_BODY]);
                request.method = "PUT";
            }),
            self.refused("by GET", ProblemCode::MethodNotAllowed, |request| {
                request.method = "GET";
                request.headers.clear();
            }),
            self.refused("with a query", ProblemCode::NotFound, |request| {
                with(request, &[JSON_BODY]);
                request.path.push_str("?again=1");
            }),
            self.refused("with a slash behind", ProblemCode::NotFound, |request| {
                with(request, &[JSON_BODY]);
                request.path.push('/');
            }),
        ]
    }

    /// A body, with what this build makes of it.
    pub(crate) fn evaluated_body(&self, name: &str, body: Arc<[u8]>) -> Result<Probe, String> {
        match svc_core::read::decide(rules(), self.spec.artifact, &body) {
            Ok(decision) => {
                let decision = serde_json::to_value(&decision).map_err(|error| error.to_string())?;
                Ok(self.post(name, body, ExpectedReply::Denied { spec: self.spec, decision }))
            }
            Err(_) => self.refused_body(name, body),
        }
    }

    /// A body that this build refuses, expected to be refused for the same reasons.
    pub(crate) fn refused_body(&self, name: &str, body: Arc<[u8]>) -> Result<Probe, String> {
        let Err(findings) = svc_core::read::decide(rules(), self.spec.artifact, &body) else {
            return Err(format!("`{name}` does not change the {} of this bundle", self.spec.name));
        };
        let code = findings.problem_code().unwrap_or(ProblemCode::Internal);
        let reason = |finding: &finding::Finding| (finding.rule.code.to_string(), finding.in_our_words().0.to_string());
        let reasons = findings.iter().map(reason).collect();
        let demanded_by = if ON_PACKAGE_DIGEST.contains(&name) {
            DemandedBy::Specification
        } else {
            DemandedBy::Contract(Asks::Payload)
        };
        Ok(self.post(name, body, ExpectedReply::Refused(ExpectedRefusal { code, reasons, demanded_by })))
    }

    pub(crate) fn refused(&self, name: &str, code: ProblemCode, change: impl FnOnce(&mut Request)) -> Probe {
        let refusal = ExpectedRefusal::of_contract(code);
        let mut probe = self.post(name, Arc::default(), ExpectedReply::Refused(refusal));
        change(&mut probe.request);
        probe
    }

    fn good(&self, name: &str, body: &Arc<[u8]>, decision: &Value) -> Probe {
        let probe =
            self.post(name, body.clone(), ExpectedReply::Denied { spec: self.spec, decision: decision.clone() });
        Probe { file: Some(self.spec.file), ..probe }
    }

    fn post(&self, name: &str, body: Arc<[u8]>, expected: ExpectedReply) -> Probe {
        Probe::new(name.to_owned(), post(self.path.clone(), body), expected)
    }
}

/// Posts to paths that do not exist and must not: nothing here takes a signature, an acceptance or a stage.
#[must_use]
pub fn of_missing_routes() -> Vec<Probe> {
    let paths = ["/submissions", "/accept", "/sign", "/install", "/stages", "/ACCEPTANCE-REQUESTS"];
    let refusal = ExpectedRefusal::of_contract(ProblemCode::NotFound);
    let probe = |path: &&str| {
        let request = post(format!("{BASE_PATH}{path}"), b"{}".as_slice().into());
        Probe::new(format!("POST {path}"), request, ExpectedReply::Refused(refusal.clone()))
    };
    paths.iter().map(probe).collect()
}

/// Requests as a page of another site makes a browser send them: a preflight, and a form that needs none.
///
/// # Errors
/// When the payload is missing.
pub(crate) fn of_other_sites(files: &Files) -> Result<Vec<Probe>, String> {
    let spec = &kind::ACCEPTANCE_REQUEST;
    let path = format!("{BASE_PATH}{}", spec.endpoint.map_or("", |endpoint| endpoint.path));
    let from_there =
        [("origin", "https://other.example"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "cors")];
    let from_there = from_there.map(|(name, value)| (name, value.into()));
    let mut preflight = get(path.clone());
    preflight.method = "OPTIONS";
    preflight.headers = from_there.to_vec();
    preflight.headers.push(("access-control-request-method", "POST".into()));
    preflight.headers.push(("access-control-request-headers", "content-type".into()));
    let mut posted = post(path, bytes_of(files, spec)?);
    posted.headers.extend(from_there);
    let refusal = ExpectedRefusal::of_contract(ProblemCode::MethodNotAllowed);
    Ok(vec![
        Probe::new("preflight of another site".to_owned(), preflight, ExpectedReply::Refused(refusal)),
        Probe {
            file: Some(spec.file),
            ..Probe::new("POST of another site".to_owned(), posted, ExpectedReply::Anything)
        },
    ])
}

/// A post without the token, where one is needed.
#[must_use]
pub fn of_a_stranger() -> Probe {
    let path = kind::ALL.iter().find_map(|spec| spec.endpoint).map_or("", |endpoint| endpoint.path);
    let mut request = post(format!("{BASE_PATH}{path}"), b"{}".as_slice().into());
    request.identity = Identity::Stranger;
    let refusal = ExpectedRefusal::of_contract(ProblemCode::Unauthenticated);
    Probe::new("without the token".to_owned(), request, ExpectedReply::Refused(refusal))
}

/// The documents that a registry of this build serves: contract, ledger, catalog, rules, limits, schemas, what is running.
#[must_use]
pub fn of_documents() -> Vec<Probe> {
    let own = InProcess::default();
    // Nothing outside of the base path is asked for: another application may stand there.
    let below = routes::all().into_iter().filter(|operation| operation.path.starts_with(BASE_PATH));
    let served = below.filter_map(|operation| {
        let (reading, except): (_, &[&str]) = match operation.serves {
            Serves::Contract(_) => (Reading::Statement, &[]),
            Serves::Schema(_) | Serves::OpenApi | Serves::Links => (Reading::Description, &[]),
            Serves::Version => (Reading::Statement, &["commit"]),
            // How far a check of the journal is, and how its witnesses do, is of the moment.
            Serves::Ready => (Reading::Statement, &["journal", "witnesses"]),
            Serves::Evaluation(_) | Serves::Problem(_) | Serves::Live | Serves::Metrics | Serves::Journal(_) => {
                return None;
            }
        };
        let request = get(operation.path.clone());
        let reply = own.send(&request).ok()?;
        let media_type = reply.only("content-type").unwrap_or_default().to_owned();
        let expected = ExpectedReply::Document { body: reply.body.into(), media_type, reading, except };
        Some(Probe::new(format!("GET {}", operation.path), request, expected))
    });
    served.collect()
}

pub(crate) fn post(path: String, body: Arc<[u8]>) -> Request {
    let headers = vec![(JSON_BODY.0, JSON_BODY.1.into())];
    Request { method: "POST", path, headers, body: Body::Bytes(body), identity: Identity::Own }
}

pub(crate) fn get(path: String) -> Request {
    Request { method: "GET", path, headers: Vec::new(), body: Body::empty(), identity: Identity::Own }
}

fn bytes_of(files: &Files, spec: &ArtifactSpec) -> Result<Arc<[u8]>, String> {
    files.get(spec.file).map(|bytes| bytes.as_slice().into()).ok_or_else(|| format!("`{}` is missing", spec.file))
}
