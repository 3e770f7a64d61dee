//! One JSON line a request. Static messages; what came from outside is a field, cut and escaped; no bodies, no tokens.

use std::{
    io::Write as _,
    net::IpAddr,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::Serialize;

use crate::answer::RequestName;

#[derive(Serialize)]
struct Line<'a> {
    level: &'static str,
    message: &'static str,
    time: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    micros: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
}

impl Line<'_> {
    fn new(level: &'static str, message: &'static str) -> Self {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self {
            level,
            message,
            time,
            address: None,
            bytes: None,
            detail: None,
            method: None,
            micros: None,
            path: None,
            request: None,
            status: None,
        }
    }
}

/// Notes an answered request.
pub(crate) fn answered(
    request: &RequestName,
    method: &str,
    address: Option<IpAddr>,
    status: u16,
    bytes: usize,
    micros: u64,
) {
    let method: String = method.chars().take(16).collect();
    write(&Line {
        address,
        bytes: Some(bytes),
        method: Some(&method),
        micros: Some(micros),
        path: Some(&request.path),
        request: Some(&request.id),
        status: Some(status),
        ..Line::new("info", "answered")
    });
}

/// Notes something about the service itself.
pub(crate) fn note(message: &'static str, detail: &str) {
    write(&Line { detail: Some(detail), ..Line::new("info", message) });
}

fn write(line: &Line<'_>) {
    if let Ok(mut text) = serde_json::to_vec(line) {
        text.push(b'\n');
        // When nobody reads the log any more, the service goes on.
        let _ = std::io::stderr().lock().write_all(&text);
    }
}
