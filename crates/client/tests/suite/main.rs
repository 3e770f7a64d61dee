//! The client against servers that are slow, broken or hostile, on sockets of this machine.
//!
//! | file | what is tested |
//! |---|---|
//! | `hostile` | answers without end, broken, in pieces; connections that end; certificates |
//! | `early` | answers that come before the request was sent |
//! | `looks` | what a request looks like |
//! | `receivers` | where a webhook may go, and how its delivery ends |
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod early;
mod hostile;
mod looks;
mod receivers;
