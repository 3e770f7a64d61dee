//! Who may ask, and how often.

pub mod client_address;
pub(crate) mod rate;
pub(crate) mod sender;
pub mod token_store;
pub mod tokens;
