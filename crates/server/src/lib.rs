//! The hosted registry API, fail-closed: the rim around the core.
//!
//! | question | place |
//! |---|---|
//! | which routes are there? | [`operation`], one table |
//! | what does a POST do? | [`receive`] |
//! | what does a request pass before? | [`registry`] |
//! | what happens on the wire? | [`rim`] |
//! | what is on record? | [`journal`] |
//! | who may ask? | [`token`] |
//! | how is it set up? | [`config`] |

pub mod answer;
pub mod clock;
pub mod config;
mod documents;
mod guard;
pub mod health;
pub mod journal;
pub mod log;
mod metrics;
pub mod openapi;
pub mod operation;
mod rate;
mod receive;
pub mod registry;
pub mod rim;
pub mod self_test;
pub mod token;
