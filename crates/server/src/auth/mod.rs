//! Who may ask, and how often.

pub mod asker;
pub(crate) mod rate;
pub mod token_store;
pub mod tokens;
