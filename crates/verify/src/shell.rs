//! A request as somebody repeats it by hand.

use std::fmt::Write as _;

use crate::{
    exchange::{Body, Identity},
    probe::Probe,
};

/// The most bytes of a body that stand in a line.
const INLINE_BYTES: usize = 200;

/// The request for a shell. A good payload is named by its file; a tampered one by what was done to it, as it is too long
/// for a line.
pub(crate) fn curl(base: &str, probe: &Probe) -> String {
    let request = &probe.request;
    let mut line = format!("curl -i -X {} {}", request.method, quoted(&format!("{base}{}", request.path)));
    if request.identity == Identity::Own {
        line.push_str(" -H \"Authorization: Bearer $SVC_TOKEN\"");
    }
    for (name, value) in &request.headers {
        let _ = write!(line, " -H {}", quoted(&format!("{name}: {value}")));
    }
    match (&request.body, probe.file) {
        (Body::Bytes(bytes), _) if bytes.is_empty() => {}
        (Body::Bytes(_), Some(file)) => {
            let _ = write!(line, " --data-binary @{file}");
        }
        (Body::Bytes(bytes), None) if bytes.len() <= INLINE_BYTES && bytes.is_ascii() => {
            let _ = write!(line, " --data-binary {}", quoted(&String::from_utf8_lossy(bytes)));
        }
        (Body::Bytes(bytes) | Body::Padded(bytes, _), _) => {
            let _ = write!(line, " --data-binary @-  # {} bytes, the payload with: {}", bytes.len(), probe.name);
        }
    }
    line
}

/// In single quotes, as POSIX shells read them.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
