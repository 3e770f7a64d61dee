//! The journal of noes: an append-only log of records under an RFC 6962 tree, kept in SQLite or PostgreSQL.
//!
//! | question | place |
//! |---|---|
//! | how is something put on record? | [`writer`], one batch after the other |
//! | where is it kept? | [`store`], in [`sqlite`] or [`postgres`] |
//! | who asked, and how is that deleted? | [`attribution`], beside the log |
//! | what is hashed, and what proves it? | [`tree`], [`checkpoint`], [`receipt`]; for other tools [`tlog_proof`] |
//! | how is a log named? | [`origin`] |
//! | who signs, and what? | [`key`]: the texts of `signed_text`, and nothing else |
//! | who else saw a state, and who must have? | [`cosignature`] by a [`witness_key`], demanded by a [`policy`] |
//! | how is a state given to a witness, and what does that do with it? | [`add_checkpoint`], [`witness`] |
//! | where does a log begin once it was pruned? | [`minimum_index`] |
//! | how does a log come to its next key? | [`rotate`], with a note of [`hand_over`] |
//! | what lies beside the database? | [`folder`] |
//! | how is a file read that an operator names, and how is one written? | [`regular_file`], `plain_files` |
//! | what must hold before the first write? | `check`, in the order of [`open`] |
//! | what must the log agree with before anything is signed? | `remembered`, the newest states in `signed_memory` |
//! | does the store take records now? | `heartbeat`, by the probes of each [`store`] |
//! | how is a whole log checked? | [`audit`], over [`source`]s; in the background by [`auditor`] |
//! | has a log that is served grown? | [`growth`], over its tiles; read on from there by [`follow`] |
//! | what shows a stranger that it has not? | [`evidence`], by the hashes of [`spans`]; made of what was heard by [`suspicion`] |
//! | how does a node join a log that others write? | [`joining`] |
//! | which of several databases is the log's? | `postgres/primary`, by the [`timeline`] |
//! | how is a log copied that others serve? | [`mirror`](mod@mirror) |
//! | how does it leave and come back? | [`tiles`], [`log_folder`], [`export`](mod@export), [`transfer`] |
//! | where do webhooks go, and how far have they gone? | [`endpoint`], kept beside the log in an [`endpoint_store`], opened by [`endpoints`] |
//! | how are old records deleted? | [`prune`](mod@prune) |
//! | what can go wrong? | [`fault`] |
//!
//! This crate is a wall: it alone reaches SQL drivers and code that signs. What a record is, is core's word.

pub mod add_checkpoint;
pub mod attribution;
pub mod audit;
pub mod auditor;
mod batch;
mod check;
pub mod checkpoint;
pub mod cosignature;
pub mod endpoint;
pub mod endpoint_store;
pub mod endpoints;
pub mod evidence;
pub mod export;
pub mod fault;
pub mod folder;
pub mod follow;
pub mod growth;
pub mod hand_over;
mod heartbeat;
pub mod joining;
pub mod key;
mod location;
pub mod log_folder;
mod migration;
pub mod minimum_index;
pub mod mirror;
mod newest;
mod note;
pub mod open;
pub mod origin;
mod plain_files;
pub mod policy;
pub mod postgres;
pub mod prune;
pub mod receipt;
pub mod recorded_answer;
pub mod regular_file;
mod remembered;
pub mod rotate;
mod signed_memory;
mod signed_text;
pub mod source;
pub mod spans;
pub mod sqlite;
pub mod store;
pub mod stored_name;
pub mod suspicion;
pub mod tiles;
pub mod timeline;
pub mod tlog_proof;
pub mod transfer;
pub mod tree;
pub mod webhook_secret;
pub mod witness;
pub mod witness_key;
pub mod writer;
