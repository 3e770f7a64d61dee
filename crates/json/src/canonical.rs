//! The RFC 8785 form.
//!
//! Every hashed type declares its members in RFC 8785 order, keys are ASCII and numbers are integers, so a plain compact
//! writer produces canonical bytes and can stream them into the hasher. Property tests hold it equal to serde_json's and
//! to an independent implementation of the RFC.

mod writer;

use serde::Serialize;

use sha2::{Digest as _, Sha256};

use crate::digest::Digest;

/// How much is collected before it is hashed: enough that the hasher works on whole blocks, little enough to stay near.
const COLLECTED: usize = 4096;

/// The digest and length of a value's canonical form.
#[must_use]
pub fn digest<T: Serialize>(value: &T) -> (Digest, u64) {
    digest_without(value, &[])
}

/// [`digest`] of an object without these of its own members. Members of the same name deeper inside are not left out.
#[must_use]
pub fn digest_without<T: Serialize>(value: &T, left_out: &[&str]) -> (Digest, u64) {
    let mut hashing = Hashing { collected: Vec::with_capacity(2 * COLLECTED), hasher: Sha256::new(), size: 0 };
    write_without(&mut hashing, value, left_out);
    hashing.flush();
    (Digest::from_bytes(hashing.hasher.finalize().into()), hashing.size)
}

/// The canonical bytes.
#[must_use]
pub fn to_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = with_room();
    write(&mut bytes, value);
    bytes
}

/// Room for a record of the journal, an answer without a receipt or a small manifest.
fn with_room() -> Vec<u8> {
    Vec::with_capacity(COLLECTED)
}

/// Whether these are the canonical bytes of a value. They are compared while they are written.
#[must_use]
pub fn is_form_of<T: Serialize>(bytes: &[u8], value: &T) -> bool {
    let mut comparing = Comparing { left: Some(bytes) };
    write(&mut comparing, value);
    comparing.left == Some(&[])
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

/// What is still to come, as long as everything was the same.
struct Comparing<'b> {
    left: Option<&'b [u8]>,
}

impl writer::Sink for Comparing<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.left = self.left.and_then(|left| left.strip_prefix(bytes));
    }
}

struct Hashing {
    collected: Vec<u8>,
    hasher: Sha256,
    size: u64,
}

impl Hashing {
    fn flush_when_full(&mut self) {
        if self.collected.len() >= COLLECTED {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.hasher.update(&self.collected);
        self.size += self.collected.len() as u64;
        self.collected.clear();
    }
}

impl writer::Sink for Hashing {
    fn put(&mut self, bytes: &[u8]) {
        self.collected.put(bytes);
        self.flush_when_full();
    }

    fn put_quoted(&mut self, bytes: &[u8]) {
        self.collected.put_quoted(bytes);
        self.flush_when_full();
    }
}

fn write<T: Serialize>(sink: &mut impl writer::Sink, value: &T) {
    write_without(sink, value, &[]);
}

fn write_without<T: Serialize>(sink: &mut impl writer::Sink, value: &T, left_out: &[&str]) {
    if let Err(error) = writer::write(value, left_out, sink) {
        impossible(&error)
    }
}

/// Our types hold only string keys and integers, and neither a vector nor a hasher refuses bytes.
#[expect(clippy::panic, reason = "no input can reach it; a wrong digest would be worse than a stop")]
fn impossible(error: &dyn std::error::Error) -> ! {
    panic!("a value of ours could not be written as JSON: {error}")
}
