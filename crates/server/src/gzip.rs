//! Content coding of what strangers read by the megabyte, entry bundles (C2SP tlog-tiles), and of pages of the console. Nothing
//! that is sent to the service is ever decoded.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use hyper::{HeaderMap, header};

/// Whether the client takes gzip (RFC 9110, section 12.5.3).
pub(crate) fn is_accepted(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let weights = lines.flat_map(|line| line.split(',')).filter_map(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        is_gzip.then(|| !parts.any(|weight| matches!(weight, "q=0" | "q=0." | "q=0.0" | "q=0.00" | "q=0.000")))
    });
    // One that is named twice is taken only when both say so.
    weights.reduce(|before, next| before && next).unwrap_or_default()
}

/// The same bytes, smaller; nothing when they would not be.
pub(crate) fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::new(5));
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().filter(|smaller| smaller.len() < bytes.len())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn gzip_is_for_those_who_ask_for_it() {
        let asked = |lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::ACCEPT_ENCODING, HeaderValue::from_static(line));
            }
            is_accepted(&headers)
        };
        for lines in [
            &[][..],
            &[""],
            &["identity"],
            &["gzip;q=0"],
            &["br, gzip; q=0.0"],
            &["gzipped"],
            &["*"],
            &["gzip", "gzip;q=0"],
        ] {
            assert!(!asked(lines), "{lines:?}");
        }
        for lines in [&["gzip"][..], &["br, GZIP;q=0.5"], &["identity", "gzip"]] {
            assert!(asked(lines), "{lines:?}");
        }
    }

    #[test]
    fn what_does_not_get_smaller_stays_as_it_is() {
        assert_eq!(compressed(b"a"), None);
        let text = b"the same again ".repeat(100);
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(&*compressed(&text).unwrap()).read_to_end(&mut back).unwrap();
        assert_eq!(back, text);
    }
}
