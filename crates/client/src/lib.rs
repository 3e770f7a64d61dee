//! The one careful HTTP client: blocking, one connection a request, limits on size and time.
//!
//! | question | place |
//! |---|---|
//! | what is sent, and what comes back? | [`exchange`] |
//! | how is a registry or a witness asked? | [`client`], at an [`address`]; unmarked as `ordinary` |
//! | how is a webhook delivered? | [`webhook_client`], to a [`receiver_url`] |
//! | which addresses may be connected to? | [`allowed_receivers`], [`special_addresses`] |
//! | how is a host looked up? | [`resolver`] |
//! | how are hosts and networks written? | [`authority`], [`host`], [`network`] |
//! | how long may it take, and what ends it sooner? | `deadline` |
//! | how do bytes get there and back? | `connection`, over `tls` |
//! | what is an HTTP request and answer? | `request_head`, `answer_reader`, with `reason_phrase` |
//!
//! What is not here cannot go wrong: no redirect, no proxy, no cookie, no decompression, no second attempt, nothing read of the
//! environment but the certificates of the system, and no way to skip the check of a certificate.

pub mod address;
pub mod allowed_receivers;
mod answer_reader;
pub mod authority;
pub mod client;
mod connection;
mod deadline;
pub mod exchange;
pub mod host;
pub mod network;
mod ordinary;
mod reason_phrase;
pub mod receiver_url;
mod request_head;
pub mod resolver;
pub mod special_addresses;
mod tls;
pub mod webhook_client;
