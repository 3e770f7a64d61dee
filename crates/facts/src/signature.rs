//! Signature material, by its bytes: a text that speaks of signatures is none.

use svc_core::package::fact_table::{
    FactSpec, SIGNATURE_MATERIAL_ARCHIVE_SIGNATURE, SIGNATURE_MATERIAL_ATTESTATION, SIGNATURE_MATERIAL_MINISIGN,
    SIGNATURE_MATERIAL_OPENPGP, SIGNATURE_MATERIAL_PKCS_SEVEN, SIGNATURE_MATERIAL_SIGSTORE, SIGNATURE_MATERIAL_SSH,
};

/// The kind of signature material a file is.
pub(crate) fn find(path: &str, bytes: &[u8]) -> Option<&'static FactSpec> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    armored(text)
        .or_else(|| minisign(text))
        .or_else(|| envelope(text))
        .or_else(|| archive_signature(path, text))
        .or_else(|| is_signed_data(bytes).then_some(&SIGNATURE_MATERIAL_PKCS_SEVEN))
        .or_else(|| is_openpgp_packet(bytes).then_some(&SIGNATURE_MATERIAL_OPENPGP))
}

static ARMOR: &[(&[u8], &FactSpec)] = &[
    (b"-----BEGIN PGP SIGNATURE-----", &SIGNATURE_MATERIAL_OPENPGP),
    (b"-----BEGIN PGP SIGNED MESSAGE-----", &SIGNATURE_MATERIAL_OPENPGP),
    (b"-----BEGIN PKCS7-----", &SIGNATURE_MATERIAL_PKCS_SEVEN),
    (b"-----BEGIN CMS-----", &SIGNATURE_MATERIAL_PKCS_SEVEN),
    (b"-----BEGIN SSH SIGNATURE-----", &SIGNATURE_MATERIAL_SSH),
];

/// The line that a signature begins with, as the first of the file: elsewhere somebody shows one.
fn armored(text: &[u8]) -> Option<&'static FactSpec> {
    let (line, what) = ARMOR.iter().find(|(line, _)| text.starts_with(line))?;
    let rest = text.get(line.len()..)?;
    matches!(rest.first(), Some(b'\n' | b'\r' | b' ')).then_some(*what)
}

/// A comment, then one line of base64 that begins with the name of the algorithm.
fn minisign(text: &[u8]) -> Option<&'static FactSpec> {
    let mut lines = text.strip_prefix(b"untrusted comment:")?.split(|byte| *byte == b'\n').skip(1);
    let signature = lines.next()?.trim_ascii();
    let is_base64 = signature.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte));
    // 74 bytes are a signature; a public key has 42.
    (signature.starts_with(b"RU") && signature.len() >= 96 && is_base64).then_some(&SIGNATURE_MATERIAL_MINISIGN)
}

/// How much of a file is searched for the members that tell a bundle: they stand before what is signed or behind it.
const HEAD: usize = 64 * 1024;

/// JSON that carries signatures: a Sigstore bundle or a DSSE envelope.
fn envelope(text: &[u8]) -> Option<&'static FactSpec> {
    if !text.starts_with(b"{") {
        return None;
    }
    let head = text.get(..text.len().min(HEAD))?;
    let tail = text.get(text.len().saturating_sub(HEAD)..)?;
    let has = |mark: &[u8]| [head, tail].iter().any(|part| part.windows(mark.len()).any(|window| window == mark));
    match () {
        () if has(b"application/vnd.dev.sigstore.bundle") && has(b"\"mediaType\"") => {
            Some(&SIGNATURE_MATERIAL_SIGSTORE)
        }
        () if has(b"\"payloadType\"") && has(b"\"payload\"") && has(b"\"signatures\"") => {
            Some(&SIGNATURE_MATERIAL_ATTESTATION)
        }
        () if has(b"\"base64Signature\"") && has(b"\"rekorBundle\"") => Some(&SIGNATURE_MATERIAL_SIGSTORE),
        () => None,
    }
}

/// The digests that a Java archive signs, by the line they begin with, and only where such archives keep them.
fn archive_signature(path: &str, text: &[u8]) -> Option<&'static FactSpec> {
    let upper = path.to_ascii_uppercase();
    let is_there = upper.starts_with("META-INF/") || upper.contains("/META-INF/");
    (is_there && text.starts_with(b"Signature-Version:")).then_some(&SIGNATURE_MATERIAL_ARCHIVE_SIGNATURE)
}

/// The name of PKCS #7 signed data in DER.
const SIGNED_DATA: &[u8] = b"\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02";

/// A sequence of any length whose first member is that name.
fn is_signed_data(bytes: &[u8]) -> bool {
    let content = match bytes {
        [0x30, length @ 0x81..=0x84, rest @ ..] => rest.get(usize::from(length & 0x7F)..),
        [0x30, _, rest @ ..] => Some(rest),
        _ => None,
    };
    content.is_some_and(|content| content.starts_with(SIGNED_DATA))
}

