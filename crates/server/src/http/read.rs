//! What a GET reads: a document of the registry, a part of the journal, or the state of the service.

use std::{net::IpAddr, sync::Arc};

use svc_core::words::problem_code::ProblemCode;
use svc_registry_api::{
    answer::Answer,
    conditional::unless_known,
    routes::{JournalDocument, Operation, Serves},
};

use super::{
    follow::FollowRequest,
    request::{Exchange, Seen},
    turns::Turn,
};
use crate::{
    gzip,
    journal_documents::{self, ALLOW_ORIGIN, Audience, JournalRequest},
};

impl<'a> Exchange<'a> {
    /// Reads what a route is for, after waiting for it where the client asks for that.
    pub(super) async fn read(self, operation: &'a Operation, seen: &mut Seen<'a>) -> Answer {
        let token = seen.caller.token.clone();
        let follows = FollowRequest { exchange: self, operation, token: token.as_deref() };
        if matches!(operation.serves, Serves::Journal(JournalDocument::Stream)) {
            let (answer, stream) = follows.stream().await;
            seen.stream = stream;
            return answer;
        }
        if matches!(operation.serves, Serves::Journal(JournalDocument::Entries)) {
            match follows.wait_for_page().await {
                Ok(waited) => seen.waited = waited,
                Err(refusal) => return refusal,
            }
        }
        self.document(operation, token.as_deref()).await
    }

    /// Reads a document. What the journal keeps is read where waiting is allowed. Probes of health need no turn: a service that
    /// is busy is not ill.
    async fn document(self, operation: &Operation, token: Option<&str>) -> Answer {
        let (shared, head, name) = (self.shared, self.head, self.name);
        if operation.is_probe() {
            if matches!(operation.serves, Serves::Ready) {
                shared.journal_desk().note_journal();
            }
            return shared.door.perform(operation, head, &[], name);
        }
        // A busy service must still report that it is busy.
        if matches!(operation.serves, Serves::Metrics) {
            shared.sample_metrics().await;
            return shared.door.perform(operation, head, &[], name);
        }
        let is_public = shared.door.is_public(operation);
        // Pages of any origin read what everybody may, also that it is not to be had now.
        let shown = |answer: Answer| if is_public { answer.with_header(ALLOW_ORIGIN, "*") } else { answer };
        let Some(_turn) = self.take_turn_to_read(operation).await else {
            return shown(self.overloaded("too many requests in flight"));
        };
        let Serves::Journal(wanted) = operation.serves else {
            return shared.door.perform(operation, head, &[], name);
        };
        let audience = if is_public { Audience::Public } else { Audience::of(token) };
        match self.journal_document(wanted, audience).await {
            Some(answer) => unless_known(answer, &self.parts.headers),
            None => shown(Answer::problem(
                ProblemCode::Internal,
                "the journal could not be read; report it with the request id when it stays",
                name,
            )),
        }
    }

    async fn take_turn_to_read(self, operation: &Operation) -> Option<Turn> {
        let (turns, address): (_, IpAddr) = (&self.shared.turns, self.peer.address);
        if self.shared.door.is_public(operation) {
            turns.to_read_as_stranger(address).await
        } else if matches!(operation.serves, Serves::Journal(_)) {
            turns.to_read().await
        } else {
            turns.at_once()
        }
    }

    /// A part of the journal, read on a thread that may wait; nothing when that thread failed.
    async fn journal_document(self, wanted: JournalDocument, audience: Audience) -> Option<Answer> {
        let (owner, request) = (Arc::clone(self.shared), self.name.clone());
        let asked = JournalRequest {
            wanted,
            audience,
            path: self.parts.uri.path().to_owned(),
            query: self.parts.uri.query().map(str::to_owned),
            takes_gzip: gzip::is_accepted(&self.parts.headers),
        };
        let reading = tokio::task::spawn_blocking(move || {
            journal_documents::read(owner.journal.as_ref(), owner.witnessing.as_deref(), &asked, &request)
        });
        reading.await.ok()
    }
}

#[cfg(test)]
mod tests {
    use svc_registry_api::{request::RequestName, routes};

    use super::*;
    use crate::{
        config::EventsMode,
        door::{Door, Setup},
        http::{
            connection_slots::ConnectionSlots,
            state::{Listener, Peer, ServerState},
        },
    };

    /// What a service without a free turn reads for a client on this machine.
    async fn read_while_busy(door: Door, operation: &Operation) -> Answer {
        let state = Arc::new(ServerState::new(door, None, None, None, false, EventsMode::On).unwrap());
        state.turns.close();
        let slot = ConnectionSlots::new(1, 1).take([127, 0, 0, 1].into()).0.unwrap();
        let peer = Peer { listener: Listener::Public, address: [127, 0, 0, 1].into(), slot: Arc::clone(&slot.state) };
        let (parts, ()) = hyper::Request::get(operation.path.as_str()).body(()).unwrap().into_parts();
        let name = RequestName::new("/");
        Exchange::new(&state, &peer, &parts, &name).document(operation, None).await
    }

    #[tokio::test]
    async fn a_service_without_a_free_turn_still_tells_its_metrics() {
        let metrics = routes::admin().into_iter().find(|operation| operation.id == "metrics").unwrap();
        assert_eq!(read_while_busy(Door::new(Setup::default()), &metrics).await.status, 200);
    }

    /// No turn is to be had: a page of another origin must be able to tell that from an address that does not exist.
    #[tokio::test]
    async fn a_busy_public_journal_says_so_to_pages_of_any_origin_and_a_closed_one_does_not() {
        for (has_public_journal, seen) in [(true, Some("*")), (false, None)] {
            for operation in routes::all().iter().filter(|operation| operation.id.starts_with("journal-")) {
                let Serves::Journal(wanted) = operation.serves else { continue };
                let door = Door::new(Setup { has_public_journal, ..Setup::default() });
                let answer = read_while_busy(door, operation).await;
                let shown =
                    answer.headers.iter().find(|(name, _)| *name == ALLOW_ORIGIN).map(|(_, value)| value.as_ref());
                assert_eq!((answer.status, shown), (503, seen.filter(|_| wanted.is_public())), "{}", operation.id);
                assert!(answer.headers.iter().any(|(name, _)| *name == "retry-after"));
            }
        }
    }
}
