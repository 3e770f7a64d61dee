//! Writes a request, and nothing into it that could begin another one.

/// How the names of headers are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameCase {
    Lower,
    /// `Content-Type`, as curl does.
    Title,
}

pub(crate) struct RequestHead {
    text: String,
    case: NameCase,
    fault: Option<&'static str>,
}

/// A request as it is sent. Its last bytes are the body.
pub(crate) struct RequestBytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) body_bytes: usize,
}

impl RequestHead {
    pub(crate) fn new(method: &str, target: &str, case: NameCase) -> Self {
        let is_plain = target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
        let fault =
            (!is_plain).then_some("its path must begin with a slash and be visible ASCII characters, without `#`");
        Self { text: format!("{method} {target} HTTP/1.1\r\n"), case, fault }
    }

    #[must_use]
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        if !value.bytes().all(|byte| byte == b'\t' || (byte >= b' ' && byte != 0x7f)) {
            self.fault = Some("a header must have no control characters");
        }
        match self.case {
            NameCase::Lower => self.text.push_str(name),
            NameCase::Title => self.text.extend(name.split_inclusive('-').flat_map(capitalized)),
        }
        self.text.push_str(": ");
        self.text.push_str(value);
        self.text.push_str("\r\n");
        self
    }

    /// The whole request.
    ///
    /// # Errors
    /// When a part of it cannot be sent: what that part must be.
    pub(crate) fn with_body(self, body: &[u8]) -> Result<RequestBytes, &'static str> {
        let head = if body.is_empty() { self } else { self.header("content-length", &body.len().to_string()) };
        match head.fault {
            Some(fault) => Err(fault),
            None => Ok(RequestBytes { bytes: [head.text.as_bytes(), b"\r\n", body].concat(), body_bytes: body.len() }),
        }
    }
}

fn capitalized(word: &str) -> impl Iterator<Item = char> {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
}
