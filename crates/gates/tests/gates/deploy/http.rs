//! Plain HTTP/1.1, byte by byte: requests that no library would send, and answers as they came.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(40);

/// No answer that is asked for here is larger.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// A connection that is kept as long as the other side keeps it.
pub(crate) struct Connection(BufReader<TcpStream>);

/// An answer with the names of its headers in lowercase.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).with_context(|| address.to_owned())?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sends a request and reads one answer. A server may answer before it has read everything, so a write that fails is no
    /// failure as long as an answer came.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> Result<Reply> {
        let written = self.0.get_mut().write_all(request);
        match (self.read(), written) {
            (Ok(reply), _) => Ok(reply),
            (Err(error), Ok(())) => Err(error),
            (Err(error), Err(write)) => Err(error.context(write)),
        }
    }

    fn read(&mut self) -> Result<Reply> {
        let line = self.line()?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.with_context(|| format!("no status line: {line:?}"))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').with_context(|| format!("no header: {line:?}"))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut reply = Reply { status, headers, body: Vec::new() };
        let length: usize = reply.header("content-length").context("no length")?.parse()?;
        ensure!(length <= MOST_BYTES, "an answer of {length} bytes");
        reply.body = vec![0; length];
        self.0.read_exact(&mut reply.body)?;
        Ok(reply)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            bail!("the connection was closed without an answer");
        }
        Ok(line.trim_end().to_owned())
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_last(&self) -> bool {
        self.header("connection") == Some("close")
    }

    /// The body, when it is JSON that says no to everything.
    pub(crate) fn closed(&self) -> Option<Value> {
        let body: Value = serde_json::from_slice(&self.body).ok()?;
        let says_no = |member| body.get(member) == Some(&Value::Bool(false));
        let gates = body.get("missingGates")?.as_array()?.len();
        let is_closed = says_no("accepted") && says_no("signed") && says_no("installable") && gates > 0;
        let is_json = ["application/json", "application/problem+json"].contains(&self.header("content-type")?);
        (is_closed && is_json).then_some(body)
    }
}

/// One request on a connection of its own.
pub(crate) fn ask(address: &str, request: &[u8]) -> Result<Reply> {
    Connection::open(address)?.exchange(request)
}

pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").into_bytes()
}

pub(crate) fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The same request with a token.
pub(crate) fn authorized(request: &[u8], token: &str) -> Vec<u8> {
    let line = request.windows(2).position(|end| end == b"\r\n").unwrap_or(request.len());
    let (first, rest) = request.split_at(line);
    [first, b"\r\nAuthorization: Bearer ", token.as_bytes(), rest].concat()
}
