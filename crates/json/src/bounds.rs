//! How large a document and its parts may be, so that every reader's work is bounded.

/// Nesting of objects and lists.
pub const DEPTH: usize = 32;

/// Length of one string in bytes, decoded.
pub const STRING_BYTES: usize = 64 * 1024;

/// Length of one member name in bytes, decoded.
pub const MEMBER_NAME_BYTES: usize = 128;

/// The largest absolute value of an integer: the largest that every reader holds exactly.
pub const INTEGER: i64 = (1 << 53) - 1;
