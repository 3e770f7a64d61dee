//! A JSON pointer on the wire.

use svc_json::pointer::Pointer;

use crate::string_newtype;

string_newtype! {
    /// A JSON pointer.
    pub struct JsonPointer {
        check: |text| text.starts_with('/') && text.len() <= 2048,
        name: "json-pointer",
        rule: B015,
        expected: "a JSON pointer",
        pattern: "^/",
        max_length: 2048,
    }
}

impl JsonPointer {
    /// A pointer of ours, which has the form unless it is the root.
    pub(crate) fn of(pointer: &Pointer) -> Self {
        Self(pointer.to_string())
    }
}
