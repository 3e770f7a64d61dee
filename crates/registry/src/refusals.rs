//! What is refused at the door, in the words of the answer: nothing here is about a document.

use svc_core::words::problem_code::ProblemCode;

use crate::{
    answer::Answer,
    request::RequestName,
    scope::{AuthError, TokenScope},
};

/// A code, and what is wrong.
#[derive(Clone, Copy, Debug)]
pub struct RequestRefusal(ProblemCode, &'static str);

impl RequestRefusal {
    #[must_use]
    pub fn of(self, request: &RequestName) -> Answer {
        Answer::problem(self.0, self.1, request)
    }

    #[must_use]
    pub fn with_retry(self, seconds: u64, request: &RequestName) -> Answer {
        self.of(request).with_header("retry-after", seconds.to_string())
    }
}

pub const NOT_ONE_HOST: RequestRefusal =
    RequestRefusal(ProblemCode::MalformedRequest, "the request must have exactly one Host header");
pub const NOT_OUR_NAME: RequestRefusal = RequestRefusal(
    ProblemCode::Misdirected,
    "the Host header must be a name that the operator has listed in the setting `hosts`",
);
pub const TWO_AUTHORIZATIONS: RequestRefusal =
    RequestRefusal(ProblemCode::MalformedRequest, "the request must have at most one Authorization header");
pub const NOT_A_PROBE: RequestRefusal = RequestRefusal(
    ProblemCode::MalformedRequest,
    "the header Svc-Probe must be there at most once, with 32 lowercase hex digits",
);
pub const NO_ROUTE: RequestRefusal = RequestRefusal(
    ProblemCode::NotFound,
    "there is no route at this path; the links under the base path name all of them",
);
pub const NO_PAGE: RequestRefusal = RequestRefusal(
    ProblemCode::NotFound,
    "the console has no page at this path; the one at /console/ leads to all of them",
);
pub const WRONG_METHOD: RequestRefusal =
    RequestRefusal(ProblemCode::MethodNotAllowed, "the method must be one of the Allow header");
pub const NOT_JSON: RequestRefusal =
    RequestRefusal(ProblemCode::UnsupportedMediaType, "the Content-Type must be application/json");
pub const ENCODED: RequestRefusal =
    RequestRefusal(ProblemCode::UnsupportedMediaType, "the body must have no Content-Encoding");
pub const TAKES_NO_JSON: RequestRefusal =
    RequestRefusal(ProblemCode::NotAcceptable, "the Accept header must allow application/json");
pub const STOPPING: RequestRefusal = RequestRefusal(ProblemCode::ShuttingDown, "the service is stopping");
pub const NO_QUORUM: RequestRefusal = RequestRefusal(
    ProblemCode::QuorumLacking,
    "too few witnesses have seen the newest state of the log, for longer than a minute; nothing is evaluated until they have",
);
pub const NO_JOURNAL: RequestRefusal =
    RequestRefusal(ProblemCode::NotFound, "this registry keeps no journal: its setting `journal` is `off`");
pub const EVENTS_OFF: RequestRefusal = RequestRefusal(
    ProblemCode::NotFound,
    "this registry lets nobody follow its journal: its setting `events` is `off`",
);
pub const NO_TURN: RequestRefusal = RequestRefusal(ProblemCode::Overloaded, "too many requests in flight");
pub const UNREADABLE: RequestRefusal = RequestRefusal(
    ProblemCode::JournalUnavailable,
    "the journal cannot be read at the moment; try again after the time in Retry-After",
);
pub const TOO_MANY_STREAMS: RequestRefusal = RequestRefusal(
    ProblemCode::RateLimited,
    "this client follows the journal as often as it may; close a stream, or wait for the time in Retry-After",
);
pub const NO_STREAM_LEFT: RequestRefusal = RequestRefusal(
    ProblemCode::Overloaded,
    "too many clients follow the journal; try again after the time in Retry-After",
);
pub const TOO_OFTEN: RequestRefusal = RequestRefusal(
    ProblemCode::RateLimited,
    "this client sent more requests than it may; wait for the time in Retry-After",
);

/// The refusal of a token, or of none.
#[must_use]
pub fn unauthorized(denied: AuthError, request: &RequestName) -> Answer {
    match denied {
        AuthError::Unauthenticated => Answer::problem(
            ProblemCode::Unauthenticated,
            "the request must have a valid token, as `Authorization: Bearer TOKEN`",
            request,
        )
        .with_header("www-authenticate", "Bearer realm=\"svc-registry\""),
        AuthError::TokenScope(needed) => {
            let detail = format!("the token must have the scope `{}`", TokenScope::as_str(needed));
            Answer::problem(ProblemCode::InsufficientScope, &detail, request)
        }
    }
}
