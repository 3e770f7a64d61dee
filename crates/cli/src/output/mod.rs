//! Reports in words for people and for machines.

pub(crate) mod escape;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod stream;
