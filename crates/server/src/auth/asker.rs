//! Who asks: under which token, and whether as a probe of the verifier.
//!
//! A probe is answered, recorded and limited like any request. It is marked, so that counts and lists of what people sent
//! can leave it out. Whoever could mark a request of their own would hide it there, so that not everybody may.

use std::net::IpAddr;

use hyper::{HeaderMap, header};
use svc_core::journal::scalars::{PROBE_HEADER, ProbeId};

/// What proxies put into what they hand on.
const FORWARDED: [&str; 12] = [
    "cf-connecting-ip",
    "forwarded",
    "true-client-ip",
    "via",
    "x-client-ip",
    "x-envoy-external-address",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-real-ip",
];

/// Who asks.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// The name of the token, where one was needed.
    pub token: Option<String>,
    /// The run of the verifier, when it may say so.
    pub probe: Option<ProbeId>,
}

/// A header that is there and is not one name of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotAProbe;

/// The run that a request says it belongs to.
pub(crate) fn claimed_probe(headers: &HeaderMap) -> Result<Option<ProbeId>, NotAProbe> {
    let mut values = headers.get_all(PROBE_HEADER).iter();
    let Some(first) = values.next() else { return Ok(None) };
    let probe = first.to_str().ok().and_then(ProbeId::parse).filter(|_| values.next().is_none());
    probe.map(Some).ok_or(NotAProbe)
}

/// Whether a request comes from this machine, and no proxy says that it only handed it on.
pub(crate) fn is_from_here(address: Option<IpAddr>, headers: &HeaderMap) -> bool {
    let direct = FORWARDED.iter().all(|name| !headers.contains_key(*name));
    direct && address.is_some_and(|address| address.to_canonical().is_loopback())
}

/// More than one `Authorization`: whoever looks at the first and whoever looks at the last would not mean the same token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TwoAuthorizations;

/// The one `Authorization` of a request, if it has any.
pub(crate) fn authorization(headers: &HeaderMap) -> Result<Option<&str>, TwoAuthorizations> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let first = values.next().and_then(|value| value.to_str().ok());
    if values.next().is_some() { Err(TwoAuthorizations) } else { Ok(first) }
}

#[cfg(test)]
mod tests {
    use hyper::header::{HeaderName, HeaderValue};

    use super::*;

    const RUN: &str = "00112233445566778899aabbccddeeff";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(header) {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn a_run_has_one_name_of_thirty_two_digits() {
        assert_eq!(claimed_probe(&headers(&[])), Ok(None));
        let named = claimed_probe(&headers(&[(PROBE_HEADER, RUN)])).unwrap().unwrap();
        assert_eq!(named.as_str(), RUN);
        let upper = RUN.to_uppercase();
        for wrong in ["", "1", &RUN[1..], &format!("{RUN}0"), &upper, "yes", "00112233445566778899aabbccddeefg"] {
            assert_eq!(claimed_probe(&headers(&[(PROBE_HEADER, wrong)])), Err(NotAProbe), "{wrong}");
        }
        assert_eq!(claimed_probe(&headers(&[(PROBE_HEADER, RUN), (PROBE_HEADER, RUN)])), Err(NotAProbe));
    }

    #[test]
    fn what_a_proxy_hands_on_does_not_come_from_here() {
        let here: Option<IpAddr> = Some([127, 0, 0, 1].into());
        assert!(is_from_here(here, &headers(&[])));
        assert!(is_from_here("::ffff:127.0.0.1".parse().ok(), &headers(&[])));
        assert!(!is_from_here(Some([192, 0, 2, 1].into()), &headers(&[])));
        assert!(!is_from_here(None, &headers(&[])));
        for name in FORWARDED {
            assert!(!is_from_here(here, &headers(&[(name, "127.0.0.1")])), "{name}");
        }
    }
}
