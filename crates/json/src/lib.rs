//! Strict JSON, and nothing of svc: bytes in, tokens, values and digests out.
//!
//! One tokenizer feeds two readers. [`typed`] gives serde one pass and stops at the first fault: it decides whether a
//! document is read. [`cursor`] tells every value with its place and goes on past what it can: it explains a refusal.
//! [`tree`] keeps what it tells, [`survey`] only where some of it stands. Both readers refuse duplicate members,
//! fractions, integers beyond ±(2^53−1), deep nesting, refused characters, lone surrogates and anything after the root.
//!
//! | question | place |
//! |---|---|
//! | what is refused, and where? | [`fault`], [`characters`], [`bounds`] |
//! | how are bytes read? | [`tokenizer`], then [`typed`], or [`cursor`] with [`tree`] or [`survey`] |
//! | what is written and hashed? | [`canonical`], [`digest`] |
//! | where does a value stand? | [`pointer`], [`position`] |

pub mod bounds;
pub mod canonical;
pub mod characters;
#[cfg(feature = "counts")]
pub mod counts;
pub mod cursor;
pub mod digest;
pub mod fault;
pub mod pointer;
pub mod position;
pub mod printable;
mod scan;
pub mod simd_scan;
pub mod survey;
mod tokenizer;
pub mod tree;
pub mod typed;

#[cfg(test)]
mod tests;
