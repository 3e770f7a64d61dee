//! Pictures, by their headers: what a header says is believed only where the rest of it holds.

use svc_core::{
    package::{
        fact_table::{FactSpec, IMAGE_GIF, IMAGE_JPEG, IMAGE_PNG, IMAGE_WEBP},
        sighting::Sighting,
    },
    scalar::subject::Subject,
};

/// Pixels across and down.
type Pixels = (u32, u32);

type Reader = fn(&[u8]) -> Option<Pixels>;

/// The picture that a file is.
pub(crate) fn find(bytes: &[u8]) -> Option<Sighting> {
    let readers: [(&'static FactSpec, Reader); 4] =
        [(&IMAGE_PNG, png), (&IMAGE_JPEG, jpeg), (&IMAGE_GIF, gif), (&IMAGE_WEBP, webp)];
    let (what, (width, height)) = readers.iter().find_map(|(what, read)| Some((*what, read(bytes)?)))?;
    (width > 0 && height > 0).then(|| Sighting::of_file(what).about(Subject::pixels(width, height)))
}

/// The signature, then the IHDR chunk with a size, depth and colours that exist, and its checksum.
pub(crate) fn png(bytes: &[u8]) -> Option<Pixels> {
    let chunk = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let (length, rest) = chunk.split_first_chunk::<4>()?;
    let header = rest.get(..17)?;
    let (kind, body) = header.split_first_chunk::<4>()?;
    let (width, after) = body.split_first_chunk::<4>()?;
    let (height, details) = after.split_first_chunk::<4>()?;
    let (checksum, _) = rest.get(17..)?.split_first_chunk::<4>()?;
    let details_exist = matches!(details, [1 | 2 | 4 | 8 | 16, 0 | 2 | 3 | 4 | 6, 0, 0, 0 | 1]);
    let (width, height) = (u32::from_be_bytes(*width), u32::from_be_bytes(*height));
    let holds = u32::from_be_bytes(*length) == 13
        && kind == b"IHDR"
        && width.max(height) <= i32::MAX.unsigned_abs()
        && details_exist
        && u32::from_be_bytes(*checksum) == crc32(header);
    holds.then_some((width, height))
}

/// The checksum of PNG chunks, bit by bit: it is computed once a picture, over 17 bytes.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 })
    };
    !bytes.iter().fold(u32::MAX, step)
}

fn gif(bytes: &[u8]) -> Option<Pixels> {
    let screen = bytes.strip_prefix(b"GIF89a").or_else(|| bytes.strip_prefix(b"GIF87a"))?;
    let (width, rest) = screen.split_first_chunk::<2>()?;
    let (height, rest) = rest.split_first_chunk::<2>()?;
    // Flags, background and aspect end the screen; a picture has something after it.
    (rest.len() > 3).then(|| (u32::from(u16::from_le_bytes(*width)), u32::from(u16::from_le_bytes(*height))))
}

/// Segment by segment up to the one that begins a frame.
fn jpeg(bytes: &[u8]) -> Option<Pixels> {
    let mut rest = bytes.strip_prefix(b"\xFF\xD8")?;
    loop {
        rest = rest.strip_prefix(b"\xFF")?;
        let (marker, after) = rest.split_first()?;
        match marker {
            // A marker may be filled up with as many as one likes.
            0xFF => continue,
            0x01 | 0xD0..=0xD7 => rest = after,
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => return frame(after),
            0xC4 | 0xC8 | 0xCC | 0xDB..=0xFE => {
                let length = u16::from_be_bytes(*after.first_chunk()?);
                rest = after.get(usize::from(length).max(2)..)?;
            }
            // The picture begins or ends before any frame did.
            _ => return None,
        }
    }
}

/// Length, depth, height, width, and at least one component.
fn frame(segment: &[u8]) -> Option<Pixels> {
    let [high, low, _, top, bottom, left, right, components @ 1..=4, ..] = segment else { return None };
    let length = u16::from_be_bytes([*high, *low]);
    let fits = length == 8 + 3 * u16::from(*components);
    fits.then(|| (u32::from(u16::from_be_bytes([*left, *right])), u32::from(u16::from_be_bytes([*top, *bottom]))))
}

fn webp(bytes: &[u8]) -> Option<Pixels> {
    let file = bytes.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WEBP")?;
    let (kind, rest) = file.split_first_chunk::<4>()?;
    let body = rest.get(4..)?;
    match kind {
        b"VP8 " => lossy(body),
        b"VP8L" => lossless(body),
        b"VP8X" => extended(body),
        _ => None,
    }
}

/// A key frame: three bytes of flags, three of a start code, then two sizes of 14 bits.
fn lossy(body: &[u8]) -> Option<Pixels> {
    let size = body.get(3..)?.strip_prefix(b"\x9D\x01\x2A")?;
    let (width, rest) = size.split_first_chunk::<2>()?;
    let part = |word: [u8; 2]| u32::from(u16::from_le_bytes(word) & 0x3FFF);
    Some((part(*width), part(*rest.first_chunk()?)))
}

