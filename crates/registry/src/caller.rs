//! Who sends a request: under which token, and whether as a probe of the verifier.
//!
//! A probe is answered, recorded and limited like any request. It is marked, so that counts and lists of what people sent
//! can leave it out. A client that could mark its own requests would hide them, so the host decides who may.

use http::HeaderMap;
use svc_core::journal::scalars::{PROBE_HEADER, ProbeId};

/// Who sends a request.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The name of the token, where one was needed.
    pub token: Option<String>,
    /// The run of the verifier, when it may say so.
    pub probe: Option<ProbeId>,
}

/// A probe header that is not exactly one name of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAProbe;

/// The run that a request says it belongs to.
///
/// # Errors
/// When the header is there and is not one name of a run.
pub fn claimed_probe(headers: &HeaderMap) -> Result<Option<ProbeId>, NotAProbe> {
    let mut values = headers.get_all(PROBE_HEADER).iter();
    let Some(first) = values.next() else { return Ok(None) };
    let probe = first.to_str().ok().and_then(ProbeId::parse).filter(|_| values.next().is_none());
    probe.map(Some).ok_or(NotAProbe)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "00112233445566778899aabbccddeeff";

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(PROBE_HEADER, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_run_has_one_name_of_thirty_two_digits() {
        assert_eq!(claimed_probe(&headers(&[])), Ok(None));
        let named = claimed_probe(&headers(&[RUN])).unwrap().unwrap();
        assert_eq!(named.as_str(), RUN);
        let upper = RUN.to_uppercase();
        for wrong in ["", "1", &RUN[1..], &format!("{RUN}0"), &upper, "yes", "00112233445566778899aabbccddeefg"] {
            assert_eq!(claimed_probe(&headers(&[wrong])), Err(NotAProbe), "{wrong}");
        }
        assert_eq!(claimed_probe(&headers(&[RUN, RUN])), Err(NotAProbe));
    }
}
