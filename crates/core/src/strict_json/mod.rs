//! The one door for JSON: files, request bodies and answers all pass the same strict reader.
//!
//! Two consumers share its tokens. [`typed`] feeds serde in one pass and stops at the first fault: it decides
//! validity. [`tree`] keeps every value with its place and goes on past what it can: it explains a refusal.
//! Both refuse duplicate members, fractions, integers beyond ±(2^53−1), deep nesting, refused characters, lone
//! surrogates and anything after the root.

pub mod characters;
pub(crate) mod digested;
pub mod fault;
pub(crate) mod plain;
pub(crate) mod reader;
mod row;
pub mod tree;
pub mod typed;

#[cfg(test)]
mod tests;
