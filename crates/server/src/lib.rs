//! The hosted registry API, fail-closed: the rim around the core.
//!
//! | question | place |
//! |---|---|
//! | which routes are there? | [`routes`], one table |
//! | what does a POST do? | [`receive`] |
//! | what does a request pass before? | [`registry`] |
//! | what happens on the wire? | [`http`] |
//! | what is on record? | [`journal`] |
//! | who may ask, and how often? | [`auth`] |
//! | how is it set up? | [`config`] |

pub mod answer;
pub mod auth;
pub mod clock;
pub mod config;
mod documents;
mod guard;
pub mod health;
pub mod http;
pub mod journal;
pub mod log;
mod metrics;
pub mod openapi;
mod receive;
pub mod registry;
pub mod routes;
pub mod self_test;
