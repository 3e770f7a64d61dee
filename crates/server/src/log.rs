//! One JSON line a request. Static messages; what came from outside is a field, cut and escaped; no bodies, no tokens.

use std::{io::Write as _, net::IpAddr};

use serde::Serialize;

use crate::{
    answer::{Answer, Posture, RequestName},
    clock,
};

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    level: &'static str,
    message: &'static str,
    time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    micros: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

impl Line<'_> {
    fn new(level: &'static str, message: &'static str) -> Self {
        Self { level, message, time: clock::utc(clock::seconds_now()), ..Self::default() }
    }
}

/// An answered request.
pub(crate) struct Answered<'a> {
    pub(crate) request: &'a RequestName,
    pub(crate) method: &'a str,
    pub(crate) address: IpAddr,
    pub(crate) operation: &'a str,
    pub(crate) token: Option<&'a str>,
    pub(crate) answer: &'a Answer,
    pub(crate) read: usize,
    pub(crate) micros: u64,
}

/// Notes an answered request.
pub(crate) fn answered(answered: &Answered<'_>) {
    let method: String = answered.method.chars().take(16).collect();
    let (code, decision_id) = match answered.answer.posture {
        Posture::Denied(id) => (None, id.map(|id| id.to_string())),
        Posture::Refused(code) => (Some(code.as_str()), None),
        Posture::Document => (None, None),
    };
    write(&Line {
        address: Some(answered.address),
        bytes: Some(answered.read),
        code,
        decision_id,
        method: Some(&method),
        micros: Some(answered.micros),
        operation: Some(answered.operation),
        path: Some(&answered.request.path),
        request_id: Some(&answered.request.id),
        status: Some(answered.answer.status),
        token: answered.token,
        ..Line::new("info", "answered")
    });
}

/// Notes something about the service itself.
pub fn note(message: &'static str, detail: &str) {
    write(&Line { detail: Some(detail), ..Line::new("info", message) });
}

fn write(line: &Line<'_>) {
    if let Ok(mut text) = serde_json::to_vec(line) {
        text.push(b'\n');
        // When nobody reads the log any more, the service goes on.
        let _ = std::io::stderr().lock().write_all(&text);
    }
}
