//! What people need to know of a certificate: whom it is for, and when it begins and ends. Nothing is decided about its
//! signature; clients do that.
//!
//! Of DER (X.690) only what stands on the way to these is read. Whatever has another form is refused whole.

use std::{fmt, net::IpAddr};

use svc_core::journal::timestamp::Timestamp;

/// A certificate of more names than this is shown with the first of them.
const MAX_SHOWN_NAMES: usize = 5;

const INTEGER: u8 = 0x02;
const VERSION: u8 = 0xa0;
const OCTET_STRING: u8 = 0x04;
const BOOLEAN: u8 = 0x01;
const OBJECT_ID: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
const EXTENSIONS: u8 = 0xa3;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

/// `subjectAltName`, 2.5.29.17.
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFacts {
    /// Seconds since 1970.
    pub begins: u64,
    /// Seconds since 1970: its last second.
    pub ends: u64,
    /// Names and addresses that clients may know it by. Not escaped.
    pub names: Vec<String>,
}

impl CertificateFacts {
    /// Reads a certificate in DER; nothing when it has another form.
    pub(super) fn read(certificate: &[u8]) -> Option<Self> {
        let mut whole = Der(certificate).take(SEQUENCE)?;
        let mut inner = whole.take(SEQUENCE)?;
        inner.skip_optional(VERSION);
        inner.take(INTEGER)?;
        // The algorithm, and who issued it.
        inner.take(SEQUENCE)?;
        inner.take(SEQUENCE)?;
        let mut validity = inner.take(SEQUENCE)?;
        let (begins, ends) = (validity.time()?, validity.time()?);
        let names = inner.find(EXTENSIONS).map_or(Some(Vec::new()), names_in)?;
        Some(Self { begins, ends, names })
    }

    pub(super) fn is_over(&self, now: u64) -> bool {
        self.ends < now
    }
}

/// For messages.
impl fmt::Display for CertificateFacts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> =
            self.names.iter().take(MAX_SHOWN_NAMES).map(|name| name.escape_default().to_string()).collect();
        let more = self.names.len().saturating_sub(MAX_SHOWN_NAMES);
        match (shown.is_empty(), more) {
            (true, _) => formatter.write_str("for no name, so that clients refuse it")?,
            (false, 0) => write!(formatter, "for {}", shown.join(", "))?,
            (false, more) => write!(formatter, "for {} and {more} more", shown.join(", "))?,
        }
        write!(
            formatter,
            "; begins {}, ends {}",
            Timestamp::utc_seconds(self.begins),
            Timestamp::utc_seconds(self.ends)
        )
    }
}

fn names_in(mut extensions: Der<'_>) -> Option<Vec<String>> {
    let mut list = extensions.take(SEQUENCE)?;
    while let Some(mut extension) = list.next_of(SEQUENCE)? {
        let is_wanted = extension.take(OBJECT_ID)?.0 == SUBJECT_ALT_NAME;
        extension.skip_optional(BOOLEAN);
        let mut value = extension.take(OCTET_STRING)?;
        if is_wanted {
            return general_names(value.take(SEQUENCE)?);
        }
    }
    Some(Vec::new())
}

fn general_names(mut list: Der<'_>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    while !list.0.is_empty() {
        let (tag, value) = list.any()?;
        match tag {
            DNS_NAME => names.push(String::from_utf8_lossy(value.0).into_owned()),
            IP_ADDRESS => names.push(address(value.0)?.to_string()),
            _ => {}
        }
    }
    Some(names)
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from).ok();
    four.or_else(|| <[u8; 16]>::try_from(bytes).map(IpAddr::from).ok())
}

