//! What is generated from the tables and types.

pub mod contracts;
pub mod readiness;
mod scalars;
