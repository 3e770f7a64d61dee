//! Whoever follows the log: what they are sent, who they are, and the one place that reads it for all of them.
//!
//! The log is the outbox: a record that was committed is the event, its index the id. What is new is read from the store
//! once ([`feed`]) and shared by all who follow; whoever is behind reads on their own until they have caught up.

pub(crate) mod feed;
pub(crate) mod followers;
pub(crate) mod frame;
pub(crate) mod query;