/// One signature packet of OpenPGP that is the whole file. Three bytes begin many files, so the length must fit too, and
/// version, type and algorithms must exist.
fn is_openpgp_packet(bytes: &[u8]) -> bool {
    let packet = match bytes {
        [0x88, length, rest @ ..] => Some((usize::from(*length), rest)),
        [0x89, high, low, rest @ ..] => Some((usize::from(u16::from_be_bytes([*high, *low])), rest)),
        [0xC2, length @ 0..=191, rest @ ..] => Some((usize::from(*length), rest)),
        [0xC2, high @ 192..=223, low, rest @ ..] => {
            Some(((usize::from(*high) - 192) * 256 + usize::from(*low) + 192, rest))
        }
        _ => None,
    };
    let Some((length, rest)) = packet else { return false };
    let Some((packet, more)) = rest.split_at_checked(length) else { return false };
    let ends = more.is_empty() || matches!(more.first(), Some(0x88 | 0x89 | 0xC2));
    let is_signature = matches!(packet, [3, 5, 0 | 1, ..] | [4..=6, 0 | 1, 1..=30, 1..=14, ..]);
    ends && length >= 24 && is_signature
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(path: &str, bytes: &[u8]) -> Option<&'static str> {
        find(path, bytes).map(|what| what.word)
    }

    fn packet(start: &[u8], length: usize) -> Vec<u8> {
        let mut bytes = start.to_vec();
        bytes.extend([4, 0, 22, 8]);
        bytes.resize(start.len() + length, 7);
        bytes
    }

    #[test]
    fn signatures_are_told_by_their_bytes_under_any_name() {
        let minisign = format!(
            "untrusted comment: signature from minisign secret key\nRU{}\ntrusted comment: a\n",
            "Qf6".repeat(33)
        );
        let cases: Vec<(Vec<u8>, &str)> = vec![
            (b"-----BEGIN PGP SIGNATURE-----\n\niQEz".to_vec(), "openpgp"),
            (b"\n-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256".to_vec(), "openpgp"),
            (packet(&[0x88, 117], 117), "openpgp"),
            (packet(&[0x89, 1, 51], 307), "openpgp"),
            (packet(&[0xC2, 94], 94), "openpgp"),
            (b"-----BEGIN PKCS7-----\nMII".to_vec(), "pkcs-seven"),
            ([&[0x30, 0x82, 5, 0][..], SIGNED_DATA, b"more"].concat(), "pkcs-seven"),
            ([&[0x30, 0x80][..], SIGNED_DATA].concat(), "pkcs-seven"),
            (b"-----BEGIN SSH SIGNATURE-----\nU1NI".to_vec(), "ssh"),
            (minisign.into_bytes(), "minisign"),
            (
                br#"{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{}}"#.to_vec(),
                "sigstore",
            ),
            (br#"{"base64Signature":"MEUC","cert":"a","rekorBundle":{}}"#.to_vec(), "sigstore"),
            (
                br#"{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[]}"#.to_vec(),
                "attestation",
            ),
        ];
        for (bytes, expected) in cases {
            for path in ["a", "logo.png", "META-INF/A.RSA"] {
                assert_eq!(word(path, &bytes), Some(expected), "{bytes:?}");
            }
        }
        let digests = b"Signature-Version: 1.0\r\nCreated-By: 1";
        assert_eq!(word("META-INF/A.SF", digests), Some("archive-signature"));
        assert_eq!(word("lib/meta-inf/a.sf", digests), Some("archive-signature"));
    }

    #[test]
    fn what_only_speaks_of_signatures_is_none() {
        let cases: [(&str, &[u8]); 15] = [
            ("signature.html", b"<!doctype html><h1>Signature</h1>"),
            ("index.html.sig", b"a text"),
            ("a.asc", b"Notes"),
            ("mail.txt", b"Dear all,\n\n-----BEGIN PGP SIGNATURE-----\niQEz"),
            ("docs/pgp.md", b"A signature begins with\n-----BEGIN PGP SIGNATURE-----"),
            ("key.asc", b"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQIN"),
            ("cacert.pem", b"-----BEGIN CERTIFICATE-----\nMII"),
            ("minisign.pub", b"untrusted comment: minisign public key E7620F1842B4E81F\nRWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"),
            ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0"),
            ("a.sf", b"Signature-Version: 1.0"),
            ("a.der", b"\x30\x82\x05\x00\x30\x82\x04\x00"),
            ("a.bin", b"\x89\x01\x33\x04\x00\x01\x08"),
            ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            ("a.json", br#"{"payload":"a","signatures":"none"}"#),
            ("a.js", br#"export const type = "application/vnd.dev.sigstore.bundle";"#),
        ];
        for (path, bytes) in cases {
            assert_eq!(word(path, bytes), None, "{path}");
        }
    }
}
