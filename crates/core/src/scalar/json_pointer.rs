//! A JSON pointer on the wire.

use svc_json::pointer::Pointer;

use crate::string_newtype;

string_newtype! {
    /// A JSON pointer.
    pub struct JsonPointer {
        check: is_pointer_of_names,
        name: "json-pointer",
        rule: B015,
        expected: "a JSON pointer of plain names and numbers, 300 characters at most",
        pattern: "^(/[A-Za-z0-9_$-]+)+$",
        max_length: 300,
    }
}

/// The members of a manifest and its rows have such names, so that no pointer holds a sentence.
fn is_pointer_of_names(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_$-".contains(&byte);
    let mut parts = text.split('/');
    text.len() <= 300 && parts.next() == Some("") && {
        let mut parts = parts.peekable();
        parts.peek().is_some() && parts.all(|part| !part.is_empty() && part.bytes().all(is_plain))
    }
}

impl JsonPointer {
    /// A pointer of ours, which has the form unless it is the root.
    pub(crate) fn from_pointer(pointer: &Pointer) -> Self {
        Self(pointer.to_string())
    }
}
