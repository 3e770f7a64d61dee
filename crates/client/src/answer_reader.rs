//! Reads an HTTP/1.1 answer out of bytes as they come, within limits. Framing that two readers could understand differently is
//! refused.

use std::{fmt, time::Duration};

use httparse::{EMPTY_HEADER, Header, Response, Status};

use crate::{
    exchange::{EarlyReply, Reply},
    reason_phrase,
};

/// The most that is read of a head or of trailers, and of how many fields.
const HEAD_BYTES: usize = 64 * 1024;
const FIELDS: usize = 64;

/// The most answers before the answer.
const EARLY_REPLIES: usize = 16;

/// The longest line before a chunk: its size, and extensions that nobody reads.
const CHUNK_LINE_BYTES: usize = 1024;

/// What of an answer is read at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerLimits {
    pub(crate) body_bytes: usize,
    /// How long the answer may take after its head.
    pub(crate) after_head: Duration,
}

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AnswerFault {
    /// It is not HTTP, or its end cannot be found.
    Malformed(String),
    BodyTooLarge(usize),
    TooManyEarly,
}

impl fmt::Display for AnswerFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(why) => write!(formatter, "the answer is not HTTP/1.1 as it must be: {why}"),
            Self::BodyTooLarge(limit) => write!(formatter, "the answer must have at most {limit} bytes, and is larger"),
            Self::TooManyEarly => write!(formatter, "more than {EARLY_REPLIES} answers came before the answer"),
        }
    }
}

pub(crate) struct AnswerReader {
    limits: AnswerLimits,
    is_head_only: bool,
    part: Part,
    /// What came and does not make up a part yet.
    buffer: Vec<u8>,
    has_begun: bool,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head,
    Sized(u64),
    UntilClose,
    ChunkLine,
    Chunk(u64),
    ChunkEnd,
    Trailers,
    Done,
}

impl AnswerReader {
    /// A reader of the answer to a request by this method.
    pub(crate) fn new(method: &str, limits: AnswerLimits) -> Self {
        let is_head_only = method == "HEAD";
        Self { limits, is_head_only, part: Part::Head, buffer: Vec::new(), has_begun: false }
    }

    pub(crate) fn time_after_head(&self) -> Duration {
        self.limits.after_head
    }

    /// Whether anything has come.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the answer is whole when nothing more comes.
    pub(crate) fn is_whole_at_the_end(&self) -> bool {
        matches!(self.part, Part::UntilClose | Part::Done)
    }

    /// Reads more bytes into the reply; whether the answer is whole.
    pub(crate) fn take(&mut self, bytes: &[u8], reply: &mut Reply) -> Result<bool, AnswerFault> {
        // A head that comes byte by byte is not read again for each of them; only the very first must fit at once.
        let is_worth_reading = !self.has_begun || bytes.contains(&b'\n') || self.part != Part::Head;
        self.has_begun = true;
        self.buffer.extend_from_slice(bytes);
        let mut at = 0;
        while is_worth_reading && self.part != Part::Done {
            let Some((used, next)) = self.step(self.buffer.get(at..).unwrap_or_default(), reply)? else { break };
            at += used;
            self.part = next;
        }
        self.buffer.drain(..at);
        if matches!(self.part, Part::Head | Part::Trailers) && self.buffer.len() > HEAD_BYTES {
            return Err(malformed(&format!("its head or trailers have more than {HEAD_BYTES} bytes")));
        }
        Ok(self.part == Part::Done)
    }

    /// How many bytes the part takes that is next, and what follows it; nothing while more has to come.
    fn step(&self, buffer: &[u8], reply: &mut Reply) -> Result<Option<(usize, Part)>, AnswerFault> {
        Ok(match self.part {
            Part::Head => read_head(buffer, self.is_head_only, reply)?,
            Part::Sized(left) => self.body(buffer, left, reply)?.map(|(used, left)| {
                let next = if left == 0 { Part::Done } else { Part::Sized(left) };
                (used, next)
            }),
            Part::UntilClose => self.body(buffer, u64::MAX, reply)?.map(|(used, _)| (used, Part::UntilClose)),
            Part::ChunkLine => chunk_line(buffer)?,
            Part::Chunk(left) => self.body(buffer, left, reply)?.map(|(used, left)| {
                let next = if left == 0 { Part::ChunkEnd } else { Part::Chunk(left) };
                (used, next)
            }),
            Part::ChunkEnd => match buffer {
                [b'\r', b'\n', ..] => Some((2, Part::ChunkLine)),
                [] | [b'\r'] => None,
                [..] => return Err(malformed("a chunk is longer than it says")),
            },
            Part::Trailers => read_trailers(buffer, reply)?,
            Part::Done => None,
        })
    }

