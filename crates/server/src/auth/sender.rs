//! What a request says about its sender: one token at most, and whether it comes from this machine.

use std::net::IpAddr;

use hyper::{HeaderMap, header};

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
