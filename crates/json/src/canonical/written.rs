//! Values that were written already. Another document holds their bytes as they are.

use serde::{Serialize, Serializer};

/// The canonical bytes of a value. Only this module's parents make one, by writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written(pub(super) Vec<u8>);

impl Written {
    /// Writes a value.
    #[must_use]
    pub fn of<T: Serialize>(value: &T) -> Self {
        Self(super::to_bytes(value))
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, for keeps.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// The name under which the canonical writer knows it, and takes its bytes for what they are.
pub(super) const NAME: &str = "svc_core::Written";

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &Bytes(&self.0))
    }
}

pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}