    /// Adds what came of the body, of which so much is left.
    fn body(&self, buffer: &[u8], left: u64, reply: &mut Reply) -> Result<Option<(usize, u64)>, AnswerFault> {
        let most = usize::try_from(left).unwrap_or(usize::MAX);
        let part = buffer.get(..most).unwrap_or(buffer);
        let limit = self.limits.body_bytes;
        let room = limit.saturating_sub(reply.body.len());
        reply.body.extend_from_slice(part.get(..room).unwrap_or(part));
        if part.len() > room {
            return Err(AnswerFault::BodyTooLarge(limit));
        }
        Ok((!part.is_empty()).then(|| (part.len(), left - part.len() as u64)))
    }
}

/// Reads a head: of the answer, or of one before it.
fn read_head(buffer: &[u8], is_head_only: bool, reply: &mut Reply) -> Result<Option<(usize, Part)>, AnswerFault> {
    let mut fields = [EMPTY_HEADER; FIELDS];
    let mut head = Response::new(&mut fields);
    let used = match head.parse(buffer).map_err(|error| malformed(&error.to_string()))? {
        Status::Complete(used) => used,
        Status::Partial => return Ok(None),
    };
    let status = head.code.filter(|status| (100..=999).contains(status));
    let status = status.ok_or_else(|| malformed("its status is not a number from 100 to 999"))?;
    let headers = texts(head.headers);
    if (100..200).contains(&status) && status != 101 {
        reply.early.push(EarlyReply { status, headers });
        let is_too_many = reply.early.len() > EARLY_REPLIES;
        return if is_too_many { Err(AnswerFault::TooManyEarly) } else { Ok(Some((used, Part::Head))) };
    }
    let part =
        if is_head_only || matches!(status, 101 | 204 | 304) { Part::Done } else { framing(&headers, head.version)? };
    reply.reason = head.reason.and_then(|reason| reason_phrase::unusual(status, reason));
    (reply.status, reply.headers) = (status, headers);
    Ok(Some((used, part)))
}

/// How the end of a body is found.
fn framing(headers: &[(String, String)], version: Option<u8>) -> Result<Part, AnswerFault> {
    let values =
        |name: &'static str| headers.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.trim());
    let mut codings = values("transfer-encoding");
    let mut lengths = values("content-length").flat_map(|value| value.split(',')).map(str::trim);
    match (codings.next(), lengths.next()) {
        (None, None) => Ok(Part::UntilClose),
        (None, Some(first)) => {
            let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
            let length = first.parse().ok().filter(|_| is_number && lengths.all(|other| other == first));
            let length: u64 = length.ok_or_else(|| malformed("its content-length is not one number"))?;
            Ok(if length == 0 { Part::Done } else { Part::Sized(length) })
        }
        (Some(coding), None)
            if coding.eq_ignore_ascii_case("chunked") && codings.next().is_none() && version == Some(1) =>
        {
            Ok(Part::ChunkLine)
        }
        (Some(_), None) => Err(malformed("its transfer-encoding is not chunked alone")),
        (Some(_), Some(_)) => Err(malformed("it has both a content-length and a transfer-encoding")),
    }
}

fn chunk_line(buffer: &[u8]) -> Result<Option<(usize, Part)>, AnswerFault> {
    let wrong = || malformed("the size of a chunk is not a hexadecimal number on a line of its own");
    let Some(end) = buffer.iter().take(CHUNK_LINE_BYTES).position(|byte| *byte == b'\n') else {
        return if buffer.len() < CHUNK_LINE_BYTES { Ok(None) } else { Err(wrong()) };
    };
    let line = buffer.get(..end).and_then(|line| line.strip_suffix(b"\r")).ok_or_else(wrong)?;
    let size = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    let digits = std::str::from_utf8(size).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    // An empty text is no number either; sixteen digits are more than any answer may have.
    let size =
        digits.filter(|text| text.len() <= 16).and_then(|text| u64::from_str_radix(text, 16).ok()).ok_or_else(wrong)?;
    Ok(Some((end + 1, if size == 0 { Part::Trailers } else { Part::Chunk(size) })))
}

fn read_trailers(buffer: &[u8], reply: &mut Reply) -> Result<Option<(usize, Part)>, AnswerFault> {
    let mut fields = [EMPTY_HEADER; FIELDS];
    match httparse::parse_headers(buffer, &mut fields).map_err(|error| malformed(&format!("its trailers: {error}")))? {
        Status::Complete((used, trailers)) => {
            reply.trailers = texts(trailers);
            Ok(Some((used, Part::Done)))
        }
        Status::Partial => Ok(None),
    }
}

fn texts(fields: &[Header<'_>]) -> Vec<(String, String)> {
    let text =
        |field: &Header<'_>| (field.name.to_ascii_lowercase(), String::from_utf8_lossy(field.value).into_owned());
    fields.iter().map(text).collect()
}

fn malformed(why: &str) -> AnswerFault {
    AnswerFault::Malformed(why.to_owned())
}
