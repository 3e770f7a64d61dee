//! PNG headers.

/// A picture as its header tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    /// Pixels across.
    pub(super) width: u32,
    /// Pixels down.
    pub(super) height: u32,
}

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Reads the header of a PNG: the signature, then the IHDR chunk with a size and depth that exist and its checksum.
pub(super) fn read(head: &[u8]) -> Option<Picture> {
    let chunk = head.strip_prefix(SIGNATURE)?;
    let (length, rest) = chunk.split_first_chunk::<4>()?;
    let header = rest.get(..17)?;
    let (kind, body) = header.split_first_chunk::<4>()?;
    let (width, after) = body.split_first_chunk::<4>()?;
    let (height, details) = after.split_first_chunk::<4>()?;
    let (checksum, _) = rest.get(17..)?.split_first_chunk::<4>()?;
    let picture = Picture { width: u32::from_be_bytes(*width), height: u32::from_be_bytes(*height) };
    let depth_exists = matches!(details.first(), Some(1 | 2 | 4 | 8 | 16));
    let holds = u32::from_be_bytes(*length) == 13
        && kind == b"IHDR"
        && picture.width > 0
        && picture.height > 0
        && depth_exists
        && u32::from_be_bytes(*checksum) == crc32(header);
    holds.then_some(picture)
}

/// The checksum of PNG chunks, bit by bit: it is computed once a picture, over 17 bytes.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 })
    };
    !bytes.iter().fold(u32::MAX, step)
}
