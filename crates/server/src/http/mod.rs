//! The wire: connections, bodies, time and memory. Everything here is bounded.

mod accept;
mod admin;
mod answer_body;
mod answer_budget;
mod body;
mod body_budget;
mod certificate;
mod connection;
mod connection_slots;
mod departure;
pub mod descriptors;
mod event_stream;
mod follow;
mod read;
mod request;
mod response;
pub mod serve;
mod stall_timeout;
mod state;
pub mod tls;
mod turns;
pub mod witness;
mod worker_pool;
