//! The quick look at a path: nearly all are of plain ASCII, and are judged sixteen bytes at a time. What it does not take
//! may still be a path; [`crate::scalar::path`] looks again.

use svc_json::simd_scan;

use crate::{
    scalar::path_parts::{PathMarks, is_device},
    words::limits,
};

/// The marks of a path of the most common form. What has none may still be a path.
pub(super) fn quick_marks(text: &str) -> Option<PathMarks> {
    let bytes = text.as_bytes();
    let [others, slashes, dots, upper] = simd_scan::bits(bytes, |chunk| {
        let letters = chunk.with(0x20).within(b'a', b'z');
        // `-`, `.`, `/` and the digits follow each other.
        let common = letters | chunk.within(b'-', b'9') | chunk.equal(b'_');
        [!common, chunk.equal(b'/'), chunk.equal(b'.'), chunk.within(b'A', b'Z')]
    })?;
    // No part is empty or ends with a dot.
    let sound = others == 0 && slashes & ((slashes | dots) << 1 | 1) == 0 && !matches!(bytes, [] | [.., b'.' | b'/']);
    if !sound || slashes.count_ones() as usize >= limits::PATH_DEPTH || has_device(bytes, slashes) {
        return None;
    }
    let behind_last = |bits: u128| (u128::BITS - bits.leading_zeros()) as u16;
    Some(PathMarks { last_part: behind_last(slashes), behind_dot: behind_last(dots), is_lower: upper == 0 })
}

/// Whether a part may be a device's name.
fn has_device(bytes: &[u8], mut slashes: u128) -> bool {
    let mut part = 0;
    while slashes != 0 {
        let end = slashes.trailing_zeros() as usize;
        if may_be_device(bytes.get(part..end).unwrap_or_default()) {
            return true;
        }
        (part, slashes) = (end + 1, slashes & (slashes - 1));
    }
    may_be_device(bytes.get(part..).unwrap_or_default())
}

/// Whether a part of a path has to be looked at again. The name of a device starts with one of these letters.
fn may_be_device(part: &[u8]) -> bool {
    matches!(part, [b'a' | b'c' | b'l' | b'n' | b'p' | b'A' | b'C' | b'L' | b'N' | b'P', ..])
        && is_device(part.split(|byte| *byte == b'.').next().unwrap_or_default())
}
