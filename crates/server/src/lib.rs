//! The hosted registry API, fail-closed: it moves bytes, and core alone decides.
//!
//! | question | place |
//! |---|---|
//! | which routes are there? | [`routes`], one table |
//! | what does a request pass before its body is read? | [`registry`] |
//! | what does a POST do? | [`evaluate`] |
//! | what is put on record before it is answered? | [`record`] |
//! | what is looked at before an answer leaves? | [`guard`] |
//! | what do the GET routes serve? | [`documents`] |
//! | what is there for people? | [`console`] |
//! | what happens on the wire? | [`http`] |
//! | who may ask, and how often? | [`auth`] |
//! | by which names? | [`hosts`] |
//! | who follows the log, and what are they sent? | [`follow`] |
//! | who else has seen the log? | [`witnessing`] |
//! | who is told of new records, and how? | [`events`] |
//! | how is it set up? | [`config`] |

pub mod answer;
pub mod auth;
mod client_places;
pub mod clock;
mod conditional;
pub mod config;
mod console;
mod documents;
mod evaluate;
pub mod events;
mod file_watch;
mod follow;
mod guard;
mod gzip;
pub mod health;
pub mod hosts;
pub mod http;
pub mod live;
pub mod log;
pub mod metrics;
pub mod openapi;
mod record;
mod refusals;
pub mod registry;
pub mod routes;
pub mod self_test;
pub mod witnessing;
