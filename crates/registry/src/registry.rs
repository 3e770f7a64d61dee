//! The registry: its routes, its documents, and the guard that every answer passes.
//!
//! A host calls [`Registry::answer`] for a whole request, or the steps of it where it has work of its own between them.

use svc_core::{
    rules::ruleset::Rules,
    words::{kind::ArtifactSpec, problem_code::ProblemCode},
};

use crate::{
    admission,
    answer::{Answer, AnswerKind},
    caller::Caller,
    conditional::unless_known,
    documents::{Documents, status},
    evaluate::{Recording, evaluate},
    guard::{self, GuardTrips, Withheld},
    readiness::{Readiness, UnreadyReason},
    record::Recorder,
    refusals,
    request::{RequestHead, RequestName},
    routes::{self, Operation, Serves},
};

/// The registry: its routes, its documents and its guard.
#[derive(Debug)]
pub struct Registry {
    rules: Rules,
    operations: Vec<Operation>,
    documents: Documents,
    commit: &'static str,
    recorder: Option<Box<dyn Recorder>>,
    guard_trips: GuardTrips,
    on_withheld: fn(Withheld, &RequestName),
}

impl Registry {
    /// A registry that evaluates by these rules.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        let operations = routes::all();
        Self {
            rules,
            documents: Documents::of(&operations),
            commit: "unknown",
            recorder: None,
            guard_trips: GuardTrips::default(),
            on_withheld: |_, _| (),
            operations,
        }
    }

    /// The rules that everything is evaluated by.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The same, with the name of the build that `/version` says.
    #[must_use]
    pub fn with_commit(self, commit: &'static str) -> Self {
        Self { commit, ..self }
    }

    /// The same, answering no denial before it is on record there.
    #[must_use]
    pub fn with_recorder(self, recorder: impl Recorder + 'static) -> Self {
        Self { recorder: Some(Box::new(recorder)), ..self }
    }

    /// The same, reporting every answer that the guard withholds.
    #[must_use]
    pub fn on_withheld(self, on_withheld: fn(Withheld, &RequestName)) -> Self {
        Self { on_withheld, ..self }
    }

    /// Answers a whole request.
    #[must_use]
    pub fn answer(&self, head: RequestHead<'_>, body: &[u8]) -> Answer {
        let request = RequestName::new(head.path);
        let answer = match self.admit(head, &request) {
            Ok(operation) => self.perform(operation, head, body, &request),
            Err(refusal) => self.guarded(refusal, &request),
        };
        self.expect_listed(head, &answer);
        answer
    }

    /// What a request asks for, by everything that can be told before its body is read.
    ///
    /// # Errors
    /// The refusal.
    pub fn admit(&self, head: RequestHead<'_>, request: &RequestName) -> Result<&Operation, Answer> {
        admission::one_host(head.headers, request)?;
        admission::check_probe(head.headers, request)?;
        let operation = admission::route(&self.operations, head, request)?;
        admission::check_form(operation, head, request)?;
        Ok(operation)
    }

    /// Does what the route is for. The answer has passed the guard.
    #[must_use]
    pub fn perform(&self, operation: &Operation, head: RequestHead<'_>, body: &[u8], request: &RequestName) -> Answer {
        let answer = match operation.serves {
            Serves::Evaluation(spec) => return self.evaluate(spec, body, &Caller::default(), request),
            Serves::Live => status::live(),
            Serves::Ready => status::ready(&self.readiness()),
            Serves::Version => status::version(&self.rules, self.commit),
            // A host that has counters or a journal to read answers these itself.
            Serves::Metrics => refusals::NO_ROUTE.of(&request.without_path()),
            Serves::Journal(_) => refusals::NO_JOURNAL.of(request),
            Serves::Contract(_) | Serves::Schema(_) | Serves::Problem(_) | Serves::Links | Serves::OpenApi => {
                match self.documents.answer(&self.rules, head.path, &self.operations) {
                    Some(document) => unless_known(document, head.headers),
                    None => Answer::problem(ProblemCode::NotFound, "there is no document at this path", request),
                }
            }
        };
        self.guarded(answer, request)
    }

    /// Evaluates a body, and puts its answer on record where there is a recorder. The answer has passed the guard.
    #[must_use]
    pub fn evaluate(&self, spec: &ArtifactSpec, body: &[u8], caller: &Caller, request: &RequestName) -> Answer {
        let evaluation = evaluate(&self.rules, spec, body, request, Recording::of(self.recorder.is_some(), caller));
        self.guarded(evaluation.recorded_by(self.recorder.as_deref(), request), request)
    }

    /// What the POST route at a path answers; nothing is put on record. For the self-test.
    pub(crate) fn evaluate_at(&self, path: &str, body: &[u8]) -> Answer {
        let request = RequestName::new(path);
        let spec = self.operations.iter().find(|operation| operation.path == path).and_then(Operation::evaluates);
        let answer = match spec {
            Some(spec) => evaluate(&self.rules, spec, body, &request, Recording::Off).recorded_by(None, &request),
            None => refusals::NO_ROUTE.of(&request),
        };
        self.guarded(answer, &request)
    }

    /// The last line before an answer leaves.
    #[must_use]
    pub fn guarded(&self, answer: Answer, request: &RequestName) -> Answer {
        guard::check(answer).unwrap_or_else(|withheld| {
            self.guard_trips.note(withheld);
            (self.on_withheld)(withheld, request);
            withheld.answer(request)
        })
    }

    /// Whether requests are welcome, as far as the registry itself knows.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        let unready = (self.guard_trips.count() > 0).then_some(UnreadyReason::AnswerWithheld);
        Readiness { unready, ..Readiness::default() }
    }

    /// How often the guard withheld an answer, also from now on.
    #[must_use]
    pub fn guard_trips(&self) -> GuardTrips {
        self.guard_trips.clone()
    }

    /// Which build runs, for the log.
    #[must_use]
    pub fn running(&self) -> String {
        status::running(&self.rules, self.commit)
    }

    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// In tests: no route sends a problem that the contract and OpenAPI do not list for it.
    pub fn expect_listed(&self, head: RequestHead<'_>, answer: &Answer) {
        let (AnswerKind::Refused(code) | AnswerKind::Page(Some(code))) = answer.kind else { return };
        let method = if head.method == "HEAD" { "GET" } else { head.method };
        let is_asked = |operation: &&Operation| operation.is_at(head.path) && operation.method.as_str() == method;
        if let Some(operation) = self.operations.iter().find(is_asked) {
            debug_assert!(operation.may_refuse_with(code), "{} answers {code}, which is not listed", operation.id);
        }
    }
}
