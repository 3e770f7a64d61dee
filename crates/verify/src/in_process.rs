//! The routes of this build, without a socket: the same registry that a service puts on the wire.

use http::{
    HeaderMap,
    header::{self, HeaderName, HeaderValue},
};
use svc_client::exchange::{Reply, Request, Transport, TransportError, TransportKind};
use svc_core::samples::rules;
use svc_registry_api::{registry::Registry, request::RequestHead};

#[derive(Debug)]
pub struct InProcess(Registry);

impl Default for InProcess {
    fn default() -> Self {
        Self(Registry::new(rules().clone()))
    }
}

impl InProcess {
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.0
    }
}

impl Transport for InProcess {
    fn send(&self, request: &Request) -> Result<Reply, TransportError> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("localhost"));
        for (name, value) in &request.headers {
            // A value that no header can have is not sent.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.append(HeaderName::from_static(name), value);
            }
        }
        let (path, query) = request.path.split_once('?').map_or((request.path.as_str(), None), |(a, b)| (a, Some(b)));
        let asked =
            RequestHead { method: request.method, path, has_query: query.is_some(), headers: &headers, address: None };
        let answer = self.0.answer(asked, &request.body.to_bytes());
        Ok(Reply {
            status: answer.status,
            headers: answer.headers.into_iter().map(|(name, value)| (name.to_owned(), value.into_owned())).collect(),
            body: answer.body.to_vec(),
            ..Reply::default()
        })
    }

    fn kind(&self) -> TransportKind {
        TransportKind::InProcess
    }
}
