//! The service around the registry API: the wire, and the door that every request passes. What is answered is made and
//! guarded by `svc-registry-api`; nothing here adds to it.
//!
//! | question | place |
//! |---|---|
//! | whom does it let in before a body is read? | [`door`] |
//! | what happens on the wire? | [`http`] |
//! | who may ask, and how often? | [`auth`] |
//! | by which names? | [`hosts`] |
//! | where do records go? | [`record`] |
//! | what is there for people? | [`console`] |
//! | who follows the log, and what are they sent? | [`follow`] |
//! | who else has seen the log? | [`witnessing`] |
//! | who is told of new records, and how? | [`events`] |
//! | how is it set up? | [`config`] |

pub mod auth;
mod client_places;
pub mod clock;
pub mod config;
mod console;
pub mod door;
pub mod events;
mod file_watch;
mod follow;
mod gzip;
pub mod health;
pub mod hosts;
pub mod http;
mod journal_documents;
pub mod live;
pub mod log;
pub mod metrics;
pub mod record;
pub mod witnessing;
