//! Finds words and places for a refusal that was decided elsewhere.

pub mod form;
pub mod meant;
pub mod open_flags;
pub mod scalars;
pub mod shape;
