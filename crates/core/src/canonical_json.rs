//! The RFC 8785 form, written by serde_json itself.
//!
//! Every hashed type declares its members in RFC 8785 order, keys are ASCII and numbers are integers, so the plain
//! compact writer produces canonical bytes and can stream them into the hasher. Property tests hold this equal to an
//! independent implementation.

use std::io::{BufWriter, Write};

use serde::Serialize;

use crate::digest::{Digest, Hasher};

/// The digest and length of a value's canonical form.
#[must_use]
pub fn digest<T: Serialize>(value: &T) -> (Digest, u64) {
    let mut writer = BufWriter::with_capacity(4096, Hasher::default());
    write(&mut writer, value);
    match writer.into_inner() {
        Ok(hasher) => hasher.finish(),
        Err(error) => impossible(&error),
    }
}

/// The canonical bytes.
#[must_use]
pub fn to_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, value);
    bytes
}

/// The layout of files: canonical member order, two spaces, a final newline.
#[must_use]
pub fn to_pretty<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Err(error) = serde_json::to_writer_pretty(&mut bytes, value) {
        impossible(&error)
    }
    bytes.push(b'\n');
    bytes
}

fn write<T: Serialize>(writer: impl Write, value: &T) {
    if let Err(error) = serde_json::to_writer(writer, value) {
        impossible(&error)
    }
}

/// Our types hold only string keys and integers, and neither a vector nor a hasher refuses bytes.
#[expect(clippy::panic, reason = "no input can reach it; a wrong digest would be worse than a stop")]
fn impossible(error: &dyn std::error::Error) -> ! {
    panic!("a value of ours could not be written as JSON: {error}")
}
