//! What somebody who has stolen the key of a log could sign.

use signed_note::{Note, StandardSigner};
use svc_journal::log_key::LogKey;

pub(crate) fn sign_anything(key: &LogKey, text: &[u8]) -> String {
    let signer = StandardSigner::new(key.to_file().trim_end()).unwrap();
    let mut note = Note::new(text, &[]).unwrap();
    note.add_sigs(&[&signer]).unwrap();
    String::from_utf8(note.to_bytes()).unwrap()
}
