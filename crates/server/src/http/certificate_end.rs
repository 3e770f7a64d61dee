//! When a certificate ends: just as much of X.509 as lies before that date.
//!
//! Nothing is checked here and nothing is decided by it: TLS reads the certificate itself. This is for the metrics.

use svc_core::journal::timestamp::Timestamp;

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
/// The version, which old certificates leave out.
const VERSION: u8 = 0xa0;

/// The last moment of a certificate in DER, in seconds since 1970.
pub(super) fn of_der(certificate: &[u8]) -> Option<u64> {
    let mut signed = Values(Values(certificate).next(SEQUENCE)?);
    let mut fields = Values(signed.next(SEQUENCE)?);
    if fields.0.first() == Some(&VERSION) {
        fields.next(VERSION)?;
    }
    fields.next(INTEGER)?;
    fields.next(SEQUENCE)?;
    fields.next(SEQUENCE)?;
    let mut validity = Values(fields.next(SEQUENCE)?);
    validity.time()?;
    validity.time()
}

/// DER values that follow each other.
struct Values<'a>(&'a [u8]);

impl<'a> Values<'a> {
    /// The content of the next value, which must have this tag.
    fn next(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_first_chunk::<2>()?;
        let (length, rest) = match *head {
            [found, _] if found != tag => return None,
            [_, short @ 0..=0x7f] => (usize::from(short), rest),
            [_, long] => {
                // A certificate has less than 2^24 bytes; no count, or a longer one, is none of ours.
                let count = usize::from(long & 0x7f);
                let (digits, rest) = rest.split_at_checked(count).filter(|_| (1..=3).contains(&count))?;
                (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
            }
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(content)
    }

    /// The next value as a time. Two digits of a year mean 1950 to 2049 (RFC 5280).
    fn time(&mut self) -> Option<u64> {
        let (text, century) = match self.0.first()? {
            &UTC_TIME => {
                let text = str::from_utf8(self.next(UTC_TIME)?).ok()?;
                (text, if text < "50" { "20" } else { "19" })
            }
            _ => (str::from_utf8(self.next(GENERALIZED_TIME)?).ok()?, ""),
        };
        let digits = format!("{century}{}", text.strip_suffix('Z')?);
        let part = |from: usize, to: usize| digits.get(from..to);
        let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
        let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14).filter(|_| digits.len() == 14)?);
        let time = Timestamp::parse(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}.000Z"))?;
        Some(time.millis() / 1000)
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, process::Command};

    use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject as _};

    use super::*;

    fn openssl(arguments: &[&str], folder: &Path) -> String {
        let output = Command::new("openssl").args(arguments).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn certificate(days: &str, folder: &Path) -> (Vec<u8>, u64) {
        let make = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days"];
        let names = [days, "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "certificate.pem"];
        openssl(&[&make[..], &names].concat(), folder);
        let end = ["x509", "-in", "certificate.pem", "-noout", "-enddate", "-dateopt", "iso_8601"];
        let end =
            openssl(&end, folder).trim().strip_prefix("notAfter=").unwrap().replace(' ', "T").replace('Z', ".000Z");
        let pem = fs::read(folder.join("certificate.pem")).unwrap();
        let der = CertificateDer::from_pem_slice(&pem).unwrap().to_vec();
        (der, Timestamp::parse(&end).unwrap().millis() / 1000)
    }

    /// The first is written with two digits of a year, the second, after 2049, with four.
    #[test]
    fn it_is_what_openssl_says() {
        let folder = tempfile::tempdir().unwrap();
        for days in ["1", "20000"] {
            let (der, end) = certificate(days, folder.path());
            assert_eq!(of_der(&der), Some(end), "{days}");
        }
    }

    #[test]
    fn what_is_cut_or_changed_has_some_end_or_none_and_stops_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (der, _) = certificate("1", folder.path());
        let needed = (0..der.len()).find(|length| of_der(&der[..*length]).is_some());
        assert_eq!(needed, None, "a part of a certificate is none");
        for at in 0..der.len().min(200) {
            for byte in [0, 1, 0x7f, 0x80, 0x84, 0xff] {
                let mut changed = der.clone();
                changed[at] = byte;
                let _ = of_der(&changed);
            }
        }
        for text in ["", "0", "0\u{80}", "not a certificate"] {
            assert_eq!(of_der(text.as_bytes()), None, "{text}");
        }
    }
}
