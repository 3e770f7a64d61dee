//! The wire: connections, bodies, time and memory. Everything here is bounded.

mod body;
mod connection;
mod pool;
pub mod serve;
mod stall;
pub mod tls;
