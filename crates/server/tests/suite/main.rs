//! The registry as its clients see it: in-process first, then on the wire, then under attack.
//!
//! | file | what it holds |
//! |---|---|
//! | `kit`, `asked`, `wire` | the documents the tests start from, and ways to ask: in-process, and by raw bytes |
//! | `conformance` | every case of the committed kit, posted to its endpoint |
//! | `pairs` | every kind at every endpoint |
//! | `leaves` | every leaf of manifest and file table, changed under its digest |
//! | `routes` | what is served is what is documented; documents, tags, methods, refusals |
//! | `library_and_wire` | the registry API in-process and the service on the wire give the same answers |
//! | `tokens` | who may ask, and that it never changes an answer |
//! | `abuses` | raw HTTP that no client should send |
//! | `bodies` | malformed bodies by the thousand |
//! | `campaign` | counts, seeds and records of the full-count runs |
//! | `limits` | sizes, times and rates |
//! | `console` | pages for people: paths, headers, and that none is an answer |
//! | `admin` | probes and metrics on an address of their own |
//! | `webhooks` | where a delivery may go, and what happens to one |
//! | `tls` | HTTPS with a certificate made for the test |
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod abuses;
mod admin;
mod bodies;
mod conformance;
mod console;
mod description;
mod door;
mod in_process;
mod kit;
mod leaves;
mod library_and_wire;
mod limits;
mod listed_problems;
mod pairs;
mod routes;
mod tls;
mod tokens;
mod webhooks;
mod wire;

use svc_testkit::campaign;
