//! The body of an answer as it was before it was compressed, within bounds that the compressed one does not set.

use std::io::Read as _;

use flate2::read::GzDecoder;
use svc_client::exchange::Reply;
use svc_proof::fault::{JournalFault, JournalFaultKind};

/// The body of a reply, of at most so many bytes.
pub(super) fn decoded(reply: Reply, most: usize) -> Result<Vec<u8>, JournalFault> {
    let mut codings =
        reply.headers.iter().filter(|(name, _)| name == "content-encoding").map(|(_, value)| value.trim());
    let coding = (codings.next().map(str::to_ascii_lowercase), codings.next().is_some());
    let bytes = match coding {
        (None, _) => reply.body,
        (Some(coding), false) if coding == "gzip" => {
            let mut bytes = Vec::new();
            let mut bounded = GzDecoder::new(reply.body.as_slice()).take(most as u64 + 1);
            bounded.read_to_end(&mut bytes).map_err(|_| wrong("an answer in gzip that cannot be decoded"))?;
            bytes
        }
        (Some(_), _) => return Err(wrong("an answer in a content coding that was not asked for")),
    };
    if bytes.len() > most {
        return Err(wrong(&format!("an answer of more than the {most} bytes that it may have")));
    }
    Ok(bytes)
}

fn wrong(what: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::Corrupt, format!("the registry sent {what}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn reply(body: Vec<u8>, codings: &[&str]) -> Reply {
        let headers = codings.iter().map(|coding| ("content-encoding".to_owned(), (*coding).to_owned())).collect();
        Reply { status: 200, headers, body, ..Reply::default() }
    }

    #[test]
    fn a_small_body_that_grows_without_end_is_refused() {
        let bomb = gzip(&vec![0; 64 * 1024 * 1024]);
        assert!(bomb.len() < 100_000);
        let refused = decoded(reply(bomb, &["gzip"]), 1000).unwrap_err();
        assert!(refused.detail.contains("1000 bytes"), "{refused}");
    }

    #[test]
    fn other_codings_and_torn_bodies_are_refused() {
        let whole = gzip(b"records");
        for (body, codings) in [
            (whole.clone(), &["br"][..]),
            (whole.clone(), &["gzip", "gzip"]),
            (whole.clone(), &["gzip, gzip"]),
            (whole[..whole.len() - 1].to_vec(), &["gzip"]),
            (b"records".to_vec(), &["gzip"]),
            (vec![0; 1001], &[]),
        ] {
            assert!(decoded(reply(body, codings), 1000).is_err(), "{codings:?}");
        }
        assert_eq!(decoded(reply(whole, &["gzip"]), 7).unwrap(), b"records");
        assert_eq!(decoded(reply(b"records".to_vec(), &[]), 7).unwrap(), b"records");
    }
}