/// Bytes that hold one value after the other.
#[derive(Clone, Copy)]
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The next value, with its tag of one byte.
    fn any(&mut self) -> Option<(u8, Self)> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        let mut length = usize::from(first);
        if first >= 0x80 {
            let (bytes, after) = rest
                .split_at_checked(usize::from(first & 0x7f))
                .filter(|(bytes, _)| (1..=size_of::<u32>()).contains(&bytes.len()))?;
            length = bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            rest = after;
        }
        let (value, after) = rest.split_at_checked(length)?;
        self.0 = after;
        Some((tag, Der(value)))
    }

    fn take(&mut self, tag: u8) -> Option<Self> {
        self.any().filter(|(found, _)| *found == tag).map(|(_, value)| value)
    }

    /// The next value, which must have this tag; `Some(None)` at the end.
    fn next_of(&mut self, tag: u8) -> Option<Option<Self>> {
        if self.0.is_empty() { Some(None) } else { self.take(tag).map(Some) }
    }

    fn skip_optional(&mut self, tag: u8) {
        if self.0.first() == Some(&tag) {
            self.any();
        }
    }

    fn find(&mut self, tag: u8) -> Option<Self> {
        while let Some((found, value)) = self.any() {
            if found == tag {
                return Some(value);
            }
        }
        None
    }

    /// `YYMMDDHHMMSSZ`, which stands for 1950 to 2049, or `YYYYMMDDHHMMSSZ`.
    fn time(&mut self) -> Option<u64> {
        let (tag, value) = self.any()?;
        let digits = value.0.strip_suffix(b"Z")?;
        let number = |at: usize, count: usize| -> Option<u64> {
            let text = std::str::from_utf8(digits.get(at..at + count)?).ok()?;
            if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
        };
        let (year, rest) = match (tag, digits.len()) {
            (UTC_TIME, 12) => {
                let short = number(0, 2)?;
                (if short < 50 { 2000 + short } else { 1900 + short }, 2)
            }
            (GENERALIZED_TIME, 14) => (number(0, 4)?, 4),
            _ => return None,
        };
        let part = |index: usize| number(rest + 2 * index, 2);
        let days = days_since_1970(year, part(0)?, part(1)?)?;
        Some(((days * 24 + part(2)?) * 60 + part(3)?) * 60 + part(4)?)
    }
}

/// Days from 1970 to a date of the Gregorian calendar. A date before 1970 is its first day.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March, so that the day of a leap year is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1;
    Some(days.saturating_sub(719_468))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates_are_as_many_days_from_1970() {
        for (date, days) in [
            ((1970, 1, 1), 0),
            ((2000, 2, 29), 11_016),
            ((2100, 3, 1), 47_541),
            ((1950, 1, 1), 0),
            ((9999, 12, 31), 2_932_896),
        ] {
            assert_eq!(days_since_1970(date.0, date.1, date.2), Some(days), "{date:?}");
        }
        assert_eq!((days_since_1970(2026, 13, 1), days_since_1970(2026, 1, 0)), (None, None));
    }

    #[test]
    fn times_of_both_forms_are_read_and_others_refused() {
        let time = |tag: u8, text: &str| {
            let bytes = [&[tag, text.len() as u8][..], text.as_bytes()].concat();
            Der(&bytes).time().map(Timestamp::utc_seconds)
        };
        assert_eq!(time(UTC_TIME, "491231235959Z").unwrap(), "2049-12-31T23:59:59Z");
        assert_eq!(time(UTC_TIME, "700101000000Z").unwrap(), "1970-01-01T00:00:00Z");
        assert_eq!(time(GENERALIZED_TIME, "20500101000000Z").unwrap(), "2050-01-01T00:00:00Z");
        for wrong in
            ["4912312359Z", "491231235959", "491231235959+", "4912312359 1Z", "491331235959Z", "", "+91231235959Z"]
        {
            assert_eq!(time(UTC_TIME, wrong), None, "{wrong}");
        }
    }

    /// Lengths that lie, and every beginning and every changed byte of something that looks like a certificate.
    #[test]
    fn no_bytes_make_it_stumble() {
        let validity = [&[0x30, 30][..], &[0x17, 13], b"250101000000Z", &[0x17, 13], b"350101000000Z"].concat();
        let san =
            [&[0x30, 16, 0x06, 3, 0x55, 0x1d, 0x11, 0x04, 9, 0x30, 7, 0x82, 1, b'a', 0x87, 2][..], &[1, 2]].concat();
        let extensions = [&[0xa3, 20, 0x30, 18][..], &san].concat();
        let inner = [&[0x02, 1, 1, 0x30, 0, 0x30, 0][..], &validity, &extensions].concat();
        let tbs = [&[0x30, inner.len() as u8][..], &inner].concat();
        let whole = [&[0x30, 0x81, tbs.len() as u8][..], &tbs].concat();
        assert_eq!(CertificateFacts::read(&whole), None, "an address of two bytes");
        for at in 0..whole.len() {
            let _ = CertificateFacts::read(&whole[..at]);
            for byte in [0, 0x7f, 0x80, 0x84, 0x89, 0xff] {
                let mut changed = whole.clone();
                changed[at] = byte;
                let _ = CertificateFacts::read(&changed);
            }
        }
    }
}
