//! Who may ask, and how often.

pub mod asker;
pub mod client_address;
pub(crate) mod rate;
pub mod token_store;
pub mod tokens;