/// Two sizes of 14 bits, each less one.
fn lossless(body: &[u8]) -> Option<Pixels> {
    let bits = u32::from_le_bytes(*body.strip_prefix(b"\x2F")?.first_chunk()?);
    Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
}

/// Four bytes of flags, then two sizes of 24 bits, each less one.
fn extended(body: &[u8]) -> Option<Pixels> {
    let [_, _, _, _, w0, w1, w2, h0, h1, h2, ..] = body else { return None };
    let size = |low: u8, middle: u8, high: u8| u32::from_le_bytes([low, middle, high, 0]) + 1;
    Some((size(*w0, *w1, *w2), size(*h0, *h1, *h2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture_size(bytes: &[u8]) -> Option<(&'static str, Pixels)> {
        find(bytes).map(|seen| (seen.what.word, seen.subject.unwrap().as_pixels().unwrap()))
    }

    fn png_of(width: u32, height: u32, details: [u8; 5]) -> Vec<u8> {
        let header = [&b"IHDR"[..], &width.to_be_bytes(), &height.to_be_bytes(), &details].concat();
        let checksum = crc32(&header).to_be_bytes();
        [&b"\x89PNG\r\n\x1a\n"[..], &13_u32.to_be_bytes(), &header, &checksum].concat()
    }

    fn jpeg_of(marker: u8) -> Vec<u8> {
        let mut bytes = b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
        // A preview inside a segment has a frame of its own, which is not the picture's.
        bytes.extend(b"\xFF\xE1\0\x0C\xFF\xC0\0\x0B\x08\0\x01\0\x01\x01");
        bytes.extend([0xFF, 0xFF, marker, 0, 17, 8, 1, 0, 2, 0x80, 3]);
        bytes.extend([1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
        bytes
    }

    fn webp_of(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
        [&b"RIFF\x20\0\0\0WEBP"[..], kind, &10_u32.to_le_bytes(), body].concat()
    }

    #[test]
    fn pictures_tell_their_sizes() {
        let cases: Vec<(Vec<u8>, (&str, Pixels))> = vec![
            (png_of(512, 256, [8, 6, 0, 0, 0]), ("png", (512, 256))),
            (jpeg_of(0xC0), ("jpeg", (640, 256))),
            (jpeg_of(0xC2), ("jpeg", (640, 256))),
            (b"GIF89a\x40\x01\xF0\0\xF7\0\0,".to_vec(), ("gif", (320, 240))),
            (webp_of(b"VP8 ", b"\x10\0\0\x9D\x01\x2A\x40\x01\xF0\x40"), ("webp", (320, 240))),
            (webp_of(b"VP8L", &[&[0x2F][..], &(319_u32 | 239 << 14).to_le_bytes()].concat()), ("webp", (320, 240))),
            (webp_of(b"VP8X", b"\x10\0\0\0\x3F\x01\0\xEF\0\0"), ("webp", (320, 240))),
        ];
        for (bytes, expected) in cases {
            assert_eq!(picture_size(&bytes), Some(expected));
            for end in 0..bytes.len() - 1 {
                let _ = picture_size(&bytes[..end]);
            }
        }
    }

    #[test]
    fn a_header_that_does_not_hold_is_no_picture() {
        let whole = png_of(512, 512, [8, 6, 0, 0, 0]);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x20;
            assert_eq!(picture_size(&bytes), None, "{at}");
        }
        let cases: Vec<Vec<u8>> = vec![
            png_of(0, 512, [8, 6, 0, 0, 0]),
            png_of(512, 512, [3, 6, 0, 0, 0]),
            png_of(512, 512, [8, 5, 0, 0, 0]),
            b"GIF89a\0\0\0\0\0\0\0,".to_vec(),
            b"GIF90a\x40\x01\xF0\0\xF7\0\0,".to_vec(),
            b"\xFF\xD8\xFF\xDA\0\x02".to_vec(),
            b"\xFF\xD8 a text".to_vec(),
            webp_of(b"VP8Z", b"\x10\0\0\x9D\x01\x2A\x40\x01\xF0\x40"),
            webp_of(b"VP8 ", b"\x10\0\0\x9D\x01\x2B\x40\x01\xF0\x40"),
            b"RIFF\x20\0\0\0WAVEfmt ".to_vec(),
            Vec::new(),
        ];
        for bytes in cases {
            assert_eq!(picture_size(&bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_picture_of_markers_alone_is_read_in_one_pass() {
        let mut bytes = b"\xFF\xD8".to_vec();
        bytes.resize(4 << 20, 0xFF);
        assert_eq!(picture_size(&bytes), None);
    }
}
