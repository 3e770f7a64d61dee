//! The answer on its way to the wire: room for a long one, its line in the log, its headers. The guard has read it.

use std::borrow::Cow;

use hyper::{
    Response, StatusCode,
    header::{self, HeaderName, HeaderValue},
};
use svc_registry_api::{
    answer::{Answer, AnswerKind},
    request::RequestName,
};

use super::{
    answer_body::{AnswerBody, PIECE_BYTES},
    request::{Exchange, Seen},
};
use crate::{health::Phase, log};

/// Headers that every answer has.
static COMMON_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (REGISTRY_API, HeaderValue::from_static("1")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

const REGISTRY_API: HeaderName = HeaderName::from_static("svc-registry-api");
static REQUEST_ID: HeaderName = HeaderName::from_static("svc-request-id");

impl Exchange<'_> {
    /// Counts and logs the answer, and hands it to the wire.
    pub(super) fn write(self, answer: Answer, seen: Seen<'_>) -> Response<AnswerBody> {
        let (answer, whole) = self.with_room(answer);
        let spent = seen.started.elapsed().saturating_sub(seen.waited);
        let micros = u64::try_from(spent.as_micros()).unwrap_or(u64::MAX);
        self.count(&answer, &seen, micros);
        let body = match seen.stream {
            // It has its line when it is over.
            Some(stream) => AnswerBody::Stream(Box::new(stream)),
            None => {
                log::answered(&log::Answered {
                    request: self.name,
                    method: self.parts.method.as_str(),
                    address: self.address,
                    operation: seen.operation,
                    caller: &seen.caller,
                    answer: &answer,
                    read: seen.body_bytes,
                    micros,
                });
                whole
            }
        };
        // Whoever is answered while the service stops is told to go elsewhere with the next request.
        let stopping = self.shared.door.health.phase() != Phase::Open;
        self.peer.slot.waits();
        response(if stopping { answer.with_header("connection", "close") } else { answer }, body, self.name)
    }

    fn count(self, answer: &Answer, seen: &Seen<'_>, micros: u64) {
        let metrics = &self.shared.door.metrics;
        let refusal = match answer.kind {
            AnswerKind::Refused(code) | AnswerKind::Page(Some(code)) => Some(code.as_str()),
            AnswerKind::Denied(_) | AnswerKind::Document | AnswerKind::Page(None) => None,
        };
        match &seen.caller.probe {
            Some(_) => metrics.probed(seen.operation, answer.status),
            None => metrics.answered(seen.operation, answer.status, refusal, seen.body_bytes, micros),
        }
    }

    /// The body of an answer, with the room that a long one takes until it was read. Where there is none, the answer is another.
    fn with_room(self, answer: Answer) -> (Answer, AnswerBody) {
        if answer.body.len() <= PIECE_BYTES || self.head.method == "HEAD" {
            let body = AnswerBody::new(answer.body.clone(), None);
            return (answer, body);
        }
        // Whoever reads pages slowly keeps nobody from an answer.
        let is_page = matches!(answer.kind, AnswerKind::Page(_));
        let budget = if is_page { &self.shared.console_budget } else { &self.shared.answer_budget };
        let (room, sent_away) = budget.take(answer.body.len(), &self.peer.slot);
        self.shared.door.metrics.sent_away(sent_away);
        let answer = match &room {
            Some(_) => answer,
            None => self.guard(self.overloaded("too many answers are waiting for their readers")),
        };
        let body = AnswerBody::new(answer.body.clone(), room);
        (answer, body)
    }
}

fn response(answer: Answer, body: AnswerBody, name: &RequestName) -> Response<AnswerBody> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.reserve(COMMON_HEADERS.len() + answer.headers.len() + 4);
    for (header, value) in &COMMON_HEADERS {
        headers.insert(header, value.clone());
    }
    // A page is no part of the API, and says so.
    if matches!(answer.kind, AnswerKind::Page(_)) {
        headers.remove(&REGISTRY_API);
    }
    for (header, value) in answer.headers {
        let value = match value {
            Cow::Borrowed(value) => HeaderValue::from_str(value),
            Cow::Owned(value) => HeaderValue::try_from(value),
        };
        if let Ok(value) = value {
            headers.insert(HeaderName::from_static(header), value);
        }
    }
    if let Ok(id) = HeaderValue::from_str(&name.id) {
        headers.insert(&REQUEST_ID, id);
    }
    response
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use svc_core::words::limits;

    use super::*;
    use crate::{
        config::EventsMode,
        door::{Door, Setup},
        http::{
            connection_slots::ConnectionSlots,
            state::{Listener, Peer, ServerState},
        },
    };

    /// Pages and answers have room of their own, so that readers of the one never keep the other waiting.
    #[tokio::test]
    async fn pages_that_nobody_reads_leave_the_room_of_answers_alone() {
        let door = Door::new(Setup { has_console: true, ..Setup::default() });
        let state = Arc::new(ServerState::new(door, None, None, None, false, EventsMode::default()).unwrap());
        let slots = ConnectionSlots::new(2, 2);
        let slot = slots.take([192, 0, 2, 1].into()).0.unwrap();
        let peer = Peer { listener: Listener::Public, address: [192, 0, 2, 1].into(), slot: Arc::clone(&slot.state) };
        let all = state.console_budget.take(limits::PAGES_IN_FLIGHT, &peer.slot).0;
        assert!(all.is_some());
        for (path, status) in [("/console/rules", 503), ("/api/sdk/registry/openapi.json", 200)] {
            let (parts, ()) = hyper::Request::get(path).header("host", "localhost").body(()).unwrap().into_parts();
            let name = RequestName::new(path);
            let exchange = Exchange::new(&state, &peer, &parts, &name);
            let answer = state.door.answer(exchange.head, &[]);
            assert!(answer.status == 200 && answer.body.len() > PIECE_BYTES, "{path}");
            let (answer, _) = exchange.with_room(answer);
            assert_eq!(answer.status, status, "{path}");
            let policy = answer.headers.iter().find(|(name, _)| *name == "content-security-policy");
            assert_eq!(policy.is_some(), path.starts_with("/console"), "{path}");
        }
    }
}
