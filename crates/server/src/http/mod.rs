//! The wire: connections, bodies, time and memory. Everything here is bounded.

mod accept;
mod admin;
mod body;
mod connection;
pub mod descriptors;
mod places;
mod pool;
mod request;
mod room;
pub mod serve;
mod stall;
mod state;
pub mod tls;
