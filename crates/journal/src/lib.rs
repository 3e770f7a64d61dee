//! The journal of noes: an append-only log of records under an RFC 6962 tree, kept in SQLite or PostgreSQL.
//!
//! | question | place |
//! |---|---|
//! | how is something put on record? | [`writer`], one batch after the other |
//! | where is it kept? | [`store`], in [`sqlite`] or [`postgres`] |
//! | who asked, and how is that deleted? | [`attribution`], beside the log |
//! | what is hashed, and what proves it? | the crate `svc_proof`; what a store gives to readers is in [`served`] |
//! | how is a log named? | [`origin`] |
//! | who signs, and what? | [`log_key`] and [`witness_key`]: the texts of `svc_proof::signed_text`, and nothing else |
//! | how is a state given to a witness, and what does that do with it? | [`add_checkpoint`], [`witness`] |
//! | how does a log come to its next key? | [`rotate`], with a note of `svc_proof::hand_over` |
//! | what lies beside the database? | [`folder`] |
//! | what must hold before the first write? | `check`, in the order of [`open`] |
//! | what must the log agree with before anything is signed? | `remembered`, the newest states in `signed_memory` |
//! | does the store take records now? | `heartbeat`, by the probes of each [`store`] |
//! | how is the whole log checked? | in the background by [`auditor`], over `store_source` |
//! | how does a node join a log that others write? | [`joining`] |
//! | which of several databases is the log's? | `postgres/primary`, by the [`timeline`] |
//! | how does it leave and come back? | [`export`](mod@export), [`transfer`] |
//! | where do webhooks go, and how far have they gone? | [`endpoint`], kept beside the log in an [`endpoint_store`], opened by [`endpoints`] |
//! | how are old records deleted? | [`prune`](mod@prune) |
//!
//! This crate is a wall: it alone reaches SQL drivers and code that signs. What a record is, is core's word.

pub mod add_checkpoint;
pub mod attribution;
pub mod auditor;
mod batch;
mod check;
pub mod endpoint;
pub mod endpoint_store;
pub mod endpoints;
pub mod export;
pub mod folder;
mod heartbeat;
pub mod joining;
mod location;
pub mod log_key;
mod migration;
mod newest;
pub mod open;
pub mod origin;
pub mod postgres;
pub mod prune;
mod remembered;
pub mod rotate;
pub mod served;
mod signed_memory;
pub mod sqlite;
pub mod store;
pub mod store_source;
pub mod stored_name;
pub mod timeline;
pub mod transfer;
pub mod webhook_secret;
pub mod witness;
pub mod witness_key;
pub mod writer;
