//! What goes between the two processes: a language and the bytes of a file there, what was seen in it back.

use std::io::{self, Read, Write};

use svc_facts::language::Language;

/// A file to read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) language: Language,
    pub(super) bytes: Vec<u8>,
}

pub(super) fn write_request(to: &mut impl Write, language: Language, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&[language.to_byte()])?;
    write_bytes(to, bytes)
}

/// The next file; nothing at the end.
pub(super) fn read_request(from: &mut impl Read) -> io::Result<Option<Request>> {
    let mut language = [0];
    if from.read(&mut language)? == 0 {
        return Ok(None);
    }
    let language = Language::from_byte(language[0]).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some(Request { language, bytes: read_bytes(from)? }))
}

pub(super) fn write_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::InvalidData)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

pub(super) fn read_bytes(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    let mut bytes = Vec::new();
    let read = from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if read < length as usize { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_arrives_whole_or_not_at_all() {
        let mut wire = Vec::new();
        write_request(&mut wire, Language::Page, b"<p>").unwrap();
        let request = Request { language: Language::Page, bytes: b"<p>".to_vec() };
        assert_eq!(read_request(&mut wire.as_slice()).unwrap(), Some(request));
        assert_eq!(read_request(&mut [].as_slice()).unwrap(), None);
        for cut in 1..wire.len() {
            assert!(read_request(&mut &wire[..cut]).is_err(), "{cut}");
        }
        assert!(read_request(&mut [200, 0, 0, 0, 0].as_slice()).is_err());
    }
}
