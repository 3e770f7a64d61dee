//! The journal as a whole, against both stores. What needs PostgreSQL is ignored here and run by `cargo xtask test`.

mod both;
#[path = "../../../../tests/cluster/mod.rs"]
mod cluster;
mod drafts;
mod embedded;
mod place;
mod published_vectors;
mod receipts;
mod shared;
mod speed;
