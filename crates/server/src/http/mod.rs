//! The wire: connections, bodies, time and memory. Everything here is bounded.

mod admin;
mod body;
mod connection;
pub mod descriptors;
mod places;
mod pool;
mod room;
pub mod serve;
mod stall;
pub mod tls;
